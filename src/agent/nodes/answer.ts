import { type AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { XiheError } from '../../errors.js';
import type { FileCandidate } from '../../paths/index.js';
import {
  type AnyContract,
  callTool,
  READ_TOOLS,
  renderCandidates,
  renderLookup,
  toOpenAiTool,
} from '../../tools/index.js';
import { type CoreResult, type InjectedEntry, recordOfLookup, renderHits } from '../../zhcore/index.js';
import { isWithout, toolsIn } from '../arm.js';
import { askModel, modelFailure } from '../ask-model.js';
import { overBudget } from '../budget.js';
import { asData, asDataLine, kindOf } from '../data-mark.js';
import { hasWords, hear } from '../inbox.js';
import { inject } from '../injection.js';
import { foreignReaders, intentOf, type NodeBody, type NodeEnv, textOf } from '../node.js';
import { addPlaces, planTerms } from '../planning.js';
import { prompt } from '../prompts.js';
import type { Fed, PlanTerm, RunState, RunUpdate } from '../state.js';
import { brokenCall, callSite } from '../tool-context.js';
import { answeredEntries, lookupEntries } from '../tool-entries.js';
import { addUsage, NO_USAGE, type Usage } from '../usage.js';

/** Model turns for one answer: a question that needs more look-ups than this needs a better question. */
const MAX_ANSWER_TURNS = 8;

/** Answers a question with sources, or returns small talk. Only tools that look are within reach. */
export const answerNode: NodeBody = async (state, env) => {
  const intent = intentOf(state);
  if (intent.kind === 'chat') return chat(state, env);
  const retrieved = state.retrieved as CoreResult;
  if (!env.model) return withoutModel(state, env, retrieved);
  return withModel(state, env, retrieved);
};

/** Without a model the passages themselves are the answer. */
async function withoutModel(state: RunState, env: NodeEnv, retrieved: CoreResult): Promise<RunUpdate> {
  const question = intentOf(state).text;
  const { core: zh, queryLog } = env.project;
  const started = performance.now();
  const found = await zh.askLookup(question, undefined, { signal: env.signal });
  const ms = performance.now() - started;
  queryLog.append(
    recordOfLookup(found, { text: question, phase: 'answer', thread: env.thread, dataVersion: zh.dataVersion, ms }),
  );
  const paths = await env.project.paths(env.signal);
  const files = isWithout(state, 'paths') ? [] : (await paths.lookupFile(question, { topK: 3 })).candidates;
  const terms = await planTerms(retrieved.terms, paths);
  const placed = addPlaces(retrieved, terms);
  const core = renderHits(
    { ...placed, knowledge: found.found ? [] : retrieved.knowledge, playbooks: [] },
    'answer',
    env.project.config.core,
  );
  const parts = [
    found.found ? renderLookup(found) : '',
    core.text,
    files.length > 0 ? `【相关文件】\n${renderCandidates(files)}` : '',
  ].filter(Boolean);
  const text = parts.join('\n\n') || '没有查到相关的资料或文件。换个说法再问，或先用 xihe find 找文件。';
  const ledger = inject(state, 'answer', [...lookupEntries(found), ...core.injected], env);
  return { answered: text, sources: sourcesOf(terms, files), ledger };
}

async function withModel(state: RunState, env: NodeEnv, retrieved: CoreResult): Promise<RunUpdate> {
  const question = intentOf(state).text;
  const paths = await env.project.paths(env.signal);
  const files = isWithout(state, 'paths') ? [] : (await paths.lookupFile(question, { topK: 5 })).candidates;
  const terms = await planTerms(retrieved.terms, paths);
  const placed = addPlaces(retrieved, terms);
  const core = renderHits(placed, 'answer', env.project.config.core);
  const task = new HumanMessage(
    prompt('answer-task', {
      request: question,
      core: core.text || '（没有相关条目）',
      files: asData(state, env, '文件', renderCandidates(files) || '（没有）'),
    }),
  );
  const { answer, error, usage, fed, entries, said, heard } = await converse(state, env, [task]);
  const ledger = inject(state, 'answer', [...core.injected, ...entries], env);
  const sources = sourcesOf(terms, files);
  if (error === undefined) return { answered: answer, sources, ledger, usage, fed, said, heard };
  const fallback = await withoutModel(state, env, retrieved);
  return {
    answered: `模型没有答上来（${error.message}）。${error.hint}\n下面是查到的资料：\n\n${fallback.answered}`,
    sources,
    ledger: [...ledger, ...(Array.isArray(fallback.ledger) ? fallback.ledger : [])],
    usage,
    fed,
    said,
    heard,
  };
}

function sourcesOf(terms: PlanTerm[], files: FileCandidate[]): NonNullable<RunState['sources']> {
  return { terms, files: files.map(({ path, why, summary, score }) => ({ path, why, summary, score })) };
}

interface Conversation {
  answer: string;
  /** Why there is no answer. What was used until then still counts. */
  error?: XiheError;
  usage: Usage;
  fed: Fed[];
  /** Entries that the model looked up. */
  entries: InjectedEntry[];
  /** What the user said meanwhile, and the number of the newest of it. */
  said: RunState['said'];
  heard: number;
}

/** Model and reading tools in turns until the model answers in words. */
async function converse(state: RunState, env: NodeEnv, messages: BaseMessage[]): Promise<Conversation> {
  const site = await callSite(state, env);
  const started = Date.now();
  const readers = [...toolsIn(state, READ_TOOLS), ...(await foreignReaders(state, env))];
  let usage = NO_USAGE;
  const entries: InjectedEntry[] = [];
  const told: Pick<Conversation, 'heard' | 'said'> = { heard: state.heard, said: [] };
  for (let turn = 1; ; turn++) {
    const spent = {
      ...state,
      usage: addUsage(state.usage, usage),
      elapsedMs: state.elapsedMs + (Date.now() - started),
    };
    // In the last turn no tools are offered, so that the model has to answer with what it has.
    const last = turn >= MAX_ANSWER_TURNS || overBudget(spent, env) !== undefined;
    const words = hear(state, env, turn, told.heard);
    messages.push(...words.messages);
    told.heard = words.heard;
    told.said.push(...words.said);
    let message: AIMessage;
    try {
      const tools = last ? [] : readers.map(toOpenAiTool);
      const asked = await askModel(env, { system: prompt('answer'), messages, tools, turn });
      usage = addUsage(usage, asked.usage);
      message = asked.reply.message;
    } catch (e) {
      return { answer: '', error: modelFailure(e, env), usage, fed: site.fed, entries, ...told };
    }
    messages.push(message);
    const broken = message.invalid_tool_calls ?? [];
    const calls = message.tool_calls ?? [];
    const isDone = calls.length + broken.length === 0 && !hasWords({ ...state, heard: told.heard }, env);
    if (last || isDone)
      return { answer: textOf(message).trim() || '模型没有给出回答。', usage, fed: site.fed, entries, ...told };
    for (const call of calls)
      messages.push(await lookUp(call, readers, state, env, site.ctx(call.id ?? '', turn), entries));
    messages.push(...broken.map(brokenCall));
  }
}

async function lookUp(
  call: NonNullable<AIMessage['tool_calls']>[number],
  readers: AnyContract[],
  state: RunState,
  env: NodeEnv,
  ctx: Parameters<typeof callTool>[2],
  entries: InjectedEntry[],
): Promise<ToolMessage> {
  const contract = readers.find((t) => t.name === call.name);
  env.emit({ type: 'tool.started', name: call.name, args: JSON.stringify(call.args).slice(0, 200) });
  const started = Date.now();
  const outcome = contract
    ? await callTool(contract, call.args, ctx)
    : { ok: false, text: `失败（TOOL_UNKNOWN）：回答问题时只能用 ${readers.map((t) => t.name).join('、')}` };
  env.emit({
    type: 'tool.finished',
    name: call.name,
    ok: outcome.ok,
    ms: Date.now() - started,
    summary: outcome.text.split('\n')[0]!.slice(0, 120),
  });
  entries.push(...answeredEntries(call, outcome, 'answer', env));
  return new ToolMessage({
    tool_call_id: call.id ?? '',
    name: call.name,
    content: asData(state, env, call.name, outcome.text, kindOf(call.name)),
    ...(outcome.faded ? { artifact: { faded: asDataLine(state, env, outcome.faded) } } : {}),
  });
}

async function chat(state: RunState, env: NodeEnv): Promise<RunUpdate> {
  const said = intentOf(state).text;
  const plain = {
    answered: '你好，我是羲和。告诉我要改什么、要查什么，例如「超时关单在哪里实现？」或「给订单加上仅退款」。',
  };
  if (!env.model) return plain;
  try {
    const { reply, usage } = await askModel(env, { system: prompt('chat'), messages: [new HumanMessage(said)] });
    return { answered: textOf(reply.message).trim() || plain.answered, usage };
  } catch (e) {
    modelFailure(e, env);
    return plain;
  }
}
