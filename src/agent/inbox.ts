import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { HumanMessage } from '@langchain/core/messages';
import { quoted, XiheError } from '../errors.js';
import { withFileLock } from '../sandbox/index.js';
import { readStateFile, writeAtomic } from '../stateFile.js';
import type { NodeEnv } from './node.js';
import { prompt } from './prompts.js';
import type { RunState, RunUpdate } from './state.js';
import { record } from './tool-context.js';

/**
 * What the user says while a run goes on: a small file for each thread, which anybody may write to who may write to the project, and
 * which the nodes read, also those of a server. It is open while a run is under way. Each word has a number, and the state knows the
 * highest that the model was given: so a word is given exactly once, whenever the process dies.
 */
interface Inbox {
  open: boolean;
  next: number;
  words: Word[];
}

/** One thing that the user said. */
export interface Word {
  n: number;
  text: string;
  /** ISO time. */
  at: string;
}

/** Longest word in characters; what is longer is a document and belongs into a file. */
const MAX_WORD = 20_000;

function fileOf(stateDir: string, thread: string): string {
  return join(stateDir, 'inbox', `${createHash('sha256').update(thread).digest('hex').slice(0, 32)}.json`);
}

function read(file: string): Inbox | undefined {
  try {
    return JSON.parse(readStateFile(file)?.toString('utf8') ?? '') as Inbox;
  } catch {
    // None yet, or one that is broken, which holds nothing that could be read.
    return undefined;
  }
}

function change<T>(stateDir: string, thread: string, change: (inbox: Inbox | undefined) => [Inbox | undefined, T]): T {
  const file = fileOf(stateDir, thread);
  return withFileLock(`${file}.lock`, () => {
    const [inbox, result] = change(read(file));
    if (inbox && !writeAtomic(file, [JSON.stringify(inbox)]))
      throw new XiheError('STATE_UNWRITABLE', `写不进去：${file}`, { hint: '检查磁盘空间和目录权限。' });
    return result;
  });
}

/** A run begins (or its first node runs again): from now on the user may speak to it. */
export function openInbox(stateDir: string, thread: string): void {
  change(stateDir, thread, (inbox) => {
    if (inbox?.open) return [undefined, undefined];
    return [{ open: true, next: inbox?.next ?? 1, words: [] }, undefined];
  });
}

/**
 * Leaves a word for a thread whose run is under way.
 *
 * @returns its number
 * @throws XiheError THREAD_NOT_FOUND, THREAD_NOT_WAITING when the run is over, USAGE, STATE_UNWRITABLE
 */
export function sayTo(stateDir: string, thread: string, words: string): number {
  const text = words.trim();
  if (text === '') throw new XiheError('USAGE', '没有写要说的话', { hint: '例如：xihe say 会话 "别动测试文件"。' });
  if (text.length > MAX_WORD)
    throw new XiheError('USAGE', `一句话超过 ${MAX_WORD} 个字符`, { hint: '长的写进文件，话里写文件路径。' });
  return change(stateDir, thread, (inbox) => {
    if (!inbox)
      throw new XiheError('THREAD_NOT_FOUND', `没有会话 ${quoted(thread)}`, { hint: '用 xihe threads 看有哪些会话。' });
    if (!inbox.open)
      throw new XiheError('THREAD_NOT_WAITING', `会话 ${quoted(thread)} 已经结束，听不到了`, {
        hint: `接着说新的请求：xihe run "…" --thread ${thread}；要从中间重来：xihe threads ${thread}。`,
      });
    const word = { n: inbox.next, text, at: new Date().toISOString() };
    return [{ ...inbox, next: word.n + 1, words: [...inbox.words, word] }, word.n];
  });
}

/** What was said and not yet given to the model. */
export function wordsSince(stateDir: string, thread: string, heard: number | undefined): Word[] {
  const inbox = read(fileOf(stateDir, thread));
  return inbox?.open ? inbox.words.filter(({ n }) => n > (heard ?? 0)) : [];
}

/**
 * A run is over: nobody can speak to it any more. Safe to call again.
 *
 * @returns what was said too late
 */
export function closeInbox(stateDir: string, thread: string, heard: number | undefined): Word[] {
  return change(stateDir, thread, (inbox) => {
    if (!inbox) return [undefined, []];
    const late = inbox.words.filter(({ n }) => n > (heard ?? 0));
    return [{ ...inbox, open: false, words: late }, late];
  });
}

/** Whether the user has said something that the model can still be given in this run. */
export function hasWords(
  state: Pick<RunState, 'heard' | 'stopReason'>,
  { project, model, thread }: Pick<NodeEnv, 'project' | 'model' | 'thread'>,
): boolean {
  return (
    model !== null && state.stopReason === null && wordsSince(project.layout.stateDir, thread, state.heard).length > 0
  );
}

/** What the user has said since, for the model's next turn, and what the state keeps of it. */
interface Heard {
  messages: HumanMessage[];
  said: RunState['said'];
  heard: number;
  update: Pick<RunUpdate, 'heard' | 'said'>;
}

/**
 * Takes what the user has said meanwhile. A node that runs again takes the same once more: only its checkpoint makes it taken.
 *
 * @param turn of the model that will hear it
 * @param since number of the newest word that it knows
 */
export function hear(state: RunState, env: NodeEnv, turn: number, since = state.heard ?? 0): Heard {
  const words = state.part ? [] : wordsSince(env.project.layout.stateDir, env.thread, since);
  for (const { text } of words) {
    env.emit({ type: 'user.said', text });
    record(state, env, { what: 'user.said', args: { text, turn }, result: 'ok', durationMs: 0 });
  }
  const messages = words.map(
    ({ n, text }) =>
      new HumanMessage({ id: `said-${n}`, content: prompt('said', { text }), additional_kwargs: { xihe_said: text } }),
  );
  const said = words.map((word) => ({ ...word, run: state.run, turn }));
  const heard = words.at(-1)?.n ?? since;
  return { messages, said, heard, update: words.length > 0 ? { heard, said } : {} };
}
