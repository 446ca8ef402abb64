// One engine at one size, in a process of its own, so that memory is its own: `tsx bench/scale-engine.ts ENGINE COUNT CORPUS.json`.
// Prints one line of JSON. Engines get tokens, not texts, and keep no texts.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, insert, search as oramaSearch, save } from '@orama/orama';
import MiniSearch from 'minisearch';
import { VectorIndex } from '../src/embed/index.js';
import { ExactIndex } from '../src/knowledge/exact.js';
import type { KnowledgeDocument } from '../src/knowledge/index.js';
import { writeAtomic } from '../src/stateFile.js';
import { Bm25Index } from '../src/text/index.js';
import { type BenchQuery, type Corpus, chunksOf, generator, queriesOf } from './scale-corpus.js';

const [engineName = '', countText = '0', corpusFile = ''] = process.argv.slice(2);
const count = Number(countText);
const corpus = JSON.parse(readFileSync(corpusFile, 'utf8')) as Corpus;

const K = 10;
const ROUNDS = 5;
const WARM_UP = 100;
const BOOST = { body: 1, heading: 1.5, keywords: 1.5 };
const FIELDS = ['body', 'heading', 'keywords'] as const;
const DIMENSION = 384;
/** Slow engines are asked for this long, in milliseconds, but so many queries at least. */
const QUERY_BUDGET_MS = 60_000;
const LEAST = 30;

type Row = Record<string, number | string | null>;
const round = (n: number, digits = 3) => Number(n.toFixed(digits));
const quantile = (list: readonly number[], q: number) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))] ?? 0;
const rss = () => {
  globalThis.gc?.();
  return process.memoryUsage.rss() / 1e6;
};

/** CPU time that an index may take to be made, in milliseconds; beyond it the table says so. */
const BUILD_LIMIT_MS = 10 * 60_000;

/** CPU time of this process so far, in milliseconds: other work on the machine does not count. */
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * Times of queries, after some that warm up: p50 and p95 of the CPU time of each, and p95 by the clock of the best time of each
 * query, as other work on the machine interrupts one in twenty and more.
 */
async function latencies(ask: (query: BenchQuery) => unknown, queries = queriesOf(corpus)) {
  const started = performance.now();
  const spent = () => performance.now() - started;
  for (const query of queries.slice(0, WARM_UP)) if (spent() < QUERY_BUDGET_MS / 4) await ask(query);
  const best = new Map<BenchQuery, number>();
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n++)
    for (const query of queries) {
      if (spent() > QUERY_BUDGET_MS && times.length >= LEAST) break;
      const [before, at] = [cpu(), performance.now()];
      await ask(query);
      const ms = performance.now() - at;
      times.push(cpu() - before);
      best.set(query, Math.min(ms, best.get(query) ?? ms));
    }
  return {
    p50: round(quantile(times, 0.5)),
    p95: round(quantile(times, 0.95)),
    clock: round(quantile([...best.values()], 0.95)),
  };
}

/** The chunks, as long as there is time. */
function* chunksInTime() {
  let left = 0;
  for (const chunk of chunksOf(corpus, count)) {
    if (left-- === 0) {
      if (cpu() > BUILD_LIMIT_MS) throw new OverLimit();
      left = 1000;
    }
    yield chunk;
  }
}

class OverLimit extends Error {}

async function built<T>(build: () => T | Promise<T>): Promise<[T, Row]> {
  const before = rss();
  const started = cpu();
  const value = await build();
  const build_s = round((cpu() - started) / 1000, 1);
  const peak_mb = round((process.resourceUsage().maxRSS * 1024) / 1e6, 0);
  return [value, { build_s, rss_mb: round(rss(), 0), peak_mb, before_mb: round(before, 0) }];
}

const timesOf = ({ p50, p95, clock }: { p50: number; p95: number; clock: number }): Row => ({
  p50_ms: p50,
  p95_ms: p95,
  clock_p95_ms: clock,
});

