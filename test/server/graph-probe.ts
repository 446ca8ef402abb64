import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import type { GraphBuilders, ServedGraph } from '../../src/agent/deploy/index.js';
import { startGraphServer } from '../../src/server/graph/server.js';
import { openLocalStore, openPostgresStore, type Store } from '../../src/server/graph/store.js';

/** What a probe's run is given: each field makes one of its nodes do something. */
export interface ProbeInput {
  /** Asks, and goes on with the answer. */
  asks?: boolean;
  /** Waits in the middle until this file is there. */
  gate?: string;
  /** Acts: a line in this file, by a ledger that lets each run act once. */
  acts?: string;
  fails?: boolean;
}

const last = <T>() => Annotation<T | undefined>({ reducer: (_, next) => next, default: () => undefined });

const ProbeState = Annotation.Root({
  asks: last<boolean>(),
  gate: last<string>(),
  acts: last<string>(),
  fails: last<boolean>(),
  log: Annotation<string[]>({ reducer: (before, next) => [...before, ...next], default: () => [] }),
});

type Runtime = { configurable?: { thread_id?: string }; signal?: AbortSignal; metadata?: Record<string, unknown> };

/** How often a waiting probe looks for its gate, in milliseconds. */
const LOOK_MS = 20;

async function hold(state: typeof ProbeState.State, { signal }: Runtime) {
  while (state.gate && !existsSync(state.gate) && !signal?.aborted)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  if (signal?.aborted) throw new Error('stopped');
  return { log: ['hold'] };
}

function act(state: typeof ProbeState.State, { metadata, configurable }: Runtime) {
  if (state.fails) throw new Error('the probe was told to fail');
  if (!state.acts) return { log: ['act'] };
  const key = `${state.acts}.${String(metadata?.run_id)}`;
  // As the side-effect ledger does: an act that is noted is not done again.
  if (!existsSync(key)) {
    writeFileSync(key, '', { flag: 'wx' });
    appendFileSync(state.acts, `${configurable?.thread_id}\n`);
  }
  return { log: ['act'] };
}

/** A graph that asks, waits and acts as it is told, without a project and without a model. */
export const probes: GraphBuilders = {
  probe: (checkpointer) =>
    new StateGraph(ProbeState)
      .addNode('first', () => ({ log: ['first'] }))
      .addNode('ask', (state) => ({ log: state.asks ? [`answer ${String(interrupt({ question: '好吗' }))}`] : [] }))
      .addNode('hold', hold)
      .addNode('act', act)
      .addEdge(START, 'first')
      .addEdge('first', 'ask')
      .addEdge('ask', 'hold')
      .addEdge('hold', 'act')
      .addEdge('act', END)
      .compile({ name: 'probe', checkpointer }) as unknown as ServedGraph,
};

/** A store for probes: a folder, or a Postgres where `where` is its address. */
export function openProbeStore(where: string): Promise<Store> {
  if (where.startsWith('postgres:')) return openPostgresStore(where, {}, () => {}, probes);
  return openLocalStore(where, {}, probes);
}

/** A server of probes; who asks is whoever the header says, which a real server would never believe. */
export async function startProbeServer(where: string, options: { concurrency?: number; leaseMs?: number } = {}) {
  return startGraphServer(await openProbeStore(where), {
    host: '127.0.0.1',
    port: 0,
    concurrency: options.concurrency ?? 4,
    workerOnly: false,
    leaseMs: options.leaseMs ?? 5_000,
    authenticate: async (headers) => ({ identity: headers.get('x-who') ?? 'lilei', roles: ['developer'] }),
    log: () => {},
  });
}
