import type { Provenance } from '../knowledge/index.js';

/**
 * score = relevance × confidence × status × layer × module. The factors order the lists; none of them hides an entry. They are chosen
 * so that for equal relevance the order is strict: project before general, and a focused module before another before none.
 */
const STATUS = { verified: 1, candidate: 0.8 } as const;
const LAYER = { project: 1, general: 0.5 } as const;
const MODULE = { focused: 1, other: 0.85, global: 0.8 } as const;

/** How well a word, symbol or path fits. */
export const RELEVANCE = {
  keyword: 1,
  alias: 0.95,
  symbol: 0.9,
  /** Only the last name of a dotted symbol. */
  lastName: 0.8,
  /** The parts of a phrase near each other. */
  loose: 0.6,
  /** By a term that was found: its keyword is a trigger. */
  viaTerm: 0.75,
  path: 0.45,
  module: 0.4,
} as const;

/** A two-character word says less than a longer one. */
export function byLength(word: string): number {
  return word.length <= 2 ? 0.9 : 1;
}

/** What a query is about, as far as modules go. */
export interface Focus {
  modules: ReadonlySet<string>;
  /** Those of them that the caller or the files named, and not only a word of the request. */
  explicit: ReadonlySet<string>;
}

export type ModuleRank = keyof typeof MODULE;

/** Where an entry's module stands to the modules in focus. */
export function moduleRank(module: string | undefined, focus: Focus): ModuleRank {
  if (module === undefined) return 'global';
  return focus.modules.has(module) ? 'focused' : 'other';
}

/** The score of an entry; `relevance` is 0–1. */
export function scoreOf(relevance: number, provenance: Provenance, module: string | undefined, focus: Focus): number {
  const { confidence, status, layer } = provenance;
  return relevance * confidence * STATUS[status] * LAYER[layer] * MODULE[moduleRank(module, focus)];
}

const RANKS: readonly ModuleRank[] = ['focused', 'other', 'global'];

/** Order of entries that mean the same word: layer, then module, then score. */
export function compareSameWord(
  a: { provenance: Provenance; module?: string | undefined; score: number },
  b: { provenance: Provenance; module?: string | undefined; score: number },
  focus: Focus,
): number {
  const layer = Number(a.provenance.layer === 'general') - Number(b.provenance.layer === 'general');
  const rank = RANKS.indexOf(moduleRank(a.module, focus)) - RANKS.indexOf(moduleRank(b.module, focus));
  return layer || rank || b.score - a.score;
}
