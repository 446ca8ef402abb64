import type { RunnableConfig } from '@langchain/core/runnables';
import type { StateSnapshot } from '@langchain/langgraph';
import { messageOf } from '../../errors.js';

/** A checkpoint as the protocol names it. */
export interface WireCheckpoint {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string | null;
  checkpoint_map: unknown;
}

/** JSON as clients of the LangGraph protocol read it: a message is `{type, content, …}`, not LangChain's constructor form. */
export function toWire(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key: string, plain: unknown) {
    const raw = this[key] as { toDict?: () => { type: string; data: object } } | null | undefined;
    if (typeof raw !== 'object' || typeof raw?.toDict !== 'function') return plain;
    const { type, data } = raw.toDict();
    return { ...data, type };
  });
}

/** A config's checkpoint; null where it names no thread, or no checkpoint though one is `wanted`. */
export function checkpointOf(config: RunnableConfig | undefined, wanted = true): WireCheckpoint | null {
  const { thread_id, checkpoint_id, checkpoint_ns, checkpoint_map } = config?.configurable ?? {};
  if (!thread_id || (wanted && !checkpoint_id)) return null;
  return {
    thread_id,
    checkpoint_ns: checkpoint_ns || '',
    checkpoint_id: checkpoint_id ?? null,
    checkpoint_map: checkpoint_map ?? null,
  };
}

/** A snapshot as `GET /threads/:id/state` gives it. Where a field comes from: the protocol's `ThreadState`. */
export function threadStateOf(state: StateSnapshot): Record<string, unknown> {
  return {
    values: state.values,
    next: state.next,
    tasks: state.tasks.map((task) => ({
      id: task.id,
      name: task.name,
      error: task.error == null ? null : messageOf(task.error),
      interrupts: task.interrupts,
      path: task.path,
      checkpoint: isConfig(task.state) ? checkpointOf(task.state, false) : null,
      state: task.state && 'values' in task.state ? threadStateOf(task.state as StateSnapshot) : null,
      result: task.result ?? null,
    })),
    metadata: state.metadata,
    created_at: state.createdAt ?? null,
    checkpoint: checkpointOf(state.config),
    parent_checkpoint: checkpointOf(state.parentConfig),
  };
}

function isConfig(value: unknown): value is RunnableConfig {
  return typeof value === 'object' && value !== null && 'configurable' in value;
}

/** A checkpoint of the `debug` and `checkpoints` streams with the protocol's names; keys of the engine itself stay inside. */
export function debugCheckpointOf(payload: Record<string, unknown>): Record<string, unknown> {
  const { parentConfig, config, tasks, ...rest } = payload as Record<string, unknown> & {
    config?: RunnableConfig;
    parentConfig?: RunnableConfig;
    tasks?: Array<Record<string, unknown>>;
  };
  return {
    ...rest,
    config: withoutInternals(config),
    parent_config: withoutInternals(parentConfig),
    checkpoint: checkpointOf(config),
    parent_checkpoint: checkpointOf(parentConfig),
    tasks: (tasks ?? []).map(debugTaskOf),
  };
}

/** A task of the `debug` and `tasks` streams: where its own state lies is a checkpoint. */
export function debugTaskOf(task: Record<string, unknown>): Record<string, unknown> {
  if (!isConfig(task.state)) return task;
  const { state, ...rest } = task;
  return { ...rest, checkpoint: checkpointOf(state as RunnableConfig, false) };
}

function withoutInternals(config: RunnableConfig | undefined): unknown {
  if (!config) return config;
  const configurable = Object.fromEntries(
    Object.entries(config.configurable ?? {}).filter(([key]) => !key.startsWith('__')),
  );
  return { configurable };
}
