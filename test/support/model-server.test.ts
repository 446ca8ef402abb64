import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type ModelServer, type Reply, type Scenario, spawnModelServer, startModelServer } from './model-server.js';

const closers: Array<() => Promise<void> | void> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(scenario: Scenario): Promise<ModelServer> {
  const server = await startModelServer(scenario);
  closers.push(server.close);
  return server;
}

const ask = (server: { baseUrl: string }, body: object, headers: Record<string, string> = {}) =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', ...body }),
  });

const user = (content: string) => ({ role: 'user', content });

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as a foreign client would, without our types.
const json = async (res: Response | Promise<Response>): Promise<any> => (await res).json();

// biome-ignore lint/suspicious/noExplicitAny: as above.
async function events(res: Response): Promise<any[]> {
  const text = await res.text();
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((line) => line.replace(/^data: /, ''))
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
}

describe('streaming', () => {
  const reply: Reply = {
    reasoning: '先看文件再说',
    text: '关单时加一次重试，好的',
    toolCalls: [
      { name: 'read_file', args: { path: 'src/支付网关/notify.ts' } },
      { name: 'search_code', args: { pattern: '超时"关单"' } },
    ],
  };

  it('sends role, reasoning, content, tool-call pieces, finish, usage, [DONE], in that order', async () => {
    const server = await serve({ rules: [{ reply }] });
    const res = await ask(server, { messages: [user('改')], stream: true, stream_options: { include_usage: true } });
    expect(res.headers.get('content-type')).toContain('text/event-stream');
    const all = await events(res);
    expect(all.at(-1)).toBe('[DONE]');
    const deltas = all.slice(0, -1).flatMap((c) => c.choices.map((choice: { delta: object }) => choice.delta));
    expect(deltas[0]).toEqual({ role: 'assistant', content: '' });
    const join = (key: string) => deltas.map((d) => d[key] ?? '').join('');
    expect(join('reasoning_content')).toBe(reply.reasoning);
    expect(join('content')).toBe(reply.text);
    const calls = deltas.flatMap((d) => d.tool_calls ?? []);
    for (const index of [0, 1]) {
      const mine = calls.filter((c) => c.index === index);
      expect(mine[0]).toMatchObject({ id: `call_1_${index}`, function: { arguments: '' } });
      expect(mine.length).toBeGreaterThan(3);
      expect(mine.slice(1).every((c) => c.id === undefined && c.function.name === undefined)).toBe(true);
      const args = JSON.parse(mine.map((c) => c.function.arguments).join(''));
      expect(args).toEqual(reply.toolCalls![index]!.args);
    }
    const usage = all.at(-2);
    expect(usage.choices).toEqual([]);
    expect(usage.usage.total_tokens).toBe(usage.usage.prompt_tokens + usage.usage.completion_tokens);
    expect(all.at(-3).choices[0].finish_reason).toBe('tool_calls');
  });

  it('sends no usage unless it is asked for, and repeats ids where the endpoint does', async () => {
    const server = await serve({ rules: [{ reply: { ...reply, toolDeltas: 'repeat' } }] });
    const all = await events(await ask(server, { messages: [user('改')], stream: true }));
    expect(all.slice(0, -1).every((c) => c.usage === undefined)).toBe(true);
    const calls = all.slice(0, -1).flatMap((c) => c.choices[0].delta.tool_calls ?? []);
    expect(calls.every((c) => c.id && c.function.name)).toBe(true);
  });

  it('answers without a stream too', async () => {
    const server = await serve({ rules: [{ reply }] });
    const body = await json(ask(server, { messages: [user('改')] }));
    expect(body.choices[0].message.content).toBe(reply.text);
    expect(body.choices[0].message.tool_calls[1].function.name).toBe('search_code');
    expect(body.usage.prompt_tokens).toBeGreaterThan(0);
  });
});

