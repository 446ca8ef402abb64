import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { afterEach, describe, expect, it } from 'vitest';
import { openModel } from '../../src/agent/model.js';
import { configSchema } from '../../src/config.js';
import { type ModelServer, type Rule, startModelServer, systemText } from '../support/model-server.js';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function open(rules: Rule[], model: object = { tools: 'json' }) {
  const server = await startModelServer({ rules });
  servers.push(server);
  const config = configSchema.parse({ model: { baseUrl: server.baseUrl, name: 'no-tools', ...model } }).model;
  return { server, model: openModel(config, { retryBaseMs: 1 })! };
}

const parameters = { type: 'object', properties: { path: { type: 'string' } } };
const tools = ['read_file', 'edit_file'].map((name) => ({
  type: 'function' as const,
  function: { name, description: '看文件', parameters },
}));
const ask = { system: '你是羲和', messages: [new HumanMessage('看看 a.ts')], tools };
const refusal: Rule = {
  when: { tools: true },
  reply: {
    fault: { kind: 'status', status: 400, message: 'registry.ollama.ai/library/gemma3 does not support tools' },
  },
};

describe('a model without tool calling', () => {
  it('is given the tools in its prompt, and its JSON becomes calls', async () => {
    const { model, server } = await open([
      { reply: '{"calls":[{"tool":"read_file","args":{"path":"a.ts"}},{"tool":"read_file","args":{"path":"乙.ts"}}]}' },
    ]);
    const { message, finish } = await model.invoke(ask);
    expect(message.tool_calls!.map(({ name, args }) => [name, args])).toEqual([
      ['read_file', { path: 'a.ts' }],
      ['read_file', { path: '乙.ts' }],
    ]);
    expect(new Set(message.tool_calls!.map(({ id }) => id)).size).toBe(2);
    expect(finish).toBe('tool_calls');
    const [sent] = server.chats();
    expect(sent!.tools).toBeUndefined();
    expect(sent!.response_format).toEqual({ type: 'json_object' });
    expect(systemText(sent!)).toContain('- edit_file：看文件');
  });

  it('reads calls and results as text in what comes after, and answers in words', async () => {
    const { model, server } = await open([{ reply: '{"answer":"看完了"}' }]);
    const called = new AIMessage({
      content: '',
      tool_calls: [{ type: 'tool_call', id: 'a', name: 'read_file', args: { path: 'a.ts' } }],
    });
    const result = new ToolMessage({ tool_call_id: 'a', name: 'read_file', content: '1  export {}' });
    const heard: string[] = [];
    const { message } = await model.invoke({
      ...ask,
      messages: [...ask.messages, called, result],
      onToken: (text) => heard.push(text),
    });
    expect([message.content, heard]).toEqual(['看完了', ['看完了']]);
    expect(server.chats()[0]!.messages.slice(2)).toEqual([
      { role: 'assistant', content: '{"calls":[{"tool":"read_file","args":{"path":"a.ts"}}]}' },
      { role: 'user', content: '工具结果：\n【read_file】\n1  export {}' },
    ]);
  });

  it('is found out by the refusal of an endpoint, once', async () => {
    const { model, server } = await open([refusal, { reply: '{"answer":"好"}' }], {});
    expect((await model.invoke(ask)).message.content).toBe('好');
    expect((await model.invoke(ask)).message.content).toBe('好');
    expect(server.chats().map((chat) => chat.tools !== undefined)).toEqual([true, false, false]);
  });

  it('is not worked around where the settings want the protocol', async () => {
    const { model } = await open([refusal, { reply: '好' }], { tools: 'native' });
    await expect(model.invoke(ask)).rejects.toMatchObject({ code: 'MODEL_REFUSED' });
  });

  it('hears what was wrong with its JSON, and what that cost counts', async () => {
    const usage = { prompt: 100, completion: 10 };
    const { model, server } = await open([
      { times: 1, reply: { text: '{"calls":[{"tool":"edit_file","args":{"path":"写到一', usage } },
      { times: 1, reply: { text: '{"thoughts":"嗯"}', usage } },
      { reply: { text: '{"calls":[{"tool":"edit_file","args":{"path":"a.ts"}}]}', usage } },
    ]);
    const { message, usage: spent, attempts } = await model.invoke(ask);
    expect(message.tool_calls![0]!.args).toEqual({ path: 'a.ts' });
    expect([spent.input, spent.output, attempts]).toEqual([300, 30, 3]);
    expect(server.chats()[1]!.messages.at(-1)!.content).toContain('不完整');
    expect(server.chats()[2]!.messages.at(-1)!.content).toContain('二选一');
  });

  it('is given up after two corrections; plain words are an answer', async () => {
    const { model } = await open([{ reply: '{"calls":[{"tool":"edit_file"' }]);
    await expect(model.invoke(ask)).rejects.toMatchObject({ code: 'MODEL_BAD_REPLY' });
    const plain = await open([{ reply: '没有要改的。' }]);
    expect((await plain.model.invoke(ask)).message.content).toBe('没有要改的。');
  });
});
