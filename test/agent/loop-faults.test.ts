import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openModel } from '../../src/agent/model.js';
import type { RunState } from '../../src/agent/state.js';
import { configSchema } from '../../src/config.js';
import { type ModelServer, type Reply, type Rule, startModelServer } from '../support/model-server.js';
import { asks, calmReview } from './scenarios/scripts.js';
import { graphOf, makeRepo, removeRepo, threadOf } from './support.js';

let repo: string;
let server: ModelServer | undefined;
beforeEach(() => {
  repo = makeRepo({ 'src/order.ts': 'export const 关单 = 1;\n', 'package.json': '{"name":"demo"}\n' });
});
afterEach(async () => {
  await server?.close();
  removeRepo(repo);
});

/** Runs the whole loop on what the model says, turn by turn, and leaves it at its last question. */
async function run(...turns: (Reply | string)[]): Promise<RunState> {
  const execute: Rule = { when: asks.execute, reply: turns };
  server = await startModelServer({ rules: [calmReview, execute] });
  const config = configSchema.parse({ model: { baseUrl: server.baseUrl, name: 'm', maxRetries: 0 } });
  const graph = graphOf(repo, openModel(config.model, { retryBaseMs: 1 }));
  const input = { request: { text: '把 src/order.ts 里的 关单 改成 2', repo } };
  await graph.invoke(input as never, threadOf('faults'));
  const { values } = await graph.getState(threadOf('faults'));
  expect(server.unmatched()).toEqual([]);
  return values as RunState;
}

const edit = { path: 'src/order.ts', edits: [{ search: '关单 = 1', replace: '关单 = 2' }] };
const results = (state: RunState) => state.messages.filter((m) => ToolMessage.isInstance(m)).map((m) => m.text);

describe('the loop and the calls of a careless model', () => {
  it('a tool that is not there is answered with those that are, and the run goes on', async () => {
    const state = await run(
      { toolCalls: [{ name: 'rm_everything', args: { path: '/' } }] },
      { toolCalls: [{ name: 'edit_file', args: edit }] },
      '改好了',
    );
    expect(results(state)[0]).toMatch(/TOOL_UNKNOWN[\s\S]*edit_file/);
    expect(state.error).toBeNull();
    expect(state.findings.filter(({ severity }) => severity === 'block')).toEqual([]);
    expect(readFileSync(join(repo, 'src/order.ts'), 'utf8')).toContain('关单 = 1');
  });

  it('arguments that broke off are answered, never completed, and the next try counts', async () => {
    const state = await run(
      { toolCalls: [{ name: 'edit_file', args: '{"path":"src/order.ts","edits":[{"search":"关单 = 1","rep' }] },
      { toolCalls: [{ name: 'edit_file', args: edit }] },
      '改好了',
    );
    expect(results(state)[0]).toContain('不是完整的 JSON，没有执行');
    expect(results(state)[1]).not.toContain('失败');
  });

  it('arguments as prose are answered', async () => {
    const state = await run({ toolCalls: [{ name: 'read_file', args: '请读一下 src/order.ts' }] }, '没有要改的');
    expect(results(state)[0]).toContain('请重新调用 read_file');
  });

  it('two calls with one id are both done, once each', async () => {
    const call = (search: string, replace: string) => ({
      id: 'same',
      name: 'edit_file',
      args: { path: 'src/order.ts', edits: [{ search, replace }] },
    });
    const state = await run({ toolCalls: [call('关单 = 1', '关单 = 2'), call('关单 = 2', '关单 = 3')] }, '改好了');
    const ids = state.messages.filter((m) => ToolMessage.isInstance(m)).map((m) => m.tool_call_id);
    expect(new Set(ids).size).toBe(2);
    expect(results(state).filter((text) => text.startsWith('失败'))).toEqual([]);
  });

  it('an id that an earlier turn had is another call', async () => {
    const read = { id: 'call_0', name: 'read_file', args: { path: 'src/order.ts' } };
    const state = await run(
      { toolCalls: [read] },
      { toolCalls: [{ ...read, name: 'edit_file', args: edit }] },
      '改好了',
    );
    const calls = state.messages.flatMap((m) => (AIMessage.isInstance(m) ? (m.tool_calls ?? []) : []));
    expect(calls.map(({ id }) => id)).toEqual(['call_0', 'call_0_2']);
    expect(results(state)).toHaveLength(2);
  });

  it('calls in the text are calls', async () => {
    const call = `<tool_call>${JSON.stringify({ name: 'edit_file', arguments: edit })}</tool_call>`;
    const state = await run(call, '改好了');
    expect(results(state)).toHaveLength(1);
    expect(results(state)[0]).not.toContain('失败');
  });

  it('an endpoint that dies in mid-run leaves the brief, says why, and nothing is written', async () => {
    const state = await run(
      { toolCalls: [{ name: 'edit_file', args: edit }] },
      { text: '一二三四五六七八', fault: { kind: 'cut' } },
    );
    expect(state.reported!.kind).toBe('failed');
    expect(state.reported!.text).toMatch(/模型没有完成（.*）[\s\S]*行动预案/);
    expect(readFileSync(join(repo, 'src/order.ts'), 'utf8')).toContain('关单 = 1');
  });
});
