import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolMessage } from '@langchain/core/messages';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { costOf, spentLine } from '../../src/agent/budget.js';
import { openModel } from '../../src/agent/model.js';
import type { RunState } from '../../src/agent/state.js';
import { NO_USAGE } from '../../src/agent/usage.js';
import { configSchema } from '../../src/config.js';
import {
  type ChatRequest,
  type ModelServer,
  type Reply,
  type Rule,
  startModelServer,
} from '../support/model-server.js';
import { asks, calmReview } from './scenarios/scripts.js';
import { graphOf, makeRepo, put, removeRepo, threadOf } from './support.js';

let repo: string;
let server: ModelServer | undefined;
beforeEach(() => {
  const files = Array.from({ length: 16 }, (_, i) => [
    `src/f${i}.ts`,
    `/** 关单第 ${i} 步。 */\nexport const v = ${i};\n`,
  ]);
  repo = makeRepo({ 'package.json': '{"name":"demo"}\n', ...Object.fromEntries(files) });
});
afterEach(async () => {
  await server?.close();
  removeRepo(repo);
});

async function run(reply: Rule['reply'], options: object = {}, model: object = {}): Promise<RunState> {
  server = await startModelServer({ rules: [calmReview, { when: asks.execute, reply }] });
  const config = configSchema.parse({ model: { baseUrl: server.baseUrl, name: 'm', maxRetries: 0, ...model } });
  const graph = graphOf(repo, openModel(config.model, { retryBaseMs: 1 }));
  await graph.invoke({ request: { text: '把 src/f0.ts 的 v 改成 100', repo, options } } as never, threadOf('b'));
  return (await graph.getState(threadOf('b'))).values as RunState;
}

const read = (i: number): Reply => ({ toolCalls: [{ name: 'read_file', args: { path: `src/f${i}.ts` } }] });
const reads = (n: number): (Reply | string)[] => [...Array.from({ length: n }, (_, i) => read(i)), '看完了，不用改'];

describe('two requests in a row', () => {
  it('begin with the same bytes: system prompt, tools and all earlier messages', async () => {
    await run(reads(10));
    const sent = server!.chats().filter((chat) => chat.tools !== undefined);
    expect(sent).toHaveLength(11);
    const bytes = (chat: ChatRequest) => chat.messages.map((message) => JSON.stringify(message));
    for (const [i, chat] of sent.entries()) {
      if (i === 0) continue;
      expect(JSON.stringify(chat.tools)).toBe(JSON.stringify(sent[0]!.tools));
      const before = bytes(sent[i - 1]!);
      expect(bytes(chat).slice(0, before.length)).toEqual(before);
    }
  });
});

describe('what a run may cost', () => {
  const usage = { prompt: 1000, completion: 100, cached: 400 };
  const costly = (n: number) => reads(n).map((one) => (typeof one === 'string' ? one : { ...one, usage }));
  const config = (yaml: string) => put(repo, { '.xihe/config.yaml': yaml });
  const prices = 'model:\n  prices: { m: { input: 10, output: 100, cachedInput: 1 } }\n';

  it('is summed by the user’s prices, with the cheaper tokens of the cache', async () => {
    config(prices);
    const { usage: spent } = await run(costly(2));
    // 600 × 10 + 400 × 1 + 100 × 100 a million, twice; the last reply says its own numbers.
    expect(spent.cached).toBe(800);
    expect(spent.cost!).toBeGreaterThan(2 * 0.0164);
    expect(spent.unpriced).toBeUndefined();
  });

  it('ends the loop at its bound, of the settings or of the run', async () => {
    config(`${prices}run:\n  maxCost: 0.03\n`);
    const state = await run(costly(8));
    expect(state.stopReason).toContain('花费上限（0.03 元');
    expect(state.turn).toBe(2);
    await server!.close();
    config(prices);
    expect((await run(costly(8), { budget: { maxCost: 0.06 } })).stopReason).toContain('0.06 元');
  });

  it('is not guessed: a bound without prices ends before the first call', async () => {
    config('run:\n  maxCost: 1\n');
    const state = await run(costly(2));
    expect(state.stopReason).toContain('没有价目');
    expect(server!.chats()).toHaveLength(0);
  });

  it('turns and tokens of the run’s own flags come before those of the settings', async () => {
    config('run:\n  maxTurns: 9\n');
    expect((await run(costly(8), { budget: { maxTurns: 2 } })).stopReason).toContain('2 轮');
    await server!.close();
    expect((await run(costly(8), { budget: { maxTokens: 1500 } })).stopReason).toContain('1500');
  });

  it('is told in one line', () => {
    const spent = { input: 12345, output: 678, total: 13023, cached: 8000, source: 'endpoint' as const };
    const cost = costOf(spent, 'm', { '*': { input: 2, output: 8 } })!;
    expect(cost).toBeCloseTo((12345 * 2 + 678 * 8) / 1e6, 12);
    expect(costOf(spent, 'm', { other: { input: 1, output: 1 } })).toBeUndefined();
    const state = { usage: { ...NO_USAGE, ...spent, calls: 4, cost }, elapsedMs: 5_100 };
    expect(spentLine(state, '元')).toBe('4 次调用，读入 12345（缓存 8000），写出 678 token，约 0.03 元，5.1 秒');
  });
});

describe('a window that is smaller than the settings say', () => {
  it('is learned from the endpoint, and the run goes on with less', async () => {
    const long = `// ${'关单说明，'.repeat(1_000)}\n`;
    for (let i = 0; i < 14; i++) writeFileSync(join(repo, `src/f${i}.ts`), long);
    const message = "This model's maximum context length is 9000 tokens. However, you requested 9800 tokens";
    const replies = reads(14);
    const state = await run(
      (request, { turn }) => {
        const size = JSON.stringify(request.messages).length;
        if (size > 12_000) return { fault: { kind: 'status', status: 400, message } };
        return replies[turn]!;
      },
      {},
      { name: 'small-window' },
    );
    expect(state.error).toBeNull();
    expect(state.messages.filter((m) => ToolMessage.isInstance(m))).toHaveLength(14);
    // Not at every turn anew: it is remembered.
    const refused = server!.requests.filter(({ status }) => status === 400);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(4);
  });
});
