import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type CoreEntry,
  dueDate,
  freshnessOf,
  monthReport,
  monthText,
  QueryLog,
  type QueryRecord,
  REVIEW_DAYS,
  recordOf,
  recordOfInjection,
  recordOfLookup,
  reviewKind,
  reviewPeriodDays,
  staleEntries,
  statsOf,
} from '../../src/zhcore/index.js';
import { document, random, tree } from '../knowledge/support.js';
import { shop } from './shop.js';

const NOW = new Date('2026-11-30T12:00:00');

describe('the review calendar', () => {
  it('official quarterly, experience half-yearly, code never by date', () => {
    expect(REVIEW_DAYS).toEqual({ official: 91, experience: 182, symbol: undefined });
    expect(dueDate('2026-08-31', 'official')).toBe('2026-11-30');
    expect(dueDate('2026-01-31', 'experience')).toBe('2026-08-01');
    expect(dueDate('2024-02-29', 'official')).toBe('2024-05-30');
    expect(dueDate('2020-01-01', 'symbol')).toBeUndefined();
    expect(dueDate(undefined, 'official')).toBeUndefined();
    expect(dueDate('2026-02-30', 'official')).toBeUndefined();
  });

  it('knows how an entry ages by what stands behind it', () => {
    const entry = (source: string, layer: 'general' | 'project', more = {}) => ({
      provenance: { source, layer },
      ...more,
    });
    expect(reviewKind('knowledge', entry('https://example.com', 'general'))).toBe('official');
    expect(reviewKind('warning', entry('https://example.com', 'project'))).toBe('official');
    expect(reviewKind('knowledge', entry('内部文档', 'project', { kind: 'official' }))).toBe('official');
    expect(reviewKind('term', entry('repo://a.ts', 'project', { code_symbols: ['a'] }))).toBe('symbol');
    expect(reviewKind('term', entry('业内叫法', 'general', { code_symbols: ['a'] }))).toBe('experience');
    expect(reviewKind('term', entry('口头', 'project', { code_symbols: [] }))).toBe('experience');
    expect(reviewPeriodDays('playbook', entry('repo://a.md', 'project'))).toBe(182);
  });

  it('tells fresh from overdue on the day', () => {
    expect(freshnessOf('2026-08-31', 'official', '2026-11-30')).toBe('fresh');
    expect(freshnessOf('2026-08-31', 'official', '2026-12-01')).toBe('overdue');
    expect(freshnessOf(undefined, 'experience', '2026-12-01')).toBe('never');
    expect(freshnessOf('2001-01-01', 'symbol', '2026-12-01')).toBe('live');
  });

  it('property: a due date is a day, after the review, and later reviews fall due later', () => {
    const { below } = random(7);
    for (let i = 0; i < 500; i++) {
      const day = (n: number) => new Date(Date.UTC(2020, 0, 1 + n)).toISOString().slice(0, 10);
      const n = below(4000);
      const due = dueDate(day(n), 'official') as string;
      expect(due).toBe(day(n + 91));
      expect(due < (dueDate(day(n + 1), 'official') as string)).toBe(true);
    }
  });
});

const at = (t: string, more: Partial<QueryRecord> = {}): QueryRecord => ({
  t,
  kind: 'inject',
  gate: true,
  text: '关单重试',
  hits: [],
  found: false,
  dataVersion: 'v',
  ...more,
});
const hit = (id: string, type: QueryRecord['hits'][number]['type'] = 'term', tokens = 10, version = 'v1') => ({
  id,
  type,
  version,
  tokens,
});

