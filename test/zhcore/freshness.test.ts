import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CoreQuery, openZhCore, type ZhCore } from '../../src/zhcore/index.js';
import { document, tree } from '../knowledge/support.js';

const general: CoreQuery = { userIntent: '', codeSymbols: [], taskType: 'general' };

/** A core with these files, on a day. */
function coreOn(day: string, files: Record<string, string>): { core: ZhCore; set(day: string): void } {
  let now = new Date(`${day}T12:00:00`);
  const core = openZhCore({ generalDir: tree(), projectDir: join(tree(files), '.xihe'), now: () => now });
  return {
    core,
    set: (next) => {
      now = new Date(`${next}T12:00:00`);
    },
  };
}

const page = (title: string, front: Record<string, string>, body: string) =>
  document({ title, keywords: `[${title}]`, summary: title, source: 'https://example.com/doc', ...front }, body);

describe('freshness', () => {
  const warning = (id: string, reviewed: string) =>
    `- id: ${id}\n  danger: 手机号要脱敏\n  when: {keywords: [手机号]}\n  source: https://example.com/${id}\n  confidence: high\n${reviewed === '' ? '' : `  reviewed_at: ${reviewed}\n`}`;
  const warningsOn = (day: string, ...list: string[]) =>
    coreOn(day, { '.xihe/knowledge/warnings/a.yaml': list.join('') }).core.query({
      ...general,
      userIntent: '导出手机号',
    }).warnings;

  it('ranks an entry past its review date after one that is not, and long past after that', () => {
    const hits = warningsOn(
      '2026-11-30',
      warning('long_past', '2025-01-01'),
      warning('past', '2026-06-01'),
      warning('never', ''),
      warning('fresh', '2026-10-01'),
    );
    expect(hits.map((hit) => hit.entry.id)).toEqual(['fresh', 'never', 'past', 'long_past']);
  });

  it('says so where it is shown', () => {
    const [hit] = warningsOn('2026-11-30', warning('past', '2026-06-01'));
    expect(hit?.why).toBe('请求里有「手机号」；上次复核 2026-06-01，已过复核期');
    expect(warningsOn('2026-11-30', warning('fresh', '2026-10-01'))[0]?.why).toBe('请求里有「手机号」');
  });

  it('keeps a term that names code fresh: code is looked up each time', () => {
    const term = '- id: t\n  keyword_ch: 超时关单\n  code_symbols: [cancelExpired]\n  reviewed_at: 2020-01-01\n';
    const { core } = coreOn('2026-11-30', { '.xihe/knowledge/terms/a.yaml': term });
    expect(core.query({ ...general, userIntent: '超时关单' }).terms[0]?.why).toBe('请求里有「超时关单」');
  });

  it('measures anew when the day moves on', () => {
    const { core, set } = coreOn('2026-11-30', { '.xihe/knowledge/warnings/a.yaml': warning('w', '2026-10-01') });
    const ask = () => core.query({ ...general, userIntent: '手机号' }).warnings[0]?.why;
    expect(ask()).not.toContain('已过复核期');
    set('2027-02-01');
    expect(ask()).toContain('已过复核期');
  });
});

describe('what is over', () => {
  const old = page(
    '旧版回调验签',
    { version_until: '2024-06-30' },
    '旧版回调用平台证书验签，证书每年更换一次，验签串三行。',
  );
  const now = page('新版回调验签', {}, '新版回调用微信支付公钥验签，公钥不会更换，验签串三行。');

  it('is never injected', () => {
    const { core } = coreOn('2026-11-30', { '.xihe/knowledge/old.md': old, '.xihe/knowledge/new.md': now });
    for (const userIntent of ['旧版回调验签怎么做', '回调验签的验签串有几行']) {
      const { knowledge } = core.query({ ...general, userIntent });
      expect(knowledge.map((hit) => hit.entry.documentId)).not.toContain('old.md');
    }
    expect(core.query({ ...general, userIntent: '新版回调验签' }).knowledge[0]?.entry.documentId).toBe('new.md');
  });

  it('was injected while it held', () => {
    const { core } = coreOn('2024-06-30', { '.xihe/knowledge/old.md': old });
    expect(core.query({ ...general, userIntent: '旧版回调验签怎么做' }).knowledge).toHaveLength(1);
  });

  it('still answers a look-up that names it, says until when it held, and comes after what holds', () => {
    const { core } = coreOn('2026-11-30', { '.xihe/knowledge/old.md': old, '.xihe/knowledge/new.md': now });
    expect(core.lookup('旧版回调验签').primary).toMatchObject({
      title: '旧版回调验签',
      valid_until: '2024-06-30',
      expired: true,
    });
    expect(core.lookup('新版回调验签和旧版回调验签').primary).toMatchObject({ title: '新版回调验签' });
    expect(core.lookup('证书每年更换一次').supplement?.title).not.toBe('旧版回调验签');
  });

  it('is judged by days only: a version number says nothing to a clock', () => {
    const { core } = coreOn('2026-11-30', {
      '.xihe/knowledge/a.md': page('三点二版的分页', { version_until: '3.2' }, '分页插件要放在最后。'),
    });
    expect(core.query({ ...general, userIntent: '三点二版的分页' }).knowledge).toHaveLength(1);
  });

  it.each(['2024-06-30', '2024/6/30', '2024-06', '2024-6'])('reads %s as a day or month', (until) => {
    const term = `- id: t\n  keyword_ch: 超时关单\n  code_symbols: [cancelExpired]\n  version_until: ${until}\n`;
    const warning = `- id: w\n  danger: 旧规矩\n  when: { keywords: [超时关单], added: ['x = 1'] }\n  version_until: ${until}\n`;
    const playbook = `---\nid: p\ntrigger_keywords: [超时关单]\nsteps: [一步]\nversion_until: ${until}\n---\n`;
    const files = {
      '.xihe/knowledge/terms/a.yaml': term,
      '.xihe/knowledge/warnings/a.yaml': warning,
      '.xihe/playbooks/p.md': playbook,
    };
    const held = coreOn('2024-06-30', files).core;
    expect(held.problems).toEqual([]);
    const over = coreOn('2024-07-01', files).core;
    const ids = (core: ZhCore) => {
      const { terms, warnings, playbooks } = core.query({ ...general, userIntent: '超时关单' });
      return [...terms, ...warnings, ...playbooks].map((hit) => hit.entry.id);
    };
    const diff = [{ path: 'a.ts', addedLines: [{ line: 1, text: 'x = 1' }] }];
    expect([ids(held), held.warningsForDiff(diff).length]).toEqual([['t', 'w', 'p'], 1]);
    expect([ids(over), over.warningsForDiff(diff).length]).toEqual([[], 0]);
    expect([held.symbolsToTerms(['cancelExpired']).length, over.symbolsToTerms(['cancelExpired']).length]).toEqual([
      1, 0,
    ]);
  });
});
