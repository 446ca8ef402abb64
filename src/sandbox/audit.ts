import { closeSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { XiheError } from '../errors.js';
import { openStateAppend, readStateFile, writeAtomic } from '../stateFile.js';
import { maskPersonal, maskSecrets } from '../text/index.js';
import {
  type ChainedEntry,
  chainedLine,
  type Head,
  headFile,
  type Link,
  rawHash,
  rawLines,
  readHead,
  readLine,
  type Tail,
  tailOf,
} from './auditChain.js';
import { type AuditCheck, type ChainEnd, checkChain } from './auditCheck.js';
import { faultPoint } from './durable.js';
import { withFileLock } from './lock.js';
import type { AuditEntry } from './types.js';

/** Size at which the log is set aside and a new one begun: some 20,000 entries. Bytes. */
const MAX_LOG_BYTES = 5 * 1024 * 1024;
/** Older logs kept. */
const KEPT_LOGS = 10;
/** Longer strings in an entry are cut: the log says what was done, not what a file held. Characters. */
const MAX_STRING = 2_000;
/** Longer strings are cut before secrets are looked for: masking must not take seconds. What a secret loses here is not kept. */
const MAX_MASKED = 8 * MAX_STRING;

const CURRENT = 'audit.jsonl';

/** Limits of an {@link AuditLog}; tests use small ones. */
export interface AuditOptions {
  maxBytes?: number;
  keep?: number;
}

/** Which entries {@link AuditLog.find} gives. */
export interface AuditQuery {
  limit: number;
  thread?: string;
  /** What was done: a tool's name, or `changeset.apply` and the like. */
  tool?: string;
  /** Not before. */
  since?: Date;
}

/**
 * Who did what, when, and what came of it: one JSON line an act, in `<stateDir>/audit/`, secrets and personal data masked.
 *
 * Each line holds the hash of the one before, over all files, so that {@link check} finds lines that were changed, removed or
 * put in. Several processes may append at once: a lock lets one in at a time.
 */
export class AuditLog {
  private readonly dir: string;

  constructor(
    stateDir: string,
    private readonly options: AuditOptions = {},
  ) {
    this.dir = join(stateDir, 'audit');
  }

  /** @throws XiheError STATE_UNWRITABLE when the log can't be written, LOCK_BUSY when another process does not let go of it */
  append(entry: AuditEntry): void {
    const masked = shorten(maskSecrets(entry, (text) => maskPersonal(cut(text, MAX_MASKED, '\n…')))) as object;
    try {
      mkdirSync(this.dir, { recursive: true });
      withFileLock(join(this.dir, 'rotate'), () => this.appendLocked(masked));
    } catch (cause) {
      if (XiheError.is(cause, 'LOCK_BUSY')) throw cause;
      throw new XiheError('STATE_UNWRITABLE', `审计日志写不进去：${join(this.dir, CURRENT)}`, {
        hint: '检查磁盘空间和 .xihe/state 的写权限。',
        cause,
      });
    }
  }

  /** The last `limit` entries, oldest first, older logs included; lines that can't be read are left out. */
  recent(limit: number): AuditEntry[] {
    return this.find({ limit });
  }

  /** The last entries that fit, oldest first, older logs included; lines that can't be read are left out. */
  find({ limit, thread, tool, since }: AuditQuery): AuditEntry[] {
    const fits = (e: AuditEntry) =>
      (thread === undefined || e.thread === thread) &&
      (tool === undefined || e.what === tool) &&
      (since === undefined || Date.parse(e.at) >= since.getTime());
    const found: AuditEntry[] = [];
    for (const file of this.files().reverse()) {
      if (found.length >= limit) break;
      found.unshift(...entriesOf(join(this.dir, file)).filter(fits));
    }
    return found.slice(-limit);
  }

  /**
   * Whether the chain holds, and where it first does not. Waits for a process that is writing.
   *
   * @param anchor an end that an earlier check gave and that was kept elsewhere
   * @throws XiheError LOCK_BUSY
   */
  check(anchor?: ChainEnd): AuditCheck {
    const look = () => checkChain(this.dir, this.files(), anchor);
    try {
      // Without the lock a line that is just being written would look like one that was cut off.
      return statSync(this.dir, { throwIfNoEntry: false }) ? withFileLock(join(this.dir, 'rotate'), look) : look();
    } catch (e) {
      if (!XiheError.is(e, 'STATE_UNWRITABLE')) throw e;
      return look(); // a log that may only be read
    }
  }

  private appendLocked(entry: object): void {
    const rotated = this.rotateIfLarge();
    const head = readHead(this.dir);
    const current = tailOf(join(this.dir, CURRENT));
    const before = current.last === undefined ? tailOf(join(this.dir, this.olderLogs().at(-1) ?? CURRENT)) : current;
    const { line, hash, seq } = next(entry, head, before);
    this.appendLine(`${current.ended ? '' : '\n'}${line}\n`);
    faultPoint('audit:written');
    const gone = rotated ? this.tooOld() : [];
    const begin = gone.length > 0 ? this.firstAfter(gone) : head?.begin;
    const noted = writeAtomic(headFile(this.dir), [JSON.stringify({ seq, hash, ...(begin ? { begin } : {}) })]);
    if (!noted) throw new Error('写不进 head.json');
    for (const name of gone) rmSync(join(this.dir, name), { force: true });
  }

  private appendLine(text: string): void {
    const fd = openStateAppend(join(this.dir, CURRENT), { mode: 0o600 });
    try {
      const bytes = Buffer.from(text);
      if (process.env.XIHE_CRASH_AT === 'audit:half') writeSync(fd, bytes, 0, bytes.length >> 1);
      faultPoint('audit:half');
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } finally {
      closeSync(fd);
    }
  }

  /** Sets a large log aside. @returns whether it did */
  private rotateIfLarge(): boolean {
    const file = join(this.dir, CURRENT);
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < (this.options.maxBytes ?? MAX_LOG_BYTES)) return false;
    const last = this.olderLogs().at(-1);
    const number = 1 + Number(last?.slice('audit.'.length, -'.jsonl'.length) ?? 0);
    renameSync(file, join(this.dir, `audit.${String(number).padStart(6, '0')}.jsonl`));
    return true;
  }

  private tooOld(): string[] {
    const old = this.olderLogs();
    return old.slice(0, Math.max(0, old.length - (this.options.keep ?? KEPT_LOGS)));
  }

  /** Where the chain begins once these logs are gone. */
  private firstAfter(gone: readonly string[]): Head['begin'] {
    for (const file of this.files().filter((name) => !gone.includes(name))) {
      const [first] = linesOf(join(this.dir, file));
      if (first === undefined) continue;
      const read = readLine(first);
      return read.kind === 'link' ? { seq: read.entry.seq, prev: read.entry.prev } : undefined;
    }
    return undefined;
  }

  /** All logs, oldest first. */
  private files(): string[] {
    return [...this.olderLogs(), CURRENT];
  }

  private olderLogs(): string[] {
    try {
      return readdirSync(this.dir)
        .filter((name) => /^audit\.\d+\.jsonl$/.test(name))
        .sort();
    } catch {
      return [];
    }
  }
}

