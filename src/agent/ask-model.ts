import type { BaseMessage } from '@langchain/core/messages';
import { XiheError } from '../errors.js';
import { costOf, usageOf } from './budget.js';
import { fitContext } from './context-window.js';
import type { ChatModel, ModelReply, ModelRequest } from './model.js';
import { narrowed, windowOf } from './model-window.js';
import type { NodeEnv } from './node.js';
import type { Usage } from './usage.js';

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
      messages: fitContext(question.messages, contextTokens),
      tools: question.tools ?? [],
      ...(question.jsonSchema ? { jsonSchema: question.jsonSchema } : {}),
      ...(turn === undefined ? {} : streamTo(env)),
      onFallback: (from, to, reason) => env.emit({ type: 'model.fallback', from, to, reason }),
      signal: env.signal,
    });
  const reply = await withinWindow(env, model, ask);
  const ms = Date.now() - started;
  const { input, output } = reply.usage;
  if (turn !== undefined) env.emit({ type: 'model.finished', turn, input, output, ms });
  const { prices } = env.project.config.model;
  return { reply, usage: usageOf(reply.usage, ms, costOf(reply.usage, reply.model, prices)) };
}

/** How often a conversation that is still too long is cut harder. */
const MAX_CUTS = 3;

/** Asks within the window as it is known; an endpoint that says it is smaller is believed from then on. */
async function withinWindow(
  env: NodeEnv,
  model: ChatModel,
  ask: (contextTokens: number) => Promise<ModelReply>,
): Promise<ModelReply> {
  for (let cuts = 0; ; cuts++) {
    const window = windowOf(env);
    try {
      return await ask(window);
    } catch (e) {
      if (!XiheError.is(e, 'MODEL_CONTEXT_OVERFLOW') || cuts >= MAX_CUTS) throw e;
      narrowed(model, window, e.message);
    }
  }
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
