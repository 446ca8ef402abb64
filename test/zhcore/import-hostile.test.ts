import { describe, expect, it } from 'vitest';
import { XiheError } from '../../src/errors.js';
import { Bench, reasons, sheetXml, workbook } from './import-support.js';

/** In two parts, so that no scanner takes it for a key of somebody. */
const KEY = `sk-${'aB3dE5fG7hJ9kL2mN4pQ'}`;
const ROBOT = `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${'7c9e6679-7425-40de-944b-e07fc1f90ae7'}`;
const SECRETS = [
  KEY,
  ROBOT,
  '密码是 Zxcv1234!@#',
  'AWS_SECRET_ACCESS_KEY=k7Gh2LmPq9RtVw4XyZ1b',
  'password: Hq7zP2mWx9Lk',
];
const VALUES = /aB3dE5fG7h|7c9e6679|Zxcv1234|k7Gh2LmPq9|Hq7zP2mW/;

describe('passwords and keys are not imported', () => {
  it.each(SECRETS)('a document with %s stays out, the others go in', async (secret) => {
    const bench = new Bench({
      'docs/a.md': `# 部署\n\n先看部署清单，再看机器分组。\n\n${secret}\n`,
      'docs/b.md': '# 回滚\n\n回滚之前先停掉定时任务，避免补偿任务跑两遍。\n',
    });
    const plan = await bench.import('docs');
    expect(plan.files.map(({ path }) => path)).toEqual(['.xihe/knowledge/imported/docs/回滚.md']);
    expect(reasons(plan).join()).toMatch(/docs\/a\.md.*密钥或口令/);
    expect(JSON.stringify(plan)).not.toMatch(VALUES);
  });

  it('a section of rules stays out alone', async () => {
    const bench = new Bench({
      'AGENTS.md': `# 规则\n\n## 部署 ${KEY}\n\n部署之前先看清单，口令：hunter2hunter2。\n\n## 测试\n\n改完要跑单元测试，失败不能提交。\n`,
    });
    const plan = await bench.import('AGENTS.md');
    expect(plan.files.map(({ path }) => path)).toEqual(['.xihe/knowledge/imported/AGENTS/规则-测试.md']);
    expect(plan.leftOut).toHaveLength(1);
    expect(JSON.stringify(plan)).not.toMatch(/aB3dE5fG7h|hunter2/);
  });

  it('a skill stays out, with the line', async () => {
    const head =
      '---\nname: deploy\ndescription: 部署上线的流程，发布时使用\n---\n\n# 部署\n\n## 步骤\n\n1. 看清单\n2. 发布\n';
    const bench = new Bench({
      's/deploy/SKILL.md': `${head}\n环境 jdbc:mysql://root:pw9@10.0.0.1/shop\n`,
      's/other/SKILL.md': head.replaceAll('deploy', 'other'),
    });
    const plan = await bench.import('s');
    expect(plan.files.map(({ path }) => path)).toEqual(['.xihe/playbooks/other.md']);
    expect(reasons(plan).join('\n')).toContain('s/deploy/SKILL.md:13 里面有密钥或口令（像是地址里的口令）');
    expect(JSON.stringify(plan)).not.toContain('pw9');
  });

  it('a row stays out, whatever cell it is in; one with a placeholder goes in', async () => {
    const rows = [...SECRETS, 'password: your-password'].map(
      (cell, i) => `词条${'甲乙丙丁戊己'[i]},OrderService.m${i},"说明 ${cell}"`,
    );
    const bench = new Bench({ 't.csv': `中文,代码,说明\n${rows.join('\n')}\n` });
    const plan = await bench.import('t.csv');
    expect(Object.keys(bench.terms())).toEqual(['词条己']);
    expect(plan.leftOut.map(({ where }) => where)).toEqual(SECRETS.map((_, i) => `t.csv#L${i + 2}`));
    expect(JSON.stringify(plan)).not.toMatch(VALUES);
  });
});

