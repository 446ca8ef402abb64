import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { XiheError } from '../../errors.js';
import { estimateTokens } from '../../text/index.js';
import { EXECUTE_TOOLS, renderCandidates, toOpenAiTool } from '../../tools/index.js';
import { type CoreResult, renderHits } from '../../zhcore/index.js';
import { fitContext } from '../context-window.js';
import { inject } from '../injection.js';
import type { ModelReply } from '../model.js';
import { conversationOf, intentOf, type NodeBody, type NodeEnv, streamTo } from '../node.js';
import { focusModules, scopeToFocus } from '../planning.js';
import { prompt } from '../prompts.js';
import type { Injection, Plan, RunState, RunUpdate } from '../state.js';

/** Tokens of the skeleton in the task message: two levels of an ordinary project; the tools show the rest. */
const SKELETON_TOKENS = 300;

/** One turn of the model. The first one carries the task; later ones what the tools answered. */
export const executeNode: NodeBody = async (state, env) => {
  const over = budgetReason(state, env);
  if (over) return { stopReason: over };
  const task = state.turn === 0 ? await taskMessage(state, env) : null;
  const messages = task ? [task.message] : conversationOf(state);
  env.emit({ type: 'model.started', turn: state.turn + 1 });
  const started = Date.now();
  try {
    const reply = await askModel(env, messages);
    const ms = Date.now() - started;
    env.emit({
      type: 'model.finished',
      turn: state.turn + 1,
      input: reply.usage.input,
      output: reply.usage.output,
      ms,
    });
    return {
      messages: task ? [task.message, reply.message] : [reply.message],
      turn: state.turn + 1,
      changesetId: state.changesetId ?? changesetIdFor(env.thread, state),
      ...(task ? { ledger: task.ledger, fed: task.fed } : {}),
      usage: {
        input: reply.usage.input,
        output: reply.usage.output,
        calls: 1,
        estimated: reply.usage.source === 'estimate',
        ms,
      },
    } satisfies RunUpdate;
  } catch (e) {
    return modelFailed(e, env);
  }
};

/** One call with the tools of the phase. An endpoint whose window is smaller than set gets the conversation once more, cut harder. */
async function askModel(env: NodeEnv, messages: BaseMessage[]): Promise<ModelReply> {
  const ask = (contextTokens: number) =>
    env.model!.invoke({
      system: prompt('execute'),
      messages: fitContext(messages, contextTokens),
      tools: EXECUTE_TOOLS.map(toOpenAiTool),
      signal: env.signal,
      ...streamTo(env),
    });
  const window = env.project.config.model.contextTokens;
  try {
    return await ask(window);
  } catch (e) {
    if (!XiheError.is(e, 'MODEL_CONTEXT_OVERFLOW')) throw e;
    return ask(window / 2);
  }
}

/** Why the loop must end now, in Chinese; undefined while there is room. */
function budgetReason(state: RunState, env: NodeEnv): string | undefined {
  const { maxTurns, maxTokens, maxSeconds } = env.project.config.run;
  if (state.turn >= maxTurns) return `达到轮数上限（${maxTurns} 轮）`;
  if (state.usage.input + state.usage.output >= maxTokens) return `达到 token 上限（${maxTokens}）`;
  if (state.usage.ms >= maxSeconds * 1000) return `达到时间上限（${maxSeconds} 秒）`;
  return undefined;
}

/** A changeset's name follows from the thread, run and intent, so that a rerun of this node finds the same one. */
export function changesetIdFor(thread: string, state: RunState): string {
  return `${thread}-${state.run}-${state.routed?.index ?? 0}`.replace(/[^\w.-]/g, '_');
}

async function taskMessage(
  state: RunState,
  env: NodeEnv,
): Promise<{ message: HumanMessage; ledger: Injection[]; fed: RunUpdate['fed'] }> {
  const plan = state.planned!;
  const paths = await env.project.paths(env.signal);
  const modules = focusModules(plan.focus, (p) => env.project.core.termLookup().moduleOf(p));
  const scoped = scopeToFocus(state.retrieved as CoreResult, modules);
  const core = renderHits({ ...scoped, playbooks: [] }, 'execute', env.project.config.core);
  const playbooks = renderHits({ ...scoped, terms: [], knowledge: [], warnings: [] }, 'plan', env.project.config.core);
  const skeleton = paths.loadContext({ maxTokens: SKELETON_TOKENS });
  const text = prompt('task', {
    request: intentOf(state).text,
    answers: state.answers?.text ? `用户补充：${state.answers.text}\n` : '',
    plan: renderPlan(plan),
    files: renderCandidates(plan.candidates as never) || '（没有找到明显相关的文件，用 lookup_file 找）',
    skeleton: skeleton.text,
    core: core.text || '（没有相关条目）',
  });
  const run = state.run;
  return {
    message: new HumanMessage({ id: `task-${run}-${state.routed?.index ?? 0}`, content: text }),
    ledger: inject(
      state,
      'execute',
      [...core.injected, ...(plan.playbook ? playbooks.injected.slice(0, 1) : [])],
      env.emit,
    ),
    fed: [
      { run, path: '.', form: 'skeleton', turn: 0, tokens: skeleton.tokens },
      ...plan.candidates.map((c) => ({
        run,
        path: c.path,
        form: 'summary' as const,
        turn: 0,
        tokens: estimateTokens(c.summary),
      })),
    ],
  };
}

/** The plan as the model reads it: the playbook whole, with the state of its checks. */
export function renderPlan(plan: Plan): string {
  const steps = plan.steps.map((step, i) => `${i + 1}. ${step}`).join('\n');
  if (!plan.playbook) return steps;
  const checks = plan.playbook.checks
    .map((c) => `- ${c.state === 'ok' ? '已具备' : '未具备'}：${c.target}（${c.purpose}）`)
    .join('\n');
  const post = plan.playbook.postChecks.map((c) => `- ${c.purpose}`).join('\n');
  const { title, provenance } = plan.playbook;
  return [
    `按流程模板「${title}」（来源 ${provenance.source}）：`,
    steps,
    checks ? `前置检查：\n${checks}` : '',
    post ? `完成后会检查：\n${post}` : '',
  ]
    .filter(Boolean)
    .join('\n');
}

/** A model that fails ends the run with what the core knows, and says so; cancellation stops it for a later resume. */
function modelFailed(e: unknown, env: NodeEnv): RunUpdate {
  if (env.signal?.aborted || XiheError.is(e, 'CANCELLED')) throw e;
  if (!XiheError.is(e)) throw e;
  return { error: { code: e.code, message: e.message, hint: e.hint } };
}
