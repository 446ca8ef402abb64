import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { lintLayers, openZhCore } from '../../src/zhcore/index.js';
import { document, random, tree } from '../knowledge/support.js';

type Random = ReturnType<typeof random>;

/** Inputs in all, and how many lie in one folder. */
const INPUTS = 10_000;
const BATCH = 1000;

/** One problem of a file as a whole stands for all entries in it. */
const WHOLE_FILE = 1000;

const HEALTHY = 'knowledge/terms/healthy.yaml';
const HEALTHY_TEXT = '- id: healthy\n  keyword_ch: 健康的词\n  source: 团队\n';

/** Sound files, with ids of their own for each input. */
const FILES: readonly { name: (n: number) => string; text: (n: number) => string }[] = [
  {
    name: (n) => `knowledge/terms/t${n}.yaml`,
    text: (n) =>
      `# 术语\n- id: t${n}a\n  keyword_ch: 超时关单${n}\n  aliases: [关单, "未付款: 关单", '自动']\n  code_symbols: [OrderService.cancelExpired]\n  note: >\n    两行\n    的说明\n  risk:\n    - 不要关两次\n  confidence: high\n  status: verified\n  source: repo://src/order.ts\n  reviewed_at: 2026-10-01\n\n- id: t${n}b\n  keyword_ch: 拆单${n}\n`,
  },
  {
    name: (n) => `knowledge/warnings/w${n}.yaml`,
    text: (n) =>
      `- id: w${n}a\n  danger: 金额不能用浮点数\n  when:\n    paths: ["src/**/*.ts"]\n    added: ['\\bparseFloat\\(']\n    keywords: [金额]\n  severity: warn\n  source: 团队\n- id: w${n}b\n  danger: 编码\n  when: { symbols: [decode] }\n`,
  },
  {
    name: (n) => `knowledge/d${n}.md`,
    text: (n) =>
      document(
        {
          title: `文档${n}`,
          keywords: '[ERR_A, "B: C"]',
          summary: '一句话',
          sections: '\n  超时: "## 超时"',
          confidence: '0.9',
          source: 'https://example.com',
        },
        '# 标题\n\n## 超时\n\n先查单再重试。\n\n```ts\nretry();\n```\n',
      ),
  },
  {
    name: (n) => `playbooks/p${n}.md`,
    text: (n) =>
      document(
        {
          id: `p${n}`,
          trigger_keywords: '[加接口]',
          required_checks: '\n  - type: read_file\n    path: src/a.ts',
          steps: '\n  - 先看\n  - 再改',
          post_checks: "\n  - type: no_match\n    pattern: 'console\\.log'",
        },
        '# 说明\n',
      ),
  },
  {
    name: (n) => `knowledge/lexicon/l${n}.yaml`,
    text: () => '- equal: [验证码, captcha, verifyCode]\n- equal: [快照, snapshot]\n  near: [备份]\n',
  },
];

const place = (text: string, { below }: Random) => below(text.length + 1);
const insert = (text: string, at: number, what: string) => text.slice(0, at) + what + text.slice(at);
const lineStart = (text: string, r: Random) => text.lastIndexOf('\n', place(text, r)) + 1;

/** What happens to files: cut off, badly pasted, badly merged, of the wrong kind, or meant to hurt. */
const MUTATIONS: readonly ((text: string, r: Random) => string)[] = [
  (text, r) => text.slice(0, place(text, r)),
  (text, r) => text.slice(place(text, r)),
  (text, r) => insert(text, lineStart(text, r), '\t'),
  (text, r) => insert(text, lineStart(text, r), ' '.repeat(1 + r.below(5))),
  (text, r) =>
    insert(
      text,
      place(text, r),
      r.pick(['"', "'", '[', ']', '{', '}', ':', '- ', '&a ', '*a ', '!!int ', '%', '@', '`', '|', '>', '#', ', ']),
    ),
  (text, r) =>
    insert(text, place(text, r), r.pick(['\0', '\u0007', '\uFEFF', '\u2028', '\ud800', '\r', '\n---\n', '\n...\n'])),
  (text, r) =>
    text.replace(r.pick([/(?<=: ).+/, /\[[^\]]*\]/, /(?<=id: ).+/]), () =>
      r.pick(['[]', '{}', '{a: {b: [c]}}', 'null', '~', '123', 'true', '[[[]]]', '""', '2026-13-45', '- x']),
    ),
  (text) => text.replace(/\n/g, '\r\n'),
  (text) => `\uFEFF${text}`,
  (text, r) => {
    const lines = text.split('\n');
    const line = r.pick(lines);
    return insert(text, lineStart(text, r), `${line}\n`);
  },
  (text, r) => insert(text, place(text, r), `x: ${r.pick(['[', '{a: ', '- '])}`.repeat(1 + r.below(40))),
  (text, r) => insert(text, lineStart(text, r), `${'['.repeat(50)}${']'.repeat(r.below(51))}\n`),
  (text, r) => `${text}${aliasBomb(2 + r.below(8))}`,
  (text, r) =>
    insert(
      text,
      lineStart(text, r),
      r.pick(['<<<<<<< HEAD\n', '=======\n', '>>>>>>> x\n', 'key: value\n', '? complex\n', '!!binary x\n', '<<: *a\n']),
    ),
  (text, r) => text.replace(/[\u4e00-\u9fff]+/, () => 'x'.repeat(r.below(5000))),
  (text, r) =>
    r.pick([
      '',
      ' ',
      '\n\n',
      '# 只有注释\n',
      '---',
      '---\n---\n',
      'null',
      '0',
      '"文字"',
      '{}',
      '[]',
      text.split('').reverse().join(''),
    ]),
];

