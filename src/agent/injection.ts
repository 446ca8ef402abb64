import { type CoreResult, type InjectedEntry, type Phase, recordOfInjection } from '../zhcore/index.js';
import type { NodeEnv } from './node.js';
import type { Injection, RunState } from './state.js';

/** Ledger lines for what was just put into a prompt or an answer; listeners and the query log hear of it as well. */
export function inject(state: RunState, phase: Phase, injected: InjectedEntry[], env: NodeEnv): Injection[] {
  if (injected.length > 0) {
    const { queryLog, core } = env.project;
    const text = state.request?.text ?? '';
    queryLog.append(recordOfInjection(injected, { text, phase, thread: env.thread, dataVersion: core.dataVersion }));
  }
  for (const entry of injected) {
    env.emit({ type: 'entry.injected', id: entry.id, entryType: entry.type, phase, source: entry.source });
  }
  return injected.map((entry) => ({ ...entry, run: state.run, phase, turn: state.turn, ...agentOf(state) }));
}

/** Which sub-agent a line of a ledger is about; nothing in the run's own state. */
export function agentOf({ part }: Pick<RunState, 'part'>): { agent?: string } {
  return part ? { agent: part.name } : {};
}

/** Lines of a ledger about this conversation: what lay before a sub-agent lay before nobody else. */
export function ownLines<T extends { agent?: string | undefined }>(
  { part }: Pick<RunState, 'part'>,
  lines: readonly T[],
): T[] {
  return lines.filter(({ agent }) => agent === part?.name);
}

/** True when an entry was already put before the model in this run. */
export function wasInjected(state: RunState, id: string): boolean {
  const { run, ledger } = state;
  return ownLines(state, ledger).some((line) => line.run === run && line.id === id && line.phase !== 'brief');
}

/** An empty answer of the core, for branches that did not ask it. */
export function nothingRetrieved(dataVersion: string): CoreResult {
  return {
    dataVersion,
    gate: { asked: false, why: '没有查询' },
    terms: [],
    knowledge: [],
    playbooks: [],
    warnings: [],
  };
}
