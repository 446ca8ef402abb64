import type { Chunk } from '../knowledge/index.js';
import { estimateTokens, hasChinese } from '../text/index.js';
import { ageOf } from './ranking.js';
import { renderEntry } from './render.js';
import type { CoreQuery, CoreResult, EntryType, Hit, Playbook, Term, Warning } from './types.js';

/** Token counts of hits are for the default chunk length (setting `core.chunkChars`). */
const COUNTED_CHARS = 800;

/** The trigger gate: whether a query is asked at all, and why (in Chinese). */
export function gateOf(query: CoreQuery): CoreResult['gate'] {
  if (query.force) return { asked: true, why: '明确要求查询' };
  if (hasChinese(query.userIntent)) return { asked: true, why: '请求里有中文' };
  if (query.focusHasChinese) return { asked: true, why: '焦点文件的注释里有中文' };
  return { asked: false, why: '请求和焦点文件的注释里都没有中文，没有查询' };
}

/** The best `max` matches as hits. */
export function toHits<E extends Chunk | Playbook | Warning>(
  type: EntryType,
  matches: readonly { entry: E; score: number; why: string }[],
  max: number,
  day: string,
): Hit<E>[] {
  return matches.slice(0, max).map(({ entry, score, why }) => toHit(type, entry, score, why, day));
}

/** One match as a hit, with its tokens as it would be injected. @param day today, `2026-11-03` */
export function toHit<E extends Term | Chunk | Playbook | Warning>(
  type: EntryType,
  entry: E,
  score: number,
  why: string,
  day: string,
): Hit<E> {
  const hit: Hit<E> = {
    type,
    entry,
    provenance: entry.provenance,
    score: Math.round(score * 1000) / 1000,
    why: why + ageNote(entry, day),
    tokens: 0,
  };
  return { ...hit, tokens: estimateTokens(renderEntry(hit, COUNTED_CHARS)) };
}

/** What is past its review date says so: whoever acts on it should look twice. */
function ageNote(entry: Term | Chunk | Playbook | Warning, day: string): string {
  const age = ageOf(entry, day);
  if (age !== 'overdue' && age !== 'stale') return '';
  return `；上次复核 ${entry.provenance.reviewedAt}，已过复核期`;
}
