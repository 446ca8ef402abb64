import { join } from 'node:path';
import { hasChinese, identifiersOf, readFileText } from '../../text/index.js';
import { recordOf } from '../../zhcore/index.js';
import { intentOf, type NodeBody, type NodeEnv } from '../node.js';

/** Files looked at for Chinese comments when the request itself has no Chinese. */
const FOCUS_FILES = 2;

/** Asks the data core, when it should be asked: four lists, never mixed. */
export const prereadNode: NodeBody = async (state, env) => {
  const intent = intentOf(state);
  const { core, config, queryLog } = env.project;
  const started = performance.now();
  const query = {
    userIntent: intent.text,
    codeSymbols: identifiersOf(intent.text),
    taskType: intent.taskType ?? ('general' as const),
    maxResults: config.core.topK,
    ...(hasChinese(intent.text) ? {} : await englishFocus(intent.text, env)),
  };
  const retrieved = await core.ask(query, { signal: env.signal });
  const ms = performance.now() - started;
  // For the next question; it stops when the process ends, and goes on in the next one.
  core.vectors?.buildInBackground();
  queryLog.append(recordOf(retrieved, { text: intent.text, phase: 'plan', thread: env.thread, ms }));
  env.emit({
    type: 'core.queried',
    asked: retrieved.gate.asked,
    why: retrieved.gate.why,
    terms: retrieved.terms.length,
    knowledge: retrieved.knowledge.length,
    playbooks: retrieved.playbooks.length,
    warnings: retrieved.warnings.length,
  });
  return { retrieved };
};

/** An English request may still be about code with Chinese comments: the files that it leads to decide. */
async function englishFocus(request: string, env: NodeEnv): Promise<{ files: string[]; focusHasChinese: boolean }> {
  const paths = await env.project.paths(env.signal);
  const { candidates } = await paths.lookupFile(request, { topK: FOCUS_FILES });
  const files = candidates.map((c) => c.path as string);
  return { files, focusHasChinese: files.some((file) => holdsChinese(join(env.project.layout.root, file))) };
}

function holdsChinese(file: string): boolean {
  try {
    return hasChinese(readFileText(file).text);
  } catch {
    // A binary or vanished file says nothing about the team's language.
    return false;
  }
}
