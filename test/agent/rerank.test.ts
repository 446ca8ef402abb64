import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openReranker } from '../../src/agent/rerank.js';
import { configSchema } from '../../src/config.js';
import { openZhCore } from '../../src/zhcore/index.js';
import { document, tree } from '../knowledge/support.js';
import { type ModelServer, startModelServer } from '../support/model-server.js';

let server: ModelServer | undefined;
afterEach(() => server?.close());

const doc = (title: string, body: string) => document({ title, keywords: `[${title}]`, summary: title }, `${body}\n`);

async function coreWith(reply: object | string) {
  server = await startModelServer({
    rules: [{ when: { user: '排序' }, reply: { text: typeof reply === 'string' ? reply : JSON.stringify(reply) } }],
  });
  const config = configSchema.parse({ core: { rerank: true }, model: { baseUrl: server.baseUrl, name: 'judge' } });
  const dir = tree({
    '.xihe/knowledge/one.md': doc('退款进度', '退款到账进度：退款提交后，到账进度每小时更新一次，银行卡到账慢。'),
    '.xihe/knowledge/two.md': doc('退款时效', '退款到账时间：零钱当天，银行卡一到三个工作日，到账进度看流水。'),
  });
  return openZhCore({ projectDir: join(dir, '.xihe'), rerank: openReranker(config)! });
}

const question = '退款提交后银行卡到账进度怎么看';

it('lets the model put passages in order, and asks it once', async () => {
  const core = await coreWith({ order: [2, 1] });
  const plain = core.lookup(question).supplement?.title;
  const judged = (await core.askLookup(question)).supplement?.title;
  expect(new Set([plain, judged])).toEqual(new Set(['退款进度', '退款时效']));
  await core.askLookup(question);
  expect(server!.requests).toHaveLength(1);
  expect(JSON.stringify(server!.requests[0])).toContain('银行卡一到三个工作日');
});

it('keeps the order when the model talks', async () => {
  const core = await coreWith('我觉得都不错。');
  expect((await core.askLookup(question)).supplement?.title).toBe(core.lookup(question).supplement?.title);
});

it('is off unless it is set, and without a model', () => {
  expect(openReranker(configSchema.parse({ model: { baseUrl: 'http://127.0.0.1:1/v1', name: 'm' } }))).toBeUndefined();
  expect(openReranker(configSchema.parse({ core: { rerank: true } }))).toBeUndefined();
});
