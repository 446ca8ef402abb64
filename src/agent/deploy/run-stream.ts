import { type AIMessageChunk, type BaseMessage, isAIMessageChunk } from '@langchain/core/messages';
import { Command, Send } from '@langchain/langgraph';
import { RECURSION_LIMIT } from '../session.js';
import type { ServedGraph } from './engine.js';
import type { GraphCommand, GraphEvent, GraphJob } from './types.js';
import { debugCheckpointOf, debugTaskOf, toWire } from './wire.js';

/** Modes that the engine streams itself; `messages` and `messages-tuple` are made of its `messages`, `events` of its event stream. */
const ENGINE_MODES = ['values', 'updates', 'custom', 'debug', 'tasks', 'checkpoints', 'tools'] as const;

type Chunk = [namespace: string[], mode: string, data: unknown];

function isChunk(value: object): value is Chunk {
  return Array.isArray(value);
}

/**
 * Streams one run as events of the LangGraph protocol.
 *
 * @param isResumed the run goes on from its newest checkpoint: what it was given at its start is in there
 */
export async function* streamRun(
  graph: ServedGraph,
  job: GraphJob,
  isResumed: boolean,
  signal: AbortSignal,
): AsyncGenerator<GraphEvent> {
  yield { event: 'metadata', data: toWire({ run_id: job.runId, attempt: job.attempt }) };
  const input = isResumed ? null : job.command ? commandOf(job.command) : (job.input ?? null);
  const whole = new WholeMessages();
  for await (const chunk of chunksOf(graph, input, optionsOf(job, isResumed, signal), job)) {
    if (isChunk(chunk)) yield* eventsOf(chunk, job.streamModes, whole);
    else yield { event: 'events', data: toWire(chunk) };
  }
}

function optionsOf(job: GraphJob, isResumed: boolean, signal: AbortSignal) {
  const wanted = new Set(job.streamModes);
  const modes: string[] = ENGINE_MODES.filter((mode) => wanted.has(mode));
  if (wanted.has('messages') || wanted.has('messages-tuple')) modes.push('messages');
  return {
    configurable: {
      ...job.configurable,
      thread_id: job.threadId,
      ...(job.checkpointId && !isResumed ? { checkpoint_id: job.checkpointId, checkpoint_ns: '' } : {}),
      ...(job.user ? { langgraph_auth_user: job.user } : {}),
    },
    // The engine wants one mode at least; the cheapest, when only `events` are asked for.
    streamMode: (modes.length > 0 ? modes : ['custom']) as 'custom'[],
    subgraphs: true as const,
    recursionLimit: Math.min(job.recursionLimit ?? RECURSION_LIMIT, RECURSION_LIMIT),
    durability: 'sync' as const,
    metadata: { ...job.metadata, run_id: job.runId, run_attempt: job.attempt, graph_id: job.graphId },
    runId: job.runId,
    signal,
    ...(job.tags ? { tags: job.tags } : {}),
    ...(job.interruptBefore ? { interruptBefore: job.interruptBefore as '*' } : {}),
    ...(job.interruptAfter ? { interruptAfter: job.interruptAfter as '*' } : {}),
  };
}

/** What the engine streams; with `events` also LangChain's events, which cost more and so come only when asked for. */
async function* chunksOf(
  graph: ServedGraph,
  input: unknown,
  options: ReturnType<typeof optionsOf>,
  job: GraphJob,
): AsyncGenerator<Chunk | object> {
  if (!job.streamModes.includes('events')) {
    for await (const chunk of await graph.stream(input as never, options)) {
      if (isWanted(chunk as Chunk, job)) yield chunk as Chunk;
    }
    return;
  }
  for await (const event of graph.streamEvents(input as never, { ...options, version: 'v2' })) {
    if (event.event === 'on_chain_stream' && event.run_id === job.runId) {
      const chunk = event.data.chunk as Chunk;
      if (isWanted(chunk, job)) yield chunk;
    } else yield event;
  }
}

function isWanted([namespace]: Chunk, job: GraphJob): boolean {
  return namespace.length === 0 || job.subgraphs;
}

function* eventsOf([namespace, mode, data]: Chunk, asked: string[], whole: WholeMessages): Generator<GraphEvent> {
  const named = (name: string) => (namespace.length > 0 ? `${name}|${namespace.join('|')}` : name);
  if (mode !== 'messages') {
    if (asked.includes(mode)) yield { event: named(mode), data: toWire(payloadOf(mode, data)) };
    return;
  }
  if (asked.includes('messages-tuple')) yield { event: named('messages'), data: toWire(data) };
  if (asked.includes('messages')) yield* whole.eventsOf(data as [BaseMessage, Record<string, unknown>]);
}

function payloadOf(mode: string, data: unknown): unknown {
  const plain = data as Record<string, unknown>;
  if (mode === 'checkpoints') return debugCheckpointOf(plain);
  if (mode === 'tasks') return debugTaskOf(plain);
  if (mode !== 'debug') return data;
  const payload = plain.payload as Record<string, unknown>;
  if (plain.type === 'checkpoint') return { ...plain, payload: debugCheckpointOf(payload) };
  if (plain.type === 'task_result') return { ...plain, payload: debugTaskOf(payload) };
  return data;
}

/** The older `messages` mode: each event holds the message as far as it is known, not the piece that came. */
class WholeMessages {
  readonly #known = new Map<string, AIMessageChunk>();

  *eventsOf([message, metadata]: [BaseMessage, Record<string, unknown>]): Generator<GraphEvent> {
    const { id } = message;
    if (!id) return;
    if (!isAIMessageChunk(message as AIMessageChunk)) {
      yield { event: 'messages/complete', data: toWire([message]) };
      return;
    }
    const before = this.#known.get(id);
    if (!before) yield { event: 'messages/metadata', data: toWire({ [id]: { metadata } }) };
    const now = before ? before.concat(message as AIMessageChunk) : (message as AIMessageChunk);
    this.#known.set(id, now);
    yield { event: 'messages/partial', data: toWire([now]) };
  }
}

function commandOf(command: GraphCommand): Command {
  const targets = command.goto == null ? [] : Array.isArray(command.goto) ? command.goto : [command.goto];
  const goto = targets.map((one: unknown) =>
    typeof one === 'string' ? one : new Send((one as { node: string }).node, (one as { input?: unknown }).input),
  );
  return new Command({
    ...(goto.length > 0 ? { goto } : {}),
    ...(command.update === undefined ? {} : { update: command.update as Record<string, unknown> }),
    ...('resume' in command ? { resume: command.resume } : {}),
  });
}
