// `npm run bench:milvus [-- --rows N --queries N --json]`: the index on a Milvus server (milvus-lite on this machine) beside the one in
// memory: the same rows, the same queries in turn, so that a slow minute falls on both.
import { parseArgs } from 'node:util';
import { type ChunkIndex, type IndexRow, LocalIndex, openMilvusIndex } from '../src/knowledge/index.js';
import { loadSdk } from '../src/knowledge/milvus/sdk.js';
import { random, randomVector } from '../test/embed/support.js';
import { startMilvus } from '../test/support/milvus.js';

/** Dimension of the embedded model; words of a chunk and of a question, and the size of a project's vocabulary, as counted on real ones. */
const [DIMENSION, CHUNK_WORDS, QUERY_WORDS, VOCABULARY] = [384, 150, 6, 30_000];
const LIMIT = 10;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '6000' },
    queries: { type: 'string', default: '200' },
    json: { type: 'boolean', default: false },
  },
});

const next = random(11);
/** Zipf: the n-th word is about 1/n as frequent as the first. */
const word = () => `词${Math.floor(VOCABULARY ** next())}`;
const words = (count: number) => Array.from({ length: count }, word);
const rows: IndexRow[] = Array.from({ length: Number(values.rows) }, (_, n) => ({
  id: `docs/${n >> 3}.md#${n & 7}`,
  hash: String(n),
  vector: randomVector(next, DIMENSION),
  // Of many lengths: rows of one length tie in BM25, and servers order ties as they like.
  tokens: words(Math.round(CHUNK_WORDS * (0.5 + next()))),
  layer: 'project',
  status: 'verified',
  module: ['order', 'refund', 'payment'][n % 3]!,
}));
const queries = Array.from({ length: Number(values.queries) }, () => ({
  vector: randomVector(next, DIMENSION),
  tokens: words(QUERY_WORDS),
}));

const searches = {
  dense: (index: ChunkIndex, n: number) => index.dense(queries[n]!.vector, LIMIT),
  lexical: (index: ChunkIndex, n: number) => index.lexical(queries[n]!.tokens, LIMIT),
  hybrid: (index: ChunkIndex, n: number) => index.hybrid(queries[n]!.vector, queries[n]!.tokens, LIMIT),
  'hybrid, one module': (index: ChunkIndex, n: number) =>
    index.hybrid(queries[n]!.vector, queries[n]!.tokens, LIMIT, { modules: ['order'] }),
};

async function timed<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const from = performance.now();
  const result = await work();
  return [performance.now() - from, result];
}

const share = (list: number[], p: number) =>
  Number([...list].sort((a, b) => a - b)[Math.floor(list.length * p)]!.toFixed(1));

const server = await startMilvus();
if (server === undefined) process.exit(1);
const [sdkMs] = await timed(loadSdk);
const options = { project: 'bench', embedderId: 'bench', dimension: DIMENSION, timeoutMs: 30_000 };
const [openMs, milvus] = await timed(() => openMilvusIndex({ ...options, address: server.address }));
// Exact vectors on both sides, so that `same` tells of the servers and not of 8 bits.
const indexes: Record<string, ChunkIndex> = { local: new LocalIndex({ ...options, encoding: 'float32' }), milvus };
const byId = new Map(rows.map((row) => [row.id, row]));
const source = {
  hashes: new Map(rows.map(({ id, hash }) => [id, hash])),
  rows: async (ids: readonly string[]) => ids.map((id) => byId.get(id)!),
};
const fill: Record<string, number> = {};
for (const [name, index] of Object.entries(indexes)) [fill[name]] = await timed(() => index.rebuild(source));
const [againMs, again] = await timed(() => openMilvusIndex({ ...options, address: server.address }));
await again.close();
const [hashesMs] = await timed(() => milvus.hashes());

const table: Record<string, unknown>[] = [];
for (const [name, search] of Object.entries(searches)) {
  const times: Record<string, number[]> = { local: [], milvus: [] };
  let same = 0;
  for (let n = 0; n < queries.length; n++) {
    const found: string[] = [];
    for (const [kind, index] of Object.entries(indexes)) {
      const [ms, hits] = await timed(() => search(index, n));
      // The first ones pay for what is made on first use.
      if (n > 2) times[kind]!.push(ms);
      found.push(hits.map(({ id }) => id).join());
    }
    if (found[0] === found[1]) same++;
  }
  const row = { search: name, same: Number((same / queries.length).toFixed(3)) };
  const spread = (kind: string) => ({
    [`${kind} p50`]: share(times[kind]!, 0.5),
    [`${kind} p95`]: share(times[kind]!, 0.95),
  });
  table.push({ ...row, ...spread('local'), ...spread('milvus') });
}

const seconds = (ms: number) => Number((ms / 1000).toFixed(1));
const result = {
  bench: 'milvus',
  node: process.versions.node,
  rows: rows.length,
  queries: queries.length,
  sdkSeconds: seconds(sdkMs),
  openSeconds: seconds(openMs),
  openAgainSeconds: seconds(againMs),
  fillSeconds: Object.fromEntries(Object.entries(fill).map(([name, ms]) => [name, seconds(ms)])),
  hashesSeconds: seconds(hashesMs),
  searchesMs: table,
};
await milvus.close();
await server.close();
if (values.json) console.log(JSON.stringify(result, null, 2));
else {
  const { searchesMs, ...head } = result;
  console.log(head);
  console.table(searchesMs);
}
