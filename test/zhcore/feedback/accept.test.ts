import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Proposal, type ProposedEntry, planAccept, writeAccepted } from '../../../src/zhcore/index.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-accept-')));
  mkdirSync(join(root, '.xihe', 'playbooks'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const FILE = '.xihe/playbooks/report.md';
const proposal = (entry: ProposedEntry): Proposal => ({
  id: 'p-1',
  source: 'run://t/r',
  t: '2026-12-01T00:00:00.000Z',
  remark: '原话',
  entry,
});
const plan = (entry: ProposedEntry) =>
  planAccept(proposal(entry), {
    root,
    layerDir: join(root, '.xihe'),
    today: '2026-12-01',
    playbookFile: (id) => (id === 'report' ? FILE : undefined),
  });
const step: ProposedEntry = { type: 'step', playbook: 'report', step: '改完要跑一遍对账: 两边的数要一样' };

describe('accepting a step', () => {
  it.each([
    ['\n', ''],
    ['\r\n', '  '],
  ])('adds one line and changes no other byte', (eol, indent) => {
    const lines = [
      '---',
      'trigger_keywords: [报表]',
      'steps:',
      `${indent}- 先看口径`,
      `${indent}- >-`,
      `${indent}  再写`,
      `${indent}  查询`,
      'post_checks: []',
      '---',
      '正文',
      '- 不是步骤',
    ];
    writeFileSync(join(root, FILE), lines.join(eol));
    const { content, path } = plan(step);
    expect(path).toBe(FILE);
    const expected = [...lines];
    expected.splice(7, 0, `${indent}- '改完要跑一遍对账: 两边的数要一样'`);
    expect(content).toBe(expected.join(eol));
    writeAccepted(plan(step), root);
    expect(readFileSync(join(root, FILE), 'utf8')).toBe(content);
  });

  it('refuses where it can not add a line, and says what to do by hand', () => {
    writeFileSync(join(root, FILE), '---\ntrigger_keywords: [报表]\nsteps: [先看口径]\n---\n');
    expect(() => plan(step)).toThrow(/不是一行一步/);
    expect(() => plan({ ...step, playbook: 'other' })).toThrow(/没有/);
  });
});

describe('accepting a warning or a term', () => {
  it('a rule without place and name speaks up at its own words', () => {
    const { content } = plan({ type: 'warning', danger: '金额必须用分存', when: { paths: [], symbols: [] } });
    expect(content).toContain('keywords: [金额必须用分存]');
    expect(content).toMatch(/source: '?run:..t.r'?/);
  });

  it('adds to no file that is no list, and writes through no link that leads out', () => {
    const warning: ProposedEntry = { type: 'warning', danger: '甲', when: { paths: ['a/**'], symbols: [] } };
    const file = join(root, '.xihe/knowledge/warnings/reviews.yaml');
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, 'a: 1\n');
    expect(() => plan(warning)).toThrow(/不是一串条目/);
    rmSync(file);
    const outside = mkdtempSync(join(tmpdir(), 'xihe-outside-'));
    symlinkSync(join(outside), join(root, '.xihe/knowledge/terms'));
    expect(() => plan({ type: 'term', keyword_ch: '对账', code_symbols: ['a.b'] })).toThrow(/项目外面/);
    rmSync(outside, { recursive: true });
  });
});
