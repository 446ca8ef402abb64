// Data of `bench:retrieve` as product chunks, and how a ranking is scored.
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { Chunk } from '../src/knowledge/index.js';
import { stableHash } from '../src/text/index.js';

export interface Question {
  id: string;
  slice: string;
  slices: string[];
  query: string;
  gold: string[];
  split: string;
}

interface Passage {
  id: string;
  repo: string;
  path: string;
  title: string;
  section?: string;
  text: string;
}

/** Passages as the chunks that the product would hold, one each: who sets the questions has cut them already. */
export async function readChunks(dir: string): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const passage of lines<Passage>(join(dir, 'passages.jsonl'))) chunks.push(chunkOf(passage));
  return chunks;
}

export async function readQuestions(dir: string, split: string): Promise<Question[]> {
  const questions: Question[] = [];
  for await (const question of lines<Question>(join(dir, 'queries.jsonl')))
    if (question.split === split) questions.push(question);
  return questions;
}

function chunkOf({ id, repo, path, title, section = '', text }: Passage): Chunk {
  return {
    id,
    documentId: `${repo}/${path}`,
    title,
    heading: section.replaceAll(' > ', ' › '),
    content: text,
    kind: 'prose',
    linked: [],
    keywords: [],
    line: 1,
    endLine: 1,
    provenance: {
      source: `${repo}/${path}`,
      layer: 'project',
      version: stableHash(text),
      status: 'verified',
      confidence: 1,
      file: path,
      line: 1,
    },
  };
}

async function* lines<T>(file: string): AsyncGenerator<T> {
  const packed = `${file}.gz`;
  const input = existsSync(packed) ? createReadStream(packed).pipe(createGunzip()) : createReadStream(file);
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line.trim() !== '') yield JSON.parse(line) as T;
}

/** Places of the first right passage, from 1; 0: not among the ranked. */
export function placeOf(ranked: readonly string[], gold: readonly string[]): number {
  return ranked.findIndex((id) => gold.includes(id)) + 1;
}

export interface Scores {
  n: number;
  hit1: number;
  hit5: number;
  hit20: number;
  mrr: number;
}

/** The measures over places; MRR looks at the first ten. */
export function scoresOf(places: readonly number[]): Scores {
  const share = (test: (place: number) => number) =>
    Number((places.reduce((sum, place) => sum + test(place), 0) / Math.max(1, places.length)).toFixed(4));
  const within = (k: number) => share((place) => Number(place > 0 && place <= k));
  return {
    n: places.length,
    hit1: within(1),
    hit5: within(5),
    hit20: within(20),
    mrr: share((place) => (place > 0 && place <= 10 ? 1 / place : 0)),
  };
}

/** Slices of a question set; a question may be in several. */
export const SLICES: Record<string, (question: Question) => boolean> = {
  main: ({ slice }) => slice === 'main',
  mixed: ({ slices }) => slices.includes('mixed'),
  keyword: ({ slice }) => slice === 'keyword',
  trad: ({ slice }) => slice === 'trad',
};

/** A 95 % interval of a mean by the bootstrap (1,000 draws, fixed seed). */
export function interval(values: readonly number[]): [number, number] {
  let seed = 42;
  const random = () => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return seed / 2 ** 32;
  };
  const means = Array.from({ length: 1000 }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[Math.floor(random() * values.length)] as number;
    return sum / Math.max(1, values.length);
  }).sort((a, b) => a - b);
  return [Number((means[25] ?? 0).toFixed(3)), Number((means[974] ?? 0).toFixed(3))];
}

export const quantile = (list: readonly number[], q: number): number => {
  const sorted = [...list].sort((a, b) => a - b);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0).toFixed(2));
};
