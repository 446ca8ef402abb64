// `npm run -s bench:refusal -- --data DIR [--split dev] [--cache DIR]`: how well answers are told from passages that only come
// near. Each question is asked twice of corpora of several sizes, with its passage in it and without, beside what ships.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assetPath, packageRoot } from '../src/assets.js';
import { loadConfig } from '../src/config.js';
import { openEmbedder, withCache } from '../src/embed/index.js';
import { aboveBar, COVERAGE_MIN } from '../src/knowledge/answering.js';
import { ChunkSearch, type SearchHit } from '../src/knowledge/chunkSearch.js';
import { type Chunk, loadKnowledge, readyVectorsFile } from '../src/knowledge/index.js';
import { LocalMeaning, placesOf } from '../src/knowledge/localMeaning.js';
import { openStock, rowsOf } from '../src/knowledge/vectorStock.js';
import { foldKeepingCase } from '../src/text/index.js';
import { readChunks, readQuestions } from './retrieve-data.js';

/** Small corpora have an index of their own for each question, so only every third is asked. */
const EVERY = 3;

/** How far the bar is moved for the curve; 0 is the product. */
const STEPS = { both: [-0.02, -0.01, 0, 0.01, 0.02], words: [-0.1, -0.05, 0, 0.05, 0.1] } as const;

const SIZES = [30, 120, 400, Number.POSITIVE_INFINITY];

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    cache: { type: 'string' },
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
const needsOf = new Map(all.map((chunk, i) => [chunk, stock.needs[i]!]));

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
  const at = placesOf(
    chunks,
    rowsOf(
      stock.index,
      chunks.map((chunk) => needsOf.get(chunk)!),
    ),
    stock.index,
  );
  const filter = (chunk: Chunk) => chunk.provenance.layer === 'project' && !gold.includes(chunk);
  const { query } = questions[i]!;
  return [new LocalMeaning(stock.index, at, vectors[i]!), undefined].map((meaning) =>
    search.search(query, 3, { meaning, filter }),
  );
}

/** How far the best hit stands above the bar, and whether it is right; `-Infinity` where words hold too little of the question. */
function outcome(hits: SearchHit[], size: number, gold: readonly Chunk[]): { right: boolean; above: number } {
  const [hit, next] = hits;
  if (hit === undefined) return { right: false, above: Number.NEGATIVE_INFINITY };
  const covered = hit.decidedBy === 'both' || hit.coverage >= COVERAGE_MIN;
  const above = covered ? aboveBar(hit, next, size) : Number.NEGATIVE_INFINITY;
  return { right: gold.includes(hit.chunk), above };
}

const share = (list: readonly unknown[], of: readonly unknown[]) =>
  Math.round((100 * list.length) / Math.max(1, of.length));
const out: string[] = [];
for (const size of SIZES) {
  const whole = size >= passages.length ? new ChunkSearch(all, undefined) : undefined;
  const asked: Record<
    'both' | 'words',
    { present: ReturnType<typeof outcome>[]; absent: ReturnType<typeof outcome>[] }
  > = {
    both: { present: [], absent: [] },
    words: { present: [], absent: [] },
  };
  for (let i = 0; i < questions.length; i += whole ? 1 : EVERY) {
    const gold = passages.filter(({ id }) => questions[i]!.gold.includes(id));
    const others = sample(size, i + 1).filter((chunk) => !gold.includes(chunk));
    const withGold = whole ? all : [...general, ...gold, ...others];
    const without = whole ? all : [...general, ...others];
    const own = withGold.length - general.length;
    const present = ask(whole ?? new ChunkSearch(withGold, undefined), withGold, i);
    const absent = ask(whole ?? new ChunkSearch(without, undefined), without, i, gold);
    for (const [arm, name] of (['both', 'words'] as const).entries()) {
      asked[name].present.push(outcome(present[arm]!, own, gold));
      asked[name].absent.push(outcome(absent[arm]!, own, gold));
    }
  }
  for (const [name, { present, absent }] of Object.entries(asked)) {
    const right = present.filter((one) => one.right);
    const curve = STEPS[name as 'both' | 'words'].map((step) => {
      const kept = share(
        right.filter(({ above }) => above >= step),
        right,
      );
      const refused = share(
        absent.filter(({ above }) => above < step),
        absent,
      );
      return `${kept} / ${refused}`;
    });
    const passagesOf = whole ? passages.length : size;
    out.push(`| ${passagesOf} | ${name} | ${right.length} of ${present.length} | ${curve.join(' | ')} |`);
    process.stderr.write(`${out.at(-1)}\n`);
  }
}
const head = (name: 'both' | 'words') => STEPS[name].map((step) => (step > 0 ? `+${step}` : step)).join(', ');
process.stdout.write(
  `kept % of the right ones / refused % of those without an answer; the bar moved by ${head('both')} (words: ${head('words')})\n${out.join('\n')}\n`,
);
process.exit(0);
