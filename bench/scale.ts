// `npm run bench:scale [-- --counts 20000,200000 --data DIR --engines xihe,minisearch --json]`: build time, memory, bytes on disk and
// answer times of the lexical index beside MiniSearch and Orama on the same tokens, of the vector index, and of L0.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assetPath } from '../src/assets.js';
import { chunksOf, readCorpus } from './scale-corpus.js';

/** What a peer may take; beyond it the table says so. By the clock, for one that hangs: CPU time is counted by the engine. */
const LIMIT_MINUTES = 60;
const LIMIT_MB = 4096;

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '20000,200000' },
    engines: { type: 'string', default: 'xihe,minisearch,orama,vectors,exact' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
    // Every bench takes it; nothing here is worth keeping between runs.
    cache: { type: 'string' },
  },
});

type Row = Record<string, number | string | null>;
const say = (text: string) => process.stderr.write(`${text}\n`);
const load = () => Number((loadavg()[0] ?? 0).toFixed(1));
const dir = mkdtempSync(join(tmpdir(), 'xihe-bench-scale-'));

function run(engine: string, count: number, corpus: string): Row {
  say(`${engine}，${count} 段…`);
  const args = ['--expose-gc', `--max-old-space-size=${LIMIT_MB}`, '--import', 'tsx', 'bench/scale-engine.ts'];
  const child = spawnSync(process.execPath, [...args, engine, String(count), corpus], {
    cwd: assetPath(),
    encoding: 'utf8',
    timeout: LIMIT_MINUTES * 60_000,
    maxBuffer: 1 << 24,
  });
  const row: Row = { engine, chunks: count, load: load() };
  const told = child.stdout.trim().split('\n').at(-1) ?? '';
  if (told.endsWith('}')) return { ...row, ...(JSON.parse(told) as Row) };
  if (child.error !== undefined && 'code' in child.error && child.error.code === 'ETIMEDOUT')
    return { ...row, failed: `> ${LIMIT_MINUTES} min` };
  if (/heap out of memory|allocation failed/i.test(child.stderr)) return { ...row, failed: `> ${LIMIT_MB / 1024} GB` };
  throw new Error(child.stderr.slice(-2000));
}

function table(rows: readonly Row[]): string {
  const head = [
    '索引',
    '段数',
    '建立 CPU s',
    '内存 MB',
    '最高 MB',
    '磁盘 MB',
    'p50 CPU ms',
    'p95 CPU ms',
    'p95 ÷ 羲和',
    'p95 按钟 ms',
    '负载',
  ];
  const lines = rows.map((row) => {
    const own = rows.find(({ engine, chunks }) => engine === 'xihe' && chunks === row.chunks);
    const cells = [row.engine, row.chunks];
    if (row.failed !== undefined) return [...cells, row.failed, '—', '—', '—', '—', '—', '—', '—', row.load];
    const ratio = own?.p95_ms ? (Number(row.p95_ms) / Number(own.p95_ms)).toFixed(1) : '—';
    return [
      ...cells,
      row.build_s,
      row.rss_mb,
      row.peak_mb,
      row.disk_mb ?? '—',
      row.p50_ms,
      row.p95_ms,
      ratio,
      row.clock_p95_ms,
      row.load,
    ];
  });
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

try {
  const corpus = readCorpus(values.data ?? assetPath('knowledge'));
  const file = join(dir, 'corpus.json');
  writeFileSync(file, JSON.stringify(corpus));
  const [first] = chunksOf(corpus, 1);
  if (first === undefined) throw new Error('这个文件夹里没有够长的 Markdown 文档');
  const counts = values.counts.split(',').map(Number);
  const rows = counts.flatMap((count) =>
    values.engines
      .split(',')
      // L0 is measured at the size that was asked for: 20,000 documents.
      .filter((engine) => engine !== 'exact' || count === Math.min(...counts))
      .map((engine) => run(engine, count, file)),
  );
  const result = { bench: 'scale', node: process.versions.node, documents: corpus.length, rows };
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${table(rows)}\n\n${details(rows)}\n`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

/** What only some engines have. */
function details(rows: readonly Row[]): string {
  const shown = new Set([
    'engine',
    'chunks',
    'load',
    'build_s',
    'rss_mb',
    'peak_mb',
    'disk_mb',
    'p50_ms',
    'p95_ms',
    'clock_p95_ms',
    'failed',
  ]);
  return rows
    .map((row) => [row, Object.entries(row).filter(([name]) => !shown.has(name))] as const)
    .filter(([, more]) => more.length > 0)
    .map(([row, more]) => `${row.engine} ${row.chunks}: ${more.map(([name, value]) => `${name} ${value}`).join(', ')}`)
    .join('\n');
}
