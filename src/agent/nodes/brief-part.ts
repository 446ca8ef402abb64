import { HumanMessage } from '@langchain/core/messages';
import { XiheError } from '../../errors.js';
import type { FileCandidate, PathContext } from '../../paths/index.js';
import { hasChinese, identifiersOf } from '../../text/index.js';
import { type CoreResult, recordOf } from '../../zhcore/index.js';
import type { NodeBody, NodeEnv } from '../node.js';
import { conflictTask } from '../parallel/conflicts.js';
import type { Part } from '../parallel/schema.js';
import { assemblePlan, MAX_CANDIDATES, planTerms } from '../planning.js';

/**
 * What a sub-agent begins with: what the team knows about its part, and a plan of its own, so that nothing of the other parts lies before it.
 * One that is to solve conflicts has its conversation already, and is told of them.
 */
export const briefPartNode: NodeBody = async (state, env) => {
  const part = state.part!;
  if (part.conflicts.length > 0) {
    const id = `conflict-${part.name}-${part.round}`;
    return { messages: [new HumanMessage({ id, content: conflictTask(state, env) })] };
  }
  const plan = state.planned!;
  const paths = await env.project.paths(env.signal);
  const retrieved = await askedFor(part, plan.taskType, env);
  const terms = await planTerms(retrieved.terms, paths);
  const { candidates } = await paths.lookupFile(part.instruction, { topK: MAX_CANDIDATES, taskType: plan.taskType });
  const own = assemblePlan(plan.taskType, terms, null, candidatesOf(part, candidates, paths));
  const focus = part.files.length > 0 ? part.files : own.focus;
  return {
    retrieved,
    planned: { ...own, focus, placeWarnings: env.project.core.warningsForFiles(focus), playbook: plan.playbook },
  };
};

async function askedFor(
  part: Part,
  taskType: 'general' | 'refactor' | 'bugfix' | 'feature',
  env: NodeEnv,
): Promise<CoreResult> {
  const { core, config, queryLog } = env.project;
  const { instruction: text, files } = part;
  const started = performance.now();
  const query = {
    userIntent: text,
    codeSymbols: identifiersOf(text),
    taskType,
    maxResults: config.core.topK,
    ...(hasChinese(text) ? {} : { files }),
  };
  const retrieved = await core.ask(query, { signal: env.signal });
  const ms = performance.now() - started;
  queryLog.append(recordOf(retrieved, { text, phase: 'plan', thread: env.thread, ms }));
  return retrieved;
}

/** The files that the part names first, then what the search finds beside. */
function candidatesOf(part: Part, found: FileCandidate[], paths: PathContext): FileCandidate[] {
  const named = part.files.flatMap((path): FileCandidate[] => {
    const known = found.find((one) => one.path === path);
    if (known) return [known];
    const there = resolved(path, paths);
    if (there === undefined) return [];
    return [{ path: there, score: 1, evidence: [], why: '这一份点名的文件', summary: paths.summary(there) ?? '' }];
  });
  return [...named, ...found.filter((one) => !named.includes(one))];
}

function resolved(path: string, paths: PathContext): FileCandidate['path'] | undefined {
  try {
    return paths.resolve(path).path;
  } catch (e) {
    // It is to be made.
    if (XiheError.is(e)) return undefined;
    throw e;
  }
}
