import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadKnowledge, parseFrontMatter } from '../../src/knowledge/index.js';
import { cleanMarkdown } from '../../src/zhcore/import/clean.js';
import { planImport, writeImport } from '../../src/zhcore/import/index.js';
import { safeName } from '../../src/zhcore/import/names.js';
import { random, tree } from '../knowledge/support.js';
import { Bench, reasons } from './import-support.js';

const AGENTS = `# 商城项目

商城后端，\`OrderService\` 管订单。

@docs/rules.md

## 构建与测试

提交前必须跑 \`npm test\`。

\`\`\`bash
npm test   # <b>不动</b>
\`\`\`

## 金额约定

说明一下。金额一律用分，字段是 \`amount_fen\`，禁止用 double。

### 展示

展示时除以 100，保留两位。

## 概述

这里是一段概述文字，讲这个项目做什么。

## 目录

- [构建](#a)
- [金额](#b)
`;

const front = (bench: Bench, path: string) => parseFrontMatter(readFileSync(join(bench.root, path), 'utf8'));

describe('rules for agents', () => {
  it('each section becomes a document with keywords, a summary that concludes, and its source', async () => {
    const bench = new Bench({ 'AGENTS.md': AGENTS });
    const plan = await bench.import('AGENTS.md');
    expect(plan.files.map(({ path }) => path.replace('.xihe/knowledge/imported/AGENTS/', ''))).toEqual([
      '商城项目.md',
      '构建与测试.md',
      '金额约定.md',
      '商城项目-概述.md',
    ]);
    const { data, body } = front(bench, '.xihe/knowledge/imported/AGENTS/金额约定.md');
    expect(data).toEqual({
      title: '金额约定',
      keywords: ['金额约定', 'amount_fen'],
      summary: '金额一律用分，字段是 amount_fen，禁止用 double。',
      source: 'AGENTS.md#金额约定',
      kind: 'experience',
      confidence: '0.6',
      status: 'candidate',
    });
    expect(body.trim()).toBe(
      '说明一下。金额一律用分，字段是 `amount_fen`，禁止用 double。\n\n## 展示\n\n展示时除以 100，保留两位。',
    );
    expect(front(bench, '.xihe/knowledge/imported/AGENTS/构建与测试.md').body).toContain('npm test   # <b>不动</b>');
    expect(front(bench, '.xihe/knowledge/imported/AGENTS/商城项目-概述.md').data.title).toBe('商城项目：概述');
    expect(bench.core().problems).toEqual([]);
    expect(bench.core().lookup('金额约定').primary?.content).toContain('一律用分');
    const said = reasons(plan).join('\n');
    expect(said).toContain('AGENTS.md 引用的别的文件没有跟着导入');
    expect(said).toContain('AGENTS.md:27 目录的标题，下面只有链接');
  });

  it('adds nothing the second time, nor from the files that were written; a changed one is kept', async () => {
    const bench = new Bench({ 'CLAUDE.md': AGENTS });
    await bench.import('CLAUDE.md');
    for (const source of ['CLAUDE.md', '.xihe/knowledge/imported', '.xihe/knowledge/imported/CLAUDE/金额约定.md']) {
      const again = await bench.import(source);
      expect(new Set(again.files.map(({ state }) => state)), source).toEqual(new Set(['same']));
    }
    const path = join(bench.layerDir, 'knowledge/imported/CLAUDE/金额约定.md');
    writeFileSync(path, readFileSync(path, 'utf8').replace('保留两位', '保留三位'));
    const changed = await bench.import('CLAUDE.md');
    expect(changed.files.filter(({ state }) => state === 'kept').map(({ path: p }) => p)).toEqual([
      '.xihe/knowledge/imported/CLAUDE/金额约定.md',
    ]);
    expect(readFileSync(path, 'utf8')).toContain('保留三位');
  });
});

