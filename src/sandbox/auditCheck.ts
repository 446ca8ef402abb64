import { join } from 'node:path';
import { readStateFile } from '../stateFile.js';
import {
  type ChainedEntry,
  type Head,
  headFile,
  type Raw,
  rawHash,
  rawLines,
  readHead,
  readLine,
} from './auditChain.js';

/**
 * How the chain is broken. `cut`: lines at the end are gone; `head`: the note of the end is; `anchor`: it is another
 * chain than the one that was kept in mind.
 */
export type BreakKind = 'changed' | 'removed' | 'inserted' | 'moved' | 'cut' | 'head' | 'anchor';

/** The first place where the chain does not hold. */
export interface ChainBreak {
  kind: BreakKind;
  /** Name of the file in `audit/`. */
  file: string;
  /** 1-based; 0 in a file that has no line. */
  line: number;
  /** In Chinese: what was found there. */
  reason: string;
}

/** What {@link checkChain} found. */
export interface AuditCheck {
  ok: boolean;
  /** Lines of the chain that hold, up to the first break. */
  links: number;
  /** Lines from before there was a chain. */
  unchained: number;
  broken?: ChainBreak;
  /** In Chinese: what a crash left, which is no fault. */
  notes: string[];
  end?: ChainEnd;
}

/** The end of a chain; kept elsewhere, it shows later whether all up to there is still the same. */
export interface ChainEnd {
  seq: number;
  hash: string;
}

interface Place {
  file: string;
  line: number;
  raw: Raw;
  /** It has its line feed. */
  ended: boolean;
}

/**
 * Follows the chain through all logs.
 *
 * What it can't show: whoever may write the folder can make the whole chain anew, or remove it with its note. Only an end that was
 * kept elsewhere shows that.
 *
 * @param dir the folder of the logs
 * @param files their names, oldest first
 * @param anchor an end that was kept elsewhere
 */
export function checkChain(dir: string, files: readonly string[], anchor?: ChainEnd): AuditCheck {
  const places = files.flatMap((file) => placesOf(dir, file));
  const walk = new Walk(places, readHead(dir), readStateFile(headFile(dir)) !== undefined, anchor);
  const broken = walk.run();
  return {
    ok: broken === undefined,
    links: walk.links,
    unchained: walk.unchained,
    ...(broken ? { broken } : {}),
    notes: walk.notes,
    ...(walk.last ? { end: { seq: walk.last.seq, hash: walk.last.hash } } : {}),
  };
}

function placesOf(dir: string, file: string): Place[] {
  const bytes = readStateFile(join(dir, file));
  if (bytes === undefined) return [];
  const { lines, ended } = rawLines(bytes);
  return lines.map((raw, i) => ({ file, line: i + 1, raw, ended: ended || i < lines.length - 1 }));
}

/** One pass over all lines; stops at the first break. */
class Walk {
  links = 0;
  unchained = 0;
  notes: string[] = [];
  /** The last link that holds. */
  last: ChainedEntry | undefined;
  /** A line that is none, which the next one has to account for. */
  private half: Place | undefined;
  /** The line that the note of the end names was met. */
  private headMet = false;

  constructor(
    private readonly places: readonly Place[],
    private readonly head: Head | undefined,
    private readonly hasHeadFile: boolean,
    private readonly anchor: ChainEnd | undefined,
  ) {}

  run(): ChainBreak | undefined {
    for (const [i, place] of this.places.entries()) {
      const broken = this.step(place, i);
      if (broken) return broken;
    }
    return this.atEnd();
  }

  private step(place: Place, i: number): ChainBreak | undefined {
    const read = readLine(place.raw);
    if (read.kind === 'changed') return at(place, 'changed', '这一行被改过');
    if (read.kind === 'link') return this.link(read.entry, place, i);
    const started = this.last !== undefined;
    if (read.kind === 'plain' && started) return at(place, 'inserted', '这一行不在链上，是后来放进去的');
    if (!started) {
      // Before there was a chain; half lines stood there as well.
      this.unchained++;
      return undefined;
    }
    if (this.half !== undefined) return at(this.half, 'changed', '这一行不是完整的记录');
    this.half = place;
    return undefined;
  }

