// Cases of `bench:localize` (a Chinese change request → the files that changed), and how rankings are scored.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { interval } from './retrieve-data.js';

export interface Case {
  id: string;
  /** `owner/name`; its tree is the folder `owner+name`. */
  repo: string;
  query: string;
  gold: string[];
  /** `verbatim`: the request names a file; such cases belong to the split of their repository. */
  split: string;
  repo_split?: string;
}

export interface Asked {
  one: Case;
  ranked: string[];
  ms: number;
}

/** The cases of a split by the folder of their tree. */
export function readCases(dir: string, split: string): Map<string, Case[]> {
  const byTree = new Map<string, Case[]>();
  for (const line of readFileSync(join(dir, 'cases.jsonl'), 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const one = JSON.parse(line) as Case;
    if (one.split !== split && !(one.split === 'verbatim' && (one.repo_split ?? split) === split)) continue;
    const tree = one.repo.replace('/', '+');
    byTree.set(tree, [...(byTree.get(tree) ?? []), one]);
  }
  return byTree;
}

/** Place of the first right file, from 1; 0: not among the ranked. */
export function placeOf({ one, ranked }: Asked): number {
  return ranked.findIndex((path) => one.gold.includes(path)) + 1;
}

/** The measures over the asked cases; MRR looks at what was ranked (20 files). */
export function scoresOf(asked: readonly Asked[]) {
  const mean = (values: number[]) =>
    Number((values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)).toFixed(4));
  const places = asked.map(placeOf);
  const within = (k: number) => places.map((place) => Number(place > 0 && place <= k));
  return {
    n: asked.length,
    hit1: mean(within(1)),
    recall1: mean(asked.map(({ one, ranked }) => Number(one.gold.includes(ranked[0] ?? '')) / one.gold.length)),
    hit5: mean(within(5)),
    hit5_95: interval(within(5)),
    hit20: mean(within(20)),
    mrr: mean(places.map((place) => (place > 0 && place <= 20 ? 1 / place : 0))),
  };
}
