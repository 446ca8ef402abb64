import type { FileCandidate, PathContext } from '../../paths/index.js';
import type { CoreResult } from '../../zhcore/index.js';
import { isWithout } from '../arm.js';
import { namedIdentifiers } from '../named-identifiers.js';
import { intentOf, type NodeBody, type NodeEnv } from '../node.js';
import { isParallel, partsOf } from '../parallel/parts.js';
import { assemblePlan, MAX_CANDIDATES, planTerms, runPlaybook } from '../planning.js';
import type { RunState } from '../state.js';
import { workspaceFor } from '../surroundings.js';
import type { Usage } from '../usage.js';

/** Terms looked up in the code, the playbook with its checks run, the files to start from: a structured plan. */
export const planNode: NodeBody = async (state, env) => {
  const intent = intentOf(state);
  const retrieved = state.retrieved as CoreResult;
  const paths = await env.project.paths(env.signal);
  const taskType = intent.taskType ?? 'general';
  const { candidates, usage } = await candidatesFor(state, env, paths);
  const terms = await planTerms(retrieved.terms, paths);
  const match = retrieved.playbooks[0];
  const playbook = match ? await runPlaybook(match, paths, env) : null;
  const assembled = assemblePlan(taskType, terms, playbook, candidates);
  const most = isParallel(state, env) && env.model ? env.project.config.run.maxAgents : 1;
  const parts = await partsOf(intent.text, assembled, paths, most);
  const plan = { ...assembled, parts, placeWarnings: env.project.core.warningsForFiles(assembled.focus) };
  env.emit({ type: 'plan.made', steps: plan.steps.length, focus: plan.focus, playbook: playbook?.title ?? null });
  const workspace = await workspaceFor(state, paths, plan.focus);
  return { planned: plan, workspace, ...(usage ? { usage } : {}) };
};

/** The files that the request is about, and what it cost where the model was asked for names to find them by. */
async function candidatesFor(
  state: RunState,
  env: NodeEnv,
  paths: PathContext,
): Promise<{ candidates: FileCandidate[]; usage?: Usage }> {
  if (isWithout(state, 'paths')) return { candidates: [] };
  const { text, taskType = 'general' } = intentOf(state);
  const { names, usage } = await namedIdentifiers(text, env, paths.files);
  const { candidates } = await paths.lookupFile(text, { topK: MAX_CANDIDATES, taskType, modelNames: names });
  return { candidates, ...(usage ? { usage } : {}) };
}