async function xihe(): Promise<Row> {
  const [index, row] = await built(() => {
    const made = new Bm25Index<number>({ fields: BOOST });
    let i = 0;
    for (const { body, heading, keywords } of chunksOf(corpus, count)) made.add(i++, { body, heading, keywords });
    return made.finish();
  });
  const plain = await latencies(({ tokens }) => index.search(tokens, K));
  const more = {
    expanded_p95_ms: (await latencies(({ expanded }) => index.search(expanded, K))).p95,
    filtered_p95_ms: (await latencies(({ tokens }) => index.search(tokens, K, (id) => id % 10 === 0))).p95,
    scores_p95_ms: (await latencies(({ expanded }) => index.scores(expanded).max)).p95,
  };
  const dir = mkdtempSync(join(tmpdir(), 'xihe-bench-scale-'));
  try {
    const file = join(dir, 'index.bin');
    writeAtomic(file, index.toPieces());
    const before = performance.now();
    Bm25Index.fromBytes(readFileSync(file));
    const load_ms = round(performance.now() - before, 0);
    const disk_mb = round(statSync(file).size / 1e6, 1);
    return { ...row, ...timesOf(plain), ...more, disk_mb, load_ms };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** What the peers' tokenizers give back: the tokens of the chunk or query at hand. */
let current: Record<string, string[]> = {};

async function minisearch(): Promise<Row> {
  const [index, row] = await built(() => {
    const made = new MiniSearch({
      fields: [...FIELDS],
      extractField: (doc: { id: number }, name) => (name === 'id' ? String(doc.id) : name),
      tokenize: (_text, name) => current[name ?? 'query'] as string[],
      processTerm: (term) => term,
      searchOptions: { boost: BOOST },
    });
    let id = 0;
    for (const chunk of chunksInTime()) {
      current = chunk as unknown as Record<string, string[]>;
      made.add({ id: id++ });
    }
    return made;
  });
  const times = await latencies(({ tokens }) => {
    current = { query: tokens };
    return index.search('query').slice(0, K);
  });
  return withSize({ ...row, ...timesOf(times) }, () => JSON.stringify(index));
}

async function orama(): Promise<Row> {
  // Orama finds whatever begins with a token; a mark at its end makes it the whole word, as for the others.
  const whole = (tokens: readonly string[]) => tokens.map((token) => `${token}\u0001`);
  const tokenize = (raw: string) => whole(current[raw] ?? []);
  const [index, row] = await built(async () => {
    const made = create({
      schema: { body: 'string', heading: 'string', keywords: 'string' } as const,
      sort: { enabled: false },
      components: { tokenizer: { language: 'english', normalizationCache: new Map(), tokenize } },
    });
    for (const chunk of chunksInTime()) {
      current = chunk as unknown as Record<string, string[]>;
      await insert(made, { body: 'body', heading: 'heading', keywords: 'keywords' });
    }
    return made;
  });
  const times = await latencies(async ({ tokens }) => {
    current = { query: tokens };
    await oramaSearch(index, { term: 'query', limit: K, boost: BOOST });
  });
  return withSize({ ...row, ...timesOf(times) }, () => JSON.stringify(save(index)));
}

/** Adds the size of what would be written: nothing where a string can't hold it. Told before, as making it may take all memory. */
function withSize(row: Row, json: () => string): Row {
  process.stdout.write(`${JSON.stringify({ ...row, disk_mb: null })}\n`);
  try {
    return { ...row, disk_mb: round(Buffer.byteLength(json()) / 1e6, 1) };
  } catch {
    return { ...row, disk_mb: null };
  }
}

async function vectors(): Promise<Row> {
  const random = generator(3);
  const unit = () => Float32Array.from({ length: DIMENSION }, () => random.next() - 0.5);
  const [index, row] = await built(() => {
    const made = new VectorIndex({ embedderId: 'bench', dimension: DIMENSION });
    for (let i = 0; i < count; i++) made.add(String(i), unit());
    return made;
  });
  const asked = new Map(queriesOf(corpus).map((query) => [query.tokens.join(' '), unit()]));
  const times = await latencies(({ tokens }) =>
    index.search(asked.get(tokens.join(' ')) as Float32Array, { limit: K }),
  );
  return { ...row, ...timesOf(times), disk_mb: round(index.toBytes().length / 1e6, 1) };
}

/** L0: documents of five keywords each; a third of the requests names one, the others go on to the summaries. */
async function exact(): Promise<Row> {
  const random = generator(4);
  const words = corpus.flat(2).filter((token) => /^\p{Script=Han}{2,4}$/u.test(token));
  const phrase = () => random.pick(words) + random.pick(words);
  const documents = Array.from({ length: count }, (_, i) => ({
    id: `d${i}.md`,
    title: `${phrase()}${random.pick(words)}`,
    keywords: [phrase(), phrase(), phrase(), `ERR_${i}`, `svc${i}.handle`],
    summary: `${phrase()}${phrase()}${phrase()}${phrase()}`,
    provenance: { layer: 'project' },
  })) as unknown as KnowledgeDocument[];
  const [index, row] = await built(() => new ExactIndex(documents));
  const requests = Array.from({ length: 300 }, (_, i) =>
    i % 3 === 0
      ? `给${random.pick(documents).keywords[i % 5]}加一次重试，失败以后怎么处理`
      : i % 3 === 1
        ? `${phrase()}以后状态不对，帮我看一下为什么${phrase()}`
        : `${random.pick(documents).summary.slice(0, 14)}怎么做`,
  );
  const queries = requests.map((request) => ({ tokens: [request], expanded: [] }));
  const first = performance.now();
  index.find('先问一次没有关键词的问题，建摘要的索引');
  const first_ms = round(performance.now() - first, 0);
  const times = await latencies(({ tokens }) => index.find(tokens[0] as string), queries);
  return { ...row, ...timesOf(times), first_ms, disk_mb: null };
}

const engines: Record<string, () => Promise<Row>> = { xihe, minisearch, orama, vectors, exact };
const engine = engines[engineName];
if (engine === undefined) throw new Error(`no engine ${engineName}`);
try {
  process.stdout.write(`${JSON.stringify(await engine())}\n`);
} catch (e) {
  if (!(e instanceof OverLimit)) throw e;
  process.stdout.write(`${JSON.stringify({ failed: `> ${BUILD_LIMIT_MS / 60_000} min` })}\n`);
}
