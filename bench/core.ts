// `npm run bench:core [-- --entries N --data DIR --split S --json]`: the data core on a large layer, beside MiniSearch on the
// same entries in the same run; hot reload; and the trigger gate on real utterances when `--data` names a folder with them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import MiniSearch from 'minisearch';
import { segment } from '../src/text/index.js';
import { type CoreQuery, openZhCore, type ZhCore } from '../src/zhcore/index.js';
import { sharesOf, writeLayer } from './core-corpus.js';

/** Files saved at once for the reload. */
const SAVED = 1000;
/** How often the requests are asked, after one round that warms up; each time with another cache key. */
const ROUNDS = 3;

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '10000' },
    data: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    json: { type: 'boolean', default: false },
    // Every bench takes it; nothing here is worth keeping between runs.
    cache: { type: 'string' },
  },
});
const entries = Number(values.entries);
const say = (text: string) => process.stderr.write(`${text}\n`);
const dir = mkdtempSync(join(tmpdir(), 'xihe-bench-core-'));

const quantile = (list: readonly number[], q: number) =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length * q)] ?? 0;
const round = (n: number, digits = 2) => Number(n.toFixed(digits));
const heapMB = () => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
};
const query = (userIntent: string): CoreQuery => ({ userIntent, codeSymbols: [], taskType: 'general' });

function timed<T>(task: () => T): [T, number] {
  const started = performance.now();
  const result = task();
  return [result, performance.now() - started];
}

/** Time of each request, asked as if for the first time. */
function latencies(requests: readonly string[], ask: (request: string, round: number) => unknown) {
  const times: number[] = [];
  for (let n = 0; n <= ROUNDS; n++) {
    for (const request of requests) {
      const [, ms] = timed(() => ask(request, n));
      if (n > 0) times.push(ms);
    }
  }
  return {
    p50_ms: round(quantile(times, 0.5), 3),
    p95_ms: round(quantile(times, 0.95), 3),
    max_ms: round(Math.max(...times), 2),
  };
}

function benchXihe(requests: readonly string[]): { core: ZhCore; row: Record<string, number> } {
  const before = heapMB();
  const [core, open] = timed(() => openZhCore({ projectDir: dir }));
  const [, first] = timed(() => core.query(query(requests[0] as string)));
  // A space more is another key to the cache and the same request to the core.
  const asked = latencies(requests, (request, n) => core.query(query(request + ' '.repeat(n))));
  const again = latencies(requests.slice(0, 100), (request) => core.query(query(request)));
  const row = {
    open_ms: round(open, 0),
    first_query_ms: round(first, 0),
    ...asked,
    cached_p50_ms: again.p50_ms,
    heap_mb: round(heapMB() - before, 0),
  };
  return { core, row };
}

/** The peer: one index over the same texts, cut by the same cutter, with the settings that its documentation proposes. */
function benchMiniSearch(requests: readonly string[]): Record<string, number> {
  const before = heapMB();
  const core = openZhCore({ projectDir: dir });
  const [index, open] = timed(() => {
    const mini = new MiniSearch({ fields: ['text'], tokenize: (text) => segment(text) });
    mini.addAll(textsOf(core).map((text, id) => ({ id, text })));
    return mini;
  });
  const asked = latencies(requests, (request) => index.search(request).slice(0, 20));
  return { open_ms: round(open, 0), ...asked, heap_mb: round(heapMB() - before, 0) };
}

function textsOf(core: ZhCore): string[] {
  return core.entries().map(({ type, entry }) => {
    switch (type) {
      case 'term':
        return [entry.keyword_ch, ...entry.aliases, ...entry.code_symbols, entry.note].join(' ');
      case 'warning':
        return [entry.danger, ...entry.when.keywords, ...entry.when.symbols].join(' ');
      case 'playbook':
        return entry.trigger_keywords.join(' ');
      default:
        return `${entry.title} ${entry.body}`;
    }
  });
}

/** From the first of a thousand saves until all are in force. */
async function benchReload(core: ZhCore): Promise<Record<string, number>> {
  let reloads = 0;
  let settled: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    settled = resolve;
  });
  const wanted = core.counts().terms + SAVED;
  const watching = await core.watch({
    onReload: () => {
      reloads += 1;
      if (core.counts().terms === wanted) settled();
    },
  });
  const started = performance.now();
  for (let i = 0; i < SAVED; i++)
    writeFileSync(
      join(dir, `knowledge/terms/new${i}.yaml`),
      `- id: n${i}\n  keyword_ch: 新词${i}\n  code_symbols: [newWord${i}]\n`,
    );
  const saved = performance.now() - started;
  await done;
  const total = performance.now() - started;
  core.query(query('新词5'));
  const withQuery = performance.now() - started;
  await watching.close();
  return {
    files: SAVED,
    writing_ms: round(saved, 0),
    settled_ms: round(total, 0),
    first_answer_ms: round(withQuery, 0),
    reloads,
  };
}

interface Utterance {
  text: string;
  route: string;
  split: string;
}

/** How often the gate opens, and what a query then brings, by the kind of utterance. General layer only: no project is known. */
function gateOn(data: string): Record<string, unknown> {
  const lines = readFileSync(join(data, `${values.split}.jsonl`), 'utf8')
    .split('\n')
    .filter(Boolean);
  const core = openZhCore();
  const byRoute: Record<string, { n: number; asked: number; hit: number; tokens: number }> = {};
  for (const { text, route } of lines.map((line) => JSON.parse(line) as Utterance)) {
    const result = core.query(query(text));
    const hits = [result.terms, result.knowledge, result.playbooks, result.warnings].flat();
    for (const key of ['all', route]) {
      byRoute[key] ??= { n: 0, asked: 0, hit: 0, tokens: 0 };
      const row = byRoute[key] as { n: number; asked: number; hit: number; tokens: number };
      row.n += 1;
      row.asked += Number(result.gate.asked);
      row.hit += Number(hits.length > 0);
      row.tokens += hits.reduce((sum, hit) => sum + hit.tokens, 0);
    }
  }
  return Object.fromEntries(
    Object.entries(byRoute).map(([key, { n, asked, hit, tokens }]) => [
      key,
      { n, gate: round(asked / n, 3), hit: round(hit / n, 3), tokens_per_query: round(tokens / n, 0) },
    ]),
  );
}

try {
  say(`正在生成 ${entries} 条…`);
  const requests = writeLayer(dir, entries);
  say('正在查询…');
  const { core, row } = benchXihe(requests);
  say('正在用 MiniSearch 查询…');
  const peer = benchMiniSearch(requests);
  say('正在一次存 1,000 个文件…');
  const reload = await benchReload(core);
  const result = {
    bench: 'core',
    node: process.versions.node,
    entries: sharesOf(entries),
    requests: requests.length,
    systems: { xihe: row, minisearch: peer },
    p95_ratio: round((row.p95_ms as number) / (peer.p95_ms as number)),
    reload,
    ...(values.data ? { split: values.split, gate: gateOn(values.data) } : {}),
  };
  process.stdout.write(`${JSON.stringify(result, null, values.json ? undefined : 2)}\n`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
