import { HumanMessage } from '@langchain/core/messages';
import * as z from 'zod';
import type { XiheConfig } from '../config.js';
import { messageOf, XiheError } from '../errors.js';
import { knownWindow, MODEL_PRESETS } from '../modelPresets.js';
import { estimateTokens } from '../text/index.js';
import { parseJsonReply } from './json.js';
import { type Member, membersOf } from './model.js';
import { refusesTools } from './model-json-tools.js';
import type { ModelReply } from './model-reply.js';

/** One thing that was tried. */
export interface Probe {
  id: 'stream' | 'chinese' | 'tools' | 'json' | 'usage' | 'window';
  /** For people, Chinese. */
  name: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  hint: string;
}

export interface ProbedModel {
  model: string;
  baseUrl: string;
  preset: string | null;
  probes: Probe[];
  /** How the loop will call tools; null when it can't work with this model. */
  tools: 'native' | 'json' | null;
  /** The window that the endpoint names for itself, or that is known of the model, in tokens. */
  window: number | null;
  /** In Chinese: what will work. */
  verdict: string;
}

/** Longest wait for the list of models, in ms. */
const LIST_MS = 5_000;
/** Tokens of the long question: more than the window that small local servers start with, few enough to cost nothing to speak of. */
const LONG_TOKENS = 6_000;
/** Below this share of what we sent, the endpoint has read only a part of it. */
const READ_SHARE = 0.5;

/** Longest reply to a small question: models that think need room, and some small ones never find an end. */
const REPLY_TOKENS = 2_000;

const toolInput = {
  type: 'object',
  properties: { color: { type: 'string', description: '颜色，中文' } },
  required: ['color'],
};
const TOOL = {
  type: 'function' as const,
  function: { name: 'note_color', description: '记下颜色', parameters: toolInput },
};
const jsonShape = z.object({ city: z.string().min(1), number: z.number() });

/**
 * Asks each model of the chain a few small things, and says what will work.
 *
 * @param onStep called before each thing that is tried, with its name in Chinese
 * @returns [] when no model is set
 * @throws XiheError UNTRUSTED_ADDRESS, CANCELLED
 */
export async function probeModels(
  config: XiheConfig['model'],
  onStep: (model: string, step: string) => void = () => {},
  signal?: AbortSignal,
): Promise<ProbedModel[]> {
  const once = { ...config, maxRetries: Math.min(1, config.maxRetries) };
  const probed: ProbedModel[] = [];
  for (const [i, native] of membersOf(once, { tools: 'native' }).entries()) {
    const json = membersOf(once, { tools: 'json' })[i]!;
    probed.push(await new Prober(native, json, (step) => onStep(native.name, step), signal).run());
  }
  return probed;
}

class Prober {
  constructor(
    private readonly native: Member,
    private readonly json: Member,
    private readonly step: (name: string) => void,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async run(): Promise<ProbedModel> {
    const { name: model, baseUrl, preset = null } = this.native;
    const base = { model, baseUrl, preset };
    this.step('流式和中文');
    const greeted = await this.#greet();
    if ('failed' in greeted) {
      const verdict = `用不了：${greeted.failed.detail}`;
      return { ...base, probes: [greeted.failed], tools: null, window: null, verdict };
    }
    this.step('工具调用');
    const { probe: toolProbe, tools } = await this.#tools();
    this.step('JSON');
    const json = await this.#json();
    this.step('上下文长度');
    const { probe: windowProbe, window } = await this.#window();
    const probes = [...greeted.probes, toolProbe, json, usageProbe(greeted.reply), windowProbe];
    return { ...base, probes, tools, window, verdict: verdictOf(probes, tools) };
  }

  async #greet(): Promise<{ probes: Probe[]; reply: ModelReply } | { failed: Probe }> {
    const started = Date.now();
    const marks: number[] = [];
    try {
      const reply = await this.native.endpoint.invoke({
        system: '用中文回答，不超过三十个字。',
        messages: [new HumanMessage('用一句话介绍「订单超时关单」是什么意思。')],
        onToken: () => marks.push(Date.now() - started),
        maxTokens: REPLY_TOKENS,
        signal: this.signal,
      });
      return { probes: [streamProbe(marks), chineseProbe(reply.message.text)], reply };
    } catch (e) {
      const { message, hint } = told(e);
      return { failed: { id: 'stream', name: '应答', state: 'fail', detail: message, hint } };
    }
  }

