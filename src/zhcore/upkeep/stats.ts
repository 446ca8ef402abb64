import { contentWords } from '../../text/index.js';
import type { CoreEntry, Phase } from '../types.js';
import { type NamedEntry, named } from './named.js';
import { isUse, type QueryRecord } from './queryLog.js';
import { UsageIndex } from './usage.js';

/** Words of requests that found nothing; more is no longer a list that somebody works through. */
const MISSED_MAX = 20;

/** What an entry cost and how often it was read. */
export interface EntryUse extends NamedEntry {
  uses: number;
  /** Estimated tokens of all uses. */
  tokens: number;
  /** Of all tokens that were read, 0–1. */
  share: number;
  lastUsed: string;
}

/** Answers with and without hits. */
export interface Hits {
  total: number;
  hits: number;
  misses: number;
  /** 0–1; 0 where nothing was asked. */
  hitRate: number;
}

/** What the query log says about some days. */
export interface Stats {
  /** Records that were looked at; 0 means that nothing below says anything. */
  records: number;
  /** Queries of the core; those that the gate let through were asked. */
  queries: Hits & { gateOpen: number; gateClosed: number; gateRate: number };
  lookups: Hits;
  phases: { phase: Phase; queries: number; injections: number; tokens: number }[];
  /** Tokens of everything that was read: injected, looked up, printed. */
  tokens: number;
  /** Dearest first. */
  entries: EntryUse[];
  /** In force, and in no answer. */
  neverHit: NamedEntry[];
  /** Of queries and look-ups that say how long they took, in milliseconds; undefined when none does. */
  latency: { count: number; p50: number; p95: number } | undefined;
  /** Words of requests that found nothing, most frequent first. */
  missed: { word: string; times: number }[];
}

/**
 * Sums up the query log.
 *
 * @param records of the days in question
 * @param entries in force
 */
export function statsOf(records: readonly QueryRecord[], entries: readonly CoreEntry[]): Stats {
  const queries = records.filter((record) => record.kind === 'query');
  const asked = queries.filter((record) => record.gate);
  const lookups = records.filter((record) => record.kind === 'lookup');
  const tokens = sum(records.filter(isUse).flatMap((record) => record.hits.map((hit) => hit.tokens)));
  const hit = new UsageIndex(records, () => true);
  return {
    records: records.length,
    queries: {
      ...hitsOf(asked),
      total: queries.length,
      gateOpen: asked.length,
      gateClosed: queries.length - asked.length,
      gateRate: ratio(asked.length, queries.length),
    },
    lookups: hitsOf(lookups),
    phases: phasesOf(records),
    tokens,
    entries: usesOf(records, entries, tokens),
    neverHit: entries.filter(({ type, entry }) => hit.of({ ...entry, type }) === undefined).map(named),
    latency: latencyOf([...asked, ...lookups]),
    missed: missedWords([...asked, ...lookups]),
  };
}

function hitsOf(records: readonly QueryRecord[]): Hits {
  const hits = records.filter((record) => record.found).length;
  return { total: records.length, hits, misses: records.length - hits, hitRate: ratio(hits, records.length) };
}

const PHASES: readonly Phase[] = ['plan', 'execute', 'postcheck', 'answer'];

function phasesOf(records: readonly QueryRecord[]): Stats['phases'] {
  return PHASES.map((phase) => {
    const own = records.filter((record) => record.phase === phase);
    const injections = own.filter((record) => record.kind === 'inject');
    return {
      phase,
      queries: own.filter((record) => record.kind === 'query').length,
      injections: injections.length,
      tokens: sum(injections.flatMap((record) => record.hits.map((hit) => hit.tokens))),
    };
  }).filter(({ queries, injections }) => queries + injections > 0);
}

function usesOf(records: readonly QueryRecord[], entries: readonly CoreEntry[], total: number): EntryUse[] {
  const usage = new UsageIndex(records);
  return entries
    .flatMap((item) => {
      const used = usage.of({ ...item.entry, type: item.type });
      return used === undefined ? [] : [{ ...named(item), ...used, share: ratio(used.tokens, total) }];
    })
    .sort((a, b) => b.tokens - a.tokens || b.uses - a.uses || (a.id < b.id ? -1 : 1));
}

function latencyOf(records: readonly QueryRecord[]): Stats['latency'] {
  const times = records.flatMap(({ ms }) => (ms === undefined ? [] : [ms])).sort((a, b) => a - b);
  if (times.length === 0) return undefined;
  // Nearest rank: the smallest value that so many of all do not exceed.
  const at = (share: number) => times[Math.max(0, Math.ceil(share * times.length) - 1)] as number;
  return { count: times.length, p50: at(0.5), p95: at(0.95) };
}

/** Words of the requests that found nothing; one that is said twice in a request counts once. */
export function missedWords(records: readonly QueryRecord[], max: number = MISSED_MAX): Stats['missed'] {
  const times = new Map<string, number>();
  for (const { text } of records.filter(({ gate, found }) => gate && !found)) {
    for (const word of new Set(contentWords(text))) times.set(word, (times.get(word) ?? 0) + 1);
  }
  return [...times]
    .map(([word, n]) => ({ word, times: n }))
    .sort((a, b) => b.times - a.times || (a.word < b.word ? -1 : 1))
    .slice(0, max);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

/** 0 where there is no whole, to three digits. */
function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1000) / 1000;
}