describe('the query log', () => {
  it('keeps what was written, in order, since when asked', () => {
    const log = new QueryLog(join(tree(), 'state'));
    expect(log.read({ now: NOW })).toEqual([]);
    const records = [at('2026-11-01T00:00:00.000Z'), at('2026-11-02T00:00:00.000Z', { hits: [hit('a')], found: true })];
    for (const record of records) log.append(record);
    expect(log.read({ now: NOW })).toEqual(records);
    expect(log.read({ since: new Date('2026-11-01T12:00:00Z'), now: NOW })).toEqual([records[1]]);
  });

  it('skips lines that are no record', () => {
    const dir = tree({ 'queries.jsonl': '{"t": "2026-11-01T00:0\n\n[]\nnull\n{"t":"gestern"}\n' });
    const log = new QueryLog(dir);
    log.append(at('2026-11-02T00:00:00.000Z'));
    expect(log.read({ now: NOW })).toHaveLength(1);
  });

  it('loses no record behind a line that a crash cut', () => {
    const dir = tree({ 'queries.jsonl': '{"t": "2026-11-01T00:0' });
    const log = new QueryLog(dir);
    log.append(at('2026-11-02T00:00:00.000Z'));
    log.append(at('2026-11-03T00:00:00.000Z'));
    expect(log.read({ now: NOW }).map(({ t }) => t.slice(0, 10))).toEqual(['2026-11-02', '2026-11-03']);
    expect(readFileSync(join(dir, 'queries.jsonl'), 'utf8').split('\n')).toHaveLength(4);
  });

  it('leaves out what is of the day after tomorrow', () => {
    const log = new QueryLog(tree());
    for (const t of ['2026-11-30T23:00:00.000Z', '2026-12-02T00:00:00.000Z', '2099-01-01T00:00:00.000Z'])
      log.append(at(t));
    expect(log.read({ now: NOW }).map(({ t }) => t.slice(0, 10))).toEqual(['2026-11-30']);
  });

  it.each(['1e308', '-5', '1e400', 'null', '"5"', '1000001'])('skips a line that was edited: tokens %s', (tokens) => {
    const good = JSON.stringify(at('2026-11-02T00:00:00.000Z', { hits: [hit('a')], found: true }));
    const edited = good.replace('"tokens":10', `"tokens":${tokens}`);
    const log = new QueryLog(
      tree({ 'queries.jsonl': `${edited}\n${good}\n${good.replace('"gate"', '"ms":-1,"gate"')}\n` }),
    );
    const records = log.read({ now: NOW });
    expect(records).toHaveLength(1);
    expect(JSON.stringify(statsOf(records, []))).not.toMatch(/null|Infinity|NaN|-\d/);
  });

  it('keeps no password and nobody’s number', () => {
    const context = { now: NOW, dataVersion: 'v' };
    const logged = (text: string) => recordOfInjection([], { ...context, text }).text;
    expect(logged('用密码 hunter2hunter2 登录 手机 13800138000 身份证 110101199003071234')).toBe(
      '用密码 *** 登录 手机 *** 身份证 ***',
    );
    expect(logged('密码是 Zxcv1234!@# 银行卡 6222 0212 3456 7890 123 邮箱 a@b.com')).toBe(
      '密码是 *** 银行卡 *** 邮箱 ***',
    );
    expect(logged('手机１３８００１３８０００ 报错 ORA-00942')).toBe('手机*** 报错 ora-00942');
  });

  it('starts a new file when one is full, and reads both', () => {
    const dir = tree({
      'queries.jsonl': `${' '.repeat(5_000_000)}\n${JSON.stringify(at('2026-10-01T00:00:00.000Z'))}\n`,
    });
    const log = new QueryLog(dir);
    log.append(at('2026-11-02T00:00:00.000Z'));
    log.append(at('2026-11-03T00:00:00.000Z'));
    expect(statSync(join(dir, 'queries.jsonl')).size).toBeLessThan(1000);
    expect(log.read({ now: NOW }).map(({ t }) => t.slice(0, 10))).toEqual(['2026-10-01', '2026-11-02', '2026-11-03']);
  });

  it('a place that can not be written fails nothing', () => {
    const dir = tree({ state: 'a file' });
    new QueryLog(join(dir, 'state')).append(at('2026-11-02T00:00:00.000Z'));
    mkdirSync(join(dir, 'other', 'queries.jsonl', 'inner'), { recursive: true });
    const log = new QueryLog(join(dir, 'other'));
    log.append(at('2026-11-02T00:00:00.000Z'));
    expect(log.read({ now: NOW })).toEqual([]);
    expect(readFileSync(join(dir, 'state'), 'utf8')).toBe('a file');
  });

  it('keeps little of a request, and no secret', () => {
    const { core } = shop();
    const result = core.query({ userIntent: '超时关单', codeSymbols: [], taskType: 'general' });
    const text = `用 sk-${'a1B2c3D4'.repeat(5)} 调接口，${'把關單改成重試'.repeat(20)}`;
    const record = recordOf(result, { text, phase: 'plan', thread: 't1', ms: 1.23456, now: NOW });
    expect([...record.text]).toHaveLength(80);
    expect(record.text).not.toContain('a1b2');
    expect(record.text).toContain('把关单改成重试');
    expect(record).toMatchObject({ kind: 'query', gate: true, found: true, ms: 1.23, phase: 'plan', thread: 't1' });
    expect(record.hits[0]).toMatchObject({ id: 'close_timeout', type: 'term' });
    expect(record.dataVersion).toBe(core.dataVersion);
  });

  it('names documents alike, whoever read them', () => {
    const { core } = shop();
    const lookup = recordOfLookup(core.lookup('ERR_TIMEOUT'), { text: 'ERR_TIMEOUT' });
    expect(lookup.hits.map(({ id }) => id)).toEqual(['errors.md']);
    const entry = { type: 'knowledge' as const, version: 'v', source: '', confidence: 1, tokens: 5, why: '' };
    const injected = recordOfInjection(
      [
        { ...entry, id: '.xihe/knowledge/errors.md' },
        { ...entry, id: 'errors.md#1' },
      ],
      { text: '超时' },
    );
    expect(injected.hits.map(({ id }) => id)).toEqual(['errors.md', 'errors.md#1']);
    const stats = statsOf([lookup, injected], core.entries());
    const doc = stats.entries.find(({ id }) => id === 'errors.md');
    expect(doc).toMatchObject({ uses: 2, tokens: (lookup.hits[0]?.tokens ?? 0) + 10 });
  });
});

