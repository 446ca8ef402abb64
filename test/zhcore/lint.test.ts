import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Finding, LINT_RULES, type LintOptions, lintLayers } from '../../src/zhcore/index.js';
import { document, tree } from '../knowledge/support.js';

const TODAY = '2026-11-30';

/** A passage of a given number of characters that says nothing twice. */
function passage(length: number, seed = 0): string {
  let text = '';
  for (let i = 0; text.length < length; i++) {
    text += `第${String.fromCodePoint(0x4e00 + seed + i * 7)}${String.fromCodePoint(0x5200 + seed + i * 11)}步要先看${String.fromCodePoint(0x6100 + seed + i * 13)}再动手，`;
  }
  return `${text.slice(0, length - 1)}。`;
}

const FRONT = {
  title: '错误码',
  keywords: '[ERR_TIMEOUT]',
  summary: '错误码的含义',
  source: 'https://example.com/errors',
  reviewed_at: '2026-10-01',
};

/** A layer in which nothing is wrong. */
const CLEAN: Record<string, string> = {
  'src/order/order-service.ts': 'export class OrderService {\n  cancelExpired() {}\n}\n',
  'src/pay/notify.ts': 'export const notify = 1;\n',
  '.xihe/modules.yaml': 'order:\n  title: 订单\n  paths: [src/order/**]\npay: [src/pay/**]\n',
  '.xihe/knowledge/terms/order.yaml': `- id: close
  keyword_ch: 超时关单
  aliases: [关单]
  code_symbols: [OrderService.cancelExpired]
  module: order
  status: verified
  source: repo://src/order/order-service.ts#L2
  reviewed_at: 2026-10-01
`,
  '.xihe/knowledge/warnings/order.yaml': `- id: close_once
  danger: 一张单不能关两次
  when:
    paths: [src/order/**]
    added: ['\\bcancel\\w*\\(']
    keywords: [关单]
  source: 代码审查
  reviewed_at: 2026-10-01
`,
  '.xihe/knowledge/errors.md': document(FRONT, `# 错误码\n\n${passage(400)}\n`),
  '.xihe/playbooks/close.md': document(
    { trigger_keywords: '[改关单]', steps: '[先读代码, 再改]', source: '团队约定', reviewed_at: '2026-10-01' },
    '# 改关单\n',
  ),
};

/** Lints a project with some files changed; symbols are those that its TypeScript files hold. */
async function lint(change: Record<string, string> = {}, options: Partial<LintOptions> = {}): Promise<Finding[]> {
  const files = { ...CLEAN, ...change };
  const root = tree(files);
  const code = Object.entries(files).filter(([path]) => path.startsWith('src/'));
  const { findings } = await lintLayers({
    layers: [{ dir: join(root, '.xihe'), layer: 'project' }],
    root,
    paths: Object.keys(files),
    symbols: async (symbol) => {
      const name = symbol.split('.').at(-1) as string;
      return code.filter(([, text]) => text.includes(name)).map(([path]) => ({ path, line: 1 }));
    },
    today: TODAY,
    ...options,
  });
  return findings;
}

const term = (fields: Record<string, string>) =>
  `- ${Object.entries({ id: 't', keyword_ch: '新词', source: '团队', status: 'candidate', ...fields })
    .map(([key, value]) => `${key}: ${value}`)
    .join('\n  ')}\n`;

const warning = (when: string, more = '') =>
  `- id: w\n  danger: 有危险\n  when:\n${when}\n  source: 团队\n  reviewed_at: 2026-10-01\n${more}`;

const TERMS = '.xihe/knowledge/terms/words.yaml';
const WARNINGS = '.xihe/knowledge/warnings/more.yaml';
const DOC = '.xihe/knowledge/more.md';
const BOOK = '.xihe/playbooks/more.md';
const WORDS = '.xihe/knowledge/lexicon/words.yaml';

const doc = (front: Record<string, string>, body = `# 标题\n\n${passage(400, 300)}\n`) =>
  document({ ...FRONT, keywords: '[ERR_OTHER]', ...front }, body);