  async #tools(): Promise<{ probe: Probe; tools: ProbedModel['tools'] }> {
    const ask = {
      system: '按用户说的调用工具。',
      messages: [new HumanMessage('用 note_color 记下「红色」')],
      tools: [TOOL],
    };
    const base = { id: 'tools' as const, name: '工具调用' };
    let why: string;
    try {
      const { message } = await this.native.endpoint.invoke({ ...ask, maxTokens: REPLY_TOKENS, signal: this.signal });
      const call = message.tool_calls?.[0];
      if (call?.name === 'note_color' && String(call.args.color).includes('红'))
        return { probe: { ...base, state: 'ok', detail: '按协议调用，参数是中文也完整', hint: '' }, tools: 'native' };
      why = call || message.invalid_tool_calls?.length ? '调用了工具，但参数不对' : '没有调用工具，只回了文字';
    } catch (e) {
      why = refusesTools(e) ? '端点说不支持工具' : told(e).message;
    }
    try {
      const { message } = await this.json.endpoint.invoke({ ...ask, maxTokens: REPLY_TOKENS, signal: this.signal });
      const isRight = message.tool_calls?.some(
        ({ name, args }) => name === 'note_color' && String(args.color).includes('红'),
      );
      if (isRight) {
        const hint = '在设置里写 model.tools: json；不写时，端点明说不支持才会自己换。';
        return { probe: { ...base, state: 'warn', detail: `${why}；写成 JSON 可以`, hint }, tools: 'json' };
      }
    } catch {
      // Told below: neither way works.
    }
    const hint = `换一个支持工具调用的模型。${presetNote(this.native)}`;
    return { probe: { ...base, state: 'fail', detail: `${why}；写成 JSON 也不行`, hint }, tools: null };
  }

  async #json(): Promise<Probe> {
    const base = { id: 'json' as const, name: 'JSON' };
    try {
      const { message } = await this.native.endpoint.invoke({
        system: '从用户的话里取出城市和数量。',
        messages: [new HumanMessage('往杭州发 12 件')],
        jsonSchema: z.toJSONSchema(jsonShape) as Record<string, unknown>,
        maxTokens: REPLY_TOKENS,
        signal: this.signal,
      });
      const read = parseJsonReply(message.text, jsonShape);
      if (!read.ok)
        return {
          ...base,
          state: 'warn',
          detail: '没有按要求写出 JSON',
          hint: '自查和补参数会用不上，改代码不受影响。',
        };
      const isForced = !this.native.endpoint.refused.includes('response_format');
      return {
        ...base,
        state: 'ok',
        detail: isForced ? '支持 response_format' : '端点不支持 response_format，靠提示词',
        hint: '',
      };
    } catch (e) {
      const { message, hint } = told(e);
      return { ...base, state: 'warn', detail: message, hint };
    }
  }

  /** A word at the very beginning of a long text: servers that cut silently lose it, and count fewer tokens than were sent. */
  async #window(): Promise<{ probe: Probe; window: number | null }> {
    const base = { id: 'window' as const, name: '上下文长度' };
    const { name, contextTokens } = this.native;
    const window = (await listedWindow(this.native)) ?? knownWindow(name) ?? null;
    const named = window === null ? '端点没有说' : `${window} token`;
    const tooSmall = window !== null && window < contextTokens;
    const hint = `设置 model.contextTokens 现在是 ${contextTokens}。${presetNote(this.native)}`;
    try {
      const text = `暗号：青鸟七号。\n${filler(Math.min(LONG_TOKENS, contextTokens / 2))}\n开头的暗号是什么？只回答暗号。`;
      const reply = await this.native.endpoint.invoke({
        system: '只回答问题。',
        messages: [new HumanMessage(text)],
        maxTokens: REPLY_TOKENS,
        signal: this.signal,
      });
      const sent = estimateTokens(text);
      const isCut = reply.usage.source === 'endpoint' && reply.usage.input < sent * READ_SHARE;
      if (isCut)
        return {
          probe: {
            ...base,
            state: 'fail',
            detail: `发了约 ${sent} token，只读了 ${reply.usage.input}：端点悄悄截断了`,
            hint,
          },
          window,
        };
      const found = reply.message.text.includes('青鸟') ? '长文开头的内容还记得' : '读完了长文，但没有答对开头的内容';
      const detail = `${named}；试了约 ${sent} token，${found}`;
      return { probe: { ...base, state: tooSmall ? 'warn' : 'ok', detail, hint: tooSmall ? hint : '' }, window };
    } catch (e) {
      return { probe: { ...base, state: 'fail', detail: `${named}；${told(e).message}`, hint }, window };
    }
  }
}

