import { quoted } from '../errors.js';
import type { ExactHit } from './exact.js';
import { isExpired } from './expiry.js';
import { cutSection, opening, type Passage, sectionNames } from './sections.js';
import type { KnowledgeDocument, LookupPart } from './types.js';

/** Other documents that an exact query names, listed by title. */
const OTHERS_MAX = 5;

/** What every part of an answer says about its document. */
export function partOf(doc: KnowledgeDocument, source: string, day: string) {
  const { source: origin, version, confidence, versionUntil } = doc.provenance;
  const over = isExpired(doc.provenance, day) ? { expired: true as const } : {};
  const until = versionUntil === undefined ? {} : { valid_until: versionUntil, ...over };
  return { source, origin, title: doc.title, version, confidence, ...until };
}

/**
 * The text of a document for an answer: a section of it, or its opening.
 *
 * @param about see {@link partOf}
 * @returns without `passage` and text where it has no such section
 */
export function showDocument(
  doc: KnowledgeDocument,
  sectionTitle: string | undefined,
  about: ReturnType<typeof partOf>,
): { part: LookupPart; passage?: Passage } {
  const named = sectionTitle?.trim() ? sectionTitle.trim() : undefined;
  const passage = named === undefined ? opening(doc) : cutSection(doc, named);
  if (passage === undefined) return { part: { content: '', ...about, missing_section: quoted(named as string) } };
  const heading = passage.heading === undefined ? {} : { heading: passage.heading };
  return { part: { content: passage.content, ...about, ...heading }, passage };
}

/** What a primary says beside its text: its sections, and what else the query names. */
export function aboutPrimary(
  best: ExactHit,
  others: readonly ExactHit[],
  sourceOf: (doc: KnowledgeDocument) => string,
) {
  const listed = others
    .slice(0, OTHERS_MAX)
    .map(({ document }) => ({ title: document.title, source: sourceOf(document) }));
  return {
    match_type: 'exact_L0' as const,
    score: best.score,
    sections: sectionNames(best.document),
    ...(listed.length > 0 ? { others: listed } : {}),
  };
}
