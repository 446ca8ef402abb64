import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { textOf } from '../node.js';
import type { Fed, Injection, RunState } from '../state.js';

/** One turn of the model in the newest run, with all that stood before it. */
export interface TraceStep {
  /** From 1, over the intents of the run. */
  step: number;
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

/** The steps of the newest intent of a thread that edited, first to last. */
export function stepsOf(state: RunState): TraceStep[] {
  const steps: TraceStep[] = [];
  const start = state.messages.findLastIndex((message) => message.id?.startsWith('task-') ?? false);
  const messages = start < 0 ? [] : state.messages.slice(start);
  const results = new Map(messages.filter((m) => ToolMessage.isInstance(m)).map((m) => [m.tool_call_id, textOf(m)]));
  let added: TraceStep['prompt']['added'] = [];
  for (const [i, message] of messages.entries()) {
    if (message.id?.startsWith('report-')) break;
    if (!AIMessage.isInstance(message)) {
      added.push({ role: roleOf(message), text: textOf(message) });
      continue;
    }
    const step = steps.length + 1;
    steps.push({
      step,
      said: textOf(message).trim(),
      calls: (message.tool_calls ?? []).map(({ id = '', name, args }) => ({
        id,
        tool: name,
        args: JSON.stringify(args),
        result: results.get(id) ?? '',
      })),
      prompt: { messages: i, added },
      entries: entriesBy(state, step),
      files: filesBy(state, step),
    });
    added = [];
  }
  return steps;
}

function roleOf(message: BaseMessage): 'task' | 'user' | 'tool' {
  if (ToolMessage.isInstance(message)) return 'tool';
  return HumanMessage.isInstance(message) && message.id?.startsWith('comment-') ? 'user' : 'task';
}

function entriesBy(state: RunState, step: number): TraceStep['entries'] {
  const seen = new Map<string, TraceStep['entries'][number]>();
  for (const { run, phase, turn, id, type, version, source, confidence, why } of state.ledger)
    if (run === state.run && BEFORE_MODEL.has(phase) && turn < step && !seen.has(id))
      seen.set(id, { id, type, version, source, confidence, why });
  return [...seen.values()];
}

/** The fullest form in which each file was shown. */
function filesBy(state: RunState, step: number): TraceStep['files'] {
  const FULLEST = ['path', 'skeleton', 'summary', 'expand', 'read'];
  const seen = new Map<string, TraceStep['files'][number]>();
  for (const { run, turn, path, form } of state.fed) {
    if (run !== state.run || turn >= step) continue;
    const known = seen.get(path);
    if (!known || FULLEST.indexOf(form) > FULLEST.indexOf(known.form)) seen.set(path, { path, form });
  }
  return [...seen.values()];
}
