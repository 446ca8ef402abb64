import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openZhCore } from '../../src/zhcore/index.js';
import { random, tree, writeTree } from '../knowledge/support.js';
import { GENERAL, PROJECT, shop } from './shop.js';

const TERMS = '.xihe/knowledge/terms/order.yaml';

describe('loading', () => {
  it('opens without a project and without problems on sound files', () => {
    expect(shop().core.problems).toEqual([]);
    const generalDir = tree(GENERAL);
    expect(openZhCore({ generalDir }).counts().terms).toBe(3);
    expect(openZhCore({ generalDir, projectDir: join(generalDir, 'nowhere') }).problems).toEqual([]);
  });

  it('loads what ships without an error', () => {
    expect(openZhCore().problems.filter((problem) => problem.level === 'error')).toEqual([]);
  });

  it('reports a broken file with line and reason while everything else works', () => {
    const { core } = shop({ [TERMS]: '- id: a\n  keyword_ch: 超时关单\n  aliases: [x\n- id: b\n' });
    expect(core.problems).toHaveLength(1);
    expect(core.problems[0]).toMatchObject({ file: TERMS, line: 4, code: 'YAML', keptLastGood: false, level: 'error' });
    expect(core.problems[0]?.reason).toContain('方括号');
    expect(
      core.query({ userIntent: '结算', codeSymbols: [], taskType: 'general' }).terms.map((h) => h.entry.id),
    ).toEqual(['settlement']);
    expect(core.playbookFor('支付渠道')?.id).toBe('add-channel');
  });

  it.each([
    ['- id: a\n  note: x\n', 1, 'a：缺少必填字段 keyword_ch'],
    ['- keyword_ch: 词\n', 1, '缺少必填字段 id'],
    ['- id: a\n  keyword_ch: 词\n  confidence: 0.9\n', 3, 'a：字段 confidence 只能是 high、medium、low 之一'],
    ['- id: a\n  keyword_ch: 词\n  status: maybe\n', 3, 'a：字段 status 只能是 verified、candidate 之一'],
    ['- id: a\n  keyword_ch: 词\n  reviewed_at: 去年\n', 3, 'a：字段 reviewed_at 日期要写成 2025-06-01 的样子'],
    ['- id: a b\n  keyword_ch: 词\n', 1, 'a b：字段 id 不能有空格'],
    ['- id: a\n  keyword_ch: 词\n  risk:\n    - x: 1\n', 4, 'a：字段 risk.0 应当是一段文字'],
    ['- 只是文字\n', 1, '应当是「键: 值」'],
    ['id: a\nkeyword_ch: 词\n', 1, '顶层应当是列表：每条以「- id: …」开头'],
  ])('names the line and the field: %j', (text, line, reason) => {
    const { core } = shop({ '.xihe/knowledge/terms/bad.yaml': text });
    expect(core.problems).toEqual([
      {
        file: '.xihe/knowledge/terms/bad.yaml',
        line,
        reason,
        code: 'SCHEMA',
        keptLastGood: false,
        level: 'error',
      },
    ]);
  });

  it('takes one bad entry out of a file and leaves the others in', () => {
    const { core } = shop({
      '.xihe/knowledge/terms/mixed.yaml': '- id: good\n  keyword_ch: 发货\n  alias: [寄出]\n- id: bad\n',
    });
    expect(core.entry('good')).toBeDefined();
    expect(core.problems.map(({ line, reason, level }) => ({ line, reason, level }))).toEqual([
      { line: 3, reason: 'good：不认识的字段 alias，已忽略；是不是 aliases？', level: 'warning' },
      { line: 4, reason: 'bad：缺少必填字段 keyword_ch', level: 'error' },
    ]);
  });

  it('refuses a pattern that is none, and a trigger that is empty', () => {
    const { core } = shop({
      '.xihe/knowledge/warnings/bad.yaml':
        "- id: w1\n  danger: 坏的\n  when:\n    added:\n      - 'ok'\n      - '(('\n- id: w2\n  danger: 空的\n  when: {}\n",
      '.xihe/playbooks/bad.md': '---\ntrigger_keywords: [x]\nsteps: [y]\npost_checks:\n  - type: no_match\n---\n',
    });
    expect(core.problems.map(({ line, reason }) => ({ line, reason }))).toEqual([
      { line: 6, reason: expect.stringContaining('w1：字段 when.added.1 不是合法的正则表达式') },
      { line: 9, reason: 'w2：字段 when symbols、paths、added、keywords 至少写一种' },
      { line: 5, reason: '字段 post_checks.0 file_changed 要写 path，command 要写 command，no_match 要写 pattern' },
    ]);
  });

  it('keeps the first of two entries with one id', () => {
    const { core } = shop({ '.xihe/knowledge/terms/twice.yaml': '- id: hold\n  keyword_ch: 别的\n' });
    expect(core.problems).toMatchObject([
      {
        file: '.xihe/knowledge/terms/twice.yaml',
        line: 1,
        code: 'DUPLICATE_ID',
        reason: expect.stringContaining('knowledge/terms/order.yaml:27'),
      },
    ]);
    expect(core.entry('hold')?.entry).toMatchObject({ keyword_ch: '挂单' });
  });

  it('fills in what entries leave out, on the careful side', () => {
    const { core } = shop();
    expect(core.entry('hold')?.entry.provenance).toMatchObject({ status: 'candidate', confidence: 0.75 });
    const { core: bare } = shop({ '.xihe/knowledge/terms/bare.yaml': '\n- id: bare\n  keyword_ch: 404\n' });
    expect(bare.entry('bare')?.entry).toMatchObject({
      keyword_ch: '404',
      provenance: { source: 'repo://.xihe/knowledge/terms/bare.yaml#L2', line: 2 },
    });
    expect(core.entry('no_refund_state')?.entry).toMatchObject({ severity: 'block' });
    expect(core.entry('close_once')?.entry).toMatchObject({ severity: 'warn', provenance: { status: 'verified' } });
    expect(core.entry('add-channel')?.entry).toMatchObject({
      title: '新增支付渠道',
      required_checks: [
        { on_missing: 'ask_user_first', purpose: '动手前要确认' },
        { on_missing: 'warn', purpose: '看现有渠道的配置' },
      ],
    });
  });
});

