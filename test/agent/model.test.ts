import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { afterEach, describe, expect, it } from 'vitest';
import { type ModelRequest, openModel } from '../../src/agent/model.js';
import { configSchema } from '../../src/config.js';
import { XiheError } from '../../src/errors.js';
import {
  type Fault,
  type ModelServer,
  type Rule,
  startModelServer,
  type WireMessage,
} from '../support/model-server.js';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Limits {
  name?: string;
  preset?: 'deepseek' | 'kimi' | 'openai' | 'vllm';
  apiKey?: string;
  stallSeconds?: number;
  timeoutSeconds?: number;
  maxRetries?: number;
}

async function open(rules: Rule[], limits: Limits = {}, scenario: { apiKey?: string } = {}) {
  const server = await startModelServer({ rules, ...scenario });
  servers.push(server);
  const config = configSchema.parse({ model: { baseUrl: server.baseUrl, name: 'scripted', ...limits } }).model;
  return { server, model: openModel(config, { retryBaseMs: 1 })! };
}

const TOOL = {
  type: 'function' as const,
  function: {
    name: 'edit_file',
    description: '改文件',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
};

const ask = (extra: Partial<ModelRequest> = {}): ModelRequest => ({
  system: '你是羲和',
  messages: [new HumanMessage('关单时加一次重试')],
  ...extra,
});

async function codeOf(running: Promise<unknown>): Promise<string> {
  try {
    await running;
    return 'none';
  } catch (e) {
    return XiheError.is(e) ? e.code : `not ours: ${e}`;
  }
}

const fault = (f: Fault) => ({ text: '一二三四五六七八', fault: f });

describe('a reply', () => {
  it('comes streamed: text, reasoning, tool calls in pieces, usage, finish', async () => {
    const reply = {
      reasoning: '先看文件，再改',
      text: '好的，我先读文件。',
      toolCalls: [
        { name: 'read_file', args: { path: 'src/支付网关/notify.ts' } },
        { name: 'edit_file', args: { path: 'a.ts', text: '引号 " 和换行 \n 和 𠮷' } },
      ],
      usage: { prompt: 120, completion: 34 },
    };
    const { model, server } = await open([{ reply }]);
    const heard = { text: '', reasoning: '' };
    const got = await model.invoke(ask({ tools: [TOOL], onToken: (text, kind) => (heard[kind] += text) }));
    expect(got.message.content).toBe(reply.text);
    expect(got.message.tool_calls!.map(({ id, name, args }) => ({ id, name, args }))).toEqual([
      { id: 'call_2_0', ...reply.toolCalls[0] },
      { id: 'call_2_1', ...reply.toolCalls[1] },
    ]);
    expect(got.message.invalid_tool_calls).toEqual([]);
    expect(got.message.additional_kwargs).toEqual({ reasoning_content: reply.reasoning });
    expect(got.usage).toEqual({ input: 120, output: 34, total: 154, source: 'endpoint' });
    expect([got.finish, got.attempts]).toEqual(['tool_calls', 1]);
    expect(heard).toEqual({ text: reply.text, reasoning: reply.reasoning });
    const [sent] = server.chats();
    expect(sent).toMatchObject({ model: 'scripted', stream: true, temperature: 0, tools: [TOOL] });
    expect(sent!.messages[0]).toMatchObject({ role: 'system', content: '你是羲和' });
  });

  it.each(['repeat', 'whole'] as const)(
    'reads tool calls of endpoints that send them otherwise (%s)',
    async (toolDeltas) => {
      const calls = [
        { name: 'edit_file', args: { path: '甲.ts' } },
        { name: 'edit_file', args: { path: '乙.ts' } },
      ];
      const { model } = await open([{ reply: { toolCalls: calls, toolDeltas } }]);
      const { message } = await model.invoke(ask({ tools: [TOOL] }));
      expect(message.tool_calls!.map(({ name, args }) => ({ name, args }))).toEqual(calls);
    },
  );

  it('estimates the usage where the endpoint tells none', async () => {
    const { model } = await open([{ reply: { text: '好'.repeat(100), usage: false } }]);
    const { usage } = await model.invoke(ask());
    expect(usage.source).toBe('estimate');
    expect(usage.output).toBeGreaterThan(60);
    expect(usage.input).toBeGreaterThan(8);
  });

  it('keeps broken arguments apart: never completed, never thrown', async () => {
    const broken = '{"path": "src/a.ts", "text": "写到一';
    const { model } = await open([
      {
        reply: {
          toolCalls: [
            { name: 'edit_file', args: broken },
            { name: 'edit_file', args: '{"path": "a.ts",}' },
            { name: 'edit_file', args: '["不是对象"]' },
            { name: 'list', args: '' },
          ],
          finish: 'length',
        },
      },
    ]);
    const { message, finish } = await model.invoke(ask({ tools: [TOOL] }));
    expect(message.invalid_tool_calls!.map((c) => c.args)).toEqual([broken, '["不是对象"]']);
    // A trailing comma changes no meaning; an empty text is a call without parameters.
    expect(message.tool_calls!.map((c) => c.args)).toEqual([{ path: 'a.ts' }, {}]);
    expect(finish).toBe('length');
  });

  it('gives calls ids that the conversation does not have yet', async () => {
    const call = { id: 'call_0', name: 'edit_file', args: {} };
    const { model } = await open([{ reply: { toolCalls: [call, call] } }]);
    const before = [
      new HumanMessage('改'),
      new AIMessage({ content: '', tool_calls: [{ ...call, type: 'tool_call' }] }),
      new ToolMessage({ tool_call_id: 'call_0', content: '好' }),
    ];
    const { message } = await model.invoke(ask({ messages: before, tools: [TOOL] }));
    expect(message.tool_calls!.map((c) => c.id)).toEqual(['call_0_2', 'call_0_3']);
  });
});

describe('what is sent', () => {
  describe('of what the model thought', () => {
    const thought = (text: string | undefined, id: string) =>
      new AIMessage({
        content: '',
        ...(text === undefined ? {} : { additional_kwargs: { reasoning_content: text } }),
        tool_calls: [{ id, name: 'edit_file', args: {}, type: 'tool_call' }],
      });
    const said = new AIMessage({ content: '做完了', additional_kwargs: { reasoning_content: '最后的想法' } });
    const messages = [
      new HumanMessage('第一件'),
      thought('旧的想法', 'a'),
      new ToolMessage({ tool_call_id: 'a', content: '好' }),
      said,
      new HumanMessage('第二件'),
      thought(undefined, 'b'),
      new ToolMessage({ tool_call_id: 'b', content: '好' }),
    ];
    const sentTo = async (limits: Limits, before = messages) => {
      const { model, server } = await open([{ reply: '好' }], limits);
      await model.invoke(ask({ messages: before }));
      return server
        .chats()[0]!
        .messages.filter((m) => m.role === 'assistant')
        .map((m: WireMessage & { reasoning?: string }) => m.reasoning_content ?? m.reasoning);
    };

    it('messages that called tools get theirs back in every later request, an empty one too', async () => {
      expect(await sentTo({})).toEqual(['旧的想法', undefined, '']);
      expect(await sentTo({ preset: 'deepseek' })).toEqual(['旧的想法', undefined, '']);
    });

    it('all of it goes to Kimi, none to OpenAI, under its new name to vLLM', async () => {
      expect(await sentTo({ preset: 'kimi' })).toEqual(['旧的想法', '最后的想法', '']);
      expect(await sentTo({ preset: 'openai' })).toEqual([undefined, undefined, undefined]);
      const { model, server } = await open([{ reply: '好' }], { preset: 'vllm' });
      await model.invoke(ask({ messages }));
      expect(server.chats()[0]!.messages[2]).toMatchObject({ reasoning: '旧的想法' });
    });

    it('a model that never thought gets no such field', async () => {
      expect(await sentTo({}, [new HumanMessage('改'), thought(undefined, 'c')])).toEqual([undefined]);
    });
  });

  it('mends a conversation that a strict endpoint would refuse', async () => {
    const { model, server } = await open([{ reply: '好' }]);
    const dangling = new AIMessage({
      content: '',
      tool_calls: [{ id: 'a', name: 'edit_file', args: {}, type: 'tool_call' }],
    });
    await model.invoke(ask({ messages: [new HumanMessage('改'), dangling, new HumanMessage('继续')] }));
    expect(server.chats()[0]!.messages.map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
  });

  it('is chat completions, also for names for which the library prefers another API', async () => {
    const { model, server } = await open([{ reply: '好' }], { name: 'gpt-5.1-codex-mini' });
    await model.invoke(ask());
    expect(server.requests.map((r) => r.path)).toEqual(['/v1/chat/completions']);
  });

  it('asks for JSON with the schema in the prompt', async () => {
    const { model, server } = await open([{ when: { json: true, system: '"steps"' }, reply: '{"steps":[]}' }]);
    const schema = { type: 'object', properties: { steps: { type: 'array' } } };
    expect((await model.invoke(ask({ jsonSchema: schema }))).message.content).toBe('{"steps":[]}');
    expect(server.chats()[0]!.response_format).toEqual({ type: 'json_object' });
  });

  it('leaves out a parameter that the endpoint refuses, and remembers', async () => {
    const refuse = (name: string): Rule => ({
      when: { test: (req) => req[name] !== undefined },
      reply: { fault: { kind: 'status', status: 400, message: `Unsupported parameter: '${name}'` } },
    });
    const { model, server } = await open([refuse('stream_options'), refuse('temperature'), { reply: '好' }]);
    expect((await model.invoke(ask())).attempts).toBe(3);
    const config = configSchema.parse({ model: { baseUrl: server.baseUrl, name: 'scripted' } }).model;
    expect((await openModel(config)!.invoke(ask())).attempts).toBe(1);
    expect(server.requests).toHaveLength(4);
  });

  it('carries the configured key, and nothing of the OpenAI variables of the shell', async () => {
    process.env.OPENAI_API_KEY = 'sk-of-the-shell';
    process.env.OPENAI_ORG_ID = 'org-of-the-shell';
    process.env.OPENAI_PROJECT_ID = 'proj-of-the-shell';
    try {
      const { model, server } = await open([{ reply: '好' }], { apiKey: 'sk-mine' }, { apiKey: 'sk-mine' });
      await model.invoke(ask());
      expect(JSON.stringify(server.requests[0]!.headers)).not.toContain('of-the-shell');
      const open2 = await open([{ reply: '好' }]);
      await open2.model.invoke(ask());
      expect(JSON.stringify(open2.server.requests[0]!.headers)).not.toContain('of-the-shell');
    } finally {
      delete process.env.OPENAI_API_KEY;
      delete process.env.OPENAI_ORG_ID;
      delete process.env.OPENAI_PROJECT_ID;
    }
  });
});

describe('faults that pass', () => {
  const passing: Array<[string, Fault]> = [
    ['429', { kind: 'status', status: 429, retryAfterSeconds: 0 }],
    ['500', { kind: 'status', status: 500 }],
    ['503', { kind: 'status', status: 503 }],
    ['a stall', { kind: 'stall' }],
    ['a cut connection', { kind: 'cut' }],
    ['a stream without an end', { kind: 'no-finish' }],
    ['garbage in the stream', { kind: 'garbage' }],
    ['an error event', { kind: 'error-event' }],
    ['a reply without choices', { kind: 'no-choices' }],
  ];
  it.each(passing)('%s: repeated, and the reply is that of the good attempt', async (_name, f) => {
    const { model, server } = await open([{ times: 1, reply: fault(f) }, { reply: '好的' }], { stallSeconds: 0.3 });
    const retries: number[] = [];
    const got = await model.invoke(ask({ onRetry: (attempt) => retries.push(attempt) }));
    expect([got.message.content, got.attempts, retries]).toEqual(['好的', 2, [1]]);
    expect(server.requests).toHaveLength(2);
  });

  it('waits as long as `Retry-After` says: as a date, in milliseconds', async () => {
    const soon = () => new Date(Date.now() + 1_000).toUTCString();
    for (const retryAfter of [soon, () => '0']) {
      const limited: Rule = {
        times: 1,
        reply: () => ({ fault: { kind: 'status', status: 503, retryAfter: retryAfter() } }),
      };
      const { model, server } = await open([limited, { reply: '好的' }]);
      expect((await model.invoke(ask())).attempts).toBe(2);
      expect(server.requests).toHaveLength(2);
    }
    const later = new Date(Date.now() + 3_600_000).toUTCString();
    const { model, server } = await open([{ reply: { fault: { kind: 'status', status: 429, retryAfter: later } } }]);
    const failed = await model.invoke(ask()).catch((e: unknown) => e);
    expect((failed as XiheError).code).toBe('MODEL_RATE_LIMITED');
    expect((failed as XiheError).hint).toMatch(/3[56]\d\d 秒后再试/);
    expect(server.requests).toHaveLength(1);
  });

  it('an empty reply is asked for again', async () => {
    const { model } = await open([{ times: 1, reply: { text: '' } }, { reply: '好的' }]);
    expect((await model.invoke(ask())).attempts).toBe(2);
  });
});

describe('faults that stay', () => {
  const lasting: Array<[code: string, requests: number, f: Fault]> = [
    ['MODEL_AUTH', 1, { kind: 'status', status: 401 }],
    ['MODEL_AUTH', 1, { kind: 'status', status: 402, message: 'Insufficient Balance' }],
    [
      'MODEL_AUTH',
      1,
      { kind: 'status', status: 429, message: 'You exceeded your current quota', code: 'insufficient_quota' },
    ],
    ['MODEL_UNREACHABLE', 1, { kind: 'status', status: 404, message: 'model not found' }],
    ['MODEL_REFUSED', 1, { kind: 'status', status: 400, message: 'this model does not support tools' }],
    [
      'MODEL_CONTEXT_OVERFLOW',
      1,
      { kind: 'status', status: 400, message: "This model's maximum context length is 65536 tokens" },
    ],
    ['MODEL_UNREACHABLE', 1, { kind: 'html' }],
    ['MODEL_RATE_LIMITED', 1, { kind: 'status', status: 429, retryAfterSeconds: 3600 }],
    ['MODEL_RATE_LIMITED', 3, { kind: 'status', status: 429, retryAfterSeconds: 0 }],
    ['MODEL_UNREACHABLE', 3, { kind: 'status', status: 502 }],
    ['MODEL_UNREACHABLE', 3, { kind: 'cut' }],
    ['MODEL_STALLED', 3, { kind: 'stall' }],
    ['MODEL_BAD_REPLY', 3, { kind: 'garbage' }],
    ['MODEL_BAD_REPLY', 3, { kind: 'no-finish' }],
  ];
  it.each(lasting)('%s after %i requests: %o', async (code, requests, f) => {
    const { model, server } = await open([{ reply: fault(f) }], { stallSeconds: 0.2 });
    const failed = await model.invoke(ask()).catch((e: unknown) => e);
    expect(XiheError.is(failed) && failed.code).toBe(code);
    expect((failed as XiheError).hint).toMatch(/[\u4e00-\u9fff]/);
    expect(server.requests).toHaveLength(requests);
  });

  it('nobody listens', async () => {
    const config = configSchema.parse({ model: { baseUrl: 'http://127.0.0.1:9/v1', name: 'm', maxRetries: 1 } }).model;
    const model = openModel(config, { retryBaseMs: 1 })!;
    expect(await codeOf(model.invoke(ask()))).toBe('MODEL_UNREACHABLE');
  });

  it('an endpoint that never answers, and one that never ends', async () => {
    const silent = await open([{ reply: { text: '好', delayMs: 60_000 } }], { stallSeconds: 0.1, maxRetries: 0 });
    const failed = await silent.model.invoke(ask()).catch((e: unknown) => e);
    expect((failed as XiheError).details).toMatchObject({ trip: 'silent' });
    const slow = await open([{ reply: { text: '长'.repeat(4000), chunkDelayMs: 20 } }], { timeoutSeconds: 0.5 });
    const late = await slow.model.invoke(ask()).catch((e: unknown) => e);
    expect((late as XiheError).details).toMatchObject({ trip: 'timeout' });
    expect(slow.server.requests).toHaveLength(1);
    await expect.poll(() => slow.server.requests[0]!.aborted).toBe(true);
  });

  it('what a filter or a length limit left empty is not asked for again', async () => {
    for (const finish of ['content_filter', 'length'] as const) {
      const { model, server } = await open([{ reply: { text: '', reasoning: '想了很多', finish } }]);
      expect(await codeOf(model.invoke(ask()))).toBe('MODEL_BAD_REPLY');
      expect(server.requests).toHaveLength(1);
    }
  });

  it('never shows the key', async () => {
    const message = 'Incorrect API key provided: sk-secret-1234';
    const { model } = await open([{ reply: { fault: { kind: 'status', status: 401, message } } }], {
      apiKey: 'sk-secret-1234',
    });
    const failed = (await model.invoke(ask()).catch((e: unknown) => e)) as XiheError;
    expect(JSON.stringify(failed.toJSON())).not.toContain('sk-secret');
    expect(failed.message).toContain('***');
  });
});

describe('cancelling', () => {
  it('ends a running call, closes the connection, and is told from a fault', async () => {
    const { model, server } = await open([{ reply: { text: '慢'.repeat(2000), chunkDelayMs: 50 } }]);
    const stop = new AbortController();
    const running = model.invoke(ask({ signal: stop.signal, onToken: () => stop.abort() }));
    expect(await codeOf(running)).toBe('CANCELLED');
    await expect.poll(() => server.requests[0]!.aborted).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  it('ends a call before its first byte, a pause between attempts, and one that has not begun', async () => {
    const silent = await open([{ reply: { text: '好', delayMs: 60_000 } }]);
    const first = new AbortController();
    const running = silent.model.invoke(ask({ signal: first.signal }));
    await silent.server.arrived(1);
    first.abort();
    expect(await codeOf(running)).toBe('CANCELLED');
    const limited = await open([{ reply: { fault: { kind: 'status', status: 429, retryAfterSeconds: 50 } } }]);
    const second = new AbortController();
    const waiting = limited.model.invoke(ask({ signal: second.signal, onRetry: () => second.abort() }));
    expect(await codeOf(waiting)).toBe('CANCELLED');
    expect(await codeOf(limited.model.invoke(ask({ signal: second.signal })))).toBe('CANCELLED');
    expect(limited.server.requests).toHaveLength(1);
  });
});

describe('openModel', () => {
  it('is null without a base URL or a name', () => {
    const config = (model: object) => configSchema.parse({ model }).model;
    expect(openModel(config({}))).toBeNull();
    expect(openModel(config({ baseUrl: 'http://127.0.0.1:1/v1' }))).toBeNull();
    expect(openModel(config({ name: 'm' }))).toBeNull();
  });
});
