import { askHuman } from '../ask-human.js';
import { type AskRequest, readAnswer } from '../human.js';
import type { NodeBody } from '../node.js';

/** Asks what the plan needs to know before anything is changed. Nothing here has an effect before the interrupt. */
export const askNode: NodeBody = (state) => {
  const questions = state.planned?.openQuestions ?? [];
  const request: AskRequest = {
    kind: 'ask',
    questions,
    actionRequests: [{ name: 'continue_plan', args: { questions }, description: questions.join('\n') }],
    reviewConfigs: [{ actionName: 'continue_plan', allowedDecisions: ['approve', 'edit', 'reject'] }],
  };
  return { answers: askHuman(request, readAnswer) };
};
