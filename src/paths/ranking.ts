import type { FileIndex } from './fileIndex.js';
import type { Ground } from './ground.js';
import { priorOf } from './priors.js';
import { type EvidenceKind, SIGNALS, type Signal, type SignalScores } from './signals.js';
import type { TaskType } from './types.js';

/**
 * What each kind of evidence counts once its best file has 1. Fitted on 1,020 requests made from earlier commits of seven Chinese
 * repositories and rounded; half as much again of any one moves little, and fitting further gains nothing on a repository left out.
 * What a model named is not measured: it counts as the request's own identifiers do.
 */
const WEIGHTS: Record<Signal, number> = {
  commits: 1.2,
  messages: 1.8,
  words: 1.7,
  identifiers: 1,
  names: 1.8,
  lexicon: 1.7,
  symbolLexicon: 0.5,
  pathShare: 0.6,
  modelNames: 1,
  churn: 1.7,
};
/** A team's term is checked knowledge: the file that defines its symbol outweighs history and words together; later ones fall off slowly. */
const TERM_WEIGHT = 8;
const TERM_DECAY = 10;
/** Of a request that names a file outright: the name decides, everything else orders what it leaves open. */
const OUTRIGHT_NAMES = 8;
/** What kinds of files a request speaks of orders files, but less than what is in them. */
const PRIOR_POWER = 0.4;

/** A request as candidates are ordered for it. */
export interface Wanted {
  request: string;
  taskType: TaskType | undefined;
  signals: SignalScores;
  /** Whether the request names a file outright. */
  outright: boolean;
  /** Files that define the symbols of the team's terms, best first. */
  terms: readonly string[];
  /** Which files may be candidates at all, by path; undefined admits all. */
  inScope: ((path: string) => boolean) | undefined;
  topK: number;
  /** Kinds of evidence that are left out. */
  without: readonly EvidenceKind[];
}

export interface RankedFile {
  /** In the list of the index. */
  position: number;
  score: number;
}

/** Adds up what the signals say of each file and gives the best. */
export function rank(index: FileIndex, ground: Ground, wanted: Wanted): RankedFile[] {
  const sums = weigh(index, wanted);
  if (!wanted.without.includes('priors')) applyPriors(sums, ground, wanted);
  for (const [position, out] of ground.teamLayer.entries()) if (out) sums[position] = 0;
  const { inScope } = wanted;
  if (inScope) for (let i = 0; i < sums.length; i++) if (sums[i]! > 0 && !inScope(index.list[i]!.path)) sums[i] = 0;
  return largest(sums, wanted.topK);
}

/** The weighed sum over the signals, each divided by its best. */
function weigh(index: FileIndex, { signals, outright, terms, without }: Wanted): Float64Array {
  const sums = new Float64Array(index.list.length);
  for (const signal of SIGNALS) {
    const scores = signals[signal];
    const best = scores.reduce((most, score) => Math.max(most, score), 0);
    if (best === 0 || without.includes(signal)) continue;
    const weight = signal === 'names' && outright ? OUTRIGHT_NAMES : WEIGHTS[signal];
    // How often a file changes is no share of anything, and counts only where another kind of evidence speaks.
    const isPrior = signal === 'churn';
    for (let file = 0; file < sums.length; file++) {
      const share = scores[file]! / best;
      if (share > 0 && !(isPrior && sums[file] === 0)) sums[file]! += weight * (isPrior ? share : sharpened(share));
    }
  }
  terms.forEach((path, at) => {
    sums[index.positionOf(path)]! += (TERM_WEIGHT * TERM_DECAY) / (TERM_DECAY + at);
  });
  return sums;
}

/**
 * A share of the best score to the power of 1.25: the first of a kind of evidence says more than those that follow. By roots, since a
 * power of any number takes four times as long, for every file and signal.
 */
function sharpened(share: number): number {
  return share * Math.sqrt(Math.sqrt(share));
}

/** Weighs every file by how much the request speaks of its kind. */
function applyPriors(sums: Float64Array, { roles }: Ground, { request, taskType }: Wanted): void {
  const prior = priorOf(request, taskType);
  const factors = new Map([...new Set(roles)].map((role) => [role, prior(role) ** PRIOR_POWER]));
  for (let file = 0; file < sums.length; file++) if (sums[file]! > 0) sums[file]! *= factors.get(roles[file]!)!;
}

/** The positions of the largest values above 0, largest first; of equal ones the first. */
function largest(values: Float64Array, k: number): RankedFile[] {
  const best: RankedFile[] = [];
  if (k < 1) return best;
  for (let position = 0; position < values.length; position++) {
    const score = values[position]!;
    if (score <= 0 || (best.length === k && score <= best[k - 1]!.score)) continue;
    let at = best.length;
    while (at > 0 && best[at - 1]!.score < score) at -= 1;
    best.splice(at, 0, { position, score });
    if (best.length > k) best.pop();
  }
  return best;
}
