import { AIMessage } from '@langchain/core/messages';
import { changedInFork } from '../../sandbox/index.js';
import { conversationOf, type NodeBody, textOf } from '../node.js';
import type { Outcome } from '../parallel/schema.js';
import { ownTurns } from '../parallel/spending.js';

/** The end of a sub-agent: how it went, for the run, and nothing of it is a throw. */
export const handInNode: NodeBody = (state, env) => {
  const part = state.part!;
  const messages = conversationOf(state);
  const { error, stopReason } = state;
  const last = messages.findLast((message) => AIMessage.isInstance(message) && textOf(message).trim() !== '');
  const outcome: Outcome = {
    name: part.name,
    title: part.title,
    round: part.round,
    state: error ? 'failed' : stopReason ? 'stopped' : 'done',
    why: error ? error.message : stopReason,
    error,
    said: last ? textOf(last).trim() : '',
    files: changedInFork(env.project.layout.stateDir, part.changesetId),
    turns: ownTurns(state),
    ms: state.elapsedMs - part.before.elapsedMs,
    messages,
  };
  env.emit({ type: 'agent.finished', title: part.title, state: outcome.state, turns: outcome.turns, ms: outcome.ms });
  return { agents: [outcome] };
};