const book = (fields: Record<string, string>, body = '# 模板\n') =>
  document(
    { trigger_keywords: '[新模板]', steps: '[想清楚, 写下来]', source: '团队', reviewed_at: '2026-10-01', ...fields },
    body,
  );

describe('what is sound', () => {
  it('has no findings', async () => {
    expect(await lint()).toEqual([]);
  });

  it('is not judged by a repository that nobody named', async () => {
    const root = tree({ [`k/${TERMS}`]: term({ code_symbols: '[gone]', source: 'repo://gone.ts' }) });
    const { findings, checked } = await lintLayers({
      layers: [{ dir: join(root, 'k', '.xihe'), layer: 'project' }],
      today: TODAY,
    });
    expect(findings).toEqual([]);
    expect(checked).toEqual({ terms: 1, warnings: 0, playbooks: 0, documents: 0, chunks: 0, lexiconGroups: 0 });
  });
});

/** rule, level, file, its content, line, a part of the message. */
const CASES: [string, Finding['level'], string, string, number, string][] = [
  ['XL001', 'error', TERMS, '- id: a\n  keyword_ch: [x\n', 3, '不是合法的 YAML'],
  ['XL001', 'error', DOC, '# 没有文件头\n', 1, '缺少文件头'],
  ['XL001', 'warning', TERMS, `\uFEFF${term({})}`, 1, 'BOM'],
  ['XL002', 'error', TERMS, '- id: a\n  note: x\n', 1, '缺少必填字段 keyword_ch'],
  ['XL002', 'warning', TERMS, term({ alias: 'x' }), 5, '不认识的字段 alias'],
  ['XL002', 'error', WARNINGS, warning("    added: ['(']"), 4, '不是合法的正则'],
  ['XL002', 'error', WARNINGS, warning('    keywords: []'), 3, '至少写一种'],
  ['XL003', 'error', TERMS, term({}) + term({ keyword_ch: '另一个' }), 5, 'id t 重复'],
  ['XL101', 'warning', TERMS, '- id: t\n  keyword_ch: 新词\n', 1, '没有写 source'],
  ['XL101', 'warning', DOC, doc({ source: '' }), 1, '没有写 source'],
  ['XL102', 'error', DOC, doc({ source: '听说的', kind: 'official' }), 5, 'https 网址'],
  ['XL102', 'error', DOC, doc({ source: 'http://example.com', kind: 'official' }), 5, 'https 网址'],
  ['XL103', 'warning', TERMS, term({ source: 'repo://src/gone.ts' }), 3, 'src/gone.ts 不存在'],
  [
    'XL103',
    'error',
    TERMS,
    term({ source: 'repo://src/pay/notify.ts#L99', status: 'verified', reviewed_at: '2026-10-01' }),
    3,
    '没有第 99 行',
  ],
  ['XL103', 'warning', TERMS, term({ source: 'repo://../other/x.ts' }), 3, '在项目之外'],
  ['XL104', 'warning', TERMS, term({ status: 'verified' }), 1, '没有写 reviewed_at'],
  ['XL105', 'error', TERMS, term({ reviewed_at: '2027-01-01' }), 5, '在将来'],
  ['XL105', 'error', TERMS, term({ reviewed_at: '2026-02-30' }), 5, '没有 2026-02-30 这一天'],
  ['XL106', 'warning', DOC, doc({ version_until: '2026-06-30' }), 7, '2026-06-30 已经过去'],
  [
    'XL201',
    'warning',
    TERMS,
    term({ code_symbols: '[OrderService.cancelOverdue]' }),
    5,
    '找不到 OrderService.cancelOverdue',
  ],
  [
    'XL201',
    'error',
    TERMS,
    term({ code_symbols: '[cancelOverdue]', status: 'verified', reviewed_at: '2026-10-01' }),
    5,
    '找不到 cancelOverdue',
  ],
  ['XL201', 'error', WARNINGS, warning('    symbols: [Gone.method]', '  status: verified\n'), 4, '找不到 Gone.method'],
  ['XL202', 'warning', TERMS, term({ module: 'oder' }), 5, '是不是 order'],
  ['XL301', 'warning', TERMS, term({ aliases: '[退]' }), 5, '「退」只有一个字'],
  ['XL301', 'warning', BOOK, book({ trigger_keywords: '[新模板, 怎么样]' }), 2, '「怎么样」全是虚词'],
  ['XL301', 'warning', WARNINGS, warning(`    keywords: [${'超时订单'.repeat(11)}]`), 4, '44 个字'],
  ['XL303', 'note', BOOK, book({ trigger_keywords: '[新模板, 改关单]' }), 2, '「改关单」也是「改关单」'],
  ['XL304', 'warning', WARNINGS, warning('    paths: [legacy/**]'), 4, 'legacy/** 匹配不到'],
  [
    'XL304',
    'warning',
    '.xihe/modules.yaml',
    'order:\n  paths:\n    - src/order/**\n    - src/orders/**\n',
    4,
    'src/orders/**',
  ],
  ['XL305', 'warning', WARNINGS, warning("    added: ['foo\\nbar']"), 4, '跨行'],
  ['XL305', 'warning', WARNINGS, warning("    added: ['(a+)+$']"), 4, '太慢'],
  ['XL305', 'warning', WARNINGS, warning("    added: ['x*']"), 4, '每一行都会报'],
  ['XL305', 'warning', BOOK, book({ post_checks: "\n  - type: no_match\n    pattern: '(\\s*\\w*)*=$'" }), 8, '太慢'],
  [
    'XL306',
    'error',
    BOOK,
    book({ required_checks: '\n  - type: read_file\n    path: ../secret.md' }),
    8,
    '../secret.md 在项目之外',
  ],
  ['XL306', 'error', BOOK, book({ post_checks: '\n  - type: file_changed\n    path: /etc/hosts' }), 8, '/etc/hosts'],
  ['XL004', 'error', '.xihe/config.yaml', 'core:\n  topk: 3\n', 2, '不认识的键 core.topk；是不是 topK？'],
  ['XL004', 'error', '.xihe/config.yaml', 'core:\n  topK: 3\nchunk: 3\n', 3, '不认识的键 chunk'],
  ['XL004', 'error', '.xihe/config.yaml', 'core: [\n', 2, '不是合法的 YAML'],
  ['XL002', 'error', TERMS, term({ confidence: 'hgih' }), 5, '只能是 high、medium、low 之一'],
  [
    'XL002',
    'error',
    WARNINGS,
    warning('    keywords: [关单]', '  confidence: hgih\n'),
    7,
    '只能是 high、medium、low 之一，或 0 到 1 的数字',
  ],
  ['XL002', 'error', DOC, doc({ confidence: '1.5' }), 7, '或 0 到 1 的数字'],
  [
    'XL002',
    'warning',
    WARNINGS,
    warning('    addd: [x]\n    keywords: [关单]'),
    4,
    'when.addd，已忽略；是不是 added？',
  ],
  ['XL002', 'warning', WARNINGS, warning('    addd: [x]'), 4, '不认识的字段 when.addd；是不是 added？'],
  [
    'XL002',
    'warning',
    BOOK,
    book({ post_checks: '\n  - type: no_match\n    patern: x' }),
    8,
    'post_checks.0.patern；是不是 pattern？',
  ],
  [
    'XL401',
    'warning',
    DOC,
    doc({}, `# 标题\n\n${passage(790, 300)}\n\n## 二\n\n${passage(120, 700)}\n`),
    14,
    '二」这一段 120 字，不到 300',
  ],
  ['XL401', 'note', DOC, doc({}, `# 标题\n\n${passage(120, 300)}\n`), 10, '话说完了就不用管'],
  ['XL402', 'error', DOC, doc({ sections: '\n  限制: "## 限制"' }), 8, '正文里没有「## 限制」'],
  ['XL403', 'warning', DOC, doc({}, ''), 1, '没有正文'],
  ['XL501', 'warning', DOC, doc({}, `# 标题\n\n${passage(400)}\n`), 10, '100% 一样'],
  [
    'XL501',
    'warning',
    WARNINGS,
    warning('    keywords: [关单]').replace('有危险', '一张单绝对不能够关闭两次，关过的要跳过去') +
      warning('    keywords: [取消]')
        .replace('id: w', 'id: v')
        .replace('有危险', '一张单绝对不能够关闭两次，关过的要跳过去！'),
    7,
    '100% 一样',
  ],
  [
    'XL501',
    'warning',
    WARNINGS,
    warning('    keywords: [关单]') + warning('    keywords: [取消]').replace('id: w', 'id: v'),
    7,
    '100% 一样',
  ],
  [
    'XL502',
    'warning',
    TERMS,
    term({ keyword_ch: '关单', code_symbols: '[notify]', module: 'order' }),
    2,
    '「关单」在 .xihe/knowledge/terms/order.yaml:1',
  ],
  [
    'XL503',
    'note',
    WARNINGS,
    warning('    keywords: [关单]').replace('有危险', '下单后三十分钟内没付款的订单在 30 分钟时关闭') +
      warning('    keywords: [取消]')
        .replace('id: w', 'id: v')
        .replace('有危险', '下单后三十分钟内没付款的订单在 45 分钟时关闭'),
    7,
    '写的是 30，这里是 45',
  ],
  ['XL701', 'error', TERMS, term({ note: `密钥是 sk-${'aB3dE5fG7hJ9kL2mN4pQ'}` }), 5, '模型服务的密钥'],
  ['XL701', 'error', DOC, doc({}, `# 标题\n\n${passage(400, 300)}\n\n配置 password: "Xk92hhLq01"\n`), 12, '口令或密钥'],
  ['XL801', 'warning', WORDS, '- equal: [验证码, verifyCode, verify_code]\n', 1, '「verify_code」在这一组里写了两遍'],
  [
    'XL802',
    'warning',
    WORDS,
    '- equal: [快照, snapshot, 快照点]\n- equal: [snapshot, 快照]\n',
    2,
    'words.yaml:1 里都有了',
  ],
];

