import type { CoreResult } from '../../zhcore/index.js';
import { isWithout } from '../arm.js';
import { intentOf, type NodeBody } from '../node.js';
import { isParallel, partsOf } from '../parallel/parts.js';
import { assemblePlan, MAX_CANDIDATES, planTerms, runPlaybook } from '../planning.js';
import { workspaceFor } from '../surroundings.js';

/** Terms looked up in the code, the playbook with its checks run, the files to start from: a structured plan. */
export const planNode: NodeBody = async (state, env) => {
  const intent = intentOf(state);
  const retrieved = state.retrieved as CoreResult;
  const paths = await env.project.paths(env.signal);
  const taskType = intent.taskType ?? 'general';
  const { candidates } = isWithout(state, 'paths')
    ? { candidates: [] }
    : await paths.lookupFile(intent.text, { topK: MAX_CANDIDATES, taskType });
  const terms = await planTerms(retrieved.terms, paths);
  const match = retrieved.playbooks[0];
  const playbook = match ? await runPlaybook(match, paths, env) : null;
  const assembled = assemblePlan(taskType, terms, playbook, candidates);
  const most = isParallel(state, env) && env.model ? env.project.config.run.maxAgents : 1;
  const parts = await partsOf(intent.text, assembled, paths, most);
  const plan = { ...assembled, parts, placeWarnings: env.project.core.warningsForFiles(assembled.focus) };
  env.emit({ type: 'plan.made', steps: plan.steps.length, focus: plan.focus, playbook: playbook?.title ?? null });
  return { planned: plan, workspace: await workspaceFor(state, paths, plan.focus) };
};
