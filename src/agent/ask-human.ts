import { interrupt } from '@langchain/langgraph';
import { XiheError } from '../errors.js';
import type { PendingRequest } from './human.js';

/**
 * Puts a question before people and waits until the answer can be used: one that can't is told why, and the question stands.
 * (An error after an interrupt would end the thread for good: LangGraph keeps the answer and replays it at each resume.)
 *
 * LangGraph reruns the node from its start for each answer, and gives the earlier ones again; so `read` sees them all again,
 * and an effect in it must be safe to repeat.
 *
 * @param read turns the answer into what the node needs; a XiheError from it is shown with the question
 */
export function askHuman<T>(request: PendingRequest, read: (answer: unknown) => T): T {
  let asked = request;
  for (;;) {
    const answer: unknown = interrupt(asked);
    try {
      return read(answer);
    } catch (e) {
      if (!XiheError.is(e)) throw e;
      asked = withProblem(request, `${e.message}。${e.hint}`);
    }
  }
}

function withProblem(request: PendingRequest, problem: string): PendingRequest {
  const actionRequests = request.actionRequests.map((action) => ({
    ...action,
    description: `上一个答复没有用上：${problem}\n${action.description}`,
  }));
  return { ...request, actionRequests, problem };
}
