import { BM25 } from '../chunkIndex.js';
import { wrongSchema } from './errors.js';
import { FIELD_BYTES } from './rows.js';
import type { Answer, Sdk } from './sdk.js';

/** Raise it when fields, encodings or indexes change: collections of another number are made anew beside the old. */
export const SCHEMA_VERSION = 1;

/** What a collection says of itself. */
export interface Identity {
  project: string;
  embedderId: string;
  dimension: number;
}

const PROPERTY = 'xihe.index';

/** The analyzer that every server has; it cuts what `encodeTokens` has joined, and nothing else. */
const ANALYZER = { type: 'standard' };

/** The request that makes a collection. */
export function createRequest(sdk: Sdk, name: string, identity: Identity): Record<string, unknown> {
  const { VarChar, Int32, FloatVector, SparseFloatVector } = sdk.DataType;
  const text = (field: keyof typeof FIELD_BYTES) => ({
    name: field,
    data_type: VarChar,
    max_length: FIELD_BYTES[field],
  });
  const label = JSON.stringify({ schema: SCHEMA_VERSION, ...identity });
  return {
    collection_name: name,
    // Servers keep one or the other.
    description: label,
    properties: { [PROPERTY]: label },
    fields: [
      { ...text('id'), is_primary_key: true },
      text('hash'),
      text('module'),
      text('status'),
      text('layer'),
      { name: 'until', data_type: Int32 },
      { ...text('tokens'), enable_analyzer: true, analyzer_params: ANALYZER },
      { name: 'vector', data_type: FloatVector, dim: identity.dimension },
      { name: 'words', data_type: SparseFloatVector },
    ],
    functions: [
      {
        name: 'bm25',
        type: sdk.FunctionType.BM25,
        input_field_names: ['tokens'],
        output_field_names: ['words'],
        params: {},
      },
    ],
  };
}

/** Both arms. Vectors are compared with all others: exact, and fast enough for what one project writes. */
export const INDEXES = {
  vector: { index_type: 'FLAT', metric_type: 'COSINE' },
  words: {
    index_type: 'SPARSE_INVERTED_INDEX',
    metric_type: 'BM25',
    params: { bm25_k1: BM25.k1, bm25_b: BM25.b },
  },
} as const;

/**
 * Whether a collection is the one that it should be.
 *
 * @param answer of `describeCollection`
 * @returns `outdated` for one of ours that an older or newer Xihe made
 * @throws XiheError MILVUS_SCHEMA for a stranger: it must not be written to
 */
export function checkCollection(name: string, answer: Answer, identity: Identity): 'good' | 'outdated' {
  const label = labelOf(answer);
  if (label === undefined)
    throw wrongSchema(`Milvus 里的集合 ${name} 不是羲和建的`, '换一个 milvus.database，或把这个集合改名。', {
      collection: name,
    });
  for (const key of ['project', 'embedderId', 'dimension'] as const)
    if (label[key] !== identity[key])
      throw wrongSchema(
        `Milvus 里的集合 ${name} 的 ${key} 是 ${String(label[key])}，现在是 ${identity[key]}`,
        '换一个 milvus.database，或删掉这个集合。',
        {
          collection: name,
          [key]: label[key],
        },
      );
  if (label.schema !== SCHEMA_VERSION) return 'outdated';
  const fields = ((answer.schema as { fields?: Field[] } | undefined)?.fields ?? []) as Field[];
  const field = (wanted: string) => fields.find(({ name: found }) => found === wanted);
  const sound =
    Number(field('vector')?.dim) === identity.dimension &&
    String(field('tokens')?.analyzer_params ?? '').includes(`"${ANALYZER.type}"`) &&
    field('words') !== undefined;
  return sound ? 'good' : 'outdated';
}

interface Field {
  name: string;
  dim?: unknown;
  analyzer_params?: unknown;
}

function labelOf(answer: Answer): Record<string, unknown> | undefined {
  const properties = (answer.properties ?? []) as { key: string; value: string }[];
  const written = properties.find(({ key }) => key === PROPERTY)?.value;
  const text = written ?? (answer.schema as { description?: string } | undefined)?.description ?? '';
  try {
    const label: unknown = JSON.parse(text);
    return typeof label === 'object' && label !== null ? (label as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