function streamProbe(marks: readonly number[]): Probe {
  const base = { id: 'stream' as const, name: '流式' };
  const first = ((marks[0] ?? 0) / 1000).toFixed(1);
  if (marks.length > 1) return { ...base, state: 'ok', detail: `首字 ${first} 秒，${marks.length} 段`, hint: '' };
  const hint = '能用，只是要等整段写完才看得到；慢的模型调大 model.stallSeconds。';
  return { ...base, state: 'warn', detail: `整段一起来，${first} 秒`, hint };
}

function chineseProbe(text: string): Probe {
  const base = { id: 'chinese' as const, name: '中文' };
  if (text.includes('\uFFFD'))
    return { ...base, state: 'fail', detail: '回复里有乱码', hint: '端点或代理把多字节的字切坏了，换一个端点。' };
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  if (han >= 4)
    return { ...base, state: 'ok', detail: `「${text.trim().replaceAll('\n', ' ').slice(0, 40)}」`, hint: '' };
  return { ...base, state: 'warn', detail: '没有用中文回答', hint: '模型太小或不懂中文，换一个。' };
}

function usageProbe({ usage }: ModelReply): Probe {
  const base = { id: 'usage' as const, name: '用量' };
  if (usage.source === 'endpoint')
    return { ...base, state: 'ok', detail: `端点给出：读入 ${usage.input}，写出 ${usage.output}`, hint: '' };
  return { ...base, state: 'warn', detail: '端点不给用量', hint: 'token 和花费按估算记，偏高。' };
}

function verdictOf(probes: readonly Probe[], tools: ProbedModel['tools']): string {
  const failed = probes.filter(({ state }) => state === 'fail').map(({ name }) => name);
  if (tools === null) return '能回答问题，不能改代码：模型不会调用工具';
  if (failed.length > 0) return `先解决：${failed.join('、')}`;
  const warned = probes.filter(({ state, id }) => state === 'warn' && id !== 'tools').map(({ name }) => name);
  const how = tools === 'native' ? '' : '（工具写成 JSON）';
  return `提问、改代码、操作都能用${how}${warned.length > 0 ? `；留意：${warned.join('、')}` : ''}`;
}

function presetNote({ preset }: Member): string {
  return preset === undefined ? '' : MODEL_PRESETS[preset].note;
}

/** Text of about so many tokens. */
function filler(tokens: number): string {
  const line = '订单超时没有付款，由定时任务关单，先改状态再归还库存。\n';
  return line.repeat(Math.max(1, Math.floor(tokens / estimateTokens(line))));
}

/** What is told of an error; the user's own stop passes. */
function told(e: unknown): { message: string; hint: string } {
  if (XiheError.is(e, 'CANCELLED')) throw e;
  return XiheError.is(e) ? e : { message: messageOf(e), hint: '' };
}

/** The window in an endpoint's list of models, by the names that vLLM, OpenRouter and llama.cpp have for it. */
async function listedWindow({ baseUrl, apiKey, name }: Member): Promise<number | undefined> {
  try {
    const reply = await fetch(`${baseUrl.replace(/\/$/, '')}/models`, {
      headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
      signal: AbortSignal.timeout(LIST_MS),
    });
    const { data = [] } = (await reply.json()) as { data?: Record<string, unknown>[] };
    const one = data.find(({ id }) => id === name) ?? {};
    const meta = (one.meta ?? {}) as Record<string, unknown>;
    const window = [one.max_model_len, one.context_length, one.context_window, meta.n_ctx].find(
      (n) => typeof n === 'number',
    );
    return window as number | undefined;
  } catch {
    return undefined;
  }
}
