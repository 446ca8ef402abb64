import { answerAmong } from './answering.js';
import type { SearchHit } from './chunkSearch.js';
import type { Passage } from './sections.js';
import type { Chunk, KnowledgeDocument } from './types.js';
import { prepare } from './wordMatcher.js';

/** What is shown as the primary. */
export interface Shown {
  document: KnowledgeDocument;
  passage?: Passage;
}

export interface SupplementRequest {
  /** The primary, if there is one. */
  shown: Shown | undefined;
  /** How many passages the project has. */
  passages: number;
  /** Whether the query is a bare name. */
  isName: boolean;
  namesSubject: (hit: SearchHit) => boolean;
}

/** The passage that goes beside a primary, or is the answer where there is none: the best that is not the primary's own text. */
export function supplementAmong(hits: readonly SearchHit[], request: SupplementRequest): SearchHit | undefined {
  const { shown, passages, isName, namesSubject } = request;
  const others = hits.filter(isNotIn(shown));
  return answerAmong(others, passages, shown !== undefined && isName, namesSubject);
}

function isNotIn(shown: Shown | undefined): (hit: { chunk: Chunk }) => boolean {
  if (shown?.passage === undefined) return () => true;
  const { document, passage } = shown;
  const text = prepare(passage.content);
  return ({ chunk }) => {
    const overlaps = chunk.line <= passage.endLine && passage.line <= chunk.endLine;
    return !(chunk.documentId === document.id && overlaps) && !text.includes(prepare(chunk.content));
  };
}
