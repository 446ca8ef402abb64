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

/**
 * The text of a passage for an answer. Code alone does not say what it is for: it comes below the prose that it belongs to, unless that is
 * shown already.
 *
 * @param chunkOf a passage by its id
 */
export function textOf(
  chunk: Chunk,
  chunkOf: (id: string) => Chunk | undefined,
  shown: Shown | undefined,
): Pick<Chunk, 'content' | 'heading'> {
  const prose = chunk.kind === 'code' ? chunk.linked.map(chunkOf).find((one) => one?.kind === 'prose') : undefined;
  if (prose === undefined || !isNotIn(shown)({ chunk: prose })) return chunk;
  return { content: `${prose.content}\n\n${chunk.content}`, heading: prose.heading || chunk.heading };
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
