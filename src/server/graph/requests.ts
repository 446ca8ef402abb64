import * as z from 'zod';

/** Bodies of the LangGraph protocol. What they hold beyond these fields is let pass unread: clients of other versions send more. */

const MAX_PAGE = 1000;
/** How long a run may be put off: a day. Later work belongs into a scheduler. */
const MAX_AFTER_SECONDS = 24 * 3600;
/** Steps that fit into any run are far fewer; the graph has its own bound. */
const MAX_STEPS = 10_000;

const record = z.record(z.string(), z.unknown());
const limit = z.number().int().min(1).max(MAX_PAGE);
const offset = z.number().int().min(0);

export const uuid = z.uuid();

const streamMode = z.enum([
  'values',
  'messages',
  'messages-tuple',
  'updates',
  'events',
  'tasks',
  'checkpoints',
  'debug',
  'custom',
  'tools',
]);

const nodeNames = z.union([z.literal('*'), z.array(z.string())]);

const checkpoint = z.looseObject({ checkpoint_id: z.uuid().nullish(), checkpoint_ns: z.string().nullish() });

export const runCreate = z.looseObject({
  assistant_id: z.string(),
  input: z.unknown().optional(),
  command: z
    .looseObject({ goto: z.unknown().optional(), update: z.unknown().optional(), resume: z.unknown().optional() })
    .nullish(),
  checkpoint: checkpoint.nullish(),
  checkpoint_id: z.uuid().nullish(),
  metadata: record.nullish(),
  config: z
    .looseObject({
      tags: z.array(z.string()).nullish(),
      recursion_limit: z.number().int().positive().max(MAX_STEPS).nullish(),
      configurable: record.nullish(),
    })
    .nullish(),
  context: z.unknown().optional(),
  interrupt_before: nodeNames.nullish(),
  interrupt_after: nodeNames.nullish(),
  on_disconnect: z.enum(['cancel', 'continue']).nullish(),
  on_completion: z.enum(['delete', 'keep']).nullish(),
  multitask_strategy: z.enum(['reject', 'enqueue', 'interrupt', 'rollback']).nullish(),
  stream_mode: z.union([streamMode, z.array(streamMode)]).nullish(),
  stream_subgraphs: z.boolean().nullish(),
  stream_resumable: z.boolean().nullish(),
  after_seconds: z.number().min(0).max(MAX_AFTER_SECONDS).nullish(),
  if_not_exists: z.enum(['reject', 'create']).nullish(),
  webhook: z.string().nullish(),
});

export type RunCreate = z.infer<typeof runCreate>;

export const threadCreate = z.looseObject({
  thread_id: uuid.nullish(),
  metadata: record.nullish(),
  if_exists: z.enum(['raise', 'do_nothing']).nullish(),
});

export const threadPatch = z.looseObject({ metadata: record.nullish() });

export const threadSearch = z.looseObject({
  metadata: record.nullish(),
  ids: z.array(uuid).max(MAX_PAGE).nullish(),
  status: z.enum(['idle', 'busy', 'interrupted', 'error']).nullish(),
  limit: limit.nullish(),
  offset: offset.nullish(),
  sort_by: z.enum(['thread_id', 'status', 'created_at', 'updated_at']).nullish(),
  sort_order: z.enum(['asc', 'desc']).nullish(),
  select: z.array(z.string()).nullish(),
});

export const stateUpdate = z.looseObject({
  values: z.unknown().optional(),
  as_node: z.string().nullish(),
  checkpoint_id: z.uuid().nullish(),
  checkpoint: checkpoint.nullish(),
});

export const stateAt = z.looseObject({ checkpoint: checkpoint.nullish(), subgraphs: z.boolean().nullish() });

export const historyQuery = z.looseObject({
  limit: limit.nullish(),
  // The SDK sends the id, or the config that holds it.
  before: z
    .union([z.uuid(), z.looseObject({ checkpoint_id: z.uuid().nullish(), configurable: checkpoint.nullish() })])
    .nullish(),
  metadata: record.nullish(),
  checkpoint: checkpoint.nullish(),
});

export const assistantSearch = z.looseObject({
  graph_id: z.string().nullish(),
  name: z.string().nullish(),
  metadata: record.nullish(),
  limit: limit.nullish(),
  offset: offset.nullish(),
});

/** A page of a list, out of a query string. */
export const pageQuery = z.looseObject({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(10),
  offset: z.coerce.number().int().min(0).default(0),
  status: z.enum(['pending', 'running', 'success', 'error', 'timeout', 'interrupted']).optional(),
});

export const cancelQuery = z.looseObject({
  wait: z.string().optional(),
  action: z.enum(['interrupt', 'rollback']).default('interrupt'),
});

/** A yes or no of a query string. */
export function isYes(text: string | undefined): boolean {
  return text !== undefined && /^(1|true|yes)$/i.test(text);
}
