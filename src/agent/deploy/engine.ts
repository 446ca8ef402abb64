import type { RunnableConfig } from '@langchain/core/runnables';
import type { BaseCheckpointSaver } from '@langchain/langgraph';
import { quoted, XiheError } from '../../errors.js';
import { buildGraph, type XiheGraph } from '../graph.js';
import { buildKnowledgeGraph } from '../knowledge-graph.js';
import type { GraphDeps, NodeRuntime } from '../node.js';
import { serverDeps } from '../serve.js';
import { serverWord } from '../server-word.js';
import { XiheState } from '../state.js';
import { streamRun } from './run-stream.js';
import type { CheckpointStore } from './savers.js';
import type { Fence, GraphEvent, GraphJob, ThreadOutcome } from './types.js';
import { checkpointOf, threadStateOf, toWire } from './wire.js';

/** Any graph over Xihe's state: they differ in the names of their nodes only, which nothing here looks at. */
export type ServedGraph = XiheGraph;
/** How each graph is made. `running` is given every node that begins. */
export type GraphBuilders = Record<string, (saver: BaseCheckpointSaver, running?: NodeWatch) => ServedGraph>;
type NodeWatch = NonNullable<GraphDeps['running']>;

/** Which state of a thread is asked for. */
export interface StateQuery {
  checkpointId?: string | undefined;
  checkpointNs?: string | undefined;
  subgraphs?: boolean | undefined;
}

export interface HistoryQuery {
  limit: number;
  before?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  checkpointId?: string | undefined;
}

/** Key of a run's configurable under which the server puts who it works for; nothing that a client sends under it gets through. */
const USER_KEY = 'langgraph_auth_user';

/**
 * The graphs that a server offers: `xihe` and `knowledge`. Who a run works for is what the server put into it; without an
 * authenticated user it is what the variables say of everybody.
 *
 * @throws XiheError CONFIG_INVALID
 */
export function servedGraphs(env: NodeJS.ProcessEnv): GraphBuilders {
  const word = serverWord(env);
  const deps = serverDeps(env, {
    autoApprove: word.autoApprove,
    caller(configurable: NodeRuntime['configurable']) {
      const user = configurable?.[USER_KEY] as { identity: string; roles: string[] } | undefined;
      return user ? { name: user.identity, roles: user.roles } : word.caller(undefined);
    },
  });
  return {
    xihe: (saver, running) => buildGraph({ ...deps, ...(running ? { running } : {}) }, saver),
    knowledge: (saver, running) =>
      buildKnowledgeGraph({ ...deps, ...(running ? { running } : {}) }, saver) as unknown as ServedGraph,
  };
}

/** Who calls a server that does not ask who calls: what the variables say of everybody. @throws XiheError CONFIG_INVALID */
export function callersOf(env: NodeJS.ProcessEnv): { roles: string[] } {
  return { roles: serverWord(env).caller(undefined).roles };
}

/** Runs graphs and reads their threads; everything that goes in and out is plain data. */
export class GraphEngine {
  readonly #builders: GraphBuilders;
  readonly #store: CheckpointStore;
  readonly #readers = new Map<string, ServedGraph>();

  constructor(builders: GraphBuilders, store: CheckpointStore) {
    this.#builders = builders;
    this.#store = store;
  }

  graphIds(): string[] {
    return Object.keys(this.#builders);
  }

  /** The graph as nodes and edges. @param xray whether subgraphs are drawn inside */
  async drawing(graphId: string, xray: boolean): Promise<unknown> {
    return (await this.#reader(graphId).getGraphAsync({ xray })).toJSON();
  }

  /** What goes in and out of a graph, as JSON Schema. */
  schemas(graphId: string): Record<string, unknown> {
    this.#reader(graphId);
    const state = XiheState.getJsonSchema();
    return {
      graph_id: graphId,
      input_schema: XiheState.getInputJsonSchema(),
      output_schema: state,
      state_schema: state,
      config_schema: { type: 'object', properties: {} },
      context_schema: { type: 'object', properties: {} },
    };
  }

  /** Id of a thread's newest checkpoint; `''` when it has none. */
  async newestCheckpoint(threadId: string): Promise<string> {
    const tuple = await this.#store.saver.getTuple({ configurable: { thread_id: threadId, checkpoint_ns: '' } });
    return tuple?.checkpoint.id ?? '';
  }

  /**
   * Runs a job, or goes on with it where a dead worker left it.
   *
   * @param fence asked before each checkpoint is written
   * @returns the events as they happen
   * @throws what a node throws; XiheError LEASE_LOST, STORE_FAILED when checkpoints can't be read or written, which is not the run's fault
   */
  async *run(job: GraphJob, fence: Fence, signal: AbortSignal): AsyncGenerator<GraphEvent> {
    const saver = this.#store.fenced(fence);
    const nodes = new Set<Promise<unknown>>();
    const graph = this.#builderOf(job.graphId)(saver, (node) => {
      const ended = node.catch(() => {}).finally(() => nodes.delete(ended));
      nodes.add(ended);
    });
    try {
      const isResumed = job.attempt > 1 && (await this.newestCheckpoint(job.threadId)) !== job.startCheckpoint;
      if (isResumed && isOver(await this.outcome(job.graphId, job.threadId))) return;
      yield* streamRun(graph, job, isResumed, signal);
    } catch (e) {
      const { failure } = saver;
      if (failure === undefined || XiheError.is(failure, 'LEASE_LOST')) throw failure ?? e;
      throw new XiheError('STORE_FAILED', '断点现在存不了', {
        hint: '存储恢复后，这次运行会自己接着跑。',
        cause: failure,
      });
    }
  }

