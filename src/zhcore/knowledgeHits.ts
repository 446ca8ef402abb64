import { type Chunk, COVERAGE_MIN, type KnowledgeBase, type SearchHit } from '../knowledge/index.js';
import { contentWords } from '../text/index.js';
import { type Focus, scoreOf } from './ranking.js';
import type { TriggerMatch } from './triggers.js';

/**
 * Below this a chunk is not injected. Stricter than a look-up, where somebody asked for knowledge: over 120 passages it keeps 79 % of the
 * right answers and refuses 96 % of the questions without one (see SUPPLEMENT_MIN for the measurement).
 */
const INJECT_MIN = 0.33;

/** Documents that the request names by keyword count, although few of their words are in the request. */
const NAMED_DOCUMENTS_MAX = 3;
const NAMED_RELEVANCE = 0.8;

/** Chunks of one document at most: the others' turn is worth more than its third. */
const PER_DOCUMENT = 2;

/** A chunk this much worse than the best one costs more tokens than it is worth. */
const SHARE_OF_BEST = 0.4;

/** Candidates that are looked at for each one that is wanted. */
const OVERFETCH = 4;

/** Chunks of knowledge for a request: of documents that it names, and those near in meaning. Best first. */
export function knowledgeFor(base: KnowledgeBase, intent: string, focus: Focus, max: number): TriggerMatch<Chunk>[] {
  if (base.documents.length === 0) return [];
  const best = new Map<string, TriggerMatch<Chunk>>();
  const offer = (entry: Chunk, relevance: number, why: string) => {
    const score = scoreOf(relevance, entry.provenance, entry.module, focus);
    if (score > (best.get(entry.id)?.score ?? 0)) best.set(entry.id, { entry, score, why });
  };
  for (const { document, why } of base.exact(intent).slice(0, NAMED_DOCUMENTS_MAX)) {
    const [hit] = base.search(intent, 1, (chunk) => chunk.documentId === document.id);
    const chunk = hit?.chunk ?? base.chunks.find((candidate) => candidate.documentId === document.id);
    if (chunk) offer(chunk, Math.max(NAMED_RELEVANCE, hit?.score ?? 0), why);
  }
  const oneWord = new Set(contentWords(intent)).size === 1;
  for (const hit of base.search(intent, max * OVERFETCH)) {
    if (isWorthIt(hit, oneWord)) offer(hit.chunk, hit.score, hit.why);
  }
  const ranked = [...best.values()].sort((a, b) => b.score - a.score);
  const worthIt = (ranked[0]?.score ?? 0) * SHARE_OF_BEST;
  return spread(ranked.filter((match) => match.score >= worthIt)).slice(0, max);
}

/** Two words at least: one alone (文件, 系统) is in too many chunks to mean anything, unless it is all that was asked. */
function isWorthIt({ score, coverage, matched }: SearchHit, oneWord: boolean): boolean {
  const words = matched.filter((word) => word.length > 1).length;
  return score >= INJECT_MIN && coverage >= COVERAGE_MIN && (words >= 2 || oneWord);
}

function spread(matches: readonly TriggerMatch<Chunk>[]): TriggerMatch<Chunk>[] {
  const perDocument = new Map<string, number>();
  return matches.filter(({ entry }) => {
    const n = (perDocument.get(entry.documentId) ?? 0) + 1;
    perDocument.set(entry.documentId, n);
    return n <= PER_DOCUMENT;
  });
}
