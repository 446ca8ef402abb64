import type { ChatRequest, Reply, ScriptedToolCall } from '../../support/model-server.js';

/**
 * A scripted model that does what a careful colleague does with what it is sent, and nothing that it was not told: it edits a place once it
 * has read it, reads a file once it knows of it, and searches for what nobody named. So a prompt that says less costs turns, and a tool that
 * says less costs more of them. One call a turn, as most models do. It answers by the request alone: a repeated request gets the same reply.
 */

export interface Edit {
  search: string;
  replace: string;
}

/** One place that a change needs. */
export interface Target {
  /** What a person would look for, in this order: words of the request, then what was read on the way. */
  words: string[];
  /** Where a search is narrowed to, when a person would. */
  scope?: string;
  /** Names of files that anybody who reads the request would open at once; those of a listing count as well. */
  named?: RegExp;
  /** A path as this colleague writes it, which may be wrong: tools may mend it. */
  writes?: string;
  /** What is changed. It must have been read; `known` is everything that was read or told so far. */
  edits(known: string): Edit[];
  /** Only where somebody has said this since, and the colleague wrote it otherwise. */
  whenTold?: string;
}

export interface Job {
  request: string;
  /** Test files that the change touches. Tests run first when `reproduces`. */
  tests?: string[];
  reproduces?: boolean;
  targets: Target[];
  /** Targets that are only taken up when the tests are red. */
  whenRed?: Target[];
  done: string;
}

/** How files are opened: lines around a known place, or always whole. */
export type Opens = 'window' | 'whole';

/** Lines before and after a known line that are read: a function of some length. */
const BEFORE = 20;
const LINES = 80;

/** The colleague's next reply. */
export function nextReply(job: Job, request: ChatRequest, opens: Opens): Reply {
  const known = new Known(request);
  const tests = known.testRun;
  if (job.reproduces && tests === undefined) return calling({ name: 'run_tests', args: testArgs(job) });
  const isRed = tests?.failed ?? false;
  const targets = [...job.targets, ...(isRed || known.tookUp(job.whenRed) ? (job.whenRed ?? []) : [])];
  for (const target of targets) {
    const call = stepFor(target, known, opens);
    if (call) return calling(call);
  }
  if (tests === undefined || tests.isStale) return calling({ name: 'run_tests', args: testArgs(job) });
  return { text: isRed ? '测试没有通过，改不好了。' : job.done };
}

function calling(call: ScriptedToolCall): Reply {
  return { toolCalls: [call] };
}

function testArgs({ tests }: Job) {
  return tests ? { files: tests } : {};
}

/** What one target needs next; undefined when it is done. */
function stepFor(target: Target, known: Known, opens: Opens): ScriptedToolCall | undefined {
  const edits = target.edits(known.everything);
  if (known.isEdited(edits)) return undefined;
  if (target.whenTold && !known.everything.includes(target.whenTold)) return undefined;
  const path = known.fileWith(edits.map(({ search }) => search));
  if (path) return { name: 'edit_file', args: { path, edits } };
  if (target.whenTold) return undefined;
  const place = known.placeOf(target);
  if (place) return readOf(place, known, opens);
  const word = target.words.find((one) => !known.searched.has(one));
  if (word) return { name: 'search_code', args: { pattern: word, ...(target.scope ? { scope: target.scope } : {}) } };
  throw new Error(`the colleague is at a loss: ${target.words.join(', ')}`);
}

/** Opens a file: whole, around the place, or where the last window ended. */
function readOf(place: Place, known: Known, opens: Opens): ScriptedToolCall {
  const read = known.files.get(place.path);
  const args: Record<string, unknown> = { path: place.path };
  if (read !== undefined) {
    const first = Math.min(...read.lines.keys());
    const last = Math.max(...read.lines.keys());
    const start = last < read.total ? last + 1 : Math.max(1, first - LINES);
    Object.assign(args, { start_line: start, line_count: last < read.total ? LINES : first - start });
  } else if (opens === 'window' && place.line !== undefined) {
    // Near the beginning nobody leaves the first lines out.
    const start = place.line - BEFORE;
    Object.assign(args, { start_line: start > BEFORE ? start : 1, line_count: LINES });
  }
  return { name: 'read_file', args };
}

interface Place {
  path: string;
  line?: number;
}

interface ReadFile {
  total: number;
  lines: Map<number, string>;
  /** Made since it was read. */
  edits: Edit[];
}

const PATH = String.raw`[\w.@\u4e00-\u9fff-]+(?:/[\w.@\u4e00-\u9fff-]+)*\.[a-zA-Z]{2,4}`;

/** What a request says, as somebody who reads it would know it. */
class Known {
  /** All texts but the files' own. */
  readonly everything: string;
  readonly files = new Map<string, ReadFile>();
  readonly searched = new Set<string>();
  readonly testRun: { failed: boolean; isStale: boolean } | undefined;
  readonly #told: string;
  readonly #edits: Edit[] = [];
  /** Paths that a tool could not find. */
  readonly #gone = new Set<string>();

