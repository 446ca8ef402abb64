import { isGraphInterrupt } from '@langchain/langgraph';
import { messageOf, XiheError } from '../../errors.js';
import type { NodeBody } from '../node.js';

/**
 * A node of a sub-agent that does not take the others down with it: what it throws ends this sub-agent only, and is told. Being cancelled
 * is no failure, and stops all of them for a later resume.
 */
export function safely(body: NodeBody): NodeBody {
  return async (state, env) => {
    try {
      return await body(state, env);
    } catch (e) {
      if (env.signal?.aborted || isGraphInterrupt(e) || XiheError.is(e, 'CANCELLED')) throw e;
      const hint = '看 xihe trace 的输出，改小一点再试。';
      const error = XiheError.is(e) ? { code: e.code, message: e.message, hint: e.hint } : undefined;
      return { error: error ?? { code: 'INTERNAL', message: messageOf(e), hint } };
    }
  };
}
