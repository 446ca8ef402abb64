import { HumanMessage } from '@langchain/core/messages';
import { estimateTokens } from '../../text/index.js';
import { EXECUTE_TOOLS, renderCandidates, toOpenAiTool } from '../../tools/index.js';
import { type CoreResult, renderHits } from '../../zhcore/index.js';
import { isPlain, toolsIn } from '../arm.js';
import { askModel, modelFailure } from '../ask-model.js';
import { overBudget } from '../budget.js';
import { asData } from '../data-mark.js';
import { inject } from '../injection.js';
import { conversationOf, foreignReaders, intentOf, type NodeBody, type NodeEnv } from '../node.js';
import { focusModules, scopeToFocus, warningsOf, withPlaces } from '../planning.js';
import { prompt } from '../prompts.js';
import type { CheckState, Injection, Plan, RunState, RunUpdate } from '../state.js';
import { surroundingsOf } from '../surroundings.js';

/** One turn of the model. The first one carries the task; later ones what the tools answered. */
export const executeNode: NodeBody = async (state, env) => {
  const changesetId = state.changesetId ?? changesetIdFor(state);
  const over = overBudget(state, env, state.turn);
  if (over) return { stopReason: over, changesetId };
  const task = state.turn === 0 ? await taskMessage(state, env) : null;
  const turn = state.turn + 1;
  const foreign = await foreignReaders(state, env);
  try {
    const { reply, usage } = await askModel(env, {
      system: prompt('execute', { core: isPlain(state) ? '' : prompt('execute-core') }),
      messages: task ? [task.message] : conversationOf(state),
      tools: [...toolsIn(state, EXECUTE_TOOLS), ...foreign].map(toOpenAiTool),
      turn,
    });
    return {
      messages: task ? [task.message, reply.message] : [reply.message],
      turn,
      changesetId,
      ...(task ? { ledger: task.ledger, fed: task.fed } : {}),
      usage,
    } satisfies RunUpdate;
  } catch (e) {
    // The run ends with what the core knows, and says so; a cancelled one stops here for a later resume.
    const { code, message, hint } = modelFailure(e, env);
    return { error: { code, message, hint } };
  }
};

/** A changeset's name follows from the run and the intent, so that a rerun of this node finds the same one, and no other run does. */
export function changesetIdFor(state: RunState): string {
  return `${state.runId}-${state.routed?.index ?? 0}`;
}

async function taskMessage(
  state: RunState,
  env: NodeEnv,
): Promise<{ message: HumanMessage; ledger: Injection[]; fed: RunUpdate['fed'] }> {
  const plan = state.planned!;
  const paths = await env.project.paths(env.signal);
  const modules = focusModules(plan.focus, (p) => env.project.core.moduleOfPath(p));
  const scoped = withPlaces(scopeToFocus(state.retrieved as CoreResult, modules, plan.focus), plan.terms);
  const warnings = warningsOf(scoped, plan);
  const core = renderHits({ ...scoped, warnings, playbooks: [] }, 'execute', env.project.config.core);
  // The plan carries the playbook itself; this is only its line in the ledger.
  const playbook = renderHits(
    { ...scoped, terms: [], knowledge: [], warnings: [], playbooks: plan.playbook ? scoped.playbooks.slice(0, 1) : [] },
    'plan',
    env.project.config.core,
  );
  const surroundings = await surroundingsOf(state, env, paths);
  const text = prompt(isPlain(state) ? 'task-plain' : 'task', {
    request: intentOf(state).text,
    answers: state.answers?.text ? `用户补充：${state.answers.text}\n` : '',
    plan: renderPlan(plan),
    files: asData(
      state,
      env,
      '文件',
      renderCandidates(plan.candidates as never) || '（没有找到明显相关的文件，用工具找）',
    ),
    skeleton: asData(state, env, '目录', surroundings.text),
    core: core.text || '（没有相关条目）',
  });
  const { run } = state;
  const intent = state.routed?.index ?? 0;
  return {
    message: new HumanMessage({ id: `task-${run}-${intent}`, content: text }),
    ledger: inject(state, 'execute', [...core.injected, ...playbook.injected], env),
    fed: [
      ...surroundings.fed,
      ...plan.candidates.map((c) => ({
        run,
        intent,
        path: c.path,
        form: 'summary' as const,
        turn: 0,
        tokens: estimateTokens(c.summary),
      })),
    ],
  };
}

const CHECK_STATES = { ok: '已具备', missing: '没有', failed: '没有通过', skipped: '没有自动运行' } as const;

/** A check in one line; of a glob, the file that met it. */
function renderCheck(c: CheckState): string {
  const what = c.state === 'ok' && c.type !== 'command' ? c.detail : c.target;
  return `- ${CHECK_STATES[c.state]}：${what}（${c.purpose}）`;
}

/** The plan as the model reads it: the playbook whole, with the state of its checks. */
export function renderPlan(plan: Plan): string {
  const steps = plan.steps.map((step, i) => `${i + 1}. ${step}`).join('\n');
  if (!plan.playbook) return steps;
  const checks = plan.playbook.checks.map(renderCheck).join('\n');
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
