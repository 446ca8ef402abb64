import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describe as describeReload, keyOf } from '../../src/cli/commands/watch.js';
import { inCommands } from '../../src/cli/output.js';
import type { LoadProblem, ReloadEvent } from '../../src/zhcore/index.js';
import { copyMall, removeDir } from '../support/mall.js';
import { xiheHere as xihe } from '../support/mallHere.js';

let mall: string;
beforeAll(() => {
  mall = copyMall({ link: false });
});
afterAll(() => removeDir(mall));

const count = (text: string, part: string) => text.split(part).length - 1;

describe('a layer with something wrong in it', () => {
  it('is told once, errors first, and doctor counts files', async () => {
    const file = join(mall, '.xihe/knowledge/terms/words.yaml');
    writeFileSync(file, '- id: w1\n  keyword_ch: 提货码\n  code_symbols: [pickupCode]\n  source: 口头\n');
    await xihe(['core', '提货码', '--repo', mall]);
    writeFileSync(
      file,
      '- id: w0\n  keyword_ch: 自提\n  alias: x\n  source: 口头\n- id: w1\n  note: 没有词\n- id: w2\n  note: 也没有\n',
    );
    const { stderr } = await xihe(['core', '提货码', '--repo', mall]);
    expect(count(stderr, '上一个可用的版本继续生效')).toBe(1);
    expect(stderr).not.toContain('沿用');
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => line.slice(0, 4)),
    ).toEqual(['没能加载', '没能加载', '提醒 .']);
    const { stdout } = await xihe(['doctor', '--repo', mall]);
    expect(stdout).toContain('1 个文件有问题，共 3 处');
    rmSync(file);
  });

  it('settings that nobody knows are told by commands that do without them, and by lint', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-settings-'));
    try {
      mkdirSync(join(dir, '.xihe'));
      writeFileSync(join(dir, '.xihe/config.yaml'), 'core:\n  chunk: 3\n  topk: 2\n');
      const { code, stderr } = await xihe(['find', '退款', '--repo', dir]);
      expect(code).toBe(1);
      expect(stderr).toContain('.xihe/config.yaml:2：不认识的键 core.chunk；是不是 chunkChars？');
      expect(stderr).toContain('.xihe/config.yaml:3：不认识的键 core.topk；是不是 topK？');
      // What needs them refuses, and tells it once.
      const core = await xihe(['core', '退款', '--repo', dir]);
      expect(core.code).toBe(2);
      expect(count(core.stderr, 'core.chunk；是不是 chunkChars？')).toBe(1);
      const lint = await xihe(['lint', '--ci', '--repo', dir]);
      expect([lint.code, lint.stderr]).toEqual([1, '']);
      expect(lint.stdout).toContain('.xihe/config.yaml:3  错误  不认识的键 core.topk；是不是 topK？（XL004）');
      expect(lint.stdout).toContain('1 个文件里有 2 个错误，0 个警告，0 个提示。');
    } finally {
      removeDir(dir);
    }
  });
});

describe('hints on the command line', () => {
  it.each([
    ['find', ['find', '退款', '--scope', 'no/such']],
    ['tree', ['tree', 'no/such']],
    ['expand', ['expand', 'no/such-file.ts']],
    ['scan', ['scan', 'no/such']],
    ['lint', ['lint', 'no/such']],
  ])('%s of a path that is not there speaks of commands', async (_, args) => {
    const { code, stderr } = await xihe([...args, '--repo', mall]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/怎么办：.*\p{Script=Han}/u);
    expect(stderr).not.toMatch(/[a-z]+_[a-z]+/);
    const { json } = await xihe([...args, '--repo', mall, '--json']);
    expect(json.error.hint).not.toMatch(/[a-z]+_[a-z]+/);
  });

  it('only names of tools are replaced', () => {
    expect(inCommands('用 lookup_file（xihe find）按意思找，或看 load_context（xihe tree）。')).toBe(
      '用 xihe find 按意思找，或看 xihe tree。',
    );
    expect(inCommands('用 lookup_file 按意思找，order_file 照旧')).toBe('用 xihe find 按意思找，order_file 照旧');
  });

  it('a folder with more in it than is shown', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-many-'));
    try {
      for (let i = 0; i < 60; i++)
        writeFileSync(join(dir, `order-service-number-${i}.ts`), `export const a${i} = 1;\n`);
      const { stdout } = await xihe(['expand', '.', '--repo', dir]);
      expect(stdout).toMatch(/另有 \d+ 项；用 xihe find "…" --scope \. 来找/);
    } finally {
      removeDir(dir);
    }
  });

  it('init leads to scan', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-first-'));
    try {
      const { stdout } = await xihe(['init', '--repo', dir]);
      expect(stdout).toMatch(/接下来：\n1\. 运行 xihe scan/);
    } finally {
      removeDir(dir);
    }
  });
});

describe('what watch says of a reload', () => {
  const problem = (over: Partial<LoadProblem> = {}): LoadProblem => ({
    file: '.xihe/knowledge/terms/order.yaml',
    line: 2,
    reason: '不是合法的 YAML',
    code: 'YAML',
    keptLastGood: true,
    level: 'error',
    ...over,
  });
  const event = (over: Partial<ReloadEvent>): ReloadEvent => ({
    files: ['knowledge/terms/order.yaml'],
    moved: false,
    dataVersion: 'v1',
    problems: [],
    ms: 3,
    ...over,
  });
  const nothing = new Set<string>();

  it.each([
    ['a comment', event({}), '内容没有变化'],
    ['a file that broke', event({ problems: [problem()] }), '文件坏了，上一个可用的版本继续生效'],
    [
      'a new file that is broken',
      event({ problems: [problem({ keptLastGood: false })] }),
      '文件坏了，坏的部分没有生效，其余照常',
    ],
    ['one entry of several', event({ moved: true, problems: [problem()] }), '已重新加载，数据版本 v1；有 1 处坏了'],
    ['a mere warning', event({ moved: true, problems: [problem({ level: 'warning' })] }), '已重新加载，数据版本 v1（'],
    [
      'another file that was broken before',
      event({ problems: [problem({ file: '.xihe/playbooks/a.md' })] }),
      '内容没有变化',
    ],
  ])('%s', (_, reload, said) => {
    // Where CI is set, colours are on without a terminal.
    expect(stripVTControlCharacters(describeReload(reload, nothing))).toContain(said);
  });

  it('still says so when a broken file is saved once more, without its reason again', () => {
    const broken = event({ problems: [problem()] });
    const text = describeReload(broken, new Set(broken.problems.map(keyOf)));
    expect(text).toContain('文件坏了');
    expect(text).not.toContain('不是合法的 YAML');
  });
});
