import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KnowledgeBase } from '../../src/knowledge/index.js';
import { document, tree, writeTree } from './support.js';

const ERRORS = document(
  {
    title: '支付网关错误码',
    keywords: '[ERR_TIMEOUT, ERR_LIMIT, 支付网关]',
    summary: '支付网关返回的错误码各是什么意思，遇到时先查什么。',
    sections: '\n  超时排查: "## 1. 超时类"\n  限流排查: "## 2. 限流类"',
  },
  `# 支付网关错误码

网关的错误码都以 ERR_ 开头，调用方按类别处理。

## 1. 超时类

ERR_TIMEOUT 表示网关在 3 秒内没有等到渠道的应答。订单可能已经扣款，所以不能直接重试下单，要先查单。

### 先查什么

查渠道的对账接口，确认这笔单有没有成功。

\`\`\`ts
// # 不是标题
const r = await gateway.query(orderId);
\`\`\`

## 2. 限流类

ERR_LIMIT 表示同一商户每秒请求太多，退避后再试。
`,
);

const EXCEPTIONS = document(
  { title: '后端约定', keywords: '[GlobalExceptionFilter, 全局过滤器]', summary: '控制器之外的错误在哪里接住。' },
  `# 后端约定

## 异常

系统异常一律抛给全局过滤器处理：业务代码里不写空的 catch。过滤器记下请求号，返回统一的错误体，前端按错误码提示用户。

## 日志

日志里不写手机号和身份证号，要写就先脱敏。
`,
);

const ES = document(
  { title: '搜索集群', keywords: '[ES, 索引重建]', summary: 'Elasticsearch 集群的用法。' },
  '商品搜索走 ES，索引每天凌晨重建一次，重建时读写走别名。\n',
);

const CONFIG = document(
  { title: '配置文件在哪', keywords: '[配置文件, 伺服器参数]', summary: '各环境的配置放在什么地方。' },
  '配置文件放在 config/ 目录，按环境分文件，密钥走环境变量。\n',
);

function shop() {
  const dir = tree({
    'payment/errors.md': ERRORS,
    'backend.md': EXCEPTIONS,
    'search.md': ES,
    'config.md': CONFIG,
  });
  return { dir, base: KnowledgeBase.open([{ dir, layer: 'project' }]) };
}

