/** What comes back from the saver is what went in: values, branches, orders, and real graphs on it. */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { Command, END, interrupt, MessagesValue, START, StateGraph, StateSchema } from '@langchain/langgraph';
import { type Checkpoint, emptyCheckpoint, JsonPlusSerializer, uuid6 } from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LibsqlSaver } from '../../src/agent/checkpoint/libsql-saver.js';
import { prepare } from '../../src/agent/checkpoint/values.js';

let dir: string;
let file: string;
let saver: LibsqlSaver;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'xihe-saver-'));
  file = join(dir, 'checkpoints.db');
  saver = LibsqlSaver.open(file);
});
afterEach(() => {
  saver.close();
  rmSync(dir, { recursive: true, force: true });
});

const start = (threadId = 't'): RunnableConfig => ({ configurable: { thread_id: threadId, checkpoint_ns: '' } });
const big = (text: string): string => text.repeat(400);
let clock = 0;

function checkpointOf(values: Record<string, unknown>, version: number): Checkpoint {
  const channel_versions = Object.fromEntries(Object.keys(values).map((k) => [k, version]));
  return { ...emptyCheckpoint(), id: uuid6(clock++), channel_values: values, channel_versions };
}

const put = (config: RunnableConfig, checkpoint: Checkpoint, changed = checkpoint.channel_versions) =>
  saver.put(config, checkpoint, { source: 'loop', step: 0, parents: {} }, changed);

const valuesAt = async (config: RunnableConfig) => (await saver.getTuple(config))?.checkpoint.channel_values;

describe('values', () => {
  it('come back as they were: messages, bytes, undefined, empty and mixed lists, long and short', async () => {
    const values = {
      text: '短',
      long: big('订单超时关单'),
      empty: [],
      mixed: ['小', big('大'), 7, null, [big('里'), 'x'], { a: undefined, b: [1] }],
      numbers: Array.from({ length: 300 }, (_, i) => i),
      bytes: new Uint8Array([0, 255, 7]),
      listOfBytes: [new Uint8Array(600).fill(9), 'x'],
      set: new Set(['甲']),
      messages: [
        new HumanMessage(big('请')),
        new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 'f', args: {} }] }),
      ],
    };
    const config = await put(start(), checkpointOf(values, 1));
    const got = (await valuesAt(config))!;
    const { messages, bytes, listOfBytes, ...plain } = got as typeof values;
    const { messages: _m, bytes: _b, listOfBytes: _l, ...expected } = values;
    expect(plain).toEqual(expected);
    expect([...bytes]).toEqual([0, 255, 7]);
    expect([...(listOfBytes[0] as Uint8Array)]).toEqual([...(values.listOfBytes[0] as Uint8Array)]);
    expect(AIMessage.isInstance(messages[1]) && messages[1].tool_calls).toMatchObject([
      { id: 'c', name: 'f', args: {} },
    ]);
  });

  it('two branches from one checkpoint keep their own values, though their versions are the same numbers', async () => {
    const root = await put(start(), checkpointOf({ plan: big('原') }, 1));
    const left = await put(root, checkpointOf({ plan: big('左') }, 2));
    const right = await put(root, checkpointOf({ plan: big('右') }, 2));
    expect([await valuesAt(left), await valuesAt(right), await valuesAt(root)]).toEqual([
      { plan: big('左') },
      { plan: big('右') },
      { plan: big('原') },
    ]);
  });

  it('an unchanged channel keeps the value of its parent; a copied checkpoint keeps all', async () => {
    const root = await put(start(), checkpointOf({ plan: big('原'), step: 1 }, 1));
    const next = checkpointOf({ plan: big('原'), step: 2 }, 1);
    next.channel_versions.step = 2;
    const child = await put(root, next, { step: 2 });
    expect(await valuesAt(child)).toEqual({ plan: big('原'), step: 2 });
    const copy = { ...next, id: uuid6(clock++) };
    const metadata = { source: 'fork' as const, step: 3, parents: {} };
    expect(await valuesAt(await saver.put(root, copy, metadata, {}))).toEqual({ plan: big('原'), step: 2 });
    expect(await valuesAt(await saver.put(start('first'), copy, metadata, {}))).toEqual({ plan: big('原'), step: 2 });
  });

  it('stores everything itself when its parent is deleted while it is being written', async () => {
    const other = LibsqlSaver.open(file);
    const root = await put(start(), checkpointOf({ plan: big('原'), step: 1 }, 1));
    class Deleting extends JsonPlusSerializer {
      override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
        if (value === 'trigger') await other.deleteThread('t');
        return super.dumpsTyped(value);
      }
    }
    const racing = LibsqlSaver.open(file, new Deleting());
    const next = checkpointOf({ plan: big('原'), step: 'trigger' }, 1);
    next.channel_versions.step = 2;
    const config = await racing.put(root, next, { source: 'loop', step: 1, parents: {} }, { step: 2 });
    expect(await valuesAt(config)).toEqual({ plan: big('原'), step: 'trigger' });
    racing.close();
    other.close();
  });
});

describe('writes', () => {
  it('come back in the order of path, task and index; the first of a task stays, special ones are replaced', async () => {
    const config = await put(start(), checkpointOf({}, 1));
    await saver.putWrites(config, [['a', 'late']], 'task-1', '~__pregel_push, 2');
    await saver.putWrites(config, [['a', 'b0'], ['a', 'b1']], 'task-3', '~__pregel_pull, x'); // biome-ignore format: one line a call
    await saver.putWrites(config, [['a', 'input']], 'task-9');
    await saver.putWrites(config, [['a', 'again']], 'task-3', '~__pregel_pull, x');
    await saver.putWrites(config, [['__resume__', 'one']], 'task-9');
    await saver.putWrites(config, [['__resume__', 'two']], 'task-9');
    const { pendingWrites } = (await saver.getTuple(config))!;
    expect(pendingWrites!.map(([, , value]) => value)).toEqual(['two', 'input', 'b0', 'b1', 'late']);
  });
});

