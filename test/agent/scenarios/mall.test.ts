import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { editsOf, type ThreadView, traceOf } from '../../../src/agent/index.js';
import { undo } from '../../../src/sandbox/index.js';
import { estimateTokens } from '../../../src/text/index.js';
import { copyMall, removeDir, treeHash } from '../../support/mall.js';
import type { ChatRequest } from '../../support/model-server.js';
import type { Job } from './colleague.js';
import { activeUsers, exportColumn, feeRate, RED_TEST, retryOnClose, wrongPath, yuanColumn } from './mall-jobs.js';
import { Desk, PLAIN } from './mall-run.js';
import { retryEdit } from './scripts.js';

/** End to end in the example shop, in this process: a request in Chinese, a model over HTTP that reacts to what it is sent, the real tools. */
let mall: string;
let desk: Desk;
beforeAll(async () => {
  mall = copyMall();
  desk = await Desk.open(mall);
});
afterAll(async () => {
  await desk.close();
  removeDir(mall);
});
let before: string;
beforeEach(() => {
  desk.settings();
  before = treeHash(mall);
});
afterEach(() => {
  desk.instead = () => undefined;
  expect(desk.server.unmatched()).toEqual([]);
});

const CHANGES = 'docs/修订记录.md';
const edit = (path: string, search: string, replace: string) => ({
  toolCalls: [{ name: 'edit_file', args: { path, edits: [{ search, replace }] } }],
});
const realTests = (job: Job) => `node --import tsx --test ${job.tests!.join(' ')}`;
const read = (path: string) => readFileSync(join(mall, path));
const text = (path: string) => read(path).toString('utf8');
const changed = (view: ThreadView) => [...new Set(editsOf(view).flatMap((e) => (e.ok ? [e.path] : [])))].sort();
const injected = (view: ThreadView) => view.state.ledger.map(({ id }) => id);
const blocking = (view: ThreadView) => view.state.findings.filter((f) => f.severity === 'block');

/** What a request holds, without the marks of JSON around it: models are sent none. */
function contentTokens({ messages, tools }: ChatRequest): number {
  const calls = messages.flatMap((m) => m.tool_calls ?? []).map((call) => call.function.arguments);
  const texts = [...messages.map((m) => String(m.content ?? '')), ...calls, JSON.stringify(tools)];
  return texts.reduce((sum, one) => sum + estimateTokens(one), 0);
}

/** The question came, with the tests green and the tree as it was; then yes, what is checked of the tree, and undo to the last byte. */
async function approved(view: ThreadView, check: () => void): Promise<ThreadView> {
  expect(view.state.error).toBeNull();
  expect(view.status).toBe('waiting');
  expect(view.state.tests?.ok).toBe(true);
  expect(blocking(view)).toEqual([]);
  expect(treeHash(mall)).toBe(before);
  const done = await desk.resume(view.thread, { decisions: [{ type: 'approve' }] });
  expect(done.status).toBe('done');
  check();
  await undo(desk.session.project.layout.stateDir, desk.session.project.layout.root, done.state.receipt!.id);
  expect(treeHash(mall)).toBe(before);
  return done;
}

