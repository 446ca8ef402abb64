import type { BaseMessage } from '@langchain/core/messages';
import { XiheError } from '../errors.js';
import { fadeOld, fitContext } from './context-window.js';
import type { ModelReply, ModelRequest } from './model.js';
import type { NodeEnv } from './node.js';
import type { Usage } from './state.js';

/** What a phase asks of the model. */
export interface Question {
  system: string;
  messages: BaseMessage[];
  tools?: ModelRequest['tools'];
  jsonSchema?: Record<string, unknown>;
  /** Number of the turn, from 1: given, listeners hear the call begin and end, and its words as they come. */
  turn?: number;
}

/**
 * One call of the model, inside its window. An endpoint whose window is smaller than the settings say gets the conversation
 * once more, cut harder.
 *
 * @returns the reply, and what it cost (tokens, milliseconds) for the state's `usage`
 * @throws XiheError MODEL_* as `ChatModel.invoke`, MODEL_NOT_CONFIGURED when a resumed run finds no model any more, CANCELLED
 */
export async function askModel(env: NodeEnv, question: Question): Promise<{ reply: ModelReply; usage: Usage }> {
  const { model } = env;
  if (!model) {
    throw new XiheError('MODEL_NOT_CONFIGURED', '这一步要用模型，但现在没有配置', {
      hint: '设置 XIHE_BASE_URL、XIHE_MODEL（和 XIHE_API_KEY）后再运行。',
    });
  }
  const { turn } = question;
  const started = Date.now();
  if (turn !== undefined) env.emit({ type: 'model.started', turn });
  const ask = (contextTokens: number) =>
    model.invoke({
      system: question.system,
      messages: fitContext(fadeOld(question.messages), contextTokens),
      tools: question.tools ?? [],
      ...(question.jsonSchema ? { jsonSchema: question.jsonSchema } : {}),
      ...(turn === undefined ? {} : streamTo(env)),
      onFallback: (from, to, reason) => env.emit({ type: 'model.fallback', from, to, reason }),
      signal: env.signal,
    });
  const window = env.project.config.model.contextTokens;
  const reply = await ask(window).catch((e: unknown) => {
    if (!XiheError.is(e, 'MODEL_CONTEXT_OVERFLOW')) throw e;
    return ask(window / 2);
  });
  const { input, output, source } = reply.usage;
  const ms = Date.now() - started;
  if (turn !== undefined) env.emit({ type: 'model.finished', turn, input, output, ms });
  return { reply, usage: { input, output, calls: 1, estimated: source === 'estimate', ms } };
}

/**
 * Lets cancellation and our own mistakes through, and gives back the error of a model that failed: branches that can do
 * without its answer go on.
 */
export function modelFailure(e: unknown, env: NodeEnv): XiheError {
  if (env.signal?.aborted || !XiheError.is(e) || e.code === 'CANCELLED') throw e;
  return e;
}

/** Where a call streams to: its words, and that a failed attempt will be repeated. Thinking aloud is not shown. */
function streamTo(env: NodeEnv): Pick<ModelRequest, 'onToken' | 'onRetry'> {
  return {
    onToken: (text, kind) => {
      if (kind === 'text') env.emit({ type: 'model.token', text });
    },
    onRetry: (attempt, reason) => env.emit({ type: 'model.retry', attempt, reason }),
  };
}
