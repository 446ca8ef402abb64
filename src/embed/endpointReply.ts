import { badReply, type EndpointFailure, type EndpointInfo } from './endpointErrors.js';
import { wrongDimension } from './errors.js';
import { normalise } from './vector.js';

/** What an embedding of the protocol may be: numbers, or base64 of little-endian float32. */
type Wire = { index?: unknown; embedding?: unknown };

/**
 * Reads the answer of `/v1/embeddings`.
 *
 * @param body the answer as text
 * @param count how many texts were sent
 * @param dimension what the vectors must have; undefined takes what comes, the same for all
 * @returns vectors of length 1, in the order of the texts (by `index`, whatever the order of the answer), or what is wrong
 */
export function readReply(
  body: string,
  count: number,
  dimension: number | undefined,
  info: EndpointInfo,
): Float32Array[] | EndpointFailure {
  let data: unknown;
  try {
    data = (JSON.parse(body) as { data?: unknown } | null)?.data;
  } catch {
    return badReply(`不是 JSON（开头是「${body.slice(0, 40)}」）`, info, !body.trimStart().startsWith('<'));
  }
  if (!Array.isArray(data)) return badReply('没有 data 数组', info);
  if (data.length !== count) return badReply(`发去 ${count} 条文本，收到 ${data.length} 个向量`, info);
  const out: Float32Array[] = new Array(count);
  let expected = dimension;
  for (const [i, item] of (data as (Wire | null)[]).entries()) {
    const index = item?.index ?? i;
    if (!Number.isInteger(index) || (index as number) < 0 || (index as number) >= count || out[index as number])
      return badReply(`序号不对（${JSON.stringify(index)}）`, info);
    const vector = vectorOf(item?.embedding);
    if (vector === undefined) return badReply(`第 ${i + 1} 个向量读不出来`, info);
    expected ??= vector.length;
    if (vector.length !== expected)
      return { error: wrongDimension(expected, vector.length, info.name), retryable: false };
    if (!normalise(vector)) return badReply(`第 ${i + 1} 个向量全是零或不是有限数`, info);
    out[index as number] = vector;
  }
  return out;
}

function vectorOf(embedding: unknown): Float32Array | undefined {
  if (Array.isArray(embedding)) {
    if (embedding.length === 0 || !embedding.every((x) => typeof x === 'number')) return undefined;
    return Float32Array.from(embedding as number[]);
  }
  if (typeof embedding !== 'string') return undefined;
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  const out = new Float32Array(bytes.length / 4);
  for (let i = 0; i < out.length; i++) out[i] = bytes.readFloatLE(i * 4);
  return out;
}
