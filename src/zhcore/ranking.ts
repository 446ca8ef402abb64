import type { Provenance } from '../knowledge/index.js';
import { daysBetween, dueDate, freshnessOf, reviewKind } from './upkeep/calendar.js';

/**
 * score = relevance × confidence × status × freshness × layer × module. The factors order the lists; none of them hides an entry. They
 * are chosen so that for equal relevance the order is strict: project before general, and a focused module before another before none.
 */
const STATUS = { verified: 1, candidate: 0.8 } as const;
const LAYER = { project: 1, general: 0.5 } as const;
/**
 * An entry past its review date still counts, after one that is not; `stale` is half a year past it. What a wrong old fact costs is
 * more than what a right old one gives, but most entries that are late are right.
 */
const FRESHNESS = { live: 1, fresh: 1, never: 0.95, overdue: 0.9, stale: 0.8 } as const;
const STALE_DAYS = 182;
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
  /** `2026-11-03`: what is due is measured against it. */
  today: string;
}

export type ModuleRank = keyof typeof MODULE;

/** Where an entry's module stands to the modules in focus. */
export function moduleRank(module: string | undefined, focus: Focus): ModuleRank {
  if (module === undefined) return 'global';
  return focus.modules.has(module) ? 'focused' : 'other';
}

/** What of an entry its score depends on. */
export interface Scored {
  provenance: Provenance;
  module?: string;
  code_symbols?: readonly string[];
}

/** The score of an entry; `relevance` is 0–1. */
export function scoreOf(relevance: number, entry: Scored, focus: Focus): number {
  const { confidence, status, layer } = entry.provenance;
  const fresh = FRESHNESS[ageOf(entry, focus.today)];
  return relevance * confidence * STATUS[status] * fresh * LAYER[layer] * MODULE[moduleRank(entry.module, focus)];
}

type Age = keyof typeof FRESHNESS;

const ages = new WeakMap<Provenance, { today: string; age: Age }>();

/** Where an entry stands in the review calendar. */
export function ageOf(entry: Scored, today: string): Age {
  const { provenance } = entry;
  const known = ages.get(provenance);
  if (known?.today === today) return known.age;
  const kind = reviewKind(entry.code_symbols === undefined ? 'knowledge' : 'term', entry);
  let age: Age = freshnessOf(provenance.reviewedAt, kind, today);
  const due = dueDate(provenance.reviewedAt, kind);
  if (age === 'overdue' && due !== undefined && (daysBetween(due, today) ?? 0) > STALE_DAYS) age = 'stale';
  ages.set(provenance, { today, age });
  return age;
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
