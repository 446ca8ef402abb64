import type { BaseMessage } from '@langchain/core/messages';
import type { RunState } from '../state.js';

/** A stretch of work in a conversation, for whoever looks back: the run's own, or a sub-agent's. */
export interface Leg {
  /** Undefined for the run itself. */
  agent: string | undefined;
  /** The whole conversation. */
  messages: BaseMessage[];
  /** Where this stretch begins in it; what is before was another one's. */
  from: number;
  /** Sub-agents whose lines in the ledgers lay before it. */
  saw: readonly (string | undefined)[];
}

/** The conversations of the newest intent that edited: that of the run, then those of its sub-agents in the order in which they ended. */
export function legsOf({ messages, agents = [] }: Pick<RunState, 'messages' | 'agents'>): Leg[] {
  const start = messages.findLastIndex((message) => message.id?.startsWith('task-') ?? false);
  const own = start < 0 ? [] : messages.slice(start);
  const end = own.findIndex((message) => message.id?.startsWith('report-') ?? false);
  return [
    { agent: undefined, messages: end < 0 ? own : own.slice(0, end), from: 0, saw: [undefined] },
    ...agents.map(({ name, messages: all }): Leg => {
      const from = all.findLastIndex((message) => message.id?.startsWith(`conflict-${name}-`) ?? false);
      return { agent: name, messages: all, from: Math.max(0, from), saw: [name, name.replace(/-fix$/, '')] };
    }),
  ];
}

/** The id of a tool call among those of all conversations; what it edited is staged under it. */
export function callName(agent: string | undefined, id: string): string {
  return agent === undefined ? id : `${agent}/${id}`;
}
