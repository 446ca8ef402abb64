import { identifiersOf } from '../../text/index.js';
import { intentOf, type NodeBody } from '../node.js';

/** Asks the data core, when it should be asked: four lists, never mixed. */
export const prereadNode: NodeBody = async (state, env) => {
  const intent = intentOf(state);
  const { core, config } = env.project;
  const retrieved = core.query({
    userIntent: intent.text,
    codeSymbols: identifiersOf(intent.text),
    taskType: intent.taskType ?? 'general',
    maxResults: config.core.topK,
  });
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
