import { Send } from '@langchain/langgraph';
import { intentOf, type NodeEnv } from '../node.js';
import { splitClauses } from '../routing/index.js';
import type { RunState } from '../state.js';
import { isParallel } from './parts.js';
import type { Part, PlanPart, Split } from './schema.js';

/** Later the work is half done, and what is left is better known than told. */
const MAX_SPLIT_TURN = 4;
/** Characters of a clause that may be a piece of work. */
const CLAUSE_CHARS = 4;
/** Words of requests that are about several places. */
const SEVERAL = /分别|分別|各自|各个|各個|每个|每個|所有|全部|批量|都|逐个|几处|多处|以及|并且|同时/;

/**
 * Whether the model is offered to split the work. It follows from the request and its plan alone, so that the list of tools stays the same
 * from the first turn to the last; and most requests are one piece of work, which need not pay for the tool's description in every turn.
 */
export function mayOfferSplit(state: RunState, env: Pick<NodeEnv, 'project'>): boolean {
  if (state.part || !isParallel(state, env)) return false;
  const { text } = intentOf(state);
  const files = new Set([
    ...(state.planned?.focus ?? []),
    ...(state.planned?.candidates ?? []).map(({ path }) => path),
  ]);
  const clauses = splitClauses(text).filter(({ folded }) => folded.length >= CLAUSE_CHARS);
  return files.size > 1 && (clauses.length > 1 || SEVERAL.test(text));
}

/** In Chinese, why the work is not split now; undefined where it may be. */
export function noSplitNow(state: RunState): string | undefined {
  if (state.part) return '你做的已经是其中一份，不再分';
  if (state.split) return '这次已经分过一次，剩下的自己做完';
  if (state.turn > MAX_SPLIT_TURN) return `已经做到第 ${state.turn} 轮，剩下的自己做完更快`;
  return undefined;
}

/** The work of a run as it is split. @param into id of the run's changeset */
export function splitOf(
  state: RunState,
  into: string,
  tasks: readonly PlanPart[],
  by: { by: 'plan'; call: null } | { by: 'model'; call: string },
): Split {
  const names = tasks.map((_, i) => `part-${i + 1}`);
  const parts = tasks.map(
    (task, i): Omit<Part, 'others'> => ({
      ...task,
      name: names[i]!,
      changesetId: `${into}-${names[i]}`,
      before: { usage: state.usage, turns: state.turn, elapsedMs: state.elapsedMs },
      startTurn: 0,
      round: 0,
      conflicts: [],
    }),
  );
  const all = withOthers(parts);
  return { ...by, parts: all, working: all, round: 0, conflicts: [], notes: [] };
}

/** Parts that know of each other. */
export function withOthers(parts: readonly Omit<Part, 'others'>[]): Part[] {
  return parts.map((part) => ({
    ...part,
    others: parts
      .filter((other) => other !== part)
      .map(({ name, title, changesetId }) => ({ name, title, changesetId })),
  }));
}

/** A task for each sub-agent that is to work now; all of them run in one step of the graph. */
export function sendsOf(state: RunState): Send[] {
  return (state.split?.working ?? []).map((part) => new Send('agent', stateFor(state, part)));
}

/** What a sub-agent begins with. Its ledgers and usage are its own, and are added to those of the run when it is done. */
function stateFor(state: RunState, part: Part): Partial<RunState> {
  const { request, run, runId, arm, routed, retrieved, planned, answers, workspace, elapsedMs, split } = state;
  // Who solves a conflict goes on where it was: it knows what it did and why.
  const before = part.startTurn > 0 ? state.agents.findLast(({ name }) => part.name.startsWith(name)) : undefined;
  return {
    request,
    run,
    runId,
    arm,
    routed,
    retrieved,
    planned,
    answers,
    workspace,
    elapsedMs,
    split,
    part,
    changesetId: part.changesetId,
    turn: part.startTurn,
    messages: before?.messages ?? [],
  };
}

/** Changesets that a run needs beside its own, as long as it is not over. */
export function sideChangesets(state: Pick<RunState, 'split'>): string[] {
  const { parts = [], working = [] } = state.split ?? {};
  return [...new Set([...parts, ...working].map(({ changesetId }) => changesetId))];
}
