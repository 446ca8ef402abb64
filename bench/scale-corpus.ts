// Chunks of any number, made of the sentences of real documents: each takes the sentences of one or two of them, and the names of
// some code that only it speaks of, so that common words are common, and most words are rare, as in a large base.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentWords } from '../src/text/index.js';

/** The tokens of a sentence. */
export type Sentence = string[];

/** Sentences by document. */
export type Corpus = Sentence[][];

export interface BenchChunk {
  body: string[];
  heading: string[];
  keywords: string[];
}

export interface BenchQuery {
  /** 5–12 tokens that stand together in a chunk. */
  tokens: string[];
  /** 24 more, as the lexicon would add them. */
  expanded: { token: string; weight: number }[];
}

const QUERIES = 300;
const EXPANSION = { tokens: 24, weight: 0.3 };
const [SHORTEST, LONGEST] = [5, 12];
/** Sentences of a chunk: about 500 characters, as chunks are. */
const SENTENCES = { least: 8, more: 8 };

/** A small generator with a seed (mulberry32). */
export function generator(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { next, below, pick: <T>(list: readonly T[]): T => list[below(list.length)] as T };
}
type Random = ReturnType<typeof generator>;

/** Reads the Markdown below a folder and cuts its sentences. */
export function readCorpus(dir: string): Corpus {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .sort();
  return files
    .map((path) => readFileSync(join(dir, path), 'utf8').replace(/^---\n[\s\S]*?\n---\n/, ''))
    .map((text) =>
      text
        .split(/(?<=[。！？；])|\n+/)
        .map((sentence) => contentWords(sentence))
        .filter((tokens) => tokens.length >= 3),
    )
    .filter((sentences) => sentences.length >= SENTENCES.least);
}

/** The same chunks for every engine, one after the other. */
export function* chunksOf(corpus: Corpus, count: number): Generator<BenchChunk, void> {
  const random = generator(1);
  for (let i = 0; i < count; i++) yield chunkOf(corpus, random, i);
}

function chunkOf(corpus: Corpus, random: Random, i: number): BenchChunk {
  const documents = [random.pick(corpus), random.pick(corpus)];
  const length = SENTENCES.least + random.below(SENTENCES.more);
  const body = Array.from({ length }, () => random.pick(random.pick(documents))).flat();
  const name = `svc${random.below(count(i))}`;
  body.push(`${name}.handle${i}`, name, `handle${i}`, `err_${i % 5000}`);
  return {
    body,
    heading: [...(documents[0]?.[0] ?? []), ...random.pick(documents[0] as Sentence[])].slice(0, 8),
    keywords: [name, ...random.pick(documents[1] as Sentence[]).slice(0, 4)],
  };
}

/** How many classes there are by the time of chunk `i`: code grows with its base. */
const count = (i: number) => 50 + Math.floor(i / 20);

/** Questions about the chunks: every one of them has an answer, and words that stand nearly everywhere. */
export function queriesOf(corpus: Corpus): BenchQuery[] {
  const random = generator(2);
  return Array.from({ length: QUERIES }, () => {
    const sentences = random.pick(corpus);
    const length = SHORTEST + random.below(LONGEST - SHORTEST + 1);
    const tokens = new Set<string>();
    while (tokens.size < length) for (const token of random.pick(sentences).slice(0, length)) tokens.add(token);
    const chosen = [...tokens].slice(0, length);
    const expanded = chosen.map((token) => ({ token, weight: 1 }));
    for (let i = 0; i < EXPANSION.tokens; i++)
      expanded.push({ token: random.pick(random.pick(random.pick(corpus))), weight: EXPANSION.weight });
    return { tokens: chosen, expanded };
  });
}
