import { HumanMessage } from '@langchain/core/messages';
import { estimateTokens } from '../text/index.js';
import { renderCandidates } from '../tools/index.js';
import { type CoreResult, renderHits } from '../zhcore/index.js';
import { isPlain } from './arm.js';
import { asData } from './data-mark.js';
import { agentOf, inject } from './injection.js';
import { intentOf, type NodeEnv } from './node.js';
import type { Part } from './parallel/schema.js';
import { focusModules, scopeToFocus, warningsOf, withPlaces } from './planning.js';
import { prompt } from './prompts.js';
import type { CheckState, Injection, Plan, RunState, RunUpdate } from './state.js';
import { surroundingsOf } from './surroundings.js';

/** The first message of a task: the request, or one part of it, with the plan, the files and what the team knows of them. */
export async function taskMessage(
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
    request: state.part ? partRequest(state.part, intentOf(state).text) : intentOf(state).text,
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
        ...agentOf(state),
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

/** What a sub-agent is asked: its own part first, then the whole, so that it sees what the part is for. */
function partRequest({ title, instruction, files, others }: Part, whole: string): string {
  return prompt('task-part', {
    title,
    instruction,
    files: files.length > 0 ? `这一份从这些文件开始：${files.join('、')}\n` : '',
    others: others.map((other) => `- ${other.title}`).join('\n'),
    whole,
  });
}