  constructor({ messages }: ChatRequest) {
    const results = new Map(messages.flatMap((m) => (m.role === 'tool' ? [[m.tool_call_id, String(m.content)]] : [])));
    const told = messages.filter((m) => m.role === 'user').map((m) => String(m.content));
    let tests: { failed: boolean; at: number } | undefined;
    for (const { id, function: f } of messages.flatMap((m) => m.tool_calls ?? [])) {
      const args = JSON.parse(f.arguments) as { path?: string; pattern?: string; edits?: Edit[] };
      const result = results.get(id) ?? '';
      const isRead = f.name === 'read_file' && this.#take(result);
      if (!isRead) told.push(result);
      if (f.name === 'read_file' && result.includes('失败（')) this.#gone.add(args.path!);
      if (f.name === 'search_code') this.searched.add(args.pattern!);
      if (f.name === 'edit_file' && result.includes('已暂存')) this.#write(args.path!, args.edits!);
      if (f.name === 'run_tests') tests = { failed: !/成功（退出码 0/.test(result), at: this.#edits.length };
    }
    this.#told = told.join('\n');
    const texts = [...this.files.values()].map((file) => this.#textOf(file));
    this.everything = [this.#told, ...texts].join('\n');
    this.testRun = tests && { failed: tests.failed, isStale: tests.at < this.#edits.length };
  }

  /** Takes up what a reading shows. @returns false where it shows no lines */
  #take(result: string): boolean {
    const head = /^(?:.*→ |)(\S+) 第 (\d+)–\d+ 行，共 (\d+) 行/m.exec(result);
    if (!head) return false;
    const file = this.files.get(head[1]!) ?? { total: Number(head[3]), lines: new Map(), edits: [] };
    for (const [, number, text] of result.matchAll(/^(\d+)\t(.*)$/gm)) file.lines.set(Number(number), text!);
    this.files.set(head[1]!, file);
    return true;
  }

  #write(path: string, edits: readonly Edit[]): void {
    this.#edits.push(...edits);
    this.files.get(path)?.edits.push(...edits);
  }

  /** What is known of a file, with what was changed in it since. */
  #textOf({ lines, edits }: ReadFile): string {
    const text = [...lines]
      .sort(([a], [b]) => a - b)
      .map(([, line]) => `${line}\n`)
      .join('');
    return edits.reduce((all, { search, replace }) => all.replace(search, () => replace), text);
  }

  isEdited(edits: readonly Edit[]): boolean {
    return edits.every(({ search }) => this.#edits.some((edit) => edit.search === search));
  }

  tookUp(targets: readonly Target[] | undefined): boolean {
    return targets?.some((target) => target.edits(this.everything).some((edit) => this.isEdited([edit]))) ?? false;
  }

  /** The file that was read and holds all of these. */
  fileWith(texts: readonly string[]): string | undefined {
    return [...this.files].find(([, file]) => texts.every((text) => this.#textOf(file).includes(text)))?.[0];
  }

  /** Where a person would look: a file whose name says it, at the line that was told; else the first place told for one of the words. */
  placeOf({ words, named, scope, writes }: Target): Place | undefined {
    const isOpen = (path: string) => !this.#gone.has(path) && !this.#isRead(path) && (!scope || path.startsWith(scope));
    if (writes && isOpen(writes) && ![...this.files.keys()].some((path) => named?.test(path))) return { path: writes };
    const places = words.flatMap((word) => this.#placesTold(word)).filter(({ path }) => isOpen(path));
    const byName = named && this.#pathsTold().find((path) => named.test(path) && isOpen(path));
    if (byName) return places.find(({ path }) => path === byName) ?? { path: byName };
    return places[0];
  }

  /** Whether nothing of a file is left to read. */
  #isRead(path: string): boolean {
    const file = this.files.get(path);
    return file !== undefined && file.lines.size >= file.total;
  }

  /** Places that stand beside a word: behind it, before it as in a search result, or the path and line of the same line of text. */
  #placesTold(word: string): Place[] {
    return this.#told.split('\n').flatMap((line) => {
      const at = line.indexOf(word);
      if (at < 0) return [];
      const behind = new RegExp(`^[^：:，。、]{0,60}?[（(](${PATH})[:：](\\d+)`).exec(line.slice(at));
      const hit = behind ?? new RegExp(`^(${PATH}):(\\d+)\t`).exec(line);
      if (hit) return [{ path: hit[1]!, line: Number(hit[2]) }];
      const listed = new RegExp(`^\\d+\\. (${PATH})[：（].*→[^（]*（第 (\\d+) 行`).exec(line);
      return listed ? [{ path: listed[1]!, line: Number(listed[2]) }] : [];
    });
  }

  /** Every path that was told, also those of a listing by folders. */
  #pathsTold(): string[] {
    const paths: string[] = [];
    let folder = '';
    for (const line of this.#told.split('\n')) {
      if (/^\S+\/$/.test(line)) folder = line;
      else if (/^ {2}\S+\.\w+$/.test(line) && folder) paths.push(folder + line.trim());
      else {
        if (!line.startsWith(' ')) folder = '';
        paths.push(...(line.match(new RegExp(PATH, 'g')) ?? []));
      }
    }
    return paths;
  }
}
