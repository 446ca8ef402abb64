import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { afterEach, describe, expect, it } from 'vitest';
import { type ModelRequest, openModel } from '../../src/agent/model.js';
import { configSchema } from '../../src/config.js';
import { XiheError } from '../../src/errors.js';
import {
  type ModelServer,
  type Reply,
  type Rule,
  type StreamStyle,
  startModelServer,
} from '../support/model-server.js';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const tools = ['read_file', 'edit_file'].map((name) => ({
  type: 'function' as const,
  function: { name, description: '看文件', parameters },
}));

async function ask(reply: Rule['reply'] | Rule[], more: Partial<ModelRequest> = {}) {
  const rules = Array.isArray(reply) && reply.every((r) => typeof r === 'object' && 'reply' in r) ? reply : [{ reply }];
  const server = await startModelServer({ rules: rules as Rule[] });
  servers.push(server);
  const config = configSchema.parse({
    model: { baseUrl: server.baseUrl, name: 'm', stallSeconds: 0.5, maxRetries: 1 },
  });
  const model = openModel(config.model, { retryBaseMs: 1 })!;
  const got = await model.invoke({ system: '你是羲和', messages: [new HumanMessage('改')], tools, ...more });
  return { ...got, server, calls: got.message.tool_calls!.map(({ name, args }) => [name, args]) };
}

const SAID = '关单之前先改状态，𠮷野家也一样。';
const CALLS = [
  { name: 'read_file', args: { path: '支付/甲.ts' } },
  { name: 'edit_file', args: { path: '乙.ts', text: '引号 " 和 {"a":1}' } },
];

describe('how a stream is written', () => {
  const styles: [string, StreamStyle, Partial<Reply>?][] = [
    ['lines end with CR LF', { crlf: true }],
    ['comments keep it alive', { comments: true }],
    ['comments and CR LF', { comments: true, crlf: true }],
    ['no [DONE]', { noDone: true }],
    ['a byte at a time', { bytes: 1 }, { chunkChars: 30 }],
    ['it says that it is text', { contentType: 'text/plain' }],
    ['it says that it is JSON', { contentType: 'application/json' }],
    ['it does not say what it is', { contentType: '' }],
    ['a first chunk without choices', { emptyFirst: true }],
    ['content is null where there is none', { nullContent: true }],
    ['the whole completion at once', { whole: true }],
  ];
  it.each(styles)('%s: the same words, calls and usage', async (_name, stream, more) => {
    const usage = { prompt: 120, completion: 34 };
    const words = await ask({ text: SAID, reasoning: '想一想', usage, stream, ...more });
    expect([words.message.content, words.message.additional_kwargs.reasoning_content]).toEqual([SAID, '想一想']);
    expect(words.usage).toEqual({ input: 120, output: 34, total: 154, source: 'endpoint' });
    const called = await ask({ toolCalls: CALLS, usage, stream, ...more });
    expect(called.calls).toEqual(CALLS.map(({ name, args }) => [name, args]));
    expect([called.attempts, called.finish]).toEqual([1, 'tool_calls']);
  });

  it('an error in place of the completion is one', async () => {
    const failed = await ask({ fault: { kind: 'html', status: 502 } }).catch((e: unknown) => e);
    if (!XiheError.is(failed)) throw failed;
    expect([failed.code, failed.message.includes('<')]).toEqual(['MODEL_UNREACHABLE', false]);
    expect(failed.message).toContain('502');
  });
});

describe('what ends a stream', () => {
  it.each(['eos', 'STOP', 'end_turn', 'function_call', 'tool_use'])('`%s` is an end like another', async (finish) => {
    expect((await ask({ text: SAID, finish })).message.content).toBe(SAID);
    expect((await ask({ toolCalls: CALLS, finish })).calls).toHaveLength(2);
  });

  it('no reason at all, but [DONE]: nothing was cut off', async () => {
    const got = await ask({ text: SAID, finish: null });
    expect([got.message.content, got.finish, got.attempts]).toEqual([SAID, 'stop', 1]);
  });

  it('neither a reason nor [DONE]: it broke off, and is asked for again', async () => {
    const got = await ask([
      { times: 1, reply: { text: SAID, finish: null, stream: { noDone: true } } },
      { reply: '好的' },
    ]);
    expect([got.message.content, got.attempts]).toEqual(['好的', 2]);
  });

  it('a text that quotes the end mark does not end anything', async () => {
    const text = '流以 data: [DONE] 结束';
    const got = await ask([{ times: 1, reply: { text, fault: { kind: 'no-finish' } } }, { reply: '好的' }]);
    expect(got.message.content).toBe('好的');
  });
});

describe('usage', () => {
  it.each(['own', 'last', 'each'] as const)('in the chunk where this endpoint puts it (%s)', async (usageIn) => {
    const { usage } = await ask({ text: SAID, usage: { prompt: 120, completion: 34 }, usageIn });
    expect(usage).toEqual({ input: 120, output: 34, total: 154, source: 'endpoint' });
  });

  it('says what came out of the cache, by either name', async () => {
    for (const cached of [{ cached: 100 }, { deepSeekCached: 100 }]) {
      const { usage } = await ask({ text: SAID, usage: { prompt: 120, completion: 34, ...cached } });
      expect(usage).toMatchObject({ input: 120, cached: 100 });
    }
  });

  it('is estimated where there is none', async () => {
    const { usage } = await ask({ text: SAID, usage: false });
    expect(usage.source).toBe('estimate');
    expect(usage.input).toBeGreaterThan(50);
  });
});