describe('a colleague in the example shop', () => {
  it('changes three files, sees the test that this breaks, and mends it', async () => {
    desk.settings(realTests(exportColumn));
    before = treeHash(mall);
    const view = await desk.run(exportColumn, 'export');
    // The plan names the first file: it is read at once, and not searched for.
    expect(desk.turns[1]!.messages.at(-1)!.content).toContain('src/export/order-exporter.ts 第 1–');
    expect(desk.results.some((r) => r.includes('这次改动弄坏的'))).toBe(true);
    expect(desk.results.at(-1)).toMatch(/通过 7，失败 0/);
    const done = await approved(view, () => {
      expect(text('src/export/order-exporter.ts')).toContain("order.tracking_no ?? ''");
      expect(text('i18n/zh-CN.json')).toContain('"trackingNo": "物流单号"');
      expect(text('i18n/en.json')).toContain('"trackingNo": "Tracking no."');
      expect(text('test/export.test.ts')).toContain('实付（元）,物流单号');
    });
    const paths = ['i18n/en.json', 'i18n/zh-CN.json', 'src/export/order-exporter.ts', 'test/export.test.ts'];
    expect(changed(done)).toEqual(paths);
    const { lines, steps } = traceOf(done, desk.session.project);
    expect([...new Set(lines.map(({ path }) => path))].sort()).toEqual(paths);
    const line = lines.find((one) => one.text.includes('tracking_no'))!;
    expect(steps[line.step! - 1]!.entries.map(({ id }) => id)).toContain('export-order');
  });

  it('changes a GBK file with CRLF beside the code: no other byte moves', async () => {
    const legacy = read('legacy/对账导出说明.txt');
    const at = legacy.indexOf('0.60%');
    expect(at).toBeGreaterThan(0);
    const wanted = Buffer.concat([legacy.subarray(0, at), Buffer.from('0.54%'), legacy.subarray(at + 5)]);
    const view = await desk.run(feeRate, 'gbk');
    expect(desk.results.some((r) => r.includes('编码 gbk'))).toBe(true);
    await approved(view, () => {
      expect(read('legacy/对账导出说明.txt').equals(wanted)).toBe(true);
      expect(text('src/payment/wechat/channel.ts')).toContain('readonly feeRate = 54;');
    });
  });

  it('makes a red test green, with the function that the team has for it', async () => {
    const tests = text('test/report.test.ts');
    appendFileSync(join(mall, 'test/report.test.ts'), RED_TEST);
    desk.settings(realTests(activeUsers));
    before = treeHash(mall);
    const view = await desk.run(activeUsers, 'red');
    expect(desk.results[0]).toContain('✖ 日活按北京时间零点切日');
    expect(desk.results.at(-1)).toMatch(/通过 6，失败 0/);
    // Told by the warning before the first edit: no round of checks was needed.
    expect(injected(view)).toContain('time-from-clock');
    expect(view.state.round).toBe(1);
    await approved(view, () =>
      expect(text('src/report/active-users.ts')).toContain('const day = shanghaiDate(visit.visited_at);'),
    );
    writeFileSync(join(mall, 'test/report.test.ts'), tests);
  });

  it('heeds a warning that it was told; one without the core does what it forbids', async () => {
    const told = await desk.run(yuanColumn, 'told');
    expect(injected(told)).toContain('amount-in-fen');
    await approved(told, () => expect(text('src/report/daily-report.ts')).toContain('gmvYuan: fenToYuan(gmv),'));
    const untold = await desk.run(yuanColumn, 'untold', PLAIN);
    expect(desk.session.project.changeset(untold.state.changesetId!).read('src/report/daily-report.ts').text).toContain(
      '(gmv / 100).toFixed(2)',
    );
  });

  it('writes a path in other characters: it is repaired, told, and right from then on', async () => {
    const view = await desk.run(wrongPath, 'path');
    expect(desk.results[0]).toMatch(/src\/支付網關\/notify\.ts.*src\/支付网关\/notify\.ts/);
    expect(changed(view)).toEqual(['src/支付网关/notify.ts']);
    await approved(view, () => expect(text('src/支付网关/notify.ts')).toContain('一期网关（legacy）的渠道代号'));
  });

  it('survives a stream that stalls in the middle of an edit: asked again, staged once', async () => {
    desk.settings('node -e 0', ', stallSeconds: 0.5, maxRetries: 1');
    before = treeHash(mall);
    let stalls = 1;
    desk.instead = (_, { turn }) =>
      turn === 1 && stalls-- > 0 ? { text: '我先看看，', fault: { kind: 'stall' } } : undefined;
    const view = await desk.run(retryOnClose, 'stall');
    expect(desk.events.filter((e) => e.type === 'model.retry')).toHaveLength(1);
    expect(editsOf(view)).toHaveLength(1);
    await approved(view, () => expect(text(retryEdit.path).match(/private async releaseStock/g)).toHaveLength(1));
  });

  it('goes on with a second model when the first is down, and says so', async () => {
    desk.settings('node -e 0', ', maxRetries: 0, fallbacks: [{ name: spare }]');
    before = treeHash(mall);
    desk.instead = ({ model }, { turn }) =>
      model === 'scripted' && turn >= 1 ? { fault: { kind: 'status', status: 503 } } : undefined;
    const view = await desk.run(retryOnClose, 'fallback');
    expect(desk.events).toContainEqual(expect.objectContaining({ type: 'model.fallback', to: 'spare' }));
    expect([...new Set(desk.turns.map(({ model }) => model))]).toEqual(['scripted', 'spare']);
    await approved(view, () => expect(text(retryEdit.path)).toContain('await this.releaseStock(orderNo)'));
  });

  it('is stopped in the middle and resumed: nothing is lost, nothing done twice', async () => {
    const stop = new AbortController();
    desk.instead = (_, { turn }) => {
      if (turn === 2) stop.abort();
      return undefined;
    };
    await expect(desk.run(retryOnClose, 'stopped', {}, stop.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect((await desk.session.view('stopped')).status).toBe('interrupted');
    expect(treeHash(mall)).toBe(before);
    const asked = desk.turns.length;
    const view = await desk.resume('stopped');
    // The turn that was under way is asked again, and no earlier one.
    expect(desk.turns[asked]!.messages).toEqual(desk.turns[asked - 1]!.messages);
    expect(editsOf(view)).toHaveLength(1);
    await approved(view, () => expect(text(retryEdit.path).match(/private async releaseStock/g)).toHaveLength(1));
  });

  it('two who work side by side write the same line of a page: one of them is asked to join both', async () => {
    const log = text(CHANGES);
    const [head] = /^## .*$/m.exec(log)!;
    const notes = { 登录: '- 登录四小时不用才失效', 导出: '- 订单导出一次最多两万行' };
    desk.instead = (req) => {
      const turns = req.messages.filter(({ role }) => role === 'assistant').length;
      const said = String(req.messages.at(-1)!.content);
      // The one who is asked to join them, in the conversation that he had: he looks, and then writes.
      if (said.startsWith('几份改动合在一起时有冲突'))
        return { toolCalls: [{ name: 'read_file', args: { path: CHANGES } }] };
      if (req.messages.some((m) => String(m.content).startsWith('几份改动合在一起时有冲突'))) {
        const marked = /^<<<<<<< xihe[\s\S]*?^>>>>>>> xihe.*$/m.exec(said.replace(/^\d+\t/gm, ''))?.[0];
        return marked ? edit(CHANGES, marked, `${notes.登录}\n${notes.导出}`) : { text: '都留下了。' };
      }
      const part = /独立的一份：.*?(登录|导出)/.exec(String(req.messages[1]!.content))![1] as keyof typeof notes;
      const own = {
        登录: edit('src/user/session.ts', '= 2 * HOUR_MS', '= 4 * HOUR_MS'),
        导出: edit('src/export/order-exporter.ts', 'EXPORT_LIMIT = 10_000', 'EXPORT_LIMIT = 20_000'),
      };
      return [own[part], edit(CHANGES, `${head}\n`, `${head}\n\n${notes[part]}\n`)][turns] ?? { text: '改好了。' };
    };
    const both = '1. 登录失效时间 SESSION_IDLE_MS 改成四小时\n2. 订单导出的上限 EXPORT_LIMIT 改成两万行';
    const view = await desk.run({ request: both, targets: [], done: '' }, 'side-by-side');
    expect(view.state.agents.map(({ name }) => name)).toEqual([
      'part-1',
      'part-2',
      expect.stringMatching(/^part-[12]-fix$/),
    ]);
    await approved(view, () => {
      expect(text('src/user/session.ts')).toContain('4 * HOUR_MS');
      expect(text('src/export/order-exporter.ts')).toContain('EXPORT_LIMIT = 20_000');
      expect(text(CHANGES)).toContain(`${head}\n\n${notes.登录}\n${notes.导出}\n`);
      expect(text(CHANGES)).not.toContain('xihe');
    });
  });

  it('stays inside a small window in a long run: old results go, the task and what the user says stay', async () => {
    const WINDOW = 7_500;
    desk.settings('node -e 0', `, contextTokens: ${WINDOW}`);
    before = treeHash(mall);
    const view = await desk.run(exportColumn, 'long');
    const last = desk.turns.at(-1)!;
    const task = String(last.messages[1]!.content);
    expect(task).toContain(exportColumn.request);
    expect(task).toContain('一律走 csv-writer');
    expect(JSON.stringify(last.messages)).toContain('这条较早的工具结果已省略');
    for (const request of desk.turns) expect(contentTokens(request)).toBeLessThan(WINDOW);
    await approved(view, () => expect(text('i18n/en.json')).toContain('"trackingNo": "Tracking no."'));
  });
});
