import { EXECUTE_TOOLS, splitWork, toOpenAiTool } from '../../tools/index.js';
import { isPlain, toolsIn } from '../arm.js';
import { askModel, modelFailure } from '../ask-model.js';
import { overBudget, turnsBefore } from '../budget.js';
import { hear } from '../inbox.js';
import { conversationOf, foreignReaders, type NodeBody } from '../node.js';
import { noteSpending, spentSoFar } from '../parallel/spending.js';
import { mayOfferSplit } from '../parallel/split.js';
import { prompt } from '../prompts.js';
import type { RunState, RunUpdate } from '../state.js';
import { taskMessage } from '../task-message.js';
import { addUsage } from '../usage.js';

/** One turn of the model. The first one carries the task; later ones what the tools answered. */
export const executeNode: NodeBody = async (state, env) => {
  const changesetId = state.changesetId ?? changesetIdFor(state);
  const { turns, ...spent } = spentSoFar(state, env);
  const over = overBudget({ ...state, ...spent }, env, turns - turnsBefore(state));
  if (over) return { stopReason: over, changesetId };
  const conversation = conversationOf(state);
  const task = conversation.length === 0 ? await taskMessage(state, env) : null;
  const turn = state.turn + 1;
  const foreign = await foreignReaders(state, env);
  const split = mayOfferSplit(state, env) ? [splitWork] : [];
  // A sub-agent hears nothing: what the user says goes to the run, which hears it once its parts are merged.
  const said = hear(state, env, turn);
  const before = [...(task ? [task.message] : []), ...said.messages];
  try {
    const { reply, usage } = await askModel(env, {
      system: prompt('execute', { core: isPlain(state) ? '' : prompt('execute-core') }),
      messages: [...(task ? [] : conversation), ...before],
      tools: [...toolsIn(state, EXECUTE_TOOLS), ...split, ...foreign].map(toOpenAiTool),
      turn,
    });
    noteSpending(state, env, addUsage(state.usage, usage), turn);
    return {
      messages: [...before, reply.message],
      ...said.update,
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
