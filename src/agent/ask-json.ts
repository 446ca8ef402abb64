import { HumanMessage } from '@langchain/core/messages';
import type * as z from 'zod';
import { askModel } from './ask-model.js';
import { type JsonReply, parseJsonReply } from './json.js';
import { type NodeEnv, textOf } from './node.js';
import { addUsage, type Usage } from './usage.js';

/**
 * Asks the model for JSON of a shape. A reply that does not fit is sent back once with what is wrong with it; then it is given up.
 *
 * @param request as for {@link askModel}; its messages end with the question
 * @returns the value, or what is wrong with the second reply, and what both calls used
 * @throws what {@link askModel} throws on the first call; where the second fails, the first reply's fault is returned
 */
export async function askJson<T>(
  env: NodeEnv,
  request: Parameters<typeof askModel>[1],
  schema: z.ZodType<T>,
): Promise<{ parsed: JsonReply<T>; usage: Usage }> {
  const first = await askModel(env, request);
  const parsed = parseJsonReply(textOf(first.reply.message), schema);
  if (parsed.ok) return { parsed, usage: first.usage };
  const messages = [...request.messages, first.reply.message, new HumanMessage(parsed.error)];
  try {
    const second = await askModel(env, { ...request, messages });
    const usage = addUsage(first.usage, second.usage);
    return { parsed: parseJsonReply(textOf(second.reply.message), schema), usage };
  } catch (e) {
    if (env.signal?.aborted) throw e;
    return { parsed, usage: first.usage };
  }
}