describe('pages', () => {
  const PAGE = `<!DOCTYPE html><html><head><title>超时关单 - 交易文档</title><link rel="canonical" href="https://docs.example.com/close"><style>.a{}</style>
<script>var a = "<p>x</p>";</script></head><body><nav><a href="/">首页</a></nav><div class="breadcrumb">首页 &gt; 交易 &gt; 订单</div>
<main><h1>超时关单<a class="anchor" href="#x">#</a></h1><p>下单后<b>30&nbsp;分钟</b>没有付款，
就要关单。<br>必须先查单，再关单。</p>
<ul><li>查询渠道<ul><li>微信 <code>queryOrder</code></li></ul></li><li>关闭 <code>List&lt;Order&gt;</code></li></ul>
<table><tr><th>状态</th><th>含义</th></tr><tr><td>WAIT_PAY</td><td>待支付 | 未付</td></tr></table>
<pre><code class="language-java">if (a &lt; b) {
  close(&quot;x&quot;);
}</code></pre><p><img src="./a.png" alt="关单时序图"><img src="data:x" alt="图片">Map&lt;K,V&gt;</p>
<ul><li><a href="/x">甲</a></li><li><a href="/y">乙</a></li><li><a href="/z">丙</a></li></ul><p>上一篇：退款</p></main>
<footer>©2024 某公司</footer></body></html>`;

  it('the article becomes Markdown; navigation, scripts and pictures stay out and are named', async () => {
    const bench = new Bench({ 'page.html': PAGE });
    const plan = await bench.import('page.html');
    const { data, body } = front(bench, '.xihe/knowledge/imported/page/超时关单.md');
    expect(data).toMatchObject({
      title: '超时关单',
      source: 'https://docs.example.com/close',
      summary: '必须先查单，再关单。',
    });
    expect(body.trim()).toBe(`下单后**30 分钟**没有付款，就要关单。
必须先查单，再关单。

- 查询渠道
  - 微信 \`queryOrder\`
- 关闭 \`List<Order>\`

| 状态 | 含义 |
| --- | --- |
| WAIT_PAY | 待支付 \\| 未付 |

\`\`\`java
if (a < b) {
  close("x");
}
\`\`\`

（图：关单时序图）Map&lt;K,V>`);
    const said = reasons(plan).join('\n');
    for (const part of ['正文之外的部分', '本地图片', '内嵌图片', '只有链接的列表', '导航或页脚文字'])
      expect(said).toContain(part);
    expect(said).not.toContain('var a');
  });

  it('a page in GBK, and one whose tags never close', async () => {
    const gbk = Buffer.concat([
      Buffer.from('<html><body><p>'),
      Buffer.from('b6a9b5a5b3acb1ca0d0a', 'hex'),
      Buffer.from('<p>ok<nav>后面还有很长的正文，不能因为没有结束标签就丢掉'),
    ]);
    const bench = new Bench({ 'a.html': gbk });
    const plan = await bench.plan('a.html');
    expect(plan.files).toHaveLength(1);
  });
});