  private link(entry: ChainedEntry, place: Place, i: number): ChainBreak | undefined {
    const half = this.half;
    const before = this.places[i - 1];
    if (half !== undefined && entry.torn !== rawHash(half.raw))
      return at(half, 'changed', '这一行被改过，不是完整的记录');
    if (entry.torn !== undefined && half === undefined && rawHash(before?.raw ?? '') !== entry.torn)
      return at(place, 'removed', '这一行前面的半行记录不见了');
    const broken =
      this.last === undefined ? this.first(entry, place, before) : this.following(entry, place, this.last, i);
    if (broken) return broken;
    if (entry.headless) return at(place, 'head', '写这一行时链尾记录 head.json 不见了，它前面可能少了几行');
    if (entry.seq === this.anchor?.seq && entry.hash !== this.anchor.hash)
      return at(place, 'anchor', `第 ${entry.seq} 条和你留底的不一样：这条链被整条重写过`);
    if (half !== undefined) this.notes.push(`${half.file}:${half.line} 是进程中断时没写完的半行，不影响前后`);
    this.half = undefined;
    this.last = entry;
    this.links++;
    if (entry.seq === this.head?.seq && entry.hash === this.head.hash) this.headMet = true;
    return undefined;
  }

  /** The first link that is there. */
  private first(entry: ChainedEntry, place: Place, before: Place | undefined): ChainBreak | undefined {
    const begin = this.head?.begin;
    const lost = () => at(place, 'removed', `这一行前面的记录不见了（它是第 ${entry.seq} 条）`);
    if (begin !== undefined && entry.seq > begin.seq) return lost();
    if (begin !== undefined && entry.seq === begin.seq) return entry.prev === begin.prev ? undefined : lost();
    if (entry.seq !== 1) return begin === undefined ? lost() : undefined;
    if (entry.prev === (before === undefined ? '' : rawHash(before.raw))) return undefined;
    // The log before it went with the logs that are too old, and its removal was noted with the end.
    if (before === undefined) return begin === undefined ? lost() : undefined;
    return at(before, 'changed', '链开始之前的最后一行被改过');
  }

  private following(entry: ChainedEntry, place: Place, last: ChainedEntry, i: number): ChainBreak | undefined {
    if (entry.seq === last.seq + 1) {
      if (entry.prev === last.hash) return undefined;
      return at(this.places[i - 1]!, 'changed', '这一行被换掉了，和下一行记下的对不上');
    }
    if (entry.seq <= last.seq) return at(place, 'inserted', `第 ${entry.seq} 条又出现了一次`);
    const wanted = last.seq + 1;
    const later = this.places.slice(i + 1).some(({ raw }) => isSeq(raw, wanted));
    if (later) return at(place, 'moved', `顺序被换过：这里应当是第 ${wanted} 条，却是第 ${entry.seq} 条`);
    const missing = entry.seq === wanted + 1 ? `第 ${wanted} 条` : `第 ${wanted} 到 ${entry.seq - 1} 条`;
    return at(place, 'removed', `这一行前面少了${missing}`);
  }

  /** What the note of the end says about what stands there. */
  private atEnd(): ChainBreak | undefined {
    const end = this.places.at(-1) ?? { file: 'audit.jsonl', line: 0, raw: '', ended: true };
    const { last, head, half } = this;
    if (head === undefined) return this.withoutHead(end);
    if ((last?.seq ?? 0) < head.seq) {
      const lost = head.seq - (last?.seq ?? 0);
      const cut = half === undefined ? '' : '，最后一行只剩半行';
      return at(end, 'cut', `末尾少了 ${lost} 条${cut}；不是断电造成的，就是被人截掉了`);
    }
    if (half?.ended) return at(half, 'changed', '这一行被改过，不是完整的记录');
    if (!this.headMet) return at(end, 'changed', '末尾和链尾记录 head.json 对不上，被换过');
    if (half !== undefined) this.notes.push(`${half.file}:${half.line} 是进程中断时没写完的半行，不影响前面`);
    if (this.anchor !== undefined && this.anchor.seq > (last?.seq ?? 0))
      return at(end, 'anchor', `你留底的是第 ${this.anchor.seq} 条，现在只有 ${last?.seq ?? 0} 条`);
    if (this.anchor !== undefined && this.anchor.seq < (head.begin?.seq ?? 1))
      this.notes.push(`你留底的第 ${this.anchor.seq} 条已随旧日志删除，没法比`);
    if (last !== undefined && last.seq > head.seq) this.notes.push('最后几条写完时进程中断，链尾记录下次写入时补上');
    return undefined;
  }

  private withoutHead(end: Place): ChainBreak | undefined {
    if (this.hasHeadFile) return at({ ...end, file: 'head.json', line: 1 }, 'head', '链尾记录读不出来');
    // The very first line is written before there is a note; a crash may come in between.
    if ((this.last?.seq ?? 0) <= 1) return undefined;
    return at(end, 'head', '链尾记录 head.json 不见了，末尾有没有少，看不出来');
  }
}

function at({ file, line }: Place, kind: BreakKind, reason: string): ChainBreak {
  return { kind, file, line, reason };
}

function isSeq(raw: Raw, seq: number): boolean {
  const read = readLine(raw);
  return read.kind === 'link' && read.entry.seq === seq;
}
