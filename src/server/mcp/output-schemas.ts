import * as z from 'zod';

/**
 * The structured answers of the tools, for `outputSchema`. They are sent with each list of tools, so they say what a program needs and no more; unknown
 * keys are allowed, so that an entry may say more one day.
 */

/** Of each entry: where it stands, the beginning of its content hash, how far to trust it (0–1). */
const provenance = { source: z.string(), version: z.string(), confidence: z.number() };
const dataVersion = z.string().describe('数据版本：内容变了才变，可以按它缓存');
const omitted = z
  .looseObject({ count: z.number(), how: z.string(), uris: z.array(z.string()).optional() })
  .optional()
  .describe('没写出来的条数，怎么看到');
const degraded = z.string().optional().describe('这次没有按意思查的原因');

const coreAnswer = z.looseObject({
  data_version: dataVersion,
  degraded,
  terms: z.array(
    z.looseObject({
      id: z.string(),
      word: z.string(),
      symbols: z.array(z.string()),
      places: z.array(z.string()).optional(),
      module: z.string().optional(),
      note: z.string().optional(),
      risk: z.array(z.string()).optional(),
      candidate: z.boolean().optional().describe('疑似，先在代码里确认'),
      ...provenance,
    }),
  ),
  playbooks: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string(),
      checks: z.array(z.string()).optional(),
      steps: z.array(z.string()),
      post_checks: z.array(z.string()).optional(),
      ...provenance,
    }),
  ),
  warnings: z.array(z.looseObject({ id: z.string(), danger: z.string(), must: z.boolean().optional(), ...provenance })),
  knowledge: z.array(z.looseObject({ id: z.string(), title: z.string(), content: z.string(), ...provenance })),
  omitted,
});

const lookupAnswer = z.looseObject({
  data_version: dataVersion,
  found: z.boolean(),
  degraded,
  sections: z.array(z.string()).optional().describe('可以用 section_title 只取一节'),
  others: z.array(z.string()).optional(),
  documents: z.array(
    z.looseObject({
      title: z.string().optional(),
      exact: z.boolean().describe('精确命中，否则是意思相近'),
      content: z.string(),
      cut: z.string().optional().describe('截短了，怎么看全文'),
      origin: z.string().optional(),
      source: provenance.source,
      version: provenance.version.optional(),
      confidence: provenance.confidence.optional(),
    }),
  ),
  omitted,
});

const contextAnswer = z.looseObject({
  data_version: dataVersion,
  note: z.string().optional(),
  trees: z.array(
    z.looseObject({
      path: z.string(),
      tree: z.string(),
      shown: z.number().optional(),
      hidden_files: z.number().optional(),
      ...provenance,
    }),
  ),
});

const expandAnswer = z.looseObject({
  data_version: dataVersion,
  note: z.string().optional(),
  paths: z.array(
    z.looseObject({
      path: z.string(),
      text: z.string(),
      symbols: z.array(z.looseObject({ name: z.string(), kind: z.string(), line: z.number() })).optional(),
      ...provenance,
    }),
  ),
});

const filesAnswer = z.looseObject({
  data_version: dataVersion,
  method: z.string(),
  note: z.string().optional(),
  files: z.array(
    z.looseObject({
      path: z.string().describe('出处：相对项目根目录'),
      summary: z.string(),
      why: z.string(),
      version: provenance.version,
      confidence: z.number().describe('相对第一名的把握 0–1'),
    }),
  ),
  omitted,
});

/** Tool → its structured answer. */
export const OUTPUTS = {
  zh_core_query: coreAnswer,
  lookup_knowledge: lookupAnswer,
  load_context: contextAnswer,
  expand_path: expandAnswer,
  lookup_file: filesAnswer,
} as const;

export type ServedTool = keyof typeof OUTPUTS;

/** The schema of a tool's structured answer, as clients want it. */
export function outputSchemaOf(tool: ServedTool): { type: 'object'; [key: string]: unknown } {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(OUTPUTS[tool], { target: 'draft-7' });
  return schema as { type: 'object' };
}