/** A layer with an entry of each kind of age. */
function aged(): { entries: CoreEntry[]; root: string } {
  const term = (id: string, more: string) => `- id: ${id}\n  keyword_ch: 词${id}\n  status: verified\n${more}`;
  const { core, root } = shop({
    '.xihe/knowledge/terms/order.yaml': [
      term('late', '  source: 口头约定\n  reviewed_at: 2026-01-01\n'),
      term('later', '  source: 口头约定\n  reviewed_at: 2025-12-01\n'),
      term('soon', '  source: 口头约定\n  reviewed_at: 2026-06-10\n'),
      term('fresh', '  source: 口头约定\n  reviewed_at: 2026-11-01\n'),
      term('gone', '  code_symbols: [oldName]\n  source: repo://src/a.ts\n  reviewed_at: 2026-11-01\n'),
      term('moved', '  code_symbols: [newName]\n  source: repo://src/b.ts#L3\n  reviewed_at: 2026-11-01\n'),
      term('live', '  code_symbols: [newName]\n  source: repo://src/a.ts\n  reviewed_at: 2020-11-01\n'),
      term('never', '  source: 口头约定\n'),
    ].join(''),
    '.xihe/knowledge/terms/finance.yaml': '[]\n',
    '.xihe/knowledge/warnings/order.yaml': '[]\n',
    '.xihe/knowledge/errors.md': document(
      {
        title: '错误码',
        keywords: '[E]',
        summary: 's',
        source: 'https://example.com',
        reviewed_at: '2026-11-01',
        version_until: '2026-10-31',
      },
      '正文\n',
    ),
    '.xihe/playbooks/add-channel.md': document(
      { trigger_keywords: '[a]', steps: '[b]', source: 'c', reviewed_at: '2026-11-01' },
      '',
    ),
  });
  return { entries: core.entries().filter(({ entry }) => entry.provenance.layer === 'project'), root };
}

