import { HumanMessage } from '@langchain/core/messages';
import { afterEach, describe, expect, it } from 'vitest';
import { openModel } from '../../src/agent/model.js';
import { configSchema } from '../../src/config.js';
import { XiheError } from '../../src/errors.js';
import { type Fault, type ModelServer, type Rule, startModelServer } from '../support/model-server.js';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(...rules: Rule[]): Promise<ModelServer> {
  const server = await startModelServer({ rules });
  servers.push(server);
  return server;
}

const down = (f: Fault): Rule => ({ reply: { text: '一二三四五六七八', fault: f } });
const ask = { system: '你是羲和', messages: [new HumanMessage('改')] };

/** A model and the ones after it, each at a server of its own. */
function chainOf(main: ModelServer, ...others: ModelServer[]) {
  const config = configSchema.parse({
    model: {
      baseUrl: main.baseUrl,
      name: 'first',
      maxRetries: 1,
      stallSeconds: 0.2,
      fallbacks: others.map((server, i) => ({ baseUrl: server.baseUrl, name: `other-${i + 1}` })),
    },
  });
  const told: string[][] = [];
  const model = openModel(config.model, { retryBaseMs: 1 })!;
  const invoke = () => model.invoke({ ...ask, onFallback: (from, to) => told.push([from, to]) });
  return { invoke, told };
}

describe('a chain of models', () => {
  const faults: [string, Fault][] = [
    ['500', { kind: 'status', status: 500 }],
    ['401', { kind: 'status', status: 401 }],
    ['404', { kind: 'status', status: 404 }],
    ['429 for an hour', { kind: 'status', status: 429, retryAfterSeconds: 3600 }],
    ['a stall', { kind: 'stall' }],
    ['a cut stream', { kind: 'cut' }],
    ['a web page', { kind: 'html' }],
  ];
  it.each(faults)('%s: the next one answers, and the caller is told', async (_name, f) => {
    const [main, other] = [await serve(down(f)), await serve({ reply: '好的' })];
    const { invoke, told } = chainOf(main, other);
    const reply = await invoke();
    expect([reply.message.content, reply.model, told]).toEqual(['好的', 'other-1', [['first', 'other-1']]]);
    expect(other.chats()[0]!.model).toBe('other-1');
  });

  it('does not wait at each turn for a model that is down', async () => {
    const [main, other] = [await serve(down({ kind: 'status', status: 503 })), await serve({ reply: '好的' })];
    const { invoke } = chainOf(main, other);
    await invoke();
    const before = main.requests.length;
    expect((await invoke()).model).toBe('other-1');
    expect(main.requests).toHaveLength(before);
  });

  it('comes back to the first when those after it fail', async () => {
    const main = await serve({ times: 2, reply: { fault: { kind: 'status', status: 503 } } }, { reply: '我好了' });
    const other = await serve({ times: 1, reply: '替补' }, down({ kind: 'status', status: 500 }));
    const { invoke } = chainOf(main, other);
    expect((await invoke()).model).toBe('other-1');
    expect((await invoke()).model).toBe('first');
  });

  it('says of each why it failed when all did', async () => {
    const [main, second, third] = [
      await serve(down({ kind: 'status', status: 401 })),
      await serve(down({ kind: 'status', status: 500 })),
      await serve(down({ kind: 'html' })),
    ];
    const failed = await chainOf(main, second, third)
      .invoke()
      .catch((e: unknown) => e);
    if (!XiheError.is(failed)) throw failed;
    expect(failed.code).toBe('MODEL_AUTH');
    expect(failed.message).toMatch(/3 个模型都没有成功（first：.*401.*；other-1：.*500.*；other-2：.*网页/);
    expect(failed.details.models).toHaveLength(3);
  });

  it('hands a conversation that is too long back: shortening it is the cure', async () => {
    const message = "This model's maximum context length is 8192 tokens";
    const [main, other] = [await serve(down({ kind: 'status', status: 400, message })), await serve({ reply: '好' })];
    await expect(chainOf(main, other).invoke()).rejects.toMatchObject({ code: 'MODEL_CONTEXT_OVERFLOW' });
    expect(other.requests).toHaveLength(0);
  });

  it('ends with the user, and asks nobody else then', async () => {
    const [main, other] = [await serve({ reply: { text: '慢', delayMs: 60_000 } }), await serve({ reply: '好' })];
    const config = configSchema.parse({
      model: { baseUrl: main.baseUrl, name: 'first', fallbacks: [{ baseUrl: other.baseUrl, name: 'other' }] },
    });
    const stop = new AbortController();
    const running = openModel(config.model)!.invoke({ ...ask, signal: stop.signal });
    await main.arrived(1);
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(other.requests).toHaveLength(0);
  });
});