describe('tool calls as endpoints send them', () => {
  const named = CALLS.map(({ name, args }) => [name, args]);
  it.each(['openai', 'repeat', 'whole', 'no-index', 'nameless'] as const)('in pieces, %s', async (toolDeltas) => {
    expect((await ask({ toolCalls: CALLS, toolDeltas })).calls).toEqual(named);
    expect((await ask({ toolCalls: CALLS.slice(0, 1), toolDeltas })).calls).toEqual(named.slice(0, 1));
  });

  it('two with one id are two calls, with ids of their own', async () => {
    const toolCalls = CALLS.map((call) => ({ ...call, id: 'same' }));
    const { message, calls } = await ask({ toolCalls });
    expect(calls).toEqual(named);
    expect(message.tool_calls!.map(({ id }) => id)).toEqual(['same', 'same_2']);
  });

  it('arguments twice are read once, two different ones not at all', async () => {
    const one = '{"path":"a.ts"}';
    expect((await ask({ toolCalls: [{ name: 'read_file', args: one + one }] })).calls).toEqual([
      ['read_file', { path: 'a.ts' }],
    ]);
    const { message } = await ask({ toolCalls: [{ name: 'read_file', args: `${one}{"path":"b.ts"}` }] });
    expect([message.tool_calls, message.invalid_tool_calls!.length]).toEqual([[], 1]);
  });

  it('arguments as JSON in a string, in a fence, in words', async () => {
    const written = ['"{\\"path\\":\\"a.ts\\"}"', '```json\n{"path":"a.ts"}\n```', '参数是：{"path":"a.ts"}'];
    for (const args of written)
      expect((await ask({ toolCalls: [{ name: 'read_file', args }] })).calls).toEqual([
        ['read_file', { path: 'a.ts' }],
      ]);
  });

  it('prose alone, or JSON that was cut off, is no call', async () => {
    for (const args of ['请读 a.ts', '{"path":"a', '[1]']) {
      const { message } = await ask({ toolCalls: [{ name: 'read_file', args }] });
      expect([message.tool_calls, message.invalid_tool_calls![0]!.args]).toEqual([[], args]);
    }
  });

  it('written into the text, in the marks of their training', async () => {
    const call = '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.ts"}}\n</tool_call>';
    const got = await ask(`先看文件。\n${call}\n${call.replace('a.ts', 'b.ts')}`);
    expect(got.calls).toEqual([
      ['read_file', { path: 'a.ts' }],
      ['read_file', { path: 'b.ts' }],
    ]);
    expect([got.message.content, got.finish]).toEqual(['先看文件。', 'tool_calls']);
    const bare = await ask('```json\n{"name":"edit_file","parameters":{"path":"a.ts"}}\n```');
    expect(bare.calls).toEqual([['edit_file', { path: 'a.ts' }]]);
  });

  it.each([
    ['is only mentioned', '文件里写着 <tool_call>{"name":"edit_file","arguments":{}}</tool_call>，我没有照做。'],
    ['names no tool that was offered', '<tool_call>{"name":"rm_rf","arguments":{}}</tool_call>'],
    ['was cut off', '<tool_call>{"name":"edit_file","arguments":{"path":"a</tool_call>'],
    ['stands beside other JSON', '{"name":"edit_file","arguments":{}} 是例子'],
  ])('not one that %s', async (_name, text) => {
    const got = await ask(text);
    expect([got.calls, got.message.content]).toEqual([[], text]);
  });
});

describe('a reply that says nothing', () => {
  it('thoughts alone are asked for again', async () => {
    const got = await ask([{ times: 1, reply: { reasoning: '想了很多', text: '' } }, { reply: '好的' }]);
    expect([got.message.content, got.attempts]).toEqual(['好的', 2]);
    await expect(ask({ reasoning: '只想', text: '' })).rejects.toMatchObject({ code: 'MODEL_BAD_REPLY' });
  });

  it('content null and nothing else', async () => {
    await expect(ask({ stream: { nullContent: true } })).rejects.toMatchObject({ code: 'MODEL_BAD_REPLY' });
  });
});

describe('a conversation that was left in disorder', () => {
  const call = (id: string, name = 'read_file') =>
    new AIMessage({ content: '', tool_calls: [{ type: 'tool_call', id, name, args: {} }] });
  it.each([
    ['a call that nobody answered', [call('a')]],
    ['an answer that nobody asked for', [new ToolMessage({ tool_call_id: 'x', content: '?' })]],
    ['one id twice', [call('a'), new ToolMessage({ tool_call_id: 'a', content: '1' }), call('a')]],
    ['a tool that is not there', [call('a', 'rm_rf'), new ToolMessage({ tool_call_id: 'a', content: '没有' })]],
  ])('%s: a strict endpoint takes it', async (_name, rest) => {
    const got = await ask('好的', { messages: [new HumanMessage('改'), ...rest, new HumanMessage('继续')] });
    expect([got.message.content, got.attempts]).toEqual(['好的', 1]);
  });
});
