import { dayNumber, type IndexFilter, type IndexHit, type IndexRow, inOrder, lastDayNumber } from '../chunkIndex.js';
import { wrongSchema, wrongVector } from './errors.js';
import { decodeText, encodeText, encodeTokens } from './names.js';
import type { Answer } from './sdk.js';

/**
 * Bytes that the fields hold. Milvus allows 65,535; an id is the path of a document (4,096 at most on Linux) and a number, with room for
 * what is escaped.
 */
export const FIELD_BYTES = { id: 8_192, hash: 128, module: 1_024, tokens: 65_535, status: 16, layer: 16 } as const;

/** A row as the server keeps it. @throws XiheError MILVUS_SCHEMA for what does not fit; EMBED_DIMENSION, EMBED_BAD_REPLY */
export function toRecord(row: IndexRow, dimension: number): Record<string, unknown> {
  return {
    id: fitting('id', encodeText(row.id), row.id),
    hash: fitting('hash', encodeText(row.hash), row.id),
    module: fitting('module', encodeText(row.module ?? ''), row.id),
    status: row.status,
    layer: row.layer,
    until: lastDayNumber(row),
    tokens: encodeTokens(row.tokens, FIELD_BYTES.tokens),
    vector: toVector(row.vector, dimension),
  };
}

function fitting(field: 'id' | 'hash' | 'module', text: string, id: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= FIELD_BYTES[field]) return text;
  throw wrongSchema(
    `片段 ${id.slice(0, 80)} 的 ${field} 有 ${bytes} 字节，Milvus 的索引最多 ${FIELD_BYTES[field]} 字节`,
    '把文件路径或模块名改短。',
    {
      field,
      bytes,
    },
  );
}

/** A vector as the SDK wants it. @throws XiheError EMBED_DIMENSION; EMBED_BAD_REPLY for one without direction */
export function toVector(vector: Float32Array, dimension: number): number[] {
  let squares = 0;
  for (const x of vector) squares += x * x;
  if (vector.length !== dimension || !Number.isFinite(squares) || squares === 0)
    throw wrongVector(dimension, vector.length);
  return Array.from(vector);
}

/** A filter in the server's language; '' lets all pass. */
export function toExpression(filter: IndexFilter = {}): string {
  const { modules, status, layer, validOn } = filter;
  return [
    modules === undefined ? '' : `module in ${toList(['', ...modules])}`,
    status === undefined ? '' : `status == "${status}"`,
    layer === undefined ? '' : `layer == "${layer}"`,
    validOn === undefined ? '' : `until >= ${dayNumber(validOn)}`,
  ]
    .filter((part) => part !== '')
    .join(' and ');
}

/** `["a", "b"]`, for `in`. */
export function toList(texts: readonly string[]): string {
  return `[${texts.map((text) => `"${encodeText(text)}"`).join(', ')}]`;
}

/** Hits of an answer, best first. Small servers give BM25 as a distance below 0, large ones as a score above: it is the size that counts. */
export function toHits(answer: Answer, scores: 'signed' | 'size' = 'signed'): IndexHit[] {
  const results = (answer.results ?? []) as { id?: unknown; score?: unknown }[];
  const hits = results.map(({ id, score }) => ({
    id: decodeText(String(id)),
    score: scores === 'size' ? Math.abs(Number(score)) : Number(score),
  }));
  return inOrder(hits);
}