describe('a real graph', () => {
  const Shape = new StateSchema({
    task: z.string().default(''),
    facts: z.array(z.string()).default([]),
    brief: z.string().default(''),
    messages: MessagesValue,
    step: z.number().default(0),
  });
  const names = ['route', 'preread', 'planning', 'execute', 'postcheck', 'confirm', 'apply'] as const;
  const mark = (n: number) =>
    Array.from({ length: 2400 }, (_, i) => ((n * 7919 + i * i * 31) % 9973).toString(36)).join('');

  const brief = mark(20) + mark(21) + mark(22) + mark(23);

  type Update = Record<string, unknown>;
  const work: Record<(typeof names)[number], (s: { task: string }) => Update> = {
    route: () => ({ step: 0 }),
    // 100 KB of state: ten facts of 7 KB and a brief of 30 KB, in text that deflate can't make small.
    preread: () => ({ facts: Array.from({ length: 10 }, (_, i) => mark(i).slice(0, 7000)), step: 1 }),
    planning: () => ({ brief, step: 2 }),
    execute: () => ({ messages: [new AIMessage({ id: 'a', content: '改好了' })], step: 3 }),
    postcheck: () => ({ step: 4 }),
    confirm: (s) => ({ task: s.task + interrupt({ question: '可以吗' }), step: 5 }),
    apply: () => ({ step: 6 }),
  };

  function compile(checkpointer: LibsqlSaver) {
    // The builder's type grows by each name, which a loop can't follow.
    // biome-ignore lint/suspicious/noExplicitAny: see above.
    let graph: any = new StateGraph(Shape);
    for (const name of names) graph = graph.addNode(name, work[name]);
    graph.addEdge(START, names[0]).addEdge('apply', END);
    for (const [i, name] of names.slice(1).entries()) graph.addEdge(names[i], name);
    return graph.compile({ checkpointer });
  }

  it.each(['async', 'sync', 'exit'] as const)(
    'interrupts, is resumed by another saver, keeps its history (%s)',
    async (durability) => {
      const config = { configurable: { thread_id: 'run' }, durability };
      const first = await compile(saver).invoke({ task: '改', messages: [new HumanMessage('改')] }, config);
      expect(first.__interrupt__[0].value).toEqual({ question: '可以吗' });
      const second = LibsqlSaver.open(file);
      const app = compile(second);
      const done = await app.invoke(new Command({ resume: '好' }), config);
      expect([done.task, done.step, done.facts.length, done.messages.length]).toEqual(['改好', 6, 10, 2]);
      const history = [];
      for await (const snapshot of app.getStateHistory(config)) history.push(snapshot.values.step);
      if (durability === 'exit') expect(history).toEqual([6, 4]);
      else expect(history.slice(0, 6)).toEqual([6, 5, 4, 3, 2, 1]);
      second.close();
    },
  );

  it('costs little more than its state: seven nodes, 100 KB', async () => {
    const config = { configurable: { thread_id: 'run' }, durability: 'async' };
    const app = compile(saver);
    await app.invoke({ task: '改', messages: [new HumanMessage('改')] }, config);
    await app.invoke(new Command({ resume: '好' }), config);
    saver.close();
    // The state once (deflated about 75 KB) and the rows of nine checkpoints; the stock SQLite saver needs 770 KB.
    expect(statSync(file).size).toBeLessThan(130_000);
  });

  it('branches off from an earlier step without touching the first branch', async () => {
    const config = { configurable: { thread_id: 'run' } };
    const app = compile(saver);
    await app.invoke({ task: '改', messages: [new HumanMessage('改')] }, config);
    const history = [];
    for await (const snapshot of app.getStateHistory(config)) history.push(snapshot);
    const planned = history.find((s) => s.values.step === 2)!;
    const forked = await app.updateState(planned.config, { brief: '另一个方案' });
    expect((await app.getState(forked)).values.brief).toBe('另一个方案');
    expect((await app.getState(planned.config)).values.brief).toBe(brief);
    expect((await app.getState(history[0]!.config)).values.brief).toBe(brief);
  });
});

describe('a list that grows step by step', () => {
  it('costs its new items and not its length again: the bytes of two hundred steps stay in proportion', async () => {
    const serde = new JsonPlusSerializer();
    const known = new Set<string>();
    const bytesOf = async (length: number) => {
      const items = Array.from({ length }, (_, i) => ({ id: i, text: `${i} `.repeat(200) }));
      const fresh = (await prepare(serde, items)).blobs.filter(({ hash }) => !known.has(hash));
      for (const { hash } of fresh) known.add(hash);
      return fresh.filter(({ type }) => type === 'list').reduce((sum, { bytes }) => sum + bytes.length, 0);
    };
    const steps: number[] = [];
    for (let length = 1; length <= 200; length++) steps.push(await bytesOf(length));
    const sum = (from: number, to: number) => steps.slice(from, to).reduce((a, b) => a + b, 0);
    // Whole lists of references would make it four times as much and more: the second hundred cost three times the first.
    expect(sum(100, 200)).toBeLessThan(2 * sum(0, 100));
  });
});
