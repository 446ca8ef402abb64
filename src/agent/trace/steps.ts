import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { textOf } from '../node.js';
import { callName, type Leg, legsOf } from '../parallel/legs.js';
import type { Fed, Injection, RunState } from '../state.js';

/** One turn of the model in the newest run, with all that stood before it. */
export interface TraceStep {
  /** From 1, over all conversations. */
  step: number;
  /** Which sub-agent; the run itself where it is missing. */
  agent?: string;
  /** What the model said beside its calls. */
  said: string;
  calls: { id: string; tool: string; args: string; result: string }[];
  /** Messages that it was sent: how many, and those that are new since the step before. */
  prompt: { messages: number; added: { role: 'task' | 'user' | 'tool'; text: string }[] };
  /** What of the core lay before it by then. */
  entries: Pick<Injection, 'id' | 'type' | 'version' | 'source' | 'confidence' | 'why'>[];
  /** Files of which something lay before it by then. */
  files: Pick<Fed, 'path' | 'form'>[];
}

/** Phases whose entries lie before the model while it edits. */
const BEFORE_MODEL = new Set(['plan', 'execute', 'postcheck']);

/** The steps of the newest intent of a thread that edited: the run's own, first to last, then those of its sub-agents. */
export function stepsOf(state: RunState): TraceStep[] {
  const steps: TraceStep[] = [];
  for (const leg of legsOf(state)) steps.push(...stepsIn(leg, state, steps.length));
  return steps;
}

function stepsIn({ agent, messages, from, saw }: Leg, state: RunState, before: number): TraceStep[] {
  const steps: TraceStep[] = [];
  const results = new Map(messages.filter((m) => ToolMessage.isInstance(m)).map((m) => [m.tool_call_id, textOf(m)]));
  let added: TraceStep['prompt']['added'] = [];
  let turn = 0;
  for (const [i, message] of messages.entries()) {
    if (!AIMessage.isInstance(message)) {
      if (i >= from) added.push({ role: roleOf(message), text: textOf(message) });
      continue;
    }
    turn++;
    if (i < from) continue;
    steps.push({
      step: before + steps.length + 1,
      ...(agent === undefined ? {} : { agent }),
      said: textOf(message).trim(),
      calls: (message.tool_calls ?? []).map(({ id = '', name, args }) => ({
        id: callName(agent, id),
        tool: name,
        args: JSON.stringify(args),
        result: results.get(id) ?? '',
      })),
      prompt: { messages: i, added },
      entries: entriesBy(state, turn, saw),
      files: filesBy(state, turn, saw),
    });
    added = [];
  }
  return steps;
}

function roleOf(message: BaseMessage): 'task' | 'user' | 'tool' {
  if (ToolMessage.isInstance(message)) return 'tool';
  return HumanMessage.isInstance(message) && /^(comment|said)-/.test(message.id ?? '') ? 'user' : 'task';
}

function entriesBy(state: RunState, step: number, saw: Leg['saw']): TraceStep['entries'] {
  const seen = new Map<string, TraceStep['entries'][number]>();
  for (const { run, phase, turn, id, type, version, source, confidence, why, agent } of state.ledger)
    if (run === state.run && saw.includes(agent) && BEFORE_MODEL.has(phase) && turn < step && !seen.has(id))
      seen.set(id, { id, type, version, source, confidence, why });
  return [...seen.values()];
}

/** The fullest form in which each file was shown. */
function filesBy(state: RunState, step: number, saw: Leg['saw']): TraceStep['files'] {
  const FULLEST = ['path', 'skeleton', 'summary', 'expand', 'read'];
  const seen = new Map<string, TraceStep['files'][number]>();
  for (const { run, turn, path, form, agent } of state.fed) {
    if (run !== state.run || turn >= step || !saw.includes(agent)) continue;
    const known = seen.get(path);
    if (!known || FULLEST.indexOf(form) > FULLEST.indexOf(known.form)) seen.set(path, { path, form });
  }
  return [...seen.values()];
}