describe('rules', () => {
  it('gives a repeated request the same step, and the next request the next', async () => {
    const server = await serve({ rules: [{ reply: ['一', '二'] }] });
    const say = async (messages: object[]) => (await json(ask(server, { messages }))).choices?.[0].message.content;
    const first = [user('问')];
    const second = [...first, { role: 'assistant', content: '一' }, user('再问')];
    expect([await say(first), await say(first), await say(second), await say(second)]).toEqual([
      '一',
      '一',
      '二',
      '二',
    ]);
    expect(await say([...second, { role: 'assistant', content: '二' }, user('还问')])).toBeUndefined();
    expect(server.unmatched()).toHaveLength(1);
  });

  it('matches by system prompt, user text, tool result, tools and JSON mode, first rule first', async () => {
    const tool = { type: 'function', function: { name: 'edit_file', parameters: { type: 'object' } } };
    const server = await serve({
      rules: [
        { name: 'sys', when: { system: /回答.+问题/ }, reply: 'sys' },
        { name: 'result', when: { toolResult: '找不到' }, reply: 'result' },
        { name: 'json', when: { json: true }, reply: '{}' },
        { name: 'edit', when: { tools: 'edit_file', user: '/refund/i' }, reply: (_req, { turn }) => `edit ${turn}` },
        { name: 'bare', when: { tools: false }, reply: 'bare' },
      ],
    });
    const call = { id: 'a', type: 'function', function: { name: 'edit_file', arguments: '{}' } };
    await ask(server, { messages: [{ role: 'system', content: '回答用户的问题' }, user('x')] });
    await ask(server, {
      messages: [
        user('x'),
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: '找不到文件' },
      ],
    });
    await ask(server, { messages: [user('x')], response_format: { type: 'json_object' } });
    await ask(server, { messages: [user('REFUND')], tools: [tool] });
    await ask(server, { messages: [user('REFUND')] });
    await ask(server, { messages: [user('别的')], tools: [tool] });
    expect(server.requests.map((r) => r.rule)).toEqual(['sys', 'result', 'json', 'edit', 'bare', null]);
  });

  it('refuses what a strict endpoint refuses', async () => {
    const server = await serve({ rules: [{ reply: 'ok' }] });
    const call = (id: string, args = '{}') => ({ id, type: 'function', function: { name: 'f', arguments: args } });
    const status = async (...messages: object[]) => (await ask(server, { messages })).status;
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '' });
    const calls = (...tool_calls: object[]) => ({ role: 'assistant', tool_calls });
    expect(await status(calls(call('a')), user('x'))).toBe(400);
    expect(await status(calls(call('a')))).toBe(400);
    expect(await status(calls(call('a'), call('a')), result('a'), result('a'))).toBe(400);
    expect(await status(result('a'))).toBe(400);
    expect(await status(calls(call('a', '{"x":')), result('a'))).toBe(400);
    expect(await status()).toBe(400);
    expect(await status(calls(call('a'), call('b')), result('b'), result('a'))).toBe(200);
  });

  it('checks the key when there is one, and lists its models', async () => {
    const server = await serve({ apiKey: 'sk-test', models: ['qwen-test'], rules: [{ reply: 'ok' }] });
    expect((await ask(server, { messages: [user('x')] })).status).toBe(401);
    const key = { authorization: 'Bearer sk-test' };
    expect((await ask(server, { messages: [user('x')] }, key)).status).toBe(200);
    const models = await json(fetch(`${server.baseUrl}/models`, { headers: key }));
    expect(models.data[0].id).toBe('qwen-test');
  });
});

describe('faults', () => {
  it('sends a status once with Retry-After, then the next rule answers', async () => {
    const fault = { kind: 'status', status: 429, retryAfterSeconds: 3 } as const;
    const server = await serve({ rules: [{ times: 1, reply: { fault } }, { reply: 'ok' }] });
    const first = await ask(server, { messages: [user('x')] });
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '3']);
    expect((await ask(server, { messages: [user('x')] })).status).toBe(200);
  });

  it('cuts the connection in mid-stream', async () => {
    const server = await serve({
      rules: [{ reply: { text: '一二三四五六', fault: { kind: 'cut', afterChunks: 1 } } }],
    });
    const res = await ask(server, { messages: [user('x')], stream: true });
    await expect(res.text()).rejects.toThrow();
  });

  it('stalls until the client leaves, and notes that it left', async () => {
    const server = await serve({
      rules: [{ reply: { text: '一二三四五六', fault: { kind: 'stall', afterChunks: 2 } } }],
    });
    const leave = new AbortController();
    const res = await fetch(`${server.baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: [user('x')], stream: true }),
      signal: leave.signal,
    });
    const reader = res.body!.getReader();
    const decoder = new TextDecoder();
    let got = '';
    while (!got.includes('一二三四')) got += decoder.decode((await reader.read()).value, { stream: true });
    leave.abort();
    await expect.poll(() => server.requests[0]!.aborted).toBe(true);
    expect(got).not.toContain('五六');
  });

  it('ends a stream without a finish, with garbage, with an error event', async () => {
    for (const [kind, sign] of [
      ['no-finish', '"content":"好"'],
      ['garbage', '"choi\n'],
      ['error-event', '"error"'],
    ] as const) {
      const server = await serve({
        rules: [{ reply: { text: '好', fault: { kind, afterChunks: 1 } as Reply['fault'] } }],
      });
      const text = await (await ask(server, { messages: [user('x')], stream: true })).text();
      expect(text).toContain(sign);
      expect(text.includes('[DONE]')).toBe(kind === 'garbage');
    }
  });
});

describe('as a process of its own', () => {
  it('reads a JSON scenario and a TypeScript one, and shows its records', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-model-server-'));
    closers.push(() => rmSync(dir, { recursive: true, force: true }));
    const plain = join(dir, 'scenario.json');
    writeFileSync(plain, JSON.stringify({ rules: [{ name: 'r', when: { user: '/^你/' }, reply: '好' }] }));
    const ts = join(dir, 'scenario.ts');
    writeFileSync(ts, 'const n: number = 7;\nexport default { rules: [{ reply: () => `好${n}` }] };\n');
    for (const [file, said] of [
      [plain, '好'],
      [ts, '好7'],
    ] as const) {
      const server = await spawnModelServer(file);
      closers.push(server.close);
      const body = await json(ask(server, { messages: [user('你好')] }));
      expect(body.choices[0].message.content).toBe(said);
      const [record] = await server.requests();
      expect(record!.body!.messages[0]!.content).toBe('你好');
    }
  });

  it('says why it can not start', async () => {
    await expect(spawnModelServer('/nonexistent/scenario.json')).rejects.toThrow(/did not start[\s\S]*ENOENT/);
  });
});