describe('each rule finds what it is for', () => {
  it.each(CASES)('%s %s %s %j', async (rule, level, file, content, line, part) => {
    const found = (await lint({ [file]: content })).filter(
      (finding) => finding.rule === rule && finding.level === level,
    );
    expect(found.map((finding) => `${finding.file}:${finding.line}`)).toContain(`${file}:${line}`);
    expect(found.some(({ message, line: at }) => at === line && message.includes(part))).toBe(true);
  });

  it('and every rule but those with a test of their own is among them', () => {
    const tried = new Set([...CASES.map(([rule]) => rule), 'XL005', 'XL302', 'XL601']);
    expect(LINT_RULES.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
    expect(new Set(LINT_RULES.map(({ id }) => id)).size).toBe(LINT_RULES.length);
  });
});

it('documents that say one sentence over and over are told by all of it, and each once', async () => {
  const text = (end: string) =>
    doc({}, `# 标题\n\n${'订单超时以后要先查单再关单，别关掉已支付的。'.repeat(13)}${end}\n`);
  const found = await lint({
    [DOC]: text('超时30分钟用定时任务。'),
    '.xihe/knowledge/other.md': text('超时45分钟用延迟队列。'),
    '.xihe/knowledge/third.md': text('超时45分钟用延迟队列。'),
  });
  const twins = found.filter(({ rule }) => rule === 'XL501');
  expect(twins.map(({ message }) => /\d+%/.exec(message)?.[0])).toEqual([expect.stringMatching(/^9\d%$/), '100%']);
});

describe('what looks alike and is right stays quiet', () => {
  it.each([
    ['a word in two modules', TERMS, term({ keyword_ch: '超时关单', code_symbols: '[notify]', module: 'pay' })],
    ['code chunks may be short', DOC, doc({}, `# 标题\n\n${passage(400, 300)}\n\n\`\`\`ts\nnotify();\n\`\`\`\n`)],
    ['a pattern that excludes line feeds', WARNINGS, warning("    added: ['a[^\\n]*b', 'x(?:\\n|;)']")],
    [
      'an error message as a keyword',
      DOC,
      doc({ keywords: '["sql: Scan error on column index 0: unsupported Scan"]' }),
    ],
    ['marks as a keyword', DOC, doc({ keywords: "['#{} 和 ${}']" })],
    [
      'made-up keys',
      DOC,
      doc({}, `# 标题\n\n${passage(400, 300)}\n\n\`sk-xxxxxxxxxxxxxxxxxxxxxxxx\`、password: "your-password"\n`),
    ],
    ['a version that is no day', DOC, doc({ version_until: '3.2' })],
    ['a word with a near neighbour', WORDS, '- equal: [快照, snapshot]\n  near: [备份]\n- equal: [备份, backup]\n'],
    ['traditional beside simplified', WORDS, '- equal: [对象存储, 對象儲存, OSS]\n'],
    [
      'other numbers about something else',
      DOC,
      doc({}, `# 标题\n\n${passage(400, 300)}超时时间是 30 秒。\n\n## 二\n\n${passage(400, 700)}超时时间是 45 秒。\n`),
    ],
  ])('%s', async (_, file, content) => {
    expect(await lint({ [file]: content })).toEqual([]);
  });

  it('shipped entries name no repository', async () => {
    const root = tree({
      'knowledge/terms/a.yaml': term({ code_symbols: '[nowhereToBeFound]', source: 'repo://nowhere.ts' }),
      'knowledge/warnings/a.yaml': warning('    paths: [nowhere/**]'),
    });
    const { findings } = await lintLayers({
      layers: [{ dir: root, layer: 'general' }],
      root,
      paths: ['src/a.ts'],
      symbols: async () => [],
      today: TODAY,
    });
    expect(findings).toEqual([]);
  });
});

describe('triggers that others hide (XL302)', () => {
  const sharing = (id: string) => book({ id, title: id, trigger_keywords: '[改金额]', steps: `[${id}先做这个]` });

  it('a third playbook of the same word never comes', async () => {
    const findings = await lint({
      '.xihe/playbooks/a.md': sharing('a'),
      '.xihe/playbooks/b.md': sharing('b'),
      '.xihe/playbooks/c.md': sharing('c'),
    });
    const hidden = findings.filter(({ rule }) => rule === 'XL302');
    expect(hidden.map(({ file, message }) => [file, message])).toEqual([
      ['.xihe/playbooks/c.md', '请求里只说「改金额」时出来的是「a」、「b」：换一个更具体的词'],
    ]);
  });

  it('two of them do', async () => {
    const findings = await lint({ '.xihe/playbooks/a.md': sharing('a'), '.xihe/playbooks/b.md': sharing('b') });
    expect(findings.map(({ rule }) => rule)).toEqual(['XL303']);
  });
});

describe('copied text (XL601)', () => {
  const copy =
    '商户应当在收到通知之后立即返回应答，并且在五秒之内完成全部处理，否则平台会认为通知没有送达而在稍后重新发送同一笔通知给商户。';
  const body = `# 标题\n\n${passage(300, 300)}${copy}\n`;
  const page = (text: string, own = false) => ({ pages: [{ name: 'pages/notify.html', text, own }] });
  const copiedOf = async (content: string, options: Partial<LintOptions>) =>
    (await lint({ [DOC]: content }, options)).filter(({ rule }) => rule === 'XL601');

  it('finds a sentence of a saved page whatever its marks, tags and line breaks', async () => {
    const html = `<html><body><script>var a = 1;</script><p>${copy.replace('，', ',\n   ').replace('平台', '<b>平台</b>')}</p></body></html>`;
    const found = await copiedOf(doc({}, body), page(html));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ level: 'warning', file: DOC, line: 10 });
    expect(found[0]?.message).toContain('pages/notify.html');
  });

  it('a free license makes it a note, and so does a document of the project itself', async () => {
    expect((await copiedOf(doc({ license: 'CC-BY-4.0' }, body), page(copy)))[0]?.level).toBe('note');
    expect((await copiedOf(doc({}, body), page(copy, true)))[0]?.level).toBe('note');
  });

  it('what names the document as its source may say it in its words', async () => {
    const options = { pages: [{ name: 'docs/notify.md', text: copy, own: true }] };
    const content = doc({ source: 'repo://docs/notify.md', kind: 'experience' }, body);
    expect(await copiedOf(content, options)).toEqual([]);
  });

  it('own words and short phrases are no copy', async () => {
    expect(await copiedOf(doc({}, body), page(copy.slice(0, 38)))).toEqual([]);
    expect(await copiedOf(doc({}, body), page('收到通知要马上应答，五秒内处理完。'.repeat(20)))).toEqual([]);
  });

  it('reads Latin text from 120 characters on', async () => {
    const latin =
      'the merchant has to answer within five seconds and to process the notification only once even when the platform sends it again later because of a lost answer on the way back';
    const content = doc({}, `# 标题\n\n${passage(300, 300)}${latin}\n`);
    expect(await copiedOf(content, page(latin))).toHaveLength(1);
    expect(await copiedOf(content, page(latin.slice(0, 100)))).toEqual([]);
  });

  it('code is the same wherever it is right', async () => {
    const code = `\`\`\`json\n{"merchant_number": "1900000109", "description": "test order of the shop", "out_trade_no": "1217752501201407033233368018", "amount": {"total": 100}}\n\`\`\``;
    expect(await copiedOf(doc({}, `# 标题\n\n${passage(400, 300)}\n\n${code}\n`), page(code))).toEqual([]);
  });
});

