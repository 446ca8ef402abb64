import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chunkDocument, cutSection, KnowledgeBase } from '../../src/knowledge/index.js';
import { opening, sectionNames } from '../../src/knowledge/sections.js';
import { document, random, tree } from './support.js';

type Random = ReturnType<typeof random>;

const VARIANTS = 1000;
const BATCH = 100;

/** What stands beside every batch and must be found whatever the others are. */
const INTACT = document(
  { title: '完好的文档', keywords: '[完好的文档, ERR_INTACT]', summary: '别的文件坏成什么样，它都在' },
  '# 结论\n\n对账差异先核对时区，再核对退款，最后才怀疑渠道的流水。\n',
);

const SAMPLES = [
  document(
    {
      title: '支付网关错误码',
      keywords: '[ERR_TIMEOUT, 超时, "支付: 网关"]',
      summary: '错误码的含义和排查方向。',
      sections: '\n  超时排查: "## 1. 超时类错误"\n  限流: "## 2. 限流"',
      confidence: '0.9',
    },
    '# 错误码\n\n开头一段。\n\n## 1. 超时类错误\n\nERR_TIMEOUT 先查单。步骤如下：\n\n1. 查单\n2. 再重试\n\n```ts\n// # 不是标题\nretry();\n```\n\n## 2. 限流\n\n退避后再试。\n',
  ),
  document(
    { title: '表和引用', keywords: '\n  - 退款表\n  - "C++"', summary: '>-\n  两行的\n  摘要', tags: '[a, b]' },
    '| 码 | 意思 |\n| --- | --- |\n| A | 甲 |\n| B | 乙 |\n\n> 引用一句。\n> - 条\n\n小标题\n---\n\n~~~sql\nselect 1;\n~~~\n',
  ),
  document(
    { title: '接口约定', keywords: '接口约定', summary: "'引号里: 的摘要'", reviewed_at: '2026-10-01' },
    `${'这里是一段比较长的正文，说明接口为什么这样设计。'.repeat(30)}\n\n- 条一\n  - 条二\n    - 条三\n`,
  ),
];

const NOISE = ['---\n', '\n---', '```\n', '~~~~', '`', '| ', '[', '{', '"', "'", ': ', '- ', '&a ', '*a', '!!x ', '\t'];
const ODD = ['\0', '\uFEFF', '\r', '\u2028', '\u200b', '<!--', '-->', '# ', '#####', '==='];

const at = (bytes: Buffer, r: Random) => r.below(bytes.length + 1);
const put = (bytes: Buffer, where: number, what: Buffer, over = 0) =>
  Buffer.concat([bytes.subarray(0, where), what, bytes.subarray(where + over)]);
const byLine = (change: (lines: string[], r: Random) => void) => (bytes: Buffer, r: Random) => {
  const lines = bytes.toString().split('\n');
  change(lines, r);
  return Buffer.from(lines.join('\n'));
};
const inserted = (make: (r: Random) => string) => (bytes: Buffer, r: Random) =>
  put(bytes, at(bytes, r), Buffer.from(make(r)));

