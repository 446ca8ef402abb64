import { randomUUID } from 'node:crypto';
import type { RunUser } from '../../agent/deploy/index.js';
import { XiheError } from '../../errors.js';
import { type GraphService, graphIdOf } from './context.js';
import type { RunCreate } from './requests.js';
import type { RunKwargs, RunRow } from './rows.js';
import { createRun } from './runs.js';
import { uuidv7 } from './uuid.js';

/** Keys of a run's `configurable` that the server sets; what a client sends under them is dropped, above all who it says it is. */
const OURS = /^(__|langgraph_|checkpoint_(id|ns|map)$|(thread|run|graph|assistant)_id$)/;

/**
 * Puts a run into the queue.
 *
 * @param threadId undefined for a run without a thread of its own: one is made, and goes when the run is over
 * @throws XiheError as `createRun`; NOT_SUPPORTED for webhooks
 */
export async function beginRun(
  service: GraphService,
  user: RunUser,
  threadId: string | undefined,
  body: RunCreate,
): Promise<RunRow> {
  if (body.webhook)
    throw new XiheError('NOT_SUPPORTED', '不支持 webhook', { hint: '用 join 或 stream 等结果；要通知群用 alerts。' });
  const { run, stopped } = await createRun(service.sql, {
    runId: uuidv7(),
    threadId: threadId ?? randomUUID(),
    owner: user.identity,
    graphId: graphIdOf(service, body.assistant_id),
    kwargs: kwargsOf(body, user),
    metadata: body.metadata ?? {},
    strategy: body.multitask_strategy ?? 'reject',
    afterSeconds: body.after_seconds ?? 0,
    createsThread: threadId === undefined || body.if_not_exists === 'create',
    isTemporary: threadId === undefined && body.on_completion !== 'keep',
  });
  service.bus.tell('work');
  if (stopped.length > 0) service.bus.tell('cancel');
  for (const id of stopped) service.bus.tell(`run:${id}`);
  return run;
}

function kwargsOf(body: RunCreate, user: RunUser): RunKwargs {
  const modes = body.stream_mode ?? 'values';
  const configurable = Object.entries(body.config?.configurable ?? {}).filter(([key]) => !OURS.test(key));
  const { resume, update, goto } = body.command ?? {};
  const command = {
    ...(resume === undefined ? {} : { resume }),
    ...(update === undefined || update === null ? {} : { update }),
    ...(goto === undefined || goto === null ? {} : { goto }),
  };
  return {
    input: body.input ?? null,
    command: Object.keys(command).length > 0 ? command : undefined,
    configurable: Object.fromEntries(configurable),
    recursion_limit: body.config?.recursion_limit ?? undefined,
    tags: body.config?.tags ?? undefined,
    checkpoint_id: body.checkpoint_id ?? body.checkpoint?.checkpoint_id ?? undefined,
    stream_mode: Array.isArray(modes) ? modes : [modes],
    stream_subgraphs: body.stream_subgraphs ?? false,
    stream_resumable: body.stream_resumable ?? false,
    interrupt_before: body.interrupt_before ?? undefined,
    interrupt_after: body.interrupt_after ?? undefined,
    user,
  };
}