describe('the order of findings', () => {
  it('is errors, warnings, notes; then by file and line, each once', async () => {
    const found = await lint({
      [TERMS]: term({ aliases: '[退]', reviewed_at: '2027-01-01' }),
      [DOC]: '坏',
      [BOOK]: book({ trigger_keywords: '[新模板, 改关单]' }),
    });
    expect(found.map(({ level, file, line }) => `${level} ${file}:${line}`)).toEqual([
      `error ${DOC}:1`,
      `error ${TERMS}:6`,
      `warning ${TERMS}:5`,
      `note ${BOOK}:2`,
    ]);
  });
});

describe('what a scan proposed', () => {
  const SCANNED = '.xihe/knowledge/terms/scanned.yaml';
  const proposed = (word: string, symbols: string) =>
    term({
      id: symbols.toLowerCase(),
      keyword_ch: word,
      aliases: '[通知]',
      code_symbols: `[${symbols}]`,
      module: 'pay',
    });
  const ALIKE = proposed('通知单', 'notify') + proposed('通知书', 'OrderService');

  it('may say the same word twice until somebody has gone through it', async () => {
    expect(await lint({ [SCANNED]: ALIKE })).toEqual([]);
    // The same by hand is a contradiction.
    const byHand = await lint({ [TERMS]: ALIKE });
    expect(byHand.map(({ rule }) => rule)).toContain('XL502');
  });

  it('but not against what is verified', async () => {
    const verified = term({
      id: 'mine',
      keyword_ch: '通知',
      code_symbols: '[cancelExpired]',
      module: 'pay',
      status: 'verified',
      reviewed_at: '2026-10-01',
    });
    for (const file of ['.xihe/knowledge/terms/a.yaml', '.xihe/knowledge/terms/z.yaml']) {
      const found = await lint({ [SCANNED]: ALIKE, [file]: verified });
      expect(found.map(({ rule, file: at, line }) => [rule, at, line])).toEqual([
        ['XL502', SCANNED, 2],
        ['XL502', SCANNED, 9],
      ]);
      expect(found[0]?.message).toContain(`「通知」在 ${file}:1`);
    }
  });
});