const staleOf = (records: QueryRecord[] = [], within = 30) =>
  staleEntries({
    entries: aged().entries,
    now: NOW,
    within,
    records,
    symbols: async (symbol) => (symbol === 'newName' ? [{}] : []),
    lastChange: (path) => (path === 'src/b.ts' ? '2026-11-20' : '2019-10-01'),
  });

describe('stale entries', () => {
  it('says of each what is the matter', async () => {
    const found = new Map((await staleOf()).map((entry) => [entry.id, entry]));
    expect(Object.fromEntries([...found].map(([id, { state }]) => [id, state]))).toEqual({
      'errors.md': 'expired',
      gone: 'gone',
      moved: 'changed',
      later: 'overdue',
      late: 'overdue',
      never: 'never',
      soon: 'soon',
    });
    expect(found.get('gone')?.gone).toEqual(['oldName']);
    expect(found.get('moved')?.changed).toEqual({ file: 'src/b.ts', day: '2026-11-20' });
    expect(found.get('late')).toMatchObject({ due: '2026-07-02', daysLeft: -151, kind: 'experience', uses: 0 });
    expect(found.get('soon')).toMatchObject({ due: '2026-12-09', daysLeft: 9 });
    expect(found.get('errors.md')).toMatchObject({ validUntil: '2026-10-31', type: 'knowledge' });
  });

  it('puts first what is late and really used, and counts the last 90 days only', async () => {
    const used = (id: string, t: string) => at(t, { hits: [hit(id)], found: true });
    const found = await staleOf([
      used('late', '2026-11-20T00:00:00.000Z'),
      used('late', '2026-11-21T00:00:00.000Z'),
      used('soon', '2026-11-21T00:00:00.000Z'),
      used('later', '2026-08-01T00:00:00.000Z'),
    ]);
    expect(found[0]).toMatchObject({ id: 'late', uses: 2, lastUsed: '2026-11-21T00:00:00.000Z' });
    expect(found.at(-1)).toMatchObject({ id: 'soon', uses: 1 });
    expect(found.find(({ id }) => id === 'later')?.uses).toBe(0);
  });

  it('looks as far ahead as it is told', async () => {
    expect((await staleOf([], 8)).map(({ id }) => id)).not.toContain('soon');
    expect((await staleOf([], 9)).map(({ id }) => id)).toContain('soon');
  });

  it('needs no repository', async () => {
    const found = await staleEntries({ entries: aged().entries, now: NOW, within: 0, records: [] });
    expect(found.map(({ state }) => state).filter((state) => state === 'gone' || state === 'changed')).toEqual([]);
  });
});