/**
 * The next line. What the note of the end says counts where it reaches further than the lines do: then lines are missing, and the
 * gap must stay to be seen.
 *
 * @param before the end of the last log that holds something
 */
function next(entry: object, head: Head | undefined, before: Tail): { line: string; hash: string; seq: number } {
  const { link, last = '' } = before;
  const end = head !== undefined && head.seq >= (link?.seq ?? 0) ? head : link;
  const torn = before.ended || readLine(last).kind === 'link' ? {} : { torn: rawHash(last) };
  const headless = head === undefined && (link?.seq ?? 0) > 1 ? { headless: true } : {};
  const seq = (end?.seq ?? 0) + 1;
  // A log from before there was a chain: its last line is what the first link holds on to.
  const prev = end?.hash ?? (before.last === undefined ? '' : rawHash(last));
  return { ...chainedLine(entry, { ...torn, ...headless, seq, prev }), seq };
}

function linesOf(file: string): string[] {
  const bytes = readStateFile(file);
  return bytes === undefined ? [] : rawLines(bytes).lines;
}

function entriesOf(file: string): AuditEntry[] {
  return linesOf(file).flatMap((line) => {
    const read = readLine(line);
    if (read.kind === 'plain') return [read.entry];
    return read.kind === 'link' ? [withoutLink(read.entry)] : [];
  });
}

function withoutLink(entry: ChainedEntry): AuditEntry {
  const { seq: _s, prev: _p, hash: _h, torn: _t, headless: _l, ...rest } = entry satisfies AuditEntry & Link;
  return rest;
}

function shorten(value: unknown): unknown {
  if (typeof value === 'string') return cut(value, MAX_STRING);
  if (Array.isArray(value)) return value.map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, shorten(v)]));
}

/**
 * Cuts a string and says how long it was; a string that was cut before says it of the first time.
 *
 * @param mark begins the note; a space in it keeps the note out of a secret that is masked
 */
function cut(text: string, max: number, mark = '…'): string {
  if (text.length <= max) return text;
  const total = /…（共 (\d+) 字符）$/.exec(text.slice(-40))?.[1] ?? text.length;
  return `${text.slice(0, max)}${mark}（共 ${total} 字符）`;
}