describe('cleaning', () => {
  it.each([
    ['Map<K, List<String>> 和 <orderId>', 'Map<K, List<String>> 和 <orderId>'],
    ['外层用 <div> 包起来', '外层用 <div> 包起来'],
    ['<p>一</p>\n<p>二</p>', '一\n\n二'],
    ['A&nbsp;&amp;&nbsp;B &lt;T&gt; &amp;lt;', 'A & B &lt;T> &amp;lt;'],
    ['前 <!-- 注释 --> 后', '前  后'],
    ['`<b>&nbsp;` <b>粗</b>', '`<b>&nbsp;` **粗**'],
    ['![图片](./a.png)![时序图](b.png)', '（图：时序图）'],
    ['![远程](https://a.cn/b.png)', '![远程](https://a.cn/b.png)'],
    ['零\u200b宽\u0007字符', '零宽字符'],
    ['##标题 ##\n\n#### 跳级\n\n文', '## 标题\n\n### 跳级\n\n文'],
    ['## 空的\n\n## 有的\n\n文', '## 有的\n\n文'],
    ['## 不要在循环里查数据库，要批量查\n\n## 有的\n\n文', '## 不要在循环里查数据库，要批量查\n\n## 有的\n\n文'],
    ['文\n\n上一篇：甲\n下一篇：乙\n\n返回顶部', '文'],
    ['- 登录\n- 收藏\n- 上一页', '- 登录\n- 收藏\n- 上一页'],
    [
      '- [官网](https://a.cn)\n- [文档](https://b.cn)\n- [论坛](https://c.cn)',
      '- [官网](https://a.cn)\n- [文档](https://b.cn)\n- [论坛](https://c.cn)',
    ],
    ['```\n没有结束 <b>', '```\n没有结束 <b>\n```'],
    ['| a |\n| --- |\n| <br>b<br>c |', '| a |\n| --- |\n| b c |'],
  ])('%j', (source, clean) => expect(cleanMarkdown(source).text).toBe(clean));
});

describe('folders of documents', () => {
  it('documents that repeat each other, or the project, go in once; other files are named', async () => {
    const text = '订单超时必须先查单，再关单，不能直接关。';
    const bench = new Bench({
      'docs/a.md': `# 甲\n\n${text}\n`,
      'docs/深/b.md': `---\ntitle: 乙\ntags: [关单]\n---\n\n${text.replace('，', ',')} \n`,
      'docs/c.txt': '第一章 结算\n\n结算以日切为界，跨日的单子算到第二天。\n',
      'docs/d.md': '# 丁\n\n短\n',
      'docs/key.md': '-----BEGIN RSA PRIVATE KEY-----\nxx\n',
      'docs/x.xlsx': 'x',
      'docs/图.png': 'x',
      'docs/bin.txt': Buffer.from([0, 1, 2, 0, 0, 3]),
      '.xihe/knowledge/old.md':
        '---\ntitle: 旧\nkeywords: [旧]\nsummary: 旧\n---\n\n结算以日切为界，跨日的单子算到第二天。\n',
    });
    const plan = await bench.import('docs');
    expect(plan.files.map(({ path, state }) => [path, state])).toEqual([
      ['.xihe/knowledge/imported/docs/甲.md', 'new'],
      ['.xihe/knowledge/old.md', 'same'],
    ]);
    const said = reasons(plan).join('\n');
    for (const part of [
      'docs/深/b.md 和 docs/a.md 内容相同',
      'docs/d.md 太短',
      'docs/key.md 里面有私钥',
      '1 个 .xlsx 文件是表格',
      '1 个 .png 文件',
      'docs/bin.txt 这是二进制文件',
    ])
      expect(said).toContain(part);
    expect(bench.core().problems).toEqual([]);
  });

  it('a long document is cut at its sections, and only then', async () => {
    const section = (n: number) => `## 第${n}节\n\n${`这一节讲第${n}件事，每件事都不同。`.repeat(400)}\n\n`;
    const bench = new Bench({
      'long.md': `# 手册\n\n${[1, 2, 3, 4].map(section).join('')}`,
      'short.md': `# 短篇\n\n## 甲\n\n甲的内容说清楚。\n\n## 乙\n\n乙的内容也说清楚。\n`,
    });
    const long = await bench.import('long.md');
    expect(long.files.length).toBeGreaterThan(1);
    expect((await bench.import('short.md')).files).toHaveLength(1);
    const { documents } = loadKnowledge(join(bench.layerDir, 'knowledge'), 'project');
    const all = documents.map(({ title, body }) => title + body).join('');
    for (const n of [1, 2, 3, 4]) expect(all).toContain(`第${n}节`);
    expect((all.match(/这一节讲/g) ?? []).length).toBe(1600);
    const again = await bench.plan('.xihe/knowledge/imported');
    expect(new Set(again.files.map(({ state }) => state))).toEqual(new Set(['same']));
  });

  it('whatever the documents: what was written loads, and importing source or result again adds nothing', async () => {
    const pieces = [
      '# 标题甲\n\n',
      '## 概述\n\n',
      '### 订单: 超时 #1\n\n',
      '必须先查单，再关单。\n\n',
      'it\'s "quoted": yes\n\n',
      '- 一\n- 二\n\n',
      '```js\nlet a;\n```\n\n',
      '上一篇：无\n\n',
      '<p>段<br>落</p>\n\n',
      '| a | b |\n| - | - |\n| 1 | 2 |\n\n',
      '这句话足够长，可以单独成为一篇文档的内容了。\n\n',
      '---\n\n',
      '![](x.png)\n\n',
      'A &amp; B 的 `gmt_create` 字段\n\n',
    ];
    for (let seed = 1; seed <= 40; seed++) {
      const rng = random(seed);
      const text = () => Array.from({ length: 1 + rng.below(14) }, () => rng.pick(pieces)).join('');
      const bench = new Bench({
        'docs/a.md': text(),
        'docs/b.html': text(),
        'docs/c.txt': text(),
        'docs/AGENTS.md': text(),
      });
      const first = await bench.import('docs');
      expect(bench.core().problems, `seed ${seed}`).toEqual([]);
      const fresh = first.files.filter(({ state }) => state === 'new').length;
      expect(bench.core().counts().documents).toBe(fresh);
      for (const source of ['docs', '.xihe/knowledge']) {
        const again = await bench.plan(source);
        expect(
          again.files.filter(({ state }) => state !== 'same'),
          `seed ${seed} ${source}`,
        ).toEqual([]);
      }
    }
  });
});

