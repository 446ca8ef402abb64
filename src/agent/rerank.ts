import { HumanMessage } from '@langchain/core/messages';
import * as z from 'zod';
import type { XiheConfig } from '../config.js';
import { XiheError } from '../errors.js';
import type { Reranker } from '../knowledge/index.js';
import { plainBlock, plainLine } from '../text/index.js';
import { parseJsonReply } from './json.js';
import { openModel } from './model.js';
import { prompt } from './prompts.js';

const reply = z.object({ order: z.array(z.number().int()) });

/** Characters of a passage that the judge reads: what it is about stands in the beginning. */
const PASSAGE_CHARS = 400;

/**
 * The model as a judge of the order of passages (`core.rerank`): one call, of which only the order is used.
 *
 * @returns undefined when it is off, no model is set, or its address is not trusted
 */
export function openReranker({ core, model: settings }: XiheConfig): Reranker | undefined {
  // Whoever asks the model for more than an order is told; without it passages stand as they were found.
  if (settings.untrusted?.some(({ setting }) => setting === 'model.baseUrl')) return undefined;
  // A second attempt would come too late for the answer.
  const model = core.rerank ? openModel({ ...settings, maxRetries: 0 }) : null;
  if (model === null) return undefined;
  return async (query, passages, signal) => {
    const listed = passages.map(
      ({ title, text }, i) => `【${i + 1}】${plainLine(title)}\n${plainBlock(text.slice(0, PASSAGE_CHARS))}`,
    );
    const system = prompt('rerank', { query: plainLine(query), passages: listed.join('\n\n') });
    const { message } = await model.invoke({
      system,
      messages: [new HumanMessage('排序')],
      jsonSchema: z.toJSONSchema(reply),
      signal,
    });
    const order = parseJsonReply(message.text, reply);
    if (!order.ok) throw new XiheError('MODEL_BAD_REPLY', order.error, { hint: '关掉 core.rerank，或换一个模型。' });
    return order.value.order.map((n) => n - 1);
  };
}
