// `npm run -s bench:refusal -- --data DIR [--split dev] [--cache DIR] [--words]`: how well answers are told from passages that only come
// near. Each question is asked twice of corpora of several sizes, with its passage in it and without, beside what ships.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assetPath, packageRoot } from '../src/assets.js';
import { loadConfig } from '../src/config.js';
import { openEmbedder, withCache } from '../src/embed/index.js';
import { ChunkSearch, type SearchHit } from '../src/knowledge/chunkSearch.js';
import { type Chunk, loadKnowledge, readyVectorsFile } from '../src/knowledge/index.js';
import { LocalMeaning, placesOf } from '../src/knowledge/localMeaning.js';
import { openStock } from '../src/knowledge/vectorStock.js';
import { foldKeepingCase } from '../src/text/index.js';
import { readChunks, readQuestions } from './retrieve-data.js';

/** Small corpora have an index of their own for each question, so only every third is asked. */
const EVERY = 3;

const SIZES = [30, 120, 400, Number.POSITIVE_INFINITY];

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    cache: { type: 'string' },
    dump: { type: 'boolean', default: false },
  },
});
if (values.data === undefined) throw new Error('--data DIR');
const cacheDir = values.cache ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'xihe', 'bench');
const general = loadKnowledge(assetPath('knowledge'), 'general').chunks;
const passages = await readChunks(values.data);
const questions = (await readQuestions(values.data, values.split)).filter(({ slice }) => slice === 'main');

const plain = (await openEmbedder(loadConfig(join(cacheDir, 'no-layer')).embedding))!;
const { stock, cache } = openStock(plain, join(cacheDir, 'vectors'), readyVectorsFile(packageRoot()));
const embedder = withCache(plain, cache!);
const all = [...general, ...passages];
stock.take(all);
const missing = stock.missing();
process.stderr.write(`${missing.length} 段文字还没有向量\n`);
await embedder.embed(
  missing.map(({ text }) => text),
  { kind: 'passage', onVector: (i, vector) => stock.index.add(missing[i]!.hash, vector) },
);
const vectors = await embedder.embed(
  questions.map(({ query }) => foldKeepingCase(query)),
  { kind: 'query' },
);
const rows = stock.rows();
const rowOf = new Map(all.map((chunk, i) => [chunk, i]));

/** Numbers that are the same in every run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function sample(size: number, seed: number): Chunk[] {
  if (size >= passages.length) return passages;
  const random = randomOf(seed);
  const chosen = new Set<Chunk>();
  while (chosen.size < size) chosen.add(passages[Math.floor(random() * passages.length)]!);
  return [...chosen];
}

/** What comes first by both arms, and by words alone. */
function ask(search: ChunkSearch, chunks: readonly Chunk[], i: number, gold: readonly Chunk[] = []): SearchHit[][] {
  const places = chunks.map((chunk) => rowOf.get(chunk)!);
  const at = placesOf(
    chunks,
    {
      whole: Int32Array.from(places, (place) => rows.whole[place]!),
      lead: Int32Array.from(places, (place) => rows.lead[place]!),
    },
    stock.index,
  );
  const filter = (chunk: Chunk) => chunk.provenance.layer === 'project' && !gold.includes(chunk);
  const { query } = questions[i]!;
  return [new LocalMeaning(stock.index, at, vectors[i]!), undefined].map((meaning) =>
    search.search(query, 3, { meaning, filter }),
  );
}

const dumped: unknown[] = [];
for (const size of SIZES) {
  const whole = size >= passages.length ? new ChunkSearch(all, undefined) : undefined;
  const count = { right: 0, asked: 0 };
  for (let i = 0; i < questions.length; i += whole ? 1 : EVERY) {
    const gold = passages.filter(({ id }) => questions[i]!.gold.includes(id));
    const others = sample(size, i + 1).filter((chunk) => !gold.includes(chunk));
    const withGold = whole ? all : [...general, ...gold, ...others];
    const without = whole ? all : [...general, ...others];
    const present = ask(whole ?? new ChunkSearch(withGold, undefined), withGold, i);
    const absent = ask(whole ?? new ChunkSearch(without, undefined), without, i, gold);
    for (const [arm, name] of ['both', 'words'].entries())
      for (const [kind, hits] of [
        ['present', present[arm]!],
        ['absent', absent[arm]!],
      ] as const) {
        const right = kind === 'present' && hits[0] !== undefined && gold.includes(hits[0].chunk);
        if (arm === 0 && kind === 'present') count.asked++;
        if (arm === 0 && right) count.right++;
        const figures = hits.map(({ closeness, score, coverage, matched, raw }) => ({
          closeness,
          score,
          coverage,
          raw,
          matched: matched.length,
        }));
        dumped.push({
          size: Number.isFinite(size) ? size : 0,
          arm: name,
          kind,
          right,
          q: questions[i]!.query,
          hits: figures,
        });
      }
  }
  process.stderr.write(`${size}: ${count.right}/${count.asked} right\n`);
}
process.stdout.write(JSON.stringify(dumped));
process.exit(0);
