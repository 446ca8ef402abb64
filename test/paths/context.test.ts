import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHistory } from '../../src/history/index.js';
import { openPaths, type PathContext } from '../../src/paths/index.js';
import { estimateTokens } from '../../src/text/index.js';
import { SHOP, TERMS } from './shop.js';
import { cleanUp, commit, gbk, initRepository, project, tempDir, writeTree } from './support.js';

afterAll(cleanUp);

const found = async (paths: PathContext, query: string, options = {}): Promise<string[]> =>
  (await paths.lookupFile(query, options)).candidates.map(({ path }) => path);

describe('finding files in a small shop', () => {
  let root: string;
  let stateDir: string;
  let paths: PathContext;

  beforeAll(async () => {
    ({ root, stateDir } = project());
    initRepository(root);
    commit(root, '初始导入', SHOP, 1000);
    commit(
      root,
      '修复支付宝异步通知重复入账',
      { 'src/payment/notify.ts': `${SHOP['src/payment/notify.ts']}// v2\n` },
      2000,
    );
    const history = await openHistory(root, stateDir);
    paths = await openPaths({ root, stateDir, terms: TERMS, history });
  });

  it('a team term leads to the file that defines its symbol, before all else', async () => {
    const { candidates, method } = await paths.lookupFile('下单超时没付款的单子，关单时加一次重试');
    expect(method).toBe('fused');
    expect(candidates[0]).toMatchObject({ path: 'src/order/order-service.ts' });
    expect(candidates[0]?.why).toContain('术语「超时关单」→ OrderService.cancelExpired（第 13 行）');
    expect(candidates[0]?.summary).toContain('订单服务');
  });

  it.each([
    ['银行流水核对手续费', 'legacy/对账.java', '注释'],
    ['异步通知重复入账', 'src/payment/notify.ts', '提交「修复支付宝异步通知重复入账」'],
    ['已失效的抵扣券显示不对', 'src/pages/coupon/list.vue', '文案 coupon.list.expired'],
    ['verifyNotify 返回值', 'src/payment/notify.ts', '符号 verifyNotify'],
    ['庫存佔用', 'src/inventory/stock.ts', '注释'],
    ['inventory', 'src/inventory/stock.ts', '目录 inventory'],
  ])('%s → %s', async (query, path, why) => {
    const { candidates } = await paths.lookupFile(query);
    expect(candidates[0]?.path).toBe(path);
    expect(candidates[0]?.why).toContain(why);
  });

  it.each([
    ['改一下 src/order/order-state.ts', 'src/order/order-state.ts'],
    ['order-state.ts 里加一个状态', 'src/order/order-state.ts'],
    ['OrderController 少了鉴权', 'src/order/order-controller.ts'],
    ['打开接入指南.md', 'docs/payment/接入指南.md'],
    ['order-stat.ts', 'src/order/order-state.ts'],
    ['ordctrl', 'src/order/order-controller.ts'],
    ['对账.java 的手续费', 'legacy/对账.java'],
  ])('a request that names a file gets that file: %s', async (query, path) => {
    const { candidates, method } = await paths.lookupFile(query);
    expect(method).toBe('fuzzy-path');
    expect(candidates[0]?.path).toBe(path);
  });

  it('puts source before tests and documents, unless the request asks for them', async () => {
    expect((await found(paths, '下单要先校验'))[0]).toBe('src/order/order-service.ts');
    expect((await found(paths, '下单超时的测试用例'))[0]).toBe('test/order/order-service.test.ts');
    expect((await found(paths, '支付渠道接入的文档'))[0]).toBe('docs/payment/接入指南.md');
  });

  it('lets the kind of task weigh kinds of files', async () => {
    const scoreOf = async (taskType: 'general' | 'bugfix') =>
      (await paths.lookupFile('支付渠道接入验签', { taskType })).candidates.find(({ path }) =>
        path.startsWith('docs/'),
      )!.score;
    expect(await scoreOf('bugfix')).toBeLessThan(await scoreOf('general'));
  });

  it('keeps to a scope, a folder or a glob', async () => {
    expect((await found(paths, '订单', { scope: 'src/order' })).every((path) => path.startsWith('src/order/'))).toBe(
      true,
    );
    expect(await found(paths, '订单', { scope: '**/*.sql' })).toEqual(['sql/schema.sql']);
    expect(await found(paths, '订单', { scope: 'nowhere' })).toEqual([]);
  });

  it('gives five, fewer or more when asked, and never more than fifty', async () => {
    expect(await found(paths, '订单支付退款优惠券库存')).toHaveLength(5);
    expect(await found(paths, '订单支付退款', { topK: 2 })).toHaveLength(2);
    expect((await found(paths, '订单支付退款优惠券库存', { topK: 8 })).length).toBeGreaterThan(5);
    expect((await found(paths, '订单支付退款优惠券库存', { topK: 999 })).length).toBeLessThanOrEqual(50);
  });

  it('says each reason and summary shortly, never the text of a file', async () => {
    const { candidates } = await paths.lookupFile('订单支付退款优惠券');
    for (const candidate of candidates) {
      expect(candidate.why).not.toBe('');
      expect(candidate.why).not.toContain('\n');
      expect(estimateTokens(candidate.why)).toBeLessThanOrEqual(45);
      expect(estimateTokens(candidate.summary)).toBeLessThanOrEqual(22);
    }
  });

  it('answers a request without any known word with nothing', async () => {
    expect(await paths.lookupFile('量子纠缠')).toEqual({ candidates: [], method: 'fused' });
    expect((await paths.lookupFile('')).candidates).toEqual([]);
    expect((await paths.lookupFile('。。。？？？')).candidates).toEqual([]);
  });

  it('a term whose symbol is nowhere changes nothing', async () => {
    expect((await paths.lookupFile('核销')).candidates).toEqual([]);
  });

  it.each([
    ['OrderService.cancelExpired', 'src/order/order-service.ts', 13],
    ['OrderService#cancelExpired', 'src/order/order-service.ts', 13],
    ['cancelExpired', 'src/order/order-service.ts', 13],
    ['cancelExpired()', 'src/order/order-service.ts', 13],
    ['OrderState.Cancelled', 'src/order/order-state.ts', 5],
    ['OrderService', 'src/order/order-service.ts', 5],
    ['gmt_create', 'sql/schema.sql', 4],
    ['gmtCreate', 'sql/schema.sql', 4],
    ['Reconcile.checkFee', 'legacy/对账.java', 4],
  ])('findSymbol %s', async (name, path, line) => {
    expect((await paths.findSymbol(name))[0]).toMatchObject({ name, path, line });
  });

  it.each(['OrderService.nothing', 'NoSuchClass', 'OtherService.cancelExpired', '', '...', '没有的'])(
    'findSymbol %j finds nothing',
    async (name) => {
      expect(await paths.findSymbol(name)).toEqual([]);
    },
  );

  it('searches GBK and UTF-8 files alike, by text and by pattern', async () => {
    expect(await paths.searchCode('手续费')).toEqual([
      { path: 'legacy/对账.java', line: 3, text: '  // 逐笔核对手续费' },
    ]);
    expect((await paths.searchCode('订单[表状]', { regex: true })).map(({ path, line }) => `${path}:${line}`)).toEqual([
      'sql/schema.sql:1',
      'src/order/order-state.ts:1',
    ]);
    expect((await paths.searchCode('ORDERSERVICE', { ignoreCase: true, scope: 'src' })).length).toBeGreaterThan(1);
    expect(await paths.searchCode('ORDERSERVICE')).toEqual([]);
    expect(await paths.searchCode('order', { maxHits: 3 })).toHaveLength(3);
  });

  it.each(['(', '[', '*a'])('refuses the broken pattern %s with a hint', async (pattern) => {
    await expect(paths.searchCode(pattern, { regex: true })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('stops a pattern that would never end', async () => {
    writeTree(root, { 'src/slow.txt': `${'a'.repeat(60)}!\n` });
    await paths.refresh();
    await expect(paths.searchCode('^(a+)+$', { regex: true })).rejects.toMatchObject({ code: 'USAGE' });
    rmSync(join(root, 'src/slow.txt'));
    await paths.refresh();
  });

  it('expands a file in three lines and its companions', async () => {
    const expansion = await paths.expandPath('src/order/order-service.ts');
    expect(expansion.symbols?.map(({ name, line }) => [name, line])).toEqual([
      ['OrderService', 5],
      ['OrderService.create', 7],
      ['OrderService.cancelExpired', 13],
    ]);
    expect(expansion.importsOut).toEqual([
      { path: 'src/inventory/stock.ts', line: 2 },
      { path: 'src/order/order-state.ts', line: 3 },
    ]);
    expect(expansion.importersIn).toEqual([
      { path: 'src/order/order-controller.ts', line: 2 },
      { path: 'test/order/order-service.test.ts', line: 1 },
    ]);
    expect(expansion.companions.map(({ path, kind }) => [path, kind])).toEqual([
      ['src/order/order-controller.ts', '接口入口'],
      ['test/order/order-service.test.ts', '测试'],
    ]);
    const lines = expansion.text.split('\n');
    expect(lines[0]).toBe('src/order/order-service.ts [service] 〔订单〕（16 行）：订单服务：下单、取消、到期处理');
    expect(lines[1]).toBe('符号：OrderService:5、OrderService.create:7、OrderService.cancelExpired:13');
    expect(lines[2]).toBe(
      '引入 src/inventory/stock.ts:2、src/order/order-state.ts:3；被引用于 src/order/order-controller.ts:2、test/order/order-service.test.ts:1',
    );
    expect(lines.at(-1)).toBe('同目录（src/order）：order-controller.ts、order-state.ts');
    expect(expansion.tokens).toBeLessThanOrEqual(300);
  });

  it('expands a folder into its direct children only, the repair told', async () => {
    const root = await paths.expandPath('.');
    expect(root.children?.map(({ name }) => name)).toEqual([
      'docs/',
      'i18n/',
      'legacy/',
      'sql/',
      'src/',
      'test/',
      'README.md',
      'package.json',
    ]);
    const coupon = await paths.expandPath('src/pages/coupon/');
    expect(coupon.children?.map(({ name, role }) => [name, role])).toEqual([
      ['list.less', 'style'],
      ['list.vue', 'page'],
    ]);
    const repaired = await paths.expandPath('docs/payment/接入 指南.md');
    expect(repaired.note).toContain('docs/payment/接入指南.md');
    expect(repaired.text.startsWith(repaired.note!)).toBe(true);
    await expect(paths.expandPath('src/nowhere.ts')).rejects.toMatchObject({ code: 'PATH_NOT_FOUND' });
  });

  it('knows one line about each listed file', () => {
    expect(paths.summary('src/order/order-service.ts')).toContain('订单服务');
    expect(paths.summary('nowhere.ts')).toBeUndefined();
  });

  it('shows the map with parts and the names of modules', () => {
    const { text, nodes, tokens, omitted } = paths.loadContext();
    expect(text).toContain('order/ 〔订单〕');
    expect(text).toContain('order-service.ts [service]');
    expect(text).toContain('payment/notify.ts 〔支付〕');
    expect(omitted).toBe(0);
    expect(nodes).toBeLessThanOrEqual(200);
    expect(tokens).toBe(estimateTokens(text));
  });

  it('shows the map of one folder, and of that folder only', () => {
    const { text } = paths.loadContext({ focus: 'src/order' });
    expect(text.split('\n')[0]).toContain('src/order/ 的骨架 〔订单〕');
    expect(text).toContain('order-service.ts [service]');
    expect(text).not.toMatch(/payment|docs|legacy/);
    expect(paths.loadContext({ focus: '.' })).toEqual(paths.loadContext());
    expect(paths.loadContext({ focus: 'nowhere' }).text).toContain('nowhere/ 下没有可列出的文件');
  });
});

describe('projects of other kinds', () => {
  it('an empty folder has an answer to everything', async () => {
    const { root, stateDir } = project();
    const paths = await openPaths({ root, stateDir });
    expect(paths.files).toEqual([]);
    expect(paths.loadContext().text).toContain('空');
    expect((await paths.lookupFile('订单')).candidates).toEqual([]);
    expect(await paths.findSymbol('Order')).toEqual([]);
    expect(await paths.searchCode('x')).toEqual([]);
    expect((await paths.expandPath('.')).children).toEqual([]);
    expect(() => paths.resolve('a.ts')).toThrow('找不到 a.ts');
    expect(paths.resolveNew('src/a.ts')).toBe('src/a.ts');
  });

  it('without git it finds by content', async () => {
    const { root, stateDir } = project(SHOP);
    const paths = await openPaths({ root, stateDir, history: await openHistory(root, stateDir) });
    expect((await found(paths, '占用库存'))[0]).toMatch(/stock|order-service/);
  });

  it('where nothing can be cached it works, reading all files each time', async () => {
    const { root } = project(SHOP);
    const notAFolder = join(tempDir(), 'file');
    writeFileSync(notAFolder, 'x');
    for (let start = 0; start < 2; start++) {
      const paths = await openPaths({ root, stateDir: notAFolder });
      expect(paths.lastRefresh.read).toBe(Object.keys(SHOP).length);
      expect((await found(paths, '手续费'))[0]).toBe('legacy/对账.java');
    }
  });

  it('never shows what may hold secrets, and reads no binary, huge or minified file', async () => {
    const { root, stateDir } = project({
      '.env': 'TOKEN=密钥内容\n',
      '.env.example': 'TOKEN=示例内容\n',
      'a.bin': Uint8Array.of(0, 1, 2, 3, 0, 255),
      'blob.ts': Uint8Array.of(0, 0, 0, 0, 1, 2),
      'huge.ts': `// 巨大文件\n${'x'.repeat(600 * 1024)}`,
      'packed.js': `var 压缩 = 1;${'a=1;'.repeat(10_000)}`,
      'ok.ts': '// 正常内容\nexport {};\n',
      'package-lock.json': '{"锁": 1}\n',
    });
    const paths = await openPaths({ root, stateDir });
    expect(paths.files).toHaveLength(8);
    expect(await paths.searchCode('密钥内容')).toEqual([]);
    expect(await paths.searchCode('巨大')).toEqual([]);
    expect((await paths.searchCode('内容')).map(({ path }) => path)).toEqual(['.env.example', 'ok.ts']);
    expect((await paths.lookupFile('package-lock.json')).candidates[0]?.path).toBe('package-lock.json');
    expect(await found(paths, '压缩')).toEqual([]);
  });

  it('finds the definition in the code of today before dumps, old code, documents and tests', async () => {
    const { root, stateDir } = project({
      'legacy/init-schema.sql': 'CREATE TABLE refund (\n  initiator_type varchar(20)\n);\n',
      'legacy/refund.ts': 'export interface OldRefund {\n  initiator_type: string;\n}\n',
      'generated/api.ts': 'export interface RefundDto {\n  initiator_type: string;\n}\n',
      'a/tool.py': 'class Refund:\n    initiator_type: str = ""\n',
      'src/refund/refund.ts': 'export interface Refund {\n  /** 谁发起 */\n  initiator_type: string;\n}\n',
      'test/refund.test.ts': 'export class Fake {\n  initiator_type = "";\n}\n',
      ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`src/m${i}.ts`, `export const m${i} = ${i};\n`])),
    });
    const paths = await openPaths({ root, stateDir });
    const places = (await paths.findSymbol('initiator_type')).map(({ path, line }) => `${path}:${line}`);
    expect(places[0]).toBe('src/refund/refund.ts:3');
    expect(places).toContain('legacy/init-schema.sql:2');
    expect(places.indexOf('a/tool.py:2')).toBe(1);
  });

  it('leaves the team layer to the core: its words do not win over code', async () => {
    const { root, stateDir } = project({
      ...SHOP,
      '.xihe/knowledge/terms/order.yaml': '- id: a\n  keyword_ch: 占用库存\n',
      '.xihe/knowledge/terms/user.yaml': '- id: b\n  keyword_ch: 会员\n',
    });
    const paths = await openPaths({ root, stateDir });
    expect(paths.files).toContain('.xihe/knowledge/terms/order.yaml');
    const { text } = paths.loadContext();
    expect(text).toContain('.xihe/knowledge/terms/ +2');
    expect(text).not.toContain('order.yaml');
    expect((await found(paths, '占用库存')).some((path) => path.startsWith('.xihe/'))).toBe(false);
  });

  it('says what a listed-only or ignored file is when it is expanded', async () => {
    const { root, stateDir } = project({
      'logo.png': Uint8Array.of(137, 80, 78, 71, 0),
      'dist/out.js': 'x',
      'a.ts': 'x',
    });
    const paths = await openPaths({ root, stateDir });
    expect((await paths.expandPath('logo.png')).text).toContain('资源文件');
    expect((await paths.expandPath('dist/out.js')).text).toContain('忽略');
  });

  it('indexes the project in a folder whose own name is Chinese with spaces', async () => {
    const root = join(tempDir(), '我的 项目（一）');
    mkdirSync(root);
    writeTree(root, SHOP);
    initRepository(root);
    const paths = await openPaths({ root, stateDir: join(root, '.xihe/state') });
    expect((await found(paths, '手续费'))[0]).toBe('legacy/对账.java');
  });

  it('can be cancelled while it reads, and reports how far it is', async () => {
    const { root, stateDir } = project(
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}.ts`, `export const n${i} = ${i};\n`])),
    );
    const control = new AbortController();
    const seen: number[] = [];
    const opening = openPaths({
      root,
      stateDir,
      signal: control.signal,
      onProgress: ({ done, total }) => {
        seen.push(done);
        expect(total).toBe(300);
        if (done >= 50) control.abort();
      },
    });
    await expect(opening).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(seen.length).toBeGreaterThan(1);
    expect(Math.max(...seen)).toBeLessThan(300);
    expect((await openPaths({ root, stateDir })).files).toHaveLength(300);
  });
});

describe('staying exact', () => {
  it('does not name a file that was deleted or moved since, without a refresh', async () => {
    const { root, stateDir } = project(SHOP);
    const paths = await openPaths({ root, stateDir });
    expect((await found(paths, '手续费'))[0]).toBe('legacy/对账.java');
    renameSync(join(root, 'legacy/对账.java'), join(root, 'legacy/流水.java'));
    expect((await found(paths, '手续费'))[0]).toBe('legacy/流水.java');
    rmSync(join(root, 'src/order/order-service.ts'));
    expect(await paths.findSymbol('OrderService.cancelExpired')).toEqual([]);
    expect(await paths.searchCode('cancelExpired', { scope: 'src' })).toEqual([]);
  });

  it('reads only what changed, and everything that changed', async () => {
    const { root, stateDir } = project(SHOP);
    const total = Object.keys(SHOP).length;
    expect((await openPaths({ root, stateDir })).lastRefresh.read).toBe(total);
    // Later than one tick of the file system's clock, so that what was read counts as settled.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await openPaths({ root, stateDir });
    const warm = await openPaths({ root, stateDir });
    expect(warm.lastRefresh).toMatchObject({ read: 0, added: [], changed: [], removed: [] });
    writeFileSync(join(root, 'src/inventory/stock.ts'), '// 换了：调拨\nexport {};\n');
    expect(await warm.refresh()).toMatchObject({ read: 1, changed: ['src/inventory/stock.ts'] });
    expect((await found(warm, '调拨'))[0]).toBe('src/inventory/stock.ts');
  });

  it('sees an edit of the same length that keeps the modification time', async () => {
    const { root, stateDir } = project({ 'a.ts': '// 甲甲\n' });
    const { utimesSync } = await import('node:fs');
    utimesSync(join(root, 'a.ts'), 1_600_000_000, 1_600_000_000);
    const paths = await openPaths({ root, stateDir });
    writeFileSync(join(root, 'a.ts'), '// 乙乙\n');
    utimesSync(join(root, 'a.ts'), 1_600_000_000, 1_600_000_000);
    expect((await paths.refresh()).changed).toEqual(['a.ts']);
    expect((await paths.searchCode('乙乙'))[0]?.path).toBe('a.ts');
    expect((await found(paths, '乙乙'))[0]).toBe('a.ts');
  });

  it('drops a key that became common, a text that changed, a file that became a symlink', async () => {
    const pages = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`src/p${i}.ts`, `t('shared.title');\n`]));
    const { root, stateDir } = project({
      ...pages,
      'src/one.ts': "t('shared.title'); t('one.only');\n",
      'i18n/zh-CN.json': '{"shared": {"title": "统一标题"}, "one": {"only": "独有文案"}}',
    });
    const paths = await openPaths({ root, stateDir });
    expect((await found(paths, '独有文案')).includes('src/one.ts')).toBe(true);
    // More than eight files use it, so it tells none of them.
    expect(await found(paths, '统一标题')).toEqual(['i18n/zh-CN.json']);
    writeTree(root, { 'i18n/zh-CN.json': '{"shared": {"title": "统一标题"}, "one": {"only": "换过的说法"}}' });
    for (let i = 0; i < 8; i++) rmSync(join(root, `src/p${i}.ts`));
    await paths.refresh();
    expect((await found(paths, '换过的说法')).includes('src/one.ts')).toBe(true);
    expect((await found(paths, '独有文案')).includes('src/one.ts')).toBe(false);
    expect((await found(paths, '统一标题')).includes('src/p9.ts')).toBe(true);
    rmSync(join(root, 'src/one.ts'));
    symlinkSync(join(root, 'src/p9.ts'), join(root, 'src/one.ts'));
    expect((await paths.refresh()).removed).toEqual(['src/one.ts']);
  });

  it('a cache that is broken, cut or of another version is read as if it were not there', async () => {
    const { root, stateDir } = project(SHOP);
    await openPaths({ root, stateDir });
    const { readFileSync } = await import('node:fs');
    const file = join(stateDir, 'paths-index.bin');
    const good = readFileSync(file);
    for (const bad of [
      good.subarray(0, 10),
      Buffer.from(good.map((byte, i) => (i === Math.floor(good.length / 2) ? byte ^ 1 : byte))),
      good.subarray(0, good.length - 1),
      Buffer.alloc(0),
      Buffer.from('garbage garbage garbage garbage'),
      Buffer.concat([good, Buffer.from('x')]),
    ]) {
      writeFileSync(file, bad);
      const paths = await openPaths({ root, stateDir });
      expect(paths.lastRefresh.read).toBe(Object.keys(SHOP).length);
      expect((await found(paths, '手续费'))[0]).toBe('legacy/对账.java');
    }
  });

  it('a text in GBK that changes is read as GBK again', async () => {
    const { root, stateDir } = project(SHOP);
    const paths = await openPaths({ root, stateDir });
    writeFileSync(join(root, 'legacy/对账.java'), gbk('// 银行流水对账\n// 差额挂账\npublic class Reconcile {}\n'));
    await paths.refresh();
    expect((await found(paths, '差额挂账'))[0]).toBe('legacy/对账.java');
  });
});