  /** Where a thread stands now. */
  async outcome(graphId: string, threadId: string): Promise<ThreadOutcome> {
    const state = await this.#reader(graphId).getState({ configurable: { thread_id: threadId } });
    const asking = state.tasks.filter((task) => (task.interrupts?.length ?? 0) > 0);
    return {
      // Not `next`: a node whose result is stored, but not yet the step, is no longer listed there, and its task is still open.
      isOpen: state.tasks.length > 0,
      interrupts: Object.fromEntries(asking.map((task) => [task.id, JSON.parse(toWire(task.interrupts))])),
    };
  }

  /** A thread's state as JSON text of the protocol. */
  async state(graphId: string, threadId: string, query: StateQuery = {}): Promise<string> {
    const options = query.subgraphs ? { subgraphs: true } : undefined;
    const config = configOf(threadId, query.checkpointId, query.checkpointNs);
    return toWire(threadStateOf(await this.#reader(graphId).getState(config, options)));
  }

  /** Values of the newest state, as JSON text; `{}` when the thread was never run. */
  async values(graphId: string, threadId: string): Promise<string> {
    const state = await this.#reader(graphId).getState(configOf(threadId));
    return toWire(state.values ?? {});
  }

  /** The states of a thread as JSON text of the protocol, newest first. */
  async history(graphId: string, threadId: string, query: HistoryQuery): Promise<string> {
    const states: unknown[] = [];
    const options = {
      limit: query.limit,
      ...(query.before ? { before: configOf(threadId, query.before) } : {}),
      ...(query.metadata ? { filter: query.metadata } : {}),
    };
    const config = configOf(threadId, query.checkpointId);
    for await (const state of this.#reader(graphId).getStateHistory(config, options)) states.push(threadStateOf(state));
    return toWire(states);
  }

  /** Writes into a thread's state as if a node had. @returns the new checkpoint */
  async update(
    graphId: string,
    threadId: string,
    values: unknown,
    asNode: string | undefined,
    checkpointId: string | undefined,
  ): Promise<unknown> {
    const graph = this.#reader(graphId);
    const config = await graph.updateState(configOf(threadId, checkpointId), values as never, asNode as never);
    return checkpointOf(config);
  }

  /** Drops what a thread holds since a checkpoint. */
  rollback(threadId: string, checkpointId: string): Promise<void> {
    return checkpointId === ''
      ? this.#store.saver.deleteThread(threadId)
      : this.#store.rollback(threadId, checkpointId);
  }

  deleteThread(threadId: string): Promise<void> {
    return this.#store.saver.deleteThread(threadId);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #reader(graphId: string): ServedGraph {
    const known = this.#readers.get(graphId);
    if (known) return known;
    const graph = this.#builderOf(graphId)(this.#store.saver);
    this.#readers.set(graphId, graph);
    return graph;
  }

  #builderOf(graphId: string): GraphBuilders[string] {
    const builder = Object.hasOwn(this.#builders, graphId) ? this.#builders[graphId] : undefined;
    if (builder) return builder;
    throw new XiheError('GRAPH_NOT_FOUND', `没有图 ${quoted(graphId)}`, {
      hint: `这个服务有：${this.graphIds().join('、')}。`,
    });
  }
}

function isOver(outcome: ThreadOutcome): boolean {
  return !outcome.isOpen || Object.keys(outcome.interrupts).length > 0;
}

function configOf(threadId: string, checkpointId?: string, checkpointNs = ''): RunnableConfig {
  return {
    configurable: {
      thread_id: threadId,
      ...(checkpointId ? { checkpoint_id: checkpointId, checkpoint_ns: checkpointNs } : {}),
    },
  };
}