describe('broken and hostile sources', () => {
  it.each(['['.repeat(2000), '{'.repeat(3000), '- '.repeat(5000)])('bottomless YAML is said: %#', async (text) => {
    const bench = new Bench({
      'd.yaml': text,
      'lists/a.yaml': text,
      'lists/b.yaml': '超时关单: OrderService.cancelExpired\n',
    });
    await expect(bench.plan('d.yaml')).rejects.toMatchObject({ code: 'ENTRY_INVALID' });
    const plan = await bench.import('lists');
    expect(reasons(plan).join()).toMatch(/lists\/a\.yaml.*嵌套太深/);
    expect(bench.terms()).toEqual({ 超时关单: ['OrderService.cancelExpired'] });
  });

  it('a page of one paragraph of a megabyte is imported, and the core goes on', async () => {
    const bench = new Bench({ 'page.html': `<p>${'段落文字。'.repeat(200_000)}` });
    const plan = await bench.import('page.html');
    expect(plan.files).toHaveLength(1);
    const core = bench.core();
    expect(core.lookup('page').primary?.content).toContain('段落文字');
    expect(core.problems).toEqual([]);
  });

  // Looking back at all of the text at each tag would take minutes, which the time limit of a test does not allow.
  it.each([
    ['list items', `<ul>${Array.from({ length: 40_000 }, (_, i) => `<li>第${i}条说明</li>`).join('')}</ul>`],
    ['line breaks', '第一行说明<br>'.repeat(50_000)],
    ['links', '<a href="https://example.com/x">链接文字</a> '.repeat(30_000)],
    ['links without an end', '<a href="https://example.com/x">链接文字 '.repeat(30_000)],
    ['emphasis', '<b>重要</b>的说明，'.repeat(40_000)],
    ['sentences', `<p>${'这一句说明要先查原单再退款。'.repeat(100_000)}`],
    ['sections', Array.from({ length: 10_000 }, (_, i) => `<h2>第${i}节</h2><p>说明${i}。</p>`).join('')],
    ['blanks in a heading', `<pre># 标题${' '.repeat(200_000)}字</pre><p>这一页说明退款的流程和注意事项。</p>`],
  ])('a page of many %s is read', async (_, html) => {
    const bench = new Bench({ 'page.html': html });
    const plan = await bench.plan('page.html');
    expect(plan.files.reduce((sum, { content }) => sum + content.length, 0)).toBeGreaterThan(html.length / 10);
  });

  it('a heading with blanks without end is read', async () => {
    const bench = new Bench({ 'a.md': `# 标题${' '.repeat(200_000)}字\n\n退款要先查原单，再查退款单。\n` });
    expect((await bench.plan('a.md')).files[0]?.content).toContain('先查原单');
  });

  it('a script without an end is no text', async () => {
    const bench = new Bench({
      'page.html': '<h1>退款</h1><p>退款要先查原单，再查退款单。</p><h2>小节<script>alert("evil"); var a = 1;',
    });
    const plan = await bench.import('page.html');
    expect(plan.files[0]?.content).toContain('先查原单');
    expect(plan.files[0]?.content).not.toContain('evil');
    expect(reasons(plan).join()).toContain('<script> 没有结束标签');
  });

  it('words without Chinese, formulas and ways out of the project are no terms', async () => {
    const bench = new Bench({
      't.csv': [
        '中文,代码,别名',
        "=cmd|'/c calc'!A0,OrderService.a,",
        '../../evil,OrderService.b,',
        'SKU,skuId,库存单位',
        '超时关单,../../evil,"=HYPERLINK(1)、关单"',
        '退款,=cmd,退钱',
      ].join('\n'),
    });
    const plan = await bench.import('t.csv');
    expect(bench.terms()).toEqual({ 库存单位: ['skuId'], 超时关单: [], 退款: [] });
    expect(plan.files[0]?.content).not.toMatch(/=cmd|evil|HYPERLINK/);
    expect(plan.files[0]?.content).toContain('aliases: [SKU]');
    expect(reasons(plan)).toEqual(
      expect.arrayContaining(['t.csv#L2 叫法里没有汉字，没有导入', 't.csv#L3 叫法里没有汉字，没有导入']),
    );
  });

  it.each(['../../x', 'a b', 'a/b', 'a.b', '', 'a\\b', 'x'.repeat(61)])(
    '--module %j is a wrong use',
    async (module) => {
      const bench = new Bench({ 't.csv': '中文,代码\n超时关单,cancelExpired\n' });
      const failed = await bench.plan('t.csv', { module }).catch((e: unknown) => e);
      expect(XiheError.is(failed) && failed.code).toBe('USAGE');
    },
  );

  it('a module in a table is a name, or left out', async () => {
    const bench = new Bench({ 't.csv': '中文,代码,模块\n超时关单,cancelExpired,../../x\n退款单,refundOrder,支付\n' });
    const plan = await bench.import('t.csv');
    expect(plan.files[0]?.content).not.toContain('../');
    expect(plan.files[0]?.content).toContain('module: 支付');
    expect(reasons(plan)).toContain('t.csv#L2 模块名只能用文字、数字、- 和 _，没有导入这一项');
  });

  it('a header that comes again is no term, and a header alone is said', async () => {
    const bench = new Bench({
      't.csv':
        '术语,代码,说明\n超时关单,cancelExpired,到时间没付款\n术语,代码,说明\n退款单,refundOrder,退钱的单子\n中文名,类名,备注\n',
      'empty.csv': '术语,代码,说明\n',
    });
    const plan = await bench.import('t.csv');
    expect(Object.keys(bench.terms())).toEqual(['超时关单', '退款单']);
    expect(reasons(plan)).toEqual(['t.csv#L3 又是一行表头', 't.csv#L5 又是一行表头']);
    expect(reasons(await bench.plan('empty.csv'))).toEqual(['empty.csv 只有表头，下面没有词条']);
  });

  it('a worksheet that is cut is said, with the row', async () => {
    const rows = [
      ['中文', '代码'],
      ['超时关单', 'cancelExpired'],
      ['退款单', 'refundOrder'],
    ];
    const xml = sheetXml(rows);
    const bench = new Bench({
      'whole.xlsx': workbook([{ name: '词', xml }]),
      'cut.xlsx': workbook([{ name: '词', xml: xml.slice(0, xml.indexOf('退款单')) }]),
    });
    expect(reasons(await bench.plan('whole.xlsx'))).toEqual([]);
    expect(reasons(await bench.plan('cut.xlsx')).join()).toMatch(/cut\.xlsx#词!3 工作表的内容在这里断了/);
  });
});
