import {
  type Asked,
  type Chunk,
  COVERAGE_MIN,
  isExpired,
  type KnowledgeBase,
  type SearchHit,
  wholeWords,
} from '../knowledge/index.js';
import { contentWords } from '../text/index.js';
import { type Focus, scoreOf } from './ranking.js';
import type { TriggerMatch } from './triggers.js';

/**
 * Below this a chunk is not injected. Stricter than a look-up, where somebody asked for knowledge: over 30 and 120 passages it keeps
 * 79 and 77 % of the right answers, and refuses 98 and 97 % of the questions without one (measured as for SUPPLEMENT_MIN). What ships is there in
 * every project, most of which it has nothing to do with, so it has to fit better still.
 */
const INJECT_MIN = { project: 0.36, general: 0.5 } as const;

/** Documents that the request names by keyword count, although few of their words are in the request. */
const NAMED_DOCUMENTS_MAX = 3;
const NAMED_RELEVANCE = 0.8;
const VIA_TERM_RELEVANCE = 0.7;

/** Chunks of one document at most: the others' turn is worth more than its third. */
const PER_DOCUMENT = 2;

/**
 * A chunk this much worse than the best one costs more tokens than it is worth: on the example shop the first of two passages is
 * about the request, and one at 0.72 of it only shares its words (超时 of a gateway beside 超时 of an order).
 */
const SHARE_OF_BEST = 0.75;

/** Candidates that are looked at for each one that is wanted. */
const OVERFETCH = 4;

/**
 * Chunks of knowledge for a request: of documents that it names, by a word of their own or by way of a term, and those near in meaning.
 * Best first.
 */
export function knowledgeFor(
  base: KnowledgeBase,
  intent: string,
  focus: Focus,
  max: number,
  viaTerms: readonly { keyword: string; word: string }[] = [],
  { meaning, order }: Asked = {},
): TriggerMatch<Chunk>[] {
  if (base.documents.length === 0) return [];
  const best = new Map<string, TriggerMatch<Chunk>>();
  const offer = (entry: Chunk, relevance: number, why: string) => {
    const score = scoreOf(relevance, entry, focus);
    if (score > (best.get(entry.id)?.score ?? 0)) best.set(entry.id, { entry, score, why });
  };
  const named = base.exact(intent).filter(({ document }) => !isExpired(document.provenance, focus.today));
  for (const { document, why } of named.slice(0, NAMED_DOCUMENTS_MAX)) {
    const [hit] = base.search(intent, 1, { filter: (chunk) => chunk.documentId === document.id, meaning });
    const chunk = hit?.chunk ?? base.chunks.find((candidate) => candidate.documentId === document.id);
    if (chunk) offer(chunk, Math.max(NAMED_RELEVANCE, hit?.score ?? 0), why);
  }
  // The team's own documents, named by a word that stands for their keyword: 「超时未支付」 for 超时关单.
  for (const { keyword, word } of viaTerms) {
    const own = base.exact(keyword).filter(({ document: { provenance: p } }) => p.layer === 'project');
    for (const { document } of own.filter((hit) => !isExpired(hit.document.provenance, focus.today))) {
      const [hit] = base.search(`${keyword} ${intent}`, 1, { filter: (chunk) => chunk.documentId === document.id });
      const chunk = hit?.chunk ?? base.chunks.find((candidate) => candidate.documentId === document.id);
      if (chunk) offer(chunk, VIA_TERM_RELEVANCE, `「${word}」即「${keyword}」`);
    }
  }
  const oneWord = contentWords(intent).length === 1;
  for (const hit of base.search(intent, max * OVERFETCH, { filter: base.stillValid(focus.today), meaning, order })) {
    if (isWorthIt(hit, oneWord, () => base.namesSubject(hit, intent))) offer(hit.chunk, hit.score, hit.why);
  }
  const ranked = [...best.values()].sort((a, b) => b.score - a.score);
  const worthIt = (ranked[0]?.score ?? 0) * SHARE_OF_BEST;
  return spread(ranked.filter((match) => match.score >= worthIt)).slice(0, max);
}

/** One word that says something alone: an identifier, or three characters. 收到 and 报错 are in every other chunk. */
const LONE_WORD_MIN = 3;

/**
 * The same for hits that vectors had a say in: scores where of the passages that are wrong 93 % stay out over 120 passages, and of those
 * that are right 76 % come in. What ships has to be named as well, or to stand nearer still.
 */
const INJECT_BOTH = { project: 0.5, named: 0.22, unnamed: 0.92 } as const;

/** Two words at least: one alone (文件, 系统) is in too many chunks to mean anything, unless it is all that was asked. */
function isWorthIt(
  { chunk, score, coverage, matched, decidedBy }: SearchHit,
  oneWord: boolean,
  namesSubject: () => boolean,
): boolean {
  const isGeneral = chunk.provenance.layer === 'general';
  if (decidedBy === 'both') {
    if (!isGeneral) return score >= INJECT_BOTH.project;
    return score >= INJECT_BOTH.unnamed || (score >= INJECT_BOTH.named && namesSubject());
  }
  const words = matched.filter((word) => word.length >= (oneWord ? LONE_WORD_MIN : 2));
  const whole = wholeWords(words);
  const enough = score >= INJECT_MIN[chunk.provenance.layer] && coverage >= COVERAGE_MIN;
  return enough && whole.length >= (oneWord ? 1 : 2) && namesSubject();
}

function spread(matches: readonly TriggerMatch<Chunk>[]): TriggerMatch<Chunk>[] {
  const perDocument = new Map<string, number>();
  return matches.filter(({ entry }) => {
    const n = (perDocument.get(entry.documentId) ?? 0) + 1;
    perDocument.set(entry.documentId, n);
    return n <= PER_DOCUMENT;
  });
}