describe('the monthly report', () => {
  const month = (records: QueryRecord[], name = '2026-11') => monthReport(name, aged().entries, records, NOW);
  const miss = (text: string, t = '2026-11-05T00:00:00.000Z') => at(t, { kind: 'query', phase: 'plan', text });

  it('lists what fell due, what waits, what nobody read, and what was asked in vain', () => {
    const report = month([
      at('2026-11-05T00:00:00.000Z', { hits: [hit('late'), hit('late')], found: true }),
      at('2026-09-15T00:00:00.000Z', { hits: [hit('fresh')], found: true }),
      miss('电子发票怎么红冲'),
      miss('怎么红冲电子发票'),
      miss('积分过期'),
      miss('积分过期', '2026-10-31T00:00:00.000Z'),
      at('2026-11-06T00:00:00.000Z', { kind: 'query', gate: false, text: 'add a button' }),
    ]);
    expect(report.waiting.map(({ id, uses }) => [id, uses])).toEqual([
      ['late', 1],
      ['later', 0],
    ]);
    expect(report.due).toEqual([]);
    expect(month([], '2026-07').due.map(({ id, due }) => [id, due])).toEqual([['late', '2026-07-02']]);
    expect(report.expired.map(({ id }) => id)).toEqual(['errors.md']);
    expect(report.neverReviewed.map(({ id }) => id)).toEqual(['never']);
    expect(report.unused.map(({ id }) => id)).not.toContain('fresh');
    expect(report.unused.map(({ id }) => id)).toContain('live');
    expect(report.misses.map(({ text, times }) => [text, times])).toEqual([
      ['电子发票怎么红冲', 2],
      ['积分过期', 1],
    ]);
    const text = monthText(report);
    expect(text).toContain('# 数据核心月报 2026-11');
    expect(text).toContain('先复核「词late」');
    expect(text).toContain('补上「电子发票怎么红冲」一类的内容：查了 2 次都没有');
  });

  it('says so when the log is empty, and calls nothing unused then', () => {
    const text = monthText(month([]));
    expect(text).toContain('查询日志是空的');
    expect(text).toMatch(/## 最近 90 天没有用到\n\n没有。/);
  });
});

describe('statistics', () => {
  it('counts queries, gate, hits, misses, tokens and latency', () => {
    const { core } = shop();
    const query = (more: Partial<QueryRecord>) =>
      at('2026-11-05T00:00:00.000Z', { kind: 'query', phase: 'plan', ...more });
    const records = [
      query({ hits: [hit('close_timeout', 'term', 40)], found: true, ms: 1 }),
      query({ ms: 3, text: '电子发票红冲' }),
      query({ gate: false, ms: 100 }),
      at('2026-11-05T00:00:01.000Z', {
        phase: 'plan',
        hits: [hit('close_timeout', 'term', 40), hit('add-channel', 'playbook', 60)],
        found: true,
      }),
      at('2026-11-06T00:00:01.000Z', { phase: 'execute', hits: [hit('close_timeout', 'term', 40)], found: true }),
      at('2026-11-07T00:00:00.000Z', { kind: 'lookup', text: '电子发票', ms: 2 }),
      at('2026-11-07T00:00:00.000Z', { kind: 'lookup', hits: [hit('errors.md', 'knowledge', 60)], found: true, ms: 4 }),
    ];
    const stats = statsOf(records, core.entries());
    expect(stats.queries).toEqual({
      total: 3,
      gateOpen: 2,
      gateClosed: 1,
      gateRate: 0.667,
      hits: 1,
      misses: 1,
      hitRate: 0.5,
    });
    expect(stats.lookups).toEqual({ total: 2, hits: 1, misses: 1, hitRate: 0.5 });
    expect(stats.phases).toEqual([
      { phase: 'plan', queries: 3, injections: 1, tokens: 100 },
      { phase: 'execute', queries: 0, injections: 1, tokens: 40 },
    ]);
    expect(stats.tokens).toBe(200);
    expect(stats.entries.map(({ id, uses, tokens, share }) => [id, uses, tokens, share])).toEqual([
      ['close_timeout', 2, 80, 0.4],
      ['add-channel', 1, 60, 0.3],
      ['errors.md', 1, 60, 0.3],
    ]);
    expect(stats.latency).toEqual({ count: 4, p50: 2, p95: 4 });
    expect(stats.missed[0]).toEqual({ word: '发票', times: 2 });
    expect(stats.neverHit.map(({ id }) => id)).toContain('hold');
    expect(stats.neverHit.map(({ id }) => id)).not.toContain('close_timeout');
  });

  it('an empty log has nothing to say', () => {
    expect(statsOf([], shop().core.entries())).toMatchObject({
      records: 0,
      tokens: 0,
      entries: [],
      latency: undefined,
      missed: [],
    });
  });

  it('a look-up of one block of a JSON file is a use of that block', () => {
    const blocks = JSON.stringify([
      { topic: '退款限制', content: '退款最多五十次，间隔一分钟。', source: 'https://example.com/1' },
      { topic: '对账单格式', content: '对账单第二天早上十点以后生成。', source: 'https://example.com/2' },
    ]);
    const { core } = shop({ '.xihe/knowledge/pay.json': blocks });
    const found = core.lookup('对账单第二天什么时候生成');
    const { entries } = statsOf([recordOfLookup(found, { text: '对账单' })], core.entries());
    expect(entries.map(({ id }) => id)).toEqual(['pay.json#2']);
  });
});