describe('lookup', () => {
  it('answers an exact keyword with the document and adds a passage from elsewhere', () => {
    const dir = tree({
      'payment/errors.md': ERRORS,
      'retry.md': document(
        { title: '重试约定', keywords: '[指数退避]', summary: '什么能重试。' },
        '遇到 ERR_TIMEOUT 先查单再重试，最多三次，每次间隔加倍；查单成功的不再重试，以免重复扣款。\n',
      ),
    });
    const result = KnowledgeBase.open([{ dir, layer: 'project' }]).lookup('err_timeout 怎么处理');
    expect(result.found).toBe(true);
    expect(result.primary).toMatchObject({ match_type: 'exact_L0', title: '支付网关错误码' });
    expect(result.primary?.source).toMatch(/payment\/errors\.md$/);
    expect(result.primary?.content).toContain('## 2. 限流类');
    expect(result.primary?.sections).toEqual(['超时排查', '限流排查', '支付网关错误码', '先查什么']);
    expect(result.supplement).toMatchObject({ match_type: 'semantic_L1', title: '重试约定' });
  });

  it('answers a question that names no keyword with a passage only', () => {
    const result = shop().base.lookup('如何处理系统异常');
    expect(result.primary).toBeNull();
    expect(result.found).toBe(true);
    expect(result.supplement?.content).toContain('全局过滤器');
    expect(result.supplement?.source).toMatch(/backend\.md$/);
  });

  it('finds nothing rather than something wrong', () => {
    expect(shop().base.lookup('怎么申请年假和报销差旅费')).toEqual({ found: false, primary: null, supplement: null });
  });

  it('cuts the named section up to the next heading of its level, code fences apart', () => {
    const part = shop().base.lookup('ERR_TIMEOUT', '超时排查').primary;
    expect(part?.content).toMatch(/^## 1\. 超时类\n/);
    expect(part?.content).toContain('### 先查什么');
    expect(part?.content).toContain('gateway.query(orderId);\n```');
    expect(part?.content).not.toContain('限流');
    expect(part?.heading).toBe('1. 超时类');
  });

  it.each(['超时类', '## 1. 超时类', '1．超時類'])('takes a section by its heading: %s', (name) => {
    expect(shop().base.lookup('ERR_TIMEOUT', name).primary?.content).toMatch(/^## 1\. 超时类/);
  });

  it('answers an unknown section with those that exist', () => {
    const part = shop().base.lookup('ERR_TIMEOUT', '退款').primary;
    expect(part).toMatchObject({
      content: '',
      missing_section: '退款',
      sections: expect.arrayContaining(['超时排查', '限流排查']),
    });
  });

  it('gives code below the prose that says what it is for, once', () => {
    const page = document(
      { title: '签名', keywords: '[验签]', summary: '回调怎么验签。' },
      `## 网关回调\n\n先把参数按字典序排好，再连同密钥一起算摘要。\n\n\`\`\`ts\nconst ok = verifyDigest(sortedParams, merchantSecret);\n\`\`\`\n`,
    );
    const base = KnowledgeBase.open([{ dir: join(tree({ 'k/sign.md': page }), 'k'), layer: 'project' }]);
    const part = base.lookup('verifyDigest sortedParams merchantSecret').supplement;
    expect(part?.content).toMatch(/^先把参数按字典序排好.*\n\n```ts\nconst ok = verifyDigest/);
    const shown = base.lookup('验签 verifyDigest sortedParams merchantSecret');
    expect(shown.primary?.content).toContain('先把参数');
    expect(shown.supplement?.content ?? '').not.toContain('先把参数');
  });

  it('never shows the own text of the primary as supplement', () => {
    const { base } = shop();
    const whole = base.lookup('ERR_LIMIT 限流');
    expect(whole.primary?.content).toContain('退避后再试');
    expect(whole.supplement?.content ?? '').not.toContain('退避后再试');
    const section = base.lookup('ERR_LIMIT 限流', '超时排查');
    expect(section.primary?.content).not.toContain('退避后再试');
  });

  it.each([
    ['运行 test 时报错', undefined],
    ['ES6 的语法', undefined],
    ['ES 怎么重建', '搜索集群'],
    ['商品走es查', '搜索集群'],
    ['ＥＳ集群', '搜索集群'],
    ['組態檔案在哪', '配置文件在哪'],
    ['伺服器參數', '配置文件在哪'],
  ])('matches keywords by word and across scripts: %s', (query, title) => {
    expect(shop().base.lookup(query, undefined, { exactOnly: true }).primary?.title).toBe(title);
  });

  it('puts the longest keyword first and lists the other documents by title', () => {
    const { base } = shop();
    const result = base.lookup('支付网关用 ES 吗');
    expect(result.primary?.title).toBe('支付网关错误码');
    expect(result.primary?.others?.map((other) => other.title)).toEqual(['搜索集群']);
  });

  it('matches a long question against summaries', () => {
    const result = shop().base.lookup('网关返回的错误码都是什么意思呢', undefined, { exactOnly: true });
    expect(result.primary?.title).toBe('支付网关错误码');
  });

  it('cuts a long document at a paragraph within 2,000 characters', () => {
    const paragraph = (n: number) => `第 ${n} 段。${'这是一句普通的说明。'.repeat(40)}`;
    const body = Array.from({ length: 8 }, (_, i) => paragraph(i)).join('\n\n');
    const dir = tree({ 'long.md': document({ title: '长文', keywords: '[长文档]', summary: '很长' }, body) });
    const content = KnowledgeBase.open([{ dir, layer: 'general' }]).lookup('长文档').primary?.content ?? '';
    expect(content.length).toBeLessThanOrEqual(2000);
    expect(content.length).toBeGreaterThan(1200);
    expect(body.startsWith(`${content}\n\n`)).toBe(true);
  });

  it('sees a changed keyword after reload, and nothing new when nothing changed', () => {
    const { dir, base } = shop();
    expect(base.reload()).toBe(false);
    const version = base.version;
    writeTree(dir, { 'search.md': ES.replace('索引重建', '倒排索引') });
    expect(base.lookup('倒排索引', undefined, { exactOnly: true }).primary).toBeNull();
    expect(base.reload()).toBe(true);
    expect(base.version).not.toBe(version);
    expect(base.lookup('倒排索引', undefined, { exactOnly: true }).primary?.title).toBe('搜索集群');
  });

  it('lets the project document win over the general one of the same path', () => {
    const general = tree({ 'search.md': ES, 'only.md': CONFIG });
    const project = tree({ 'search.md': ES.replace('每天凌晨', '每小时') });
    const base = KnowledgeBase.open([
      { dir: general, layer: 'general' },
      { dir: project, layer: 'project' },
    ]);
    expect(base.documents).toHaveLength(2);
    expect(base.lookup('ES').primary?.content).toContain('每小时');
    expect(base.chunks.filter((chunk) => chunk.documentId === 'search.md')).toHaveLength(1);
    writeFileSync(join(project, 'search.md'), '坏了');
    base.reload();
    expect(base.lookup('ES').primary?.content).toContain('每小时');
  });
});
