import { describe, expect, it } from 'vitest';
import { briefLedger, briefOf, briefSections, renderBrief } from '../../src/agent/brief.js';
import { briefJson } from '../../src/agent/output-schemas.js';
import type { Plan } from '../../src/agent/state.js';
import { estimateTokens } from '../../src/text/index.js';
import { graphOf, makeRepo, removeRepo, stateOf, threadOf } from './support.js';

const provenance = {
  source: 'repo://t.yaml',
  layer: 'project',
  version: 'abcdef0123',
  status: 'verified',
  confidence: 0.9,
} as const;
const candidate = { ...provenance, status: 'candidate' } as const;

const plan: Plan = {
  taskType: 'feature',
  steps: ['读代码', '改代码'],
  focus: ['src/a.ts', 'src/b.ts'],
  candidates: [{ path: 'src/a.ts', why: '名字', summary: '订单', score: 1 }],
  terms: [
    {
      id: 't1',
      keyword_ch: '超时关单',
      risk: [],
      status: 'verified',
      confirmed: true,
      symbols: [
        { name: 'close', file: 'src/a.ts', line: 3 },
        { name: 'gone', file: null, line: null },
      ],
      why: '词',
      provenance,
    },
    {
      id: 't2',
      keyword_ch: '对账',
      risk: [],
      status: 'candidate',
      confirmed: false,
      symbols: [],
      why: '词',
      provenance: candidate,
    },
  ],
  playbook: {
    id: 'p',
    title: '加重试',
    why: '词',
    steps: ['读代码', '改代码'],
    checks: [
      {
        type: 'file_exists',
        target: 'docs/*.md',
        purpose: '指南',
        state: 'ok',
        detail: 'docs/a.md',
        onMissing: 'warn',
      },
      {
        type: 'file_exists',
        target: 'b.md',
        purpose: '约定',
        state: 'missing',
        detail: '没有 b.md',
        onMissing: 'ask_user_first',
      },
      { type: 'command', target: 'rm -rf x', purpose: '清', state: 'skipped', detail: '请人工执行', onMissing: 'warn' },
    ],
    postChecks: [{ type: 'command', command: 'npm test', purpose: '测试要过' }],
    provenance,
  },
  placeWarnings: [],
  openQuestions: ['找不到 b.md。要先补上它，还是直接继续？'],
  stopped: null,
};

const hit = (entry: object, p: object = provenance) => ({
  entry: { ...entry, provenance: p },
  provenance: p,
  why: '词',
  score: 1,
  tokens: 1,
});
const retrieved = {
  terms: [],
  playbooks: [],
  knowledge: Array.from({ length: 5 }, (_, i) =>
    hit(
      { id: `k${i}`, title: '文档', heading: '文档 › 一节', content: `第${i}段。${'很长的正文。'.repeat(40)}` },
      i ? candidate : provenance,
    ),
  ),
  warnings: Array.from({ length: 7 }, (_, i) => hit({ id: `w${i}`, danger: `坑 ${i}` })),
};
const state = stateOf('关单加重试', 'edit', { planned: plan, retrieved });

describe('a brief', () => {
  const brief = briefOf(state);

  it('fits its schema, and its tokens are the sum of its sections', () => {
    expect(briefJson.parse(JSON.parse(JSON.stringify(brief)))).toEqual(JSON.parse(JSON.stringify(brief)));
    const sections = briefSections(brief);
    expect(brief.tokens.by).toEqual(Object.fromEntries(sections.map((s) => [s.key, estimateTokens(s.text)])));
    expect(brief.tokens.total).toBe(Object.values(brief.tokens.by).reduce((a, b) => a + b, 0));
  });

  it('names the source of every entry, and what is in doubt', () => {
    const text = renderBrief(brief, '关单加重试');
    for (const line of text.split('\n').filter((l) => /^- .*(超时关单|对账|坑|文档)/.test(l)))
      expect(line).toContain('〔repo://t.yaml，版本 abcdef0，可信度 0.9〕');
    expect(text).toContain('超时关单 → close src/a.ts:3；gone（代码里没找到）');
    expect(text).toContain('- 对账（疑似，先在代码里确认） → 没有对应符号');
    expect(text).toContain('（疑似）文档 › 一节');
    expect(text).toMatch(/^# 行动预案：关单加重试\n\n## 路由/);
  });

  it('says how each check stands, of a glob the file that met it', () => {
    const [, text] = /## 流程模板\n([\s\S]*?)\n\n/.exec(renderBrief(brief, 'x'))!;
    expect(text).toContain('- ✓ docs/a.md：指南');
    expect(text).toContain('- ✗ 缺 b.md：约定');
    expect(text).toContain('- — 未运行 rm -rf x：清（请人工执行）');
    expect(text).toContain('完成后检查：\n- 测试要过');
  });

  it('keeps to what is read: three passages cut short, five warnings', () => {
    expect(brief.knowledge).toHaveLength(3);
    expect(brief.knowledge.every((k) => k.excerpt.length <= 161)).toBe(true);
    expect(brief.warnings).toHaveLength(5);
  });

  it('writes a ledger line for everything that it shows', () => {
    const lines = briefLedger(state, brief);
    expect(lines.map((l) => l.id)).toEqual(['t1', 't2', 'p', 'w0', 'w1', 'w2', 'w3', 'w4', 'k0', 'k1', 'k2']);
    expect(lines.every((l) => l.phase === 'brief' && l.source && l.version && l.tokens > 0)).toBe(true);
  });

  it('of nothing is a route and no more', () => {
    const empty = briefOf(stateOf('x', 'edit', { retrieved: null }));
    expect(briefSections(empty).map((s) => s.key)).toEqual(['route']);
    expect(empty.plan).toBeNull();
  });

  it('of an empty project has steps and no file', async () => {
    const repo = makeRepo({});
    try {
      const graph = graphOf(repo, null);
      const end = await graph.invoke({ request: { text: '给首页加一个按钮' } } as never, threadOf('e') as never);
      expect(end.reported).toMatchObject({ kind: 'brief', ok: true });
      expect(briefOf(end as never).files).toEqual([]);
      expect(end.reported!.text).toContain('## 计划');
    } finally {
      removeRepo(repo);
    }
  });
});
