import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, XiheError } from '../errors.js';
import { stateBytes } from '../stateFile.js';
import { maskPersonal, maskSecrets } from '../text/index.js';
import { faultPoint, fsyncDir, hashOf, inState, replaceFile, writeSynced } from './durable.js';

/** What names an act outside the tree. The same thread, step and arguments are the same act. */
export interface SideEffect {
  thread: string;
  /** The place in the run (a node, a tool call's id). */
  step: string;
  /** What is done, for people: a tool's name, a command. */
  what: string;
  /** JSON. Order of keys does not matter. */
  args: unknown;
}

/** An act as the ledger keeps it. */
export interface SideEffectEntry {
  key: string;
  thread: string;
  step: string;
  what: string;
  /** Secrets and personal data masked. */
  args: unknown;
  /** ISO time of the beginning. */
  at: string;
  state: 'open' | 'done';
  /** ISO time of the end. */
  doneAt?: string;
  result?: unknown;
}

/** What {@link SideEffectLedger.begin} found: only 'new' may act. */
export type Begun = { state: 'new'; key: string; at: string } | (SideEffectEntry & { state: 'open' | 'done' });

/**
 * The ledger of acts that can't be taken back (restart, schedule, alert, a team's command).
 *
 * `begin` is on disk before the act, `close` after it. A node that runs again finds its act: done (and gets the recorded
 * result), or open: the process died in between, nobody knows whether it happened, so people are asked and nothing is
 * retried by itself. Of two processes that begin the same act at once, one gets 'new', the other 'open'.
 */
export class SideEffectLedger {
  private readonly dir: string;

  constructor(stateDir: string) {
    this.dir = join(stateDir, 'side-effects');
  }

  /** Writes the intent, durably, unless it is there already. */
  begin(effect: SideEffect): Begun {
    const key = keyOf(effect);
    const known = this.find(key);
    if (known !== null) return known;
    const { thread, step, what } = effect;
    const at = new Date().toISOString();
    const entry: SideEffectEntry = { key, thread, step, what, args: masked(effect.args), at, state: 'open' };
    inState(this.dir, () => mkdirSync(this.dir, { recursive: true }));
    if (!this.createEntry(entry)) return this.find(key)!;
    fsyncDir(this.dir);
    faultPoint('effect:begun');
    return { state: 'new', key, at };
  }

  /**
   * Records what came of an act (its failure too: a failed restart is a result).
   *
   * @param result JSON, kept with secrets and personal data masked; what a later {@link begin} of the same act gives back
   * @throws XiheError USAGE when the act was never begun
   */
  close(key: string, result: unknown): void {
    faultPoint('effect:acted');
    const entry = this.mustFind(key);
    replaceFile(
      this.file(key),
      JSON.stringify({ ...entry, state: 'done', doneAt: new Date().toISOString(), result: masked(result) }),
    );
  }

  /** Forgets an act that surely did not happen (refused before it was sent, or checked by a person): it may begin anew. */
  abandon(key: string): void {
    this.mustFind(key);
    rmSync(this.file(key), { force: true });
    fsyncDir(this.dir);
  }

  /** Acts that a crash left open, oldest first: to be shown to the user. */
  openEntries(thread?: string): SideEffectEntry[] {
    return this.entries().filter((e) => e.state === 'open' && (thread === undefined || e.thread === thread));
  }

  /** All acts, oldest first. */
  entries(): SideEffectEntry[] {
    if (!existsSync(this.dir)) return [];
    const found: SideEffectEntry[] = [];
    for (const name of inState(this.dir, () => readdirSync(this.dir))) {
      const entry = name.endsWith('.json') ? this.find(name.slice(0, -'.json'.length)) : null;
      if (entry !== null) found.push(entry);
    }
    return found.sort((a, b) => (a.at < b.at ? -1 : 1));
  }

  private createEntry(entry: SideEffectEntry): boolean {
    const temp = join(this.dir, `.${entry.key}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
    const text = JSON.stringify(entry);
    try {
      writeSynced(temp, text, 'wx');
      linkSync(temp, this.file(entry.key)); // fails when it exists, and never shows half an entry
      return true;
    } catch (e) {
      if (errnoOf(e) === 'EEXIST') return false;
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(e) ?? '')) throw e;
      return this.createWithoutLinks(entry.key, text);
    } finally {
      rmSync(temp, { force: true });
    }
  }

  private createWithoutLinks(key: string, text: string): boolean {
    try {
      writeSynced(this.file(key), text, 'wx');
      return true;
    } catch (e) {
      if (errnoOf(e) === 'EEXIST') return false;
      throw e;
    }
  }

  private find(key: string): SideEffectEntry | null {
    let text: string;
    try {
      text = stateBytes(this.file(key)).toString('utf8');
    } catch (e) {
      if (errnoOf(e) === 'ENOENT') return null;
      throw e;
    }
    try {
      return JSON.parse(text) as SideEffectEntry;
    } catch {
      // Half an entry (a disk without hard links): something was begun, and nobody knows more.
      return { key, thread: '', step: '', what: '（记录不完整）', args: null, at: '', state: 'open' };
    }
  }

  private mustFind(key: string): SideEffectEntry {
    const entry = this.find(key);
    if (entry !== null) return entry;
    throw new XiheError('USAGE', `副作用账本里没有这一条：${key}`, { hint: '先 begin，再执行和 close。' });
  }

  private file(key: string): string {
    return join(this.dir, `${key}.json`);
  }
}

/** As the audit log masks: what an act answers may name people as well. */
function masked(value: unknown): unknown {
  return maskSecrets(value, maskPersonal);
}

/** The key of an act: thread, step, what and arguments, independent of the order of object keys. */
export function keyOf(effect: SideEffect): string {
  return hashOf(canonical([effect.thread, effect.step, effect.what, effect.args])).slice(0, 40);
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, v]) => v !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([k, v]) => `${JSON.stringify(k)}:${canonical(v)}`)
    .join(',')}}`;
}
