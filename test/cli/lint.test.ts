import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { packageRoot } from '../../src/assets.js';
import { lintJson } from '../../src/cli/schemas/lint.js';
import { LINT_RULES } from '../../src/zhcore/index.js';
import { copyMall, removeDir } from '../support/mall.js';
import { xiheHere as xihe } from '../support/mallHere.js';

let mall: string;
beforeAll(() => {
  mall = copyMall({ link: false });
});
afterAll(() => removeDir(mall));

const TERMS = '.xihe/knowledge/terms/自己的 词.yaml';
const write = (text: string) => writeFileSync(join(mall, TERMS), text);
const broken = `- id: gone
  keyword_ch: 早已改名
  code_symbols: [OrderService.removedLongAgo, PAY_TIMEOUT_MS]
  status: verified
  source: 口头
  reviewed_at: 2026-11-01
- id: column
  keyword_ch: 创建时间列
  code_symbols: [gmt_create]
  source: 口头
`;

/**
 * What the JSON schema of SARIF 2.1.0 (OASIS, sarif-schema-2.1.0.json) asks of the parts that we print: required properties, and
 * none that it does not know.
 */
const text = z.strictObject({ text: z.string().min(1) });
const sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.array(
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string(),
          semanticVersion: z.string(),
          language: z.string().regex(/^[a-zA-Z]{2}(-[a-zA-Z]{2})?$/),
          rules: z.array(
            z.strictObject({
              id: z.string(),
              name: z.string().regex(/^[A-Z][A-Za-z]+$/),
              shortDescription: text,
              fullDescription: text,
              help: text,
              defaultConfiguration: z.strictObject({ level: z.enum(['none', 'note', 'warning', 'error']) }),
            }),
          ),
        }),
      }),
      columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
      originalUriBaseIds: z.record(z.string(), z.strictObject({ description: text })),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.int().min(0),
          level: z.enum(['none', 'note', 'warning', 'error']),
          message: text,
          locations: z.array(
            z.strictObject({
              physicalLocation: z.strictObject({
                // RFC 3986: nothing but unreserved, reserved and percent-encoded characters; relative.
                artifactLocation: z.strictObject({
                  uri: z.string().regex(/^(?!\/)[\w\-.~!$&'()*+,;=:@%/]+$/),
                  uriBaseId: z.string(),
                }),
                region: z.strictObject({ startLine: z.int().min(1) }),
              }),
            }),
          ),
          partialFingerprints: z.record(z.string(), z.string()),
        }),
      ),
    }),
  ),
});

