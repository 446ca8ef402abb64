import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AIMessage } from '@langchain/core/messages';
import { MemorySaver } from '@langchain/langgraph';
import type { EventBody } from '../../src/agent/events.js';
import { buildGraph } from '../../src/agent/graph.js';
import type { ChatModel, ModelReply, ModelRequest } from '../../src/agent/model.js';
import type { NodeEnv } from '../../src/agent/node.js';
import { openProject, type Project } from '../../src/agent/project.js';
import { type RunState, requestSchema } from '../../src/agent/state.js';
import { NO_USAGE } from '../../src/agent/usage.js';

/** The settings of tests that are not about vectors: loading the embedding model costs every project that is opened a second. */
export const NO_VECTORS = { XIHE_EMBED_PROVIDER: 'none' };

/** A project of these files in a temporary folder, without a test command of its own. */
export function makeRepo(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'xihe-agent-'));
  put(dir, files);
  return dir;
}

export function put(dir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

export function removeRepo(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

export type Say = (request: ModelRequest, n: number) => ModelReply | string | Promise<ModelReply | string>;

/** A model that answers by a function, and remembers what it was asked. */
export function fakeModel(say: Say): ChatModel & { asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    name: 'fake',
    contextTokens: 64_000,
    asked,
    async invoke(request) {
      // A copy: loops go on adding to the list that they sent.
      asked.push({ ...request, messages: [...request.messages] });
      const said = await say(request, asked.length);
      return typeof said === 'string' ? reply({ content: said }) : said;
    },
  };
}

/** A reply that costs 10 tokens in and 5 out. */
export function reply(
  fields: ConstructorParameters<typeof AIMessage>[0],
  tokens = { input: 10, output: 5 },
): ModelReply {
  return {
    message: new AIMessage(fields as never),
    usage: { ...tokens, total: tokens.input + tokens.output, source: 'endpoint' },
    finish: 'stop',
    attempts: 1,
    model: 'fake',
  };
}

/** A reply that calls tools; ids are `c<n>` by number of the call in the conversation. */
export function calls(request: ModelRequest, ...list: { name: string; args: Record<string, unknown> }[]): ModelReply {
  const n = request.messages.length;
  return reply({
    content: '',
    tool_calls: list.map((c, i) => ({ type: 'tool_call' as const, id: `c${n}-${i}`, ...c })),
  });
}

/** The environment of one node over a real project. */
export async function envOf(repo: string, model: ChatModel | null = null): Promise<NodeEnv & { events: EventBody[] }> {
  const project = await openProject(repo, NO_VECTORS);
  const events: EventBody[] = [];
  return { project, model, emit: (e) => events.push(e), signal: undefined, thread: 't', events };
}

/** A state in the middle of a run about `text`. */
export function stateOf(text: string, kind: 'edit' | 'qa' | 'tool' | 'chat', more: Partial<RunState> = {}): RunState {
  return {
    request: requestSchema.parse({ text }),
    run: 1,
    messages: [],
    arm: null,
    routed: { intents: [{ kind, text, layer: 'rule', evidence: '测试' }], index: 0 },
    retrieved: {
      dataVersion: 'v',
      gate: { asked: true, why: '' },
      terms: [],
      knowledge: [],
      playbooks: [],
      warnings: [],
    },
    planned: null,
    answers: null,
    changesetId: null,
    turn: 0,
    stopReason: null,
    findings: [],
    round: 0,
    tests: null,
    decision: null,
    receipt: null,
    tool: null,
    answered: null,
    error: null,
    reported: null,
    reports: [],
    ledger: [],
    fed: [],
    turns: [],
    usage: NO_USAGE,
    elapsedMs: 0,
    ...more,
  } as RunState;
}

/** The whole graph over a repository and a model, with checkpoints in memory. */
export function graphOf(repo: string, model: ChatModel | null) {
  return buildGraph(
    {
      defaultRepo: repo,
      openProject: (r): Promise<Project> => openProject(r, NO_VECTORS),
      openModel: () => model,
    },
    new MemorySaver(),
  );
}

/** Configuration of a thread. */
export const threadOf = (id: string) => ({ configurable: { thread_id: id }, recursionLimit: 200 });