/** What happens to files: cut off, pasted twice, merged badly, overwritten, or made to hurt. */
const MUTATIONS: readonly ((bytes: Buffer, r: Random) => Buffer)[] = [
  (bytes, r) => bytes.subarray(0, at(bytes, r)),
  (bytes, r) => bytes.subarray(at(bytes, r)),
  byLine((lines, r) => lines.splice(r.below(lines.length), 0, r.pick(lines))),
  byLine((lines, r) => {
    const [i, j] = [r.below(lines.length), r.below(lines.length)];
    [lines[i], lines[j]] = [lines[j] as string, lines[i] as string];
  }),
  byLine((lines, r) => lines.splice(r.below(lines.length), 1 + r.below(4))),
  byLine((lines, r) => lines.splice(r.below(lines.length), 0, ...lines)),
  (bytes, r) =>
    put(bytes, at(bytes, r), Buffer.from(Array.from({ length: 1 + r.below(8) }, () => r.below(256))), r.below(8)),
  inserted((r) => r.pick(NOISE)),
  inserted((r) => r.pick(ODD)),
  inserted((r) => `\n${'`'.repeat(3 + r.below(3))}${r.pick(['', 'ts', 'x` y'])}\n`),
  inserted((r) => r.pick(['[', '{a: ', '- ', '> ', '（', '"', '**', '  - \n']).repeat(20 + r.below(400))),
  inserted((r) => `\n| a | b |\n| - | - |\n${'| 值 | b |\n'.repeat(r.below(800))}`),
  inserted((r) => Array.from({ length: r.below(600) }, (_, i) => `\n${'#'.repeat(1 + (i % 7))} 节${i}`).join('')),
  (bytes) => Buffer.from(bytes.toString().replaceAll('\n', '\r\n')),
  (bytes) => Buffer.concat([Buffer.from('\uFEFF'), bytes]),
  (bytes) => Buffer.from(bytes.toString(), 'utf16le'),
  (bytes, r) => put(bytes, 0, Buffer.from(r.pick(['\n', ' ', '\t\n', '<!-- x -->\n', '﻿\n']))),
];

function broken(r: Random): Buffer {
  let bytes: Buffer = Buffer.from(r.pick(SAMPLES));
  for (let times = 1 + r.below(3); times > 0; times--) bytes = r.pick(MUTATIONS)(bytes, r);
  return bytes;
}

describe(`${VARIANTS} broken documents`, () => {
  it('take nothing down, none is lost without a word, and what stands beside them is found', () => {
    const r = random(20261201);
    let inForce = 0;
    for (let from = 0; from < VARIANTS; from += BATCH) {
      const files = new Map(Array.from({ length: BATCH }, (_, i) => [`v${from + i}.md`, broken(r)]));
      const dir = tree({
        'knowledge/intact.md': INTACT,
        ...Object.fromEntries([...files].map(([n, b]) => [`knowledge/${n}`, b])),
      });
      const base = KnowledgeBase.open([{ dir: join(dir, 'knowledge'), layer: 'project' }]);

      expect(base.lookup('ERR_INTACT', '结论').primary?.content).toContain('先核对时区');
      expect(base.search('对账差异 时区 渠道流水', 1)[0]?.chunk.documentId).toBe('intact.md');
      const told = new Set<string>();
      for (const { file, line, reason, level } of base.problems) {
        const name = /^knowledge\/(v\d+\.md)$/.exec(file)?.[1] ?? '';
        const lines =
          (files
            .get(name)
            ?.toString()
            .split(/\r\n|\n|\r/).length ?? 0) + 1;
        expect(files.has(name), `${file} is no variant`).toBe(true);
        expect(line, `${file} ${reason}`).toBeGreaterThanOrEqual(1);
        expect(line, `${file} ${reason}`).toBeLessThanOrEqual(lines);
        expect(reason).toMatch(/\p{Script=Han}/u);
        if (level === 'error') told.add(name);
      }
      for (const name of files.keys()) {
        const doc = base.document(name);
        expect(told.has(name) || doc !== undefined, `${name} is gone without a word`).toBe(true);
        if (doc === undefined) continue;
        inForce += 1;
        expect(opening(doc).content.length).toBeLessThanOrEqual(2000);
        for (const section of sectionNames(doc)) expect(cutSection(doc, section)?.content, section).toBeTruthy();
        for (const { content, line, endLine } of chunkDocument(doc)) {
          expect(content.length).toBeLessThanOrEqual(800);
          expect(line).toBeLessThanOrEqual(endLine);
        }
      }
    }
    // The mutations break things, and not everything: otherwise nothing was tried.
    expect(inForce).toBeGreaterThan(VARIANTS / 5);
    expect(inForce).toBeLessThan((VARIANTS * 4) / 5);
  });
});
