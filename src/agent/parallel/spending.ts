import { noteFile } from '../../sandbox/index.js';
import { readStateFile, writeAtomic } from '../../stateFile.js';
import type { NodeEnv } from '../node.js';
import type { RunState } from '../state.js';
import { addUsage, NO_USAGE, type Usage, usageSchema } from '../usage.js';
import type { Part } from './schema.js';

/** What a sub-agent has used since it began. */
interface Spent {
  usage: Usage;
  turns: number;
}

/**
 * What a run has used, all sub-agents counted: tokens, money and turns of all together, and the time of the clock. Each of them writes down
 * what it used after each call, so a run that was killed goes on counting where it was; at most one call of each is not seen by the others.
 */
export function spentSoFar(
  state: RunState,
  env: Pick<NodeEnv, 'project'>,
): Pick<RunState, 'usage' | 'elapsedMs'> & { turns: number } {
  const { part, turn, elapsedMs } = state;
  if (part === null || part === undefined) {
    const done = (state.agents ?? []).reduce((sum, { turns }) => sum + turns, 0);
    return { usage: state.usage, elapsedMs, turns: turn + done };
  }
  const all: Spent[] = [
    part.before,
    { usage: state.usage, turns: ownTurns(state) },
    ...part.others.map((other) => read(noteOf(other.changesetId, part, env))),
  ];
  return {
    usage: all.map(({ usage }) => usage).reduce(addUsage),
    turns: all.reduce((sum, { turns }) => sum + turns, 0),
    elapsedMs,
  };
}

/** Turns of a sub-agent in this leg; one that goes on with a conversation has had others before. */
export function ownTurns({ turn, part }: Pick<RunState, 'turn' | 'part'>): number {
  return turn - (part?.startTurn ?? 0);
}

/** Writes down what a sub-agent has used; does nothing for the run itself, whose state says it. */
export function noteSpending(state: RunState, env: Pick<NodeEnv, 'project'>, usage: Usage, turn: number): void {
  const { part } = state;
  if (!part) return;
  const spent: Spent = { usage, turns: ownTurns({ turn, part }) };
  writeAtomic(noteOf(part.changesetId, part, env), [JSON.stringify(spent)]);
}

function noteOf(changesetId: string, { round }: Part, { project }: Pick<NodeEnv, 'project'>): string {
  return noteFile(project.layout.stateDir, changesetId, `spent-${round}.json`);
}

function read(file: string): Spent {
  const nothing = { usage: NO_USAGE, turns: 0 };
  const raw = readStateFile(file);
  if (raw === undefined) return nothing;
  try {
    const { usage, turns } = JSON.parse(raw.toString('utf8')) as Spent;
    return { usage: usageSchema.parse(usage), turns: Number(turns) || 0 };
  } catch {
    return nothing;
  }
}
