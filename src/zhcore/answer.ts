import { type Asked, isExpired, type Provenance, prepare } from '../knowledge/index.js';
import { identifiersOf } from '../text/index.js';
import { gateOf, toHit, toHits } from './hits.js';
import { knowledgeFor } from './knowledgeHits.js';
import { focusOf } from './modules.js';
import type { EntryStore } from './store.js';
import type { TermIndex } from './terms.js';
import { type PlaybookIndex, type Request, termWords, type WarningIndex } from './triggers.js';
import type { CoreQuery, CoreResult } from './types.js';

/** Entries of each type that a query brings, unless it says otherwise. */
const DEFAULT_MAX_RESULTS = 5;

/** Playbooks are injected whole, and following two at once is already hard. */
const PLAYBOOKS_MAX = 2;

/** A playbook this much worse than the best one was meant for something else. */
const PLAYBOOK_SHARE = 0.6;

/**
 * The four lists for a query: nothing when the gate stays shut, and nothing that is over.
 *
 * @param day today, `2026-11-03`
 * @param asked what vectors say about the request; without it words decide alone
 */
export function answerQuery(
  query: CoreQuery,
  day: string,
  store: EntryStore,
  { terms, playbooks, warnings }: { terms: TermIndex; playbooks: PlaybookIndex; warnings: WarningIndex },
  asked: Asked = {},
): CoreResult {
  const gate = gateOf(query);
  const empty = { dataVersion: store.version, gate, terms: [], knowledge: [], playbooks: [], warnings: [] };
  if (!gate.asked) return empty;
  const max = query.maxResults ?? DEFAULT_MAX_RESULTS;
  const text = prepare(query.userIntent);
  const symbols = [...new Set([...query.codeSymbols, ...identifiersOf(query.userIntent)])];
  const focus = focusOf(query, text, store.modules, day);
  const holds = (entry: { provenance: Provenance }) => !isExpired(entry.provenance, day);
  const found = terms.find(text, symbols, focus).filter(({ term }) => holds(term));
  const request: Request = { text, symbols, files: query.files ?? [], focus, terms: found };
  const books = playbooks.find(request, query.taskType).filter(({ entry }) => holds(entry));
  const worthIt = books.filter((match) => match.score >= (books[0]?.score ?? 0) * PLAYBOOK_SHARE);
  const passages = knowledgeFor(store.knowledge, query.userIntent, focus, max, termWords(found, text), asked);
  const warned = warnings.find(request).filter(({ entry }) => holds(entry));
  return {
    ...empty,
    terms: found.slice(0, max).map(({ term, score, why }) => toHit('term', term, score, why, day)),
    knowledge: toHits('knowledge', passages, max, day),
    playbooks: toHits('playbook', worthIt, Math.min(max, PLAYBOOKS_MAX), day),
    warnings: toHits('warning', warned, max, day),
  };
}
