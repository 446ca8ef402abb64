/** What the saver does with its file: sharing, kills, sizes, pruning, damage. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LibsqlSaver } from '../../src/agent/checkpoint/libsql-saver.js';
import { assetPath } from '../../src/assets.js';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'xihe-saver-'));
  file = join(dir, 'state', 'checkpoints.db');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function startWriter(name: string, count: number): ChildProcess {
  const script = assetPath('test', 'agent', 'fixtures', 'saver-writer.ts');
  return spawn(process.execPath, ['--import', 'tsx', script, file, name, String(count)], {
    cwd: assetPath(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Reads every checkpoint of every thread; throws when one can't be read. */
async function readAll(saver: LibsqlSaver): Promise<Map<string, number>> {
  const notes = new Map<string, number>();
  for await (const tuple of saver.list({})) {
    notes.set(tuple.checkpoint.id, (tuple.checkpoint.channel_values.notes as string[]).length);
  }
  return notes;
}

function integrity(): unknown {
  const Driver = createRequire(import.meta.url)('libsql');
  const db = new Driver(file);
  const [row] = db.pragma('integrity_check');
  db.close();
  return row.integrity_check;
}

/** Stores a chain of checkpoints whose `messages` grow by one each. */
async function converse(saver: LibsqlSaver, threadId: string, turns: number, size: number, ts?: string): Promise<void> {
  const messages: BaseMessage[] = [];
  let config: object = { configurable: { thread_id: threadId, checkpoint_ns: '' } };
  for (let turn = 0; turn < turns; turn++) {
    // Digits of a hash-like sequence: text that deflate can't make small, so that sizes mean something.
    const content = Array.from({ length: size }, (_, i) => ((turn * 7919 + i * i * 31) % 9973).toString(36)).join('');
    messages.push(new AIMessage({ id: `m${turn}`, content: content.slice(0, size) }));
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(turn),
      ...(ts === undefined ? {} : { ts }),
      channel_values: { messages: [...messages] },
      channel_versions: { messages: turn + 1 },
    };
    config = await saver.put(config, checkpoint, { source: 'loop', step: turn, parents: {} }, { messages: turn + 1 });
    await saver.putWrites(config, [['messages', [messages.at(-1)]]], `task-${turn}`);
  }
}

describe('many processes', () => {
  it('three write to one new file at once, and every checkpoint is there', async () => {
    const names = ['甲', '乙', '丙'];
    const exits = await Promise.all(names.map((name) => once(startWriter(name, 25), 'exit')));
    expect(exits.map(([code]) => code)).toEqual([0, 0, 0]);
    const saver = LibsqlSaver.open(file);
    const threads = new Map((await saver.listThreads()).map((t) => [t.threadId, t.checkpoints]));
    expect(Object.fromEntries(threads)).toEqual({ 甲: 25, 乙: 25, 丙: 25, shared: 75 });
    expect((await readAll(saver)).size).toBe(150);
    saver.close();
    expect(integrity()).toBe('ok');
  });

  it('kill -9 while writing loses nothing that was reported as stored', async () => {
    const seen: string[] = [];
    for (const [round, lines] of [1, 9, 24].entries()) {
      const writer = startWriter(`w${round}`, 100_000);
      const exited = once(writer, 'exit');
      let left = lines;
      for await (const line of createInterface({ input: writer.stdout! })) {
        seen.push(line);
        if (--left === 0) writer.kill('SIGKILL');
      }
      expect((await exited)[1]).toBe('SIGKILL');
      const saver = LibsqlSaver.open(file);
      const stored = await readAll(saver);
      expect(seen.filter((id) => !stored.has(id))).toEqual([]);
      await converse(saver, `after ${round}`, 2, 100);
      await saver.deleteThread(`after ${round}`);
      saver.close();
      expect(integrity()).toBe('ok');
    }
  });
});

describe('size', () => {
  it('a conversation costs about its own weight, not its square', async () => {
    const saver = LibsqlSaver.open(file);
    await converse(saver, 't', 40, 4000);
    saver.close();
    // 40 × 4 KB = 160 KB of text; stored whole at each turn it would be 3.3 MB (and once more in the writes).
    expect(statSync(file).size).toBeLessThan(300_000);
    const again = LibsqlSaver.open(file);
    const tuple = await again.getTuple({ configurable: { thread_id: 't' } });
    const messages = tuple!.checkpoint.channel_values.messages as BaseMessage[];
    expect(messages.map((m) => m.id)).toEqual(Array.from({ length: 40 }, (_, i) => `m${i}`));
    expect(AIMessage.isInstance(messages[7])).toBe(true);
    again.close();
  });
});

describe('threads', () => {
  it('lists the newest first, prunes the oldest, keeps the protected, gives space back', async () => {
    let saver = LibsqlSaver.open(file);
    for (let i = 0; i < 8; i++) await converse(saver, `t${i}`, 5, 20_000, `2026-01-0${i + 1}T00:00:00.000Z`);
    // Written back to the file itself, so that its size can be compared.
    saver.close();
    const before = statSync(file).size;
    saver = LibsqlSaver.open(file);
    const listed = await saver.listThreads(2);
    expect(listed).toEqual([
      { threadId: 't7', updatedAt: '2026-01-08T00:00:00.000Z', checkpoints: 5 },
      { threadId: 't6', updatedAt: '2026-01-07T00:00:00.000Z', checkpoints: 5 },
    ]);
    const pruned = await saver.prune(2, ['t1', 'unknown']);
    expect(pruned.deleted).toEqual(['t0', 't2', 't3', 't4', 't5']);
    expect(pruned.freedBytes).toBeGreaterThan(100_000);
    expect((await saver.listThreads()).map((t) => t.threadId)).toEqual(['t7', 't6', 't1']);
    expect((await saver.getTuple({ configurable: { thread_id: 't1' } }))!.pendingWrites).toHaveLength(1);
    expect(await saver.getTuple({ configurable: { thread_id: 't3' } })).toBeUndefined();
    expect(await saver.prune(2, ['t1'])).toEqual({ deleted: [], freedBytes: 0 });
    saver.close();
    expect(statSync(file).size).toBeLessThan(before / 2);
    expect(integrity()).toBe('ok');
  });
});

describe('damage', () => {
  const codeOf = (open: () => unknown): string => {
    try {
      open();
      return 'none';
    } catch (e) {
      return String((e as { code?: string }).code);
    }
  };

  it('says what is wrong with the file', () => {
    const bad = join(dir, 'bad.db');
    writeFileSync(bad, '这不是数据库'.repeat(500));
    expect(codeOf(() => LibsqlSaver.open(bad))).toBe('STATE_CORRUPT');
    expect(codeOf(() => LibsqlSaver.open(join(bad, 'x.db')))).toBe('STATE_UNWRITABLE');
    LibsqlSaver.open(file).close();
    const Driver = createRequire(import.meta.url)('libsql');
    const db = new Driver(file);
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(codeOf(() => LibsqlSaver.open(file))).toBe('STATE_CORRUPT');
  });

  it('can be closed twice, and not used after', async () => {
    const saver = LibsqlSaver.open(file);
    saver.close();
    saver.close();
    await expect(saver.getTuple({ configurable: { thread_id: 't' } })).rejects.toThrow(/closed/);
  });
});