describe('xihe lint', () => {
  it('the example shop is clean, and so is what ships', async () => {
    const { code, stdout, stderr } = await xihe(['lint', '--repo', mall, '--general', '--ci']);
    expect(stdout, stderr).toMatch(/^没有发现问题。检查了：术语 \d+/);
    expect(code).toBe(0);
  });

  it('finds what the code of today does not hold, by file and line; --ci makes it fail', async () => {
    write(broken);
    const plain = await xihe(['lint', '--repo', mall]);
    expect(plain.code).toBe(0);
    expect(plain.stdout).toContain(
      `${TERMS}:3  错误  代码里找不到 OrderService.removedLongAgo：改成现在的名字，或去掉它（XL201）`,
    );
    expect(plain.stdout).not.toContain('PAY_TIMEOUT_MS');
    expect(plain.stdout).not.toContain('gmt_create');
    expect(plain.stdout).toContain('1 个文件里有 1 个错误，0 个警告');
    expect((await xihe(['lint', '--repo', mall, '--ci'])).code).toBe(1);
  });

  it('finds tools that do not load, by file and line', async () => {
    const file = join(mall, '.xihe/tools/broken.yaml');
    writeFileSync(
      file,
      'name: broken_tool\ndescription: 坏的\ndanger: low\nargv: [echo]\ntimeout_seconds: 3000\nexamples: [{}]\n',
    );
    try {
      const { stdout, code } = await xihe(['lint', '--repo', mall, '--ci']);
      expect(code).toBe(1);
      expect(stdout).toContain(
        '.xihe/tools/broken.yaml:5  错误  超时 3000 秒太长：最多是模型超时（180 秒）的一半，90 秒',
      );
      expect((await xihe(['lint', '.xihe/tools', '--repo', mall, '--json'])).json.findings).toHaveLength(1);
    } finally {
      rmSync(file);
    }
  });

  it('prints one documented document', async () => {
    write(broken);
    const { json } = await xihe(['lint', '--repo', mall, '--json']);
    expect(lintJson.parse(json)).toEqual(json);
    expect(json.summary).toEqual({ errors: 1, warnings: 0, notes: 0 });
    expect(json.findings[0]).toMatchObject({ rule: 'XL201', layer: 'project', file: TERMS, line: 3, entry_id: 'gone' });
  });

  it('prints SARIF for code scanning', async () => {
    write(broken);
    const { stdout, code } = await xihe(['lint', '--repo', mall, '--format', 'sarif', '--ci']);
    const log = sarif.parse(JSON.parse(stdout));
    expect(code).toBe(1);
    const [run] = log.runs;
    expect(run?.tool.driver.rules.map(({ id }) => id)).toEqual(LINT_RULES.map(({ id }) => id));
    const [result] = run?.results ?? [];
    expect(run?.tool.driver.rules[result?.ruleIndex ?? -1]?.id).toBe('XL201');
    const { artifactLocation, region } = result?.locations[0]?.physicalLocation ?? {};
    expect(decodeURIComponent(artifactLocation?.uri ?? '')).toBe(TERMS);
    expect(artifactLocation?.uriBaseId).toBe('%SRCROOT%');
    expect(region?.startLine).toBe(3);

    write(`# 一行注释\n${broken}`);
    const moved = sarif.parse(JSON.parse((await xihe(['lint', '--repo', mall, '--format', 'sarif'])).stdout));
    expect(moved.runs[0]?.results[0]?.locations[0]?.physicalLocation.region.startLine).toBe(4);
    expect(moved.runs[0]?.results[0]?.partialFingerprints).toEqual(result?.partialFingerprints);
  });

  it('reports on the files that are named', async () => {
    write(broken);
    const one = await xihe(['lint', '.xihe/knowledge/terms', '--repo', mall, '--json']);
    expect(one.json.findings).toHaveLength(1);
    const other = await xihe(['lint', '.xihe/playbooks', '--repo', mall, '--json', '--ci']);
    expect(other.json.findings).toEqual([]);
    expect(other.code).toBe(0);
    const none = await xihe(['lint', '.xihe/nothing.yaml', '--repo', mall]);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('没有这个文件：.xihe/nothing.yaml');
  });

  it('finds what was copied from saved pages', async () => {
    const copy = '微信支付在收到商户的应答之前会按照越来越长的间隔重新发送同一笔通知商户系统必须能够正确处理重复的通知';
    write(`- id: copied\n  keyword_ch: 抄来的\n  note: ${copy}\n  source: 口头\n`);
    mkdirSync(join(mall, 'pages'));
    writeFileSync(join(mall, 'pages', '通知.html'), `<html><body><p>${copy}。</p></body></html>`);
    const { json } = await xihe(['lint', '--repo', mall, '--json', '--pages', join(mall, 'pages')]);
    rmSync(join(mall, 'pages'), { recursive: true });
    expect(json.findings.map(({ rule, file }: { rule: string; file: string }) => [rule, file])).toEqual([
      ['XL601', TERMS],
    ]);
    const missing = await xihe(['lint', '--repo', mall, '--pages', join(mall, 'pages')]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('--pages 不是目录');
  });

  it('says so where there is nothing to check', async () => {
    const { code, stderr } = await xihe(['lint', '--repo', join(mall, 'src')]);
    expect(code).toBe(1);
    expect(stderr).toContain('没有条目可检查');
    rmSync(join(mall, 'src', '.xihe'), { recursive: true, force: true });
  });

  it('our own layer lies in our own repository', async () => {
    const { stdout } = await xihe(['lint', '--general', '--format', 'sarif', '--repo', packageRoot()]);
    for (const { locations } of sarif.parse(JSON.parse(stdout)).runs[0]?.results ?? [])
      expect(locations[0]?.physicalLocation.artifactLocation.uriBaseId).toBe('%SRCROOT%');
  });
});
