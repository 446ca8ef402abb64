import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { briefOf } from '../../src/agent/brief.js';
import { textOf } from '../../src/agent/node.js';
import type { RunState } from '../../src/agent/state.js';
import { QueryLog } from '../../src/zhcore/index.js';
import { calls, fakeModel, graphOf, makeRepo, removeRepo, reply, type Say, threadOf } from './support.js';

const origin = '  status: verified\n  source: repo://src/order.ts\n  reviewed_at: 2026-01-01\n';
let repo: string;
beforeEach(() => {
  repo = makeRepo({
    'src/order/order.ts': '/** 超时关单：关闭没付款的订单。 */\nexport const RETRY = 0;\n',
    'src/stock/stock.ts': 'export const held = 0;\nexport const releaseHeld = () => held;\n',
    '.xihe/modules.yaml': 'order: [src/order/**]\nstock: [src/stock/**]\n',
    '.xihe/knowledge/terms/order.yaml': `- id: close\n  keyword_ch: 超时关单\n  code_symbols: [RETRY]\n  module: order\n  confidence: high\n${origin}`,
    '.xihe/knowledge/terms/stock.yaml': `- id: hold\n  keyword_ch: 占用库存\n  code_symbols: [releaseHeld]\n  module: stock\n  confidence: high\n${origin}`,
    '.xihe/knowledge/warnings/stock.yaml': `- id: hold_first\n  danger: 占用的库存只能归还一次\n  when: { keywords: [归还库存] }\n  module: stock\n${origin}`,
    '.xihe/knowledge/stock.md':
      '---\ntitle: 关单与库存\nkeywords: [超时关单归还]\nsummary: 超时关单要归还占用\nmodule: stock\nsource: 代码审查\n---\n超时关单加一次重试之前，先确认占用的库存还没有归还，归还过的不能再归还一次。\n',
  });
});
afterEach(() => removeRepo(repo));

const read = (path: string) => ({ name: 'read_file', args: { path } });

async function run(say: Say, text = '超时关单加一次重试'): Promise<RunState> {
  let turn = 0;
  const model = fakeModel((request) =>
    request.system.includes('你在审查一份代码改动') ? '{"findings":[]}' : say(request, ++turn),
  );
  const graph = graphOf(repo, model);
  await graph.invoke(
    { request: { text, repo, options: { autoApprove: 'none', noModel: false } } } as never,
    threadOf('a') as never,
  );
  return (await graph.getState(threadOf('a'))).values as RunState;
}

const toolTexts = (state: RunState) => state.messages.filter((m) => ToolMessage.isInstance(m)).map((m) => textOf(m));

describe('injection by phase', () => {
  it('starts with what belongs to the files in focus, and brings the rest when its module is entered, once', async () => {
    const state = await run((request, n) => {
      if (n === 1) return calls(request, read('src/stock/stock.ts'));
      if (n === 2) return calls(request, read('src/stock/stock.ts'));
      return reply('看完了，不用改。');
    });
    const task = textOf(state.messages.find((m) => HumanMessage.isInstance(m) && m.id?.startsWith('task-') === true)!);
    expect(task).toContain('超时关单 → RETRY');
    expect(task).not.toContain('占用的库存只能归还一次');
    expect(task).not.toContain('先确认占用的库存还没有归还');

    const [first, second] = toolTexts(state);
    expect(first).toContain('提醒：');
    expect(first).toContain('占用库存 → releaseHeld');
    expect(first).toContain('占用的库存只能归还一次');
    expect(first).toContain('先确认占用的库存还没有归还');
    expect(second).not.toContain('提醒：');

    const entered = state.ledger.filter((line) => ['hold', 'hold_first', 'stock.md#1'].includes(line.id));
    expect(entered.map(({ id, phase, turn }) => ({ id, phase, turn }))).toEqual([
      { id: 'hold', phase: 'execute', turn: 1 },
      { id: 'hold_first', phase: 'execute', turn: 1 },
      { id: 'stock.md#1', phase: 'execute', turn: 1 },
    ]);
    for (const line of state.ledger)
      expect(line).toMatchObject({ source: /./, version: /./, confidence: expect.any(Number) });
  });

  it('says what holds for the files in focus by their place, to the model and in a brief', async () => {
    writeFileSync(
      join(repo, '.xihe/knowledge/warnings/generated.yaml'),
      `- id: generated\n  danger: 这里的文件由工具生成，不要手改\n  when: { paths: ['src/order/**'] }\n${origin}`,
    );
    const state = await run(() => reply('不用改。'));
    const task = textOf(state.messages.find((m) => HumanMessage.isInstance(m) && m.id?.startsWith('task-') === true)!);
    expect(task).toContain('由工具生成，不要手改');
    expect(state.ledger.map((line) => line.id)).toContain('generated');
    expect(briefOf(state).warnings[0]).toMatchObject({
      id: 'generated',
      why: expect.stringContaining('涉及文件 src/order/order.ts'),
    });
  });

  it('keeps what the model looks up by itself in the ledger', async () => {
    const state = await run((request, n) => {
      if (n === 1) return calls(request, { name: 'lookup_knowledge', args: { query_text: '超时关单归还' } });
      if (n === 2) return calls(request, { name: 'zh_core_query', args: { user_intent: '归还库存' } });
      return reply('看完了，不用改。');
    });
    const ids = state.ledger.filter((line) => line.turn > 0).map((line) => line.id);
    expect(ids).toEqual(expect.arrayContaining(['.xihe/knowledge/stock.md', 'hold_first']));
  });
});

describe('the query log of a run', () => {
  it('says what was asked, what it brought and what was injected, phase by phase', async () => {
    await run(() => reply('不用改。'));
    const records = new QueryLog(join(repo, '.xihe/state')).read();
    expect(records.map(({ kind, phase }) => `${kind} ${phase}`)).toEqual(['query plan', 'inject execute']);
    expect(records[0]).toMatchObject({ gate: true, found: true, text: '超时关单加一次重试', thread: 'a' });
    expect(records[0]?.hits.map((hit) => hit.id)).toContain('close');
    expect(records[1]?.hits).toContainEqual(expect.objectContaining({ id: 'close', tokens: expect.any(Number) }));
    expect(records[1]?.hits.map((hit) => hit.id)).not.toContain('hold_first');
  });

  it('never fails a run', async () => {
    removeRepo(repo);
    repo = makeRepo({ 'src/a.ts': 'export const a = 0;\n', '.xihe/state/queries.jsonl/x': 'a folder in its place' });
    expect((await run(() => reply('好。'))).reported?.text).toBeDefined();
    expect(readFileSync(join(repo, '.xihe/state/queries.jsonl/x'), 'utf8')).toBe('a folder in its place');
  });
});