function aliasBomb(depth: number): string {
  const names = 'abcdefghijk';
  const level = (i: number) =>
    `  ${names[i]}: &${names[i]} [${
      i === 0
        ? 'x'
        : Array(9)
            .fill(`*${names[i - 1]}`)
            .join(', ')
    }]\n`;
  return `\n- id: bomb\n${Array.from({ length: depth }, (_, i) => level(i)).join('')}`;
}

function mutate(text: string, r: Random): string {
  let out = text;
  for (let times = 1 + r.below(3); times > 0; times--) out = r.pick(MUTATIONS)(out, r);
  return out;
}

/** How many entries a YAML list holds, read by another reader; undefined where it is none. */
function itemsIn(text: string): number | undefined {
  try {
    const doc = parseDocument(text.replace(/^\uFEFF/, ''), { schema: 'failsafe', logLevel: 'silent' });
    const value: unknown = doc.errors.length > 0 ? undefined : doc.toJS({ maxAliasCount: 100 });
    return Array.isArray(value) ? value.length : undefined;
  } catch {
    return undefined;
  }
}

const isBlank = (text: string) =>
  text
    .replace(/^\uFEFF/, '')
    .replace(/^\s*#.*$/gm, '')
    .trim() === '';

describe('10,000 broken files', () => {
  it('take nothing down, and each entry that is lost is reported with its line', async () => {
    const r = random(20261130);
    let rejected = 0;
    for (let from = 0; from < INPUTS; from += BATCH) {
      const inputs = Array.from({ length: BATCH }, (_, i) => {
        const n = from + i;
        const kind = FILES[n % FILES.length] as (typeof FILES)[number];
        return { name: kind.name(n), text: mutate(kind.text(n), r) };
      });
      const dir = tree({
        [`.xihe/${HEALTHY}`]: HEALTHY_TEXT,
        ...Object.fromEntries(inputs.map(({ name, text }) => [`.xihe/${name}`, text])),
      });
      const projectDir = join(dir, '.xihe');
      const core = openZhCore({ generalDir: dir, projectDir });
      expect(core.entry('healthy')).toBeDefined();
      expect(core.query({ userIntent: '健康的词', codeSymbols: [], taskType: 'general' }).terms[0]?.entry.id).toBe(
        'healthy',
      );

      const inForce = new Map<string, number>();
      for (const { entry } of core.entries())
        inForce.set(entry.provenance.file, (inForce.get(entry.provenance.file) ?? 0) + 1);
      const problems = new Map<string, number>();
      for (const { file, line, reason, code } of core.problems) {
        expect(line, `${file} ${reason}`).toBeGreaterThanOrEqual(1);
        problems.set(file, (problems.get(file) ?? 0) + (code === 'SCHEMA' || code === 'DUPLICATE_ID' ? 1 : WHOLE_FILE));
      }
      for (const { name, text } of inputs) {
        if (name.startsWith('knowledge/lexicon/')) continue;
        if ((problems.get(`.xihe/${name}`) ?? 0) >= WHOLE_FILE) {
          rejected += 1;
          continue;
        }
        const wanted = name.endsWith('.md') ? 1 : isBlank(text) ? 0 : (itemsIn(text) ?? 1);
        const lost = wanted - (inForce.get(name) ?? 0);
        if (lost > 0) rejected += 1;
        expect(problems.get(`.xihe/${name}`) ?? 0, JSON.stringify(text)).toBeGreaterThanOrEqual(lost);
      }

      const { findings } = await lintLayers({
        layers: [{ dir: projectDir, layer: 'project' }],
        root: dir,
        today: '2026-11-30',
      });
      const found = new Set(findings.filter(({ rule }) => /^XL00/.test(rule)).map(({ file }) => file));
      expect([...problems.keys()].filter((file) => !found.has(file))).toEqual([]);
      expect(findings.filter(({ line }) => !(line >= 1))).toEqual([]);
    }
    // The mutations do break things: otherwise nothing was tried.
    expect(rejected).toBeGreaterThan(INPUTS / 5);
  }, 120_000);

  it.each([
    ['brackets', '['],
    ['maps', '{a: '],
    ['lists', '- '],
    ['indented maps', ''],
  ])('bottomless %s end in a problem', (_, part) => {
    const deep =
      part === '' ? Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}a:\n`).join('') : part.repeat(3000);
    const dir = tree({
      [`.xihe/${HEALTHY}`]: HEALTHY_TEXT,
      '.xihe/knowledge/terms/deep.yaml': `- id: x\n  note: ${deep}\n`,
    });
    const core = openZhCore({ generalDir: dir, projectDir: join(dir, '.xihe') });
    expect(core.problems.map(({ file }) => file)).toContain('.xihe/knowledge/terms/deep.yaml');
    expect(core.entry('healthy')).toBeDefined();
  });
});
