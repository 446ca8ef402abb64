// `npm run -s bench:retrieve -- --data DIR --split S --json [--cache DIR] [--systems a,b] [--errors]`: questions → the passage that answers.
// `xihe` is what the product does by default; the others are its arms alone and peers, on the same questions in the same run.
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfig } from '../src/config.js';
import type { Chunk } from '../src/knowledge/index.js';
import {
  interval,
  placeOf,
  type Question,
  quantile,
  readChunks,
  readQuestions,
  SLICES,
  scoresOf,
} from './retrieve-data.js';
import { openSystem, SYSTEMS } from './retrieve-systems.js';

/** Hits that are asked for: the measures look at 20. */
const DEPTH = 20;
/** Questions that warm up code and caches before any is timed. */
const WARM_UP = 20;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    json: { type: 'boolean', default: false },
    cache: { type: 'string' },
    systems: { type: 'string', default: 'xihe,xihe-words,bm25-jieba' },
    errors: { type: 'boolean', default: false },
  },
});
const say = (text: string) => process.stderr.write(`${text}\n`);
if (values.data === undefined) {
  say('用法：npm run -s bench:retrieve -- --data DIR [--split dev] [--json] [--cache DIR] [--systems xihe,xihe-words]');
  say(`可选的系统：${Object.keys(SYSTEMS).join('、')}`);
  process.exit(2);
}
const cache = values.cache ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'xihe', 'bench');
mkdirSync(cache, { recursive: true });

interface Row {
  question: Question;
  place: number;
  first: string | undefined;
  ms: number;
}

async function measure(name: string, chunks: readonly Chunk[], questions: readonly Question[]) {
  const embedding = loadConfig(join(cache, 'no-layer')).embedding;
  const started = performance.now();
  const system = await openSystem(name, chunks, { cache, embedding, say });
  const buildS = (performance.now() - started) / 1000;
  for (const { query } of questions.slice(0, WARM_UP)) await system.search(query, DEPTH);
  const rows: Row[] = [];
  for (const question of questions) {
    const asked = performance.now();
    const ranked = await system.search(question.query, DEPTH);
    const ms = performance.now() - asked;
    rows.push({ question, place: placeOf(ranked, question.gold), first: ranked[0], ms });
  }
  await system.close?.();
  const slices = Object.entries(SLICES).map(([slice, isIn]) => {
    const places = rows.filter(({ question }) => isIn(question)).map(({ place }) => place);
    const reciprocal = places.map((place) => (place > 0 && place <= 10 ? 1 / place : 0));
    return [slice, { ...scoresOf(places), mrr_95: interval(reciprocal) }] as const;
  });
  const times = rows.map(({ ms }) => ms);
  const report = {
    ...Object.fromEntries(slices),
    p50_ms: quantile(times, 0.5),
    p95_ms: quantile(times, 0.95),
    build_s: Number(buildS.toFixed(2)),
    ...system.more?.(),
  };
  return { report, rows };
}

const chunks = await readChunks(values.data);
const questions = await readQuestions(values.data, values.split);
say(`${chunks.length} 段，${questions.length} 个问题（${values.split}）`);
const systems: Record<string, unknown> = {};
for (const name of values.systems.split(',').map((one) => one.trim())) {
  const { report, rows } = await measure(name, chunks, questions);
  systems[name] = report;
  const { main, keyword, trad } = report as unknown as Record<string, ReturnType<typeof scoresOf>>;
  say(
    `${name}: main Hit@1 ${main?.hit1} Hit@5 ${main?.hit5} MRR ${main?.mrr}；标识符 MRR ${keyword?.mrr}；繁体 MRR ${trad?.mrr}；p95 ${report.p95_ms} ms`,
  );
  if (values.errors)
    for (const { question, place, first } of rows)
      if (place !== 1) say(`  ${place === 0 ? '>20' : place}\t${question.slice}\t${question.query}\t${first}`);
}
if (values.json) process.stdout.write(`${JSON.stringify({ bench: 'retrieve', split: values.split, systems })}\n`);
process.exit(0);
