import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importJson } from '../../src/cli/schemas/import.js';
import { copyMall, removeDir, treeHash, xihe } from '../support/mall.js';

const WORKBOOK = fileURLToPath(new URL('../zhcore/fixtures/terms-openpyxl.xlsx', import.meta.url));

let mall: string;
let outside: string;
beforeAll(() => {
  mall = copyMall();
  outside = mkdtempSync(join(tmpdir(), 'xihe-import-'));
  mkdirSync(join(outside, 'skills/weekly'), { recursive: true });
  writeFileSync(
    join(outside, 'skills/weekly/SKILL.md'),
    '---\nname: weekly\ndescription: 当用户要写“研发周报”时使用\n---\n\n1. 看提交\n2. 写周报\n',
  );
  writeFileSync(join(outside, 'AGENTS.md'), '## 日志约定\n\n日志里不能出现手机号，必须脱敏成 138****0000。\n');
});
afterAll(() => {
  removeDir(mall);
  removeDir(outside);
});

const run = (...args: string[]) => xihe(['import', ...args, '--repo', mall]);

describe('xihe import', () => {
  it('shows first and writes nothing', async () => {
    const before = treeHash(mall);
    const { code, stdout, stderr } = await run(WORKBOOK);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('将写入 7 条术语，1 个文件');
    // The shop has settled one of the words already.
    expect(stdout).toMatch(/terms\/order\.yaml:\d+ 已有「超时关单」/);
    expect(stdout).toContain('加 --write');
    expect(stdout).toContain('terms-openpyxl.xlsx#订单!9：没有中文叫法');
    expect(stdout).toContain('    另有 4 条，写好后在文件里看');
    expect(stdout).toMatch(/列这样对应：\n- terms-openpyxl\.xlsx#订单：.*→ 中文叫法.*；没用到：.*负责人/);
    expect(treeHash(mall)).toBe(before);
  });

  it.each([
    ['terms', () => WORKBOOK, '超时关单 日切', 'terms'],
    ['playbooks', () => join(outside, 'skills'), '帮我写研发周报', 'playbooks'],
    ['knowledge', () => join(outside, 'AGENTS.md'), '日志约定', 'knowledge'],
  ] as const)('%s: written, found by xihe core, and nothing new the second time', async (kind, source, asked, list) => {
    const first = await run(source(), '--write', '--json');
    expect(first.code, first.stderr).toBe(0);
    expect(importJson.parse(first.json)).toEqual(first.json);
    expect(first.json).toMatchObject({ kind, written: true });
    expect(first.json.imported).toBeGreaterThan(0);
    for (const { path, state } of first.json.files) {
      if (state === 'new') expect(existsSync(join(mall, path)), path).toBe(true);
    }
    const found = await xihe(['core', asked, '--repo', mall, '--json']);
    expect(found.json.problems).toEqual([]);
    const sources = found.json[list].map((entry: { source: string }) => entry.source).join();
    expect(sources).toContain(kind === 'terms' ? 'terms-openpyxl.xlsx' : kind === 'playbooks' ? 'weekly' : 'AGENTS.md');
    const before = treeHash(mall);
    const again = await run(source(), '--write', '--json');
    expect([again.code, again.json.imported]).toEqual([0, 0]);
    expect(treeHash(mall)).toBe(before);
  });

  it('references of a skill come along, and are left with --no-references', async () => {
    const skill = join(outside, 'pack/release');
    mkdirSync(join(skill, 'references'), { recursive: true });
    writeFileSync(
      join(skill, 'SKILL.md'),
      '---\nname: release\ndescription: 用于发版上线\n---\n\n1. 打标签\n2. 发布\n',
    );
    writeFileSync(
      join(skill, 'references/rollback.md'),
      '# 回滚手册\n\n回滚只回代码不回库，先停写再回滚，最后核对对账单。\n',
    );
    const { stdout } = await run(join(outside, 'pack'));
    expect(stdout).toContain('将写入 1 条流程模板、1 条知识文档，2 个文件');
    expect(stdout).toContain('.xihe/knowledge/imported/release/回滚手册.md');
    const { json } = await run(join(outside, 'pack'), '--no-references', '--json');
    expect(json.files.map(({ kind }: { kind: string }) => kind)).toEqual(['playbooks']);
  });

  it('--module and --as reach the entries', async () => {
    writeFileSync(join(outside, 'words.md'), '| 中文 | 代码 |\n| --- | --- |\n| 月结单 | monthlyBill |\n');
    const { code } = await run(join(outside, 'words.md'), '--as', 'terms', '--module', 'finance', '--write');
    expect(code).toBe(0);
    const text = readFileSync(join(mall, '.xihe/knowledge/terms/imported-words.yaml'), 'utf8');
    expect(text).toContain('keyword_ch: 月结单');
    expect(text).toContain('module: finance');
  });

  it('a source that is not there, and one with nothing in it', async () => {
    const missing = await run('no-such-file.xlsx', '--json');
    expect([missing.code, missing.json.error.code]).toEqual([1, 'PATH_NOT_FOUND']);
    writeFileSync(join(outside, 'empty.csv'), '中文,代码\n,\n');
    const empty = await run(join(outside, 'empty.csv'));
    expect(empty.code).toBe(1);
    expect(empty.stdout).toContain('没有可以导入的内容');
  });
});