describe('writing', () => {
  it('follows no link out of the project, and then writes nothing', async () => {
    const outside = tree({ 'keep.txt': 'x' });
    const bench = new Bench({ 'AGENTS.md': AGENTS });
    mkdirSync(join(bench.layerDir, 'knowledge'), { recursive: true });
    symlinkSync(outside, join(bench.layerDir, 'knowledge/imported'));
    const plan = await bench.plan('AGENTS.md');
    expect(() => writeImport(plan, bench.root)).toThrow(expect.objectContaining({ code: 'PATH_OUTSIDE_PROJECT' }));
    expect(readdirSync(outside)).toEqual(['keep.txt']);
  });

  it('keeps a file that came into being since the plan, and leaves no temporary file', async () => {
    const bench = new Bench({ 'AGENTS.md': AGENTS });
    const plan = await bench.plan('AGENTS.md');
    const target = '.xihe/knowledge/imported/AGENTS/金额约定.md';
    bench.write({ [target]: '人写的' });
    expect(writeImport(plan, bench.root)).toBe(plan.files.length - 1);
    expect(readFileSync(join(bench.root, target), 'utf8')).toBe('人写的');
    expect(
      readdirSync(join(bench.layerDir, 'knowledge/imported/AGENTS')).filter((name) => name.endsWith('.tmp')),
    ).toEqual([]);
  });

  it('stops when it is cancelled', async () => {
    const bench = new Bench({ 'AGENTS.md': AGENTS });
    await expect(bench.plan('AGENTS.md', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
    const plan = await bench.plan('AGENTS.md');
    expect(() => writeImport(plan, bench.root, () => true)).toThrow(expect.objectContaining({ code: 'CANCELLED' }));
    expect(existsSync(join(bench.layerDir, 'knowledge'))).toBe(false);
  });

  it('reads outside the project, but follows no link out of the folder that was given', async () => {
    const secret = tree({ 'secret.md': '# 别处\n\n别处的内容，不该被读到这里来。\n' });
    const outside = tree({ 'a.md': '# 这里\n\n这里的内容可以导入到项目里。\n' });
    symlinkSync(join(secret, 'secret.md'), join(outside, 'link.md'));
    symlinkSync(outside, join(outside, 'loop'));
    symlinkSync(join(outside, 'gone.md'), join(outside, 'broken.md'));
    const bench = new Bench();
    const plan = await bench.plan(outside);
    expect(plan.files.map(({ preview }) => preview[0])).toEqual([expect.stringContaining('这里')]);
    expect(reasons(plan).join('\n')).toMatch(/link\.md 符号链接指到了目录外面[\s\S]*|broken/);
    expect(reasons(plan).filter((reason) => /link\.md|broken\.md/.test(reason))).toHaveLength(2);
  });

  it.each([
    ['CON', 'CON-1'],
    ['a/b\\c:d*?"<>|e', 'a-b-c-d-e'],
    ['README', 'README-1'],
    ['..', 'x'],
    ['.隐藏', '隐藏'],
    ['超'.repeat(80), '超'.repeat(32)],
    ['🚀 发射', '发射'],
    ['尾点...', '尾点'],
  ])('a file is named %j → %j', (title, name) => expect(safeName(title, 'x')).toBe(name));
});

describe('what cannot be imported', () => {
  it.each([
    ['nothing.md', 'PATH_NOT_FOUND'],
    ['', 'PATH_NOT_FOUND'],
    ['https://a.cn/b.md', 'PATH_INVALID'],
    ['old.xls', 'ENTRY_INVALID'],
    ['a.docx', 'ENTRY_INVALID'],
    ['a.zip', 'ENTRY_INVALID'],
    ['a.png', 'ENTRY_INVALID'],
    ['a.bin', 'ENTRY_INVALID'],
    ['empty', 'ENTRY_INVALID'],
  ])('%j is %s, with a hint', async (source, code) => {
    const bench = new Bench({
      'old.xls': 'x',
      'a.docx': 'x',
      'a.zip': 'x',
      'a.png': 'x',
      'a.bin': 'x',
      'empty/.gitkeep': '',
    });
    const failed = planImport(source === '' || source.includes('://') ? source : join(bench.root, source), {
      root: bench.root,
      layerDir: bench.layerDir,
      today: '2026-11-30',
    });
    await expect(failed).rejects.toMatchObject({ code, hint: expect.stringMatching(/\p{Script=Han}/u) });
  });

  it('a source that is said to be something else', async () => {
    const bench = new Bench({ 'a.md': '# 甲\n\n内容\n' });
    await expect(bench.plan('a.md', { as: 'playbooks' })).rejects.toMatchObject({ code: 'ENTRY_INVALID' });
  });
});

describe('a heading of contents', () => {
  it('goes with its links, and stays above anything else', async () => {
    const bench = new Bench({
      'AGENTS.md':
        '# 商城\n\n## 目录\n\n- `src/order`：订单，改状态只走 OrderService\n- `src/pay`：支付，回调必须幂等\n\n## 测试约定\n\n改完订单相关的代码，先跑 npm test 再提交。\n',
      'doc.md':
        '# 指南\n\n## 目录\n\n- [一](#a)\n- [二](#b)\n\n## 一\n\n先看订单状态，再决定能不能关单，不能关的要说明原因。\n',
    });
    const rules = await bench.import('AGENTS.md');
    expect(rules.files.map(({ path }) => path)).toEqual([
      '.xihe/knowledge/imported/AGENTS/商城-目录.md',
      '.xihe/knowledge/imported/AGENTS/测试约定.md',
    ]);
    expect(rules.leftOut).toEqual([]);
    const guide = await bench.plan('doc.md');
    expect(guide.leftOut.map(({ reason, text }) => [reason, text])).toEqual([
      ['目录的标题，下面只有链接', '目录'],
      ['只有链接的列表（目录或导航）', '一 二'],
    ]);
  });
});