describe('reload', () => {
  it('keeps the last good version of a broken file, and says so', () => {
    const { root, core } = shop();
    const version = core.dataVersion;
    writeFileSync(join(root, TERMS), '- id: [\n');
    expect(core.reload()).toBe(false);
    expect(core.dataVersion).toBe(version);
    expect(core.problems).toMatchObject([
      { file: TERMS, keptLastGood: true, reason: expect.stringContaining('上一个可用的版本继续生效') },
    ]);
    expect(core.entry('close_timeout')).toBeDefined();
    expect(core.reload()).toBe(false);
    expect(core.problems).toHaveLength(1);
    writeFileSync(join(root, TERMS), (PROJECT[TERMS] as string).replace('不要关两次', '不要重复关'));
    expect(core.reload()).toBe(true);
    expect(core.problems).toEqual([]);
    expect(core.entry('close_timeout')?.entry).toMatchObject({ risk: ['不要重复关'] });
  });

  it('keeps the last good version of one bad entry, and takes the other changes', () => {
    const { root, core } = shop();
    const text = (PROJECT[TERMS] as string)
      .replace('keyword_ch: 超时关单', 'keyword: 超时关单')
      .replace('[只退钱]', '[只退钱, 只退款]');
    writeFileSync(join(root, TERMS), text);
    expect(core.reload()).toBe(true);
    expect(core.entry('close_timeout')?.entry).toMatchObject({ keyword_ch: '超时关单' });
    expect(core.entry('refund_only')?.entry).toMatchObject({ aliases: ['只退钱', '只退款'] });
    expect(core.problems).toMatchObject([
      { keptLastGood: true, reason: expect.stringContaining('缺少必填字段 keyword_ch') },
      { level: 'warning', reason: 'close_timeout：不认识的字段 keyword；是不是 keyword_ch？' },
    ]);
  });

  it('sees added, changed and deleted files, and does not move for a comment', () => {
    const { root, core } = shop();
    const terms = () =>
      core.query({ userIntent: '挂单发货', codeSymbols: [], taskType: 'general' }).terms.map((hit) => hit.entry.id);
    expect(terms()).toEqual(['hold']);
    writeTree(root, { '.xihe/knowledge/terms/new.yaml': '- {id: ship, keyword_ch: 发货, source: s}\n' });
    expect(core.reload()).toBe(true);
    expect(terms().sort()).toEqual(['hold', 'ship']);
    writeTree(root, { '.xihe/knowledge/terms/new.yaml': '# 说明\n- id: ship\n  keyword_ch: 发货\n  source: s\n' });
    expect(core.reload()).toBe(false);
    rmSync(join(root, TERMS));
    expect(core.reload()).toBe(true);
    expect(terms()).toEqual(['ship']);
  });
});

describe('broken files', () => {
  it('never throws, and every problem has a file, a line and a reason', () => {
    const rng = random(42);
    const noise = [
      '- ',
      ': ',
      '\n',
      '  ',
      '[',
      ']',
      '{',
      '}',
      '"',
      "'",
      '\t',
      '&a ',
      '*a',
      '|',
      '>',
      '#',
      '---',
      '!!',
      '?',
      '\u0000',
      '\uFEFF',
      '，',
      '\r',
      'id',
      '((',
      '@',
      '%',
    ];
    const kinds = Object.entries(PROJECT);
    for (let round = 0; round < 20; round++) {
      const change: Record<string, string> = {};
      for (let i = 0; i < 50; i++) {
        const [path, text] = rng.pick(kinds);
        const at = path.lastIndexOf('/');
        const name = path.endsWith('modules.yaml')
          ? path
          : `${path.slice(0, at)}/broken${i}${path.slice(path.lastIndexOf('.'))}`;
        change[name] = broken(text);
      }
      const { core, root } = shop(change);
      core.query({ userIntent: '超时关单、仅退款和支付渠道', codeSymbols: ['cancelExpired'], taskType: 'general' });
      core.warningsForDiff([{ path: 'src/a.ts', addedLines: [{ line: 1, text: 'REFUND_ONLY' }] }]);
      expect(core.entry('refund_only')).toBeDefined();
      for (const { file, line, reason } of core.problems) {
        expect(file).toMatch(/^\.xihe\//);
        expect(line).toBeGreaterThan(0);
        expect(reason).toMatch(/\p{Script=Han}/u);
      }
      writeTree(root, { [TERMS]: broken(PROJECT[TERMS] as string) });
      core.reload();
    }

    function broken(text: string): string {
      let out = text;
      for (let n = 1 + rng.below(4); n > 0; n--) {
        const at = rng.below(out.length + 1);
        out = out.slice(0, at) + rng.pick(noise) + out.slice(at + rng.below(5));
      }
      return out;
    }
  });
});
