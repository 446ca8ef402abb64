import { afterEach, describe, expect, it } from 'vitest';
import { probeModels } from '../../src/agent/model-probe.js';
import { doctorModelJson } from '../../src/cli/schemas/doctor-model.js';
import { configSchema } from '../../src/config.js';
import { modelEnv, xihe } from '../support/mall.js';
import { type ModelServer, type Rule, startModelServer } from '../support/model-server.js';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const greeting: Rule = { when: { user: '超时关单' }, reply: '订单到时间没付款，系统自动关掉它。' };
const json: Rule = { when: { user: '往杭州发' }, reply: '{"city":"杭州","number":12}' };
const long: Rule = { when: { user: '暗号' }, reply: '青鸟七号' };
const call = { toolCalls: [{ name: 'note_color', args: { color: '红色' } }] };
const GOOD: Rule[] = [greeting, json, long, { when: { tools: true }, reply: call }];

async function serve(rules: Rule[]): Promise<ModelServer> {
  const server = await startModelServer({ rules, models: ['scripted'] });
  servers.push(server);
  return server;
}

async function probe(rules: Rule[], more: object = {}) {
  const server = await serve(rules);
  const config = configSchema.parse({ model: { baseUrl: server.baseUrl, name: 'scripted', maxRetries: 0, ...more } });
  const [only] = await probeModels(config.model);
  const states = Object.fromEntries(only!.probes.map(({ id, state }) => [id, state]));
  return { ...only!, states, details: only!.probes.map(({ detail }) => detail).join('\n') };
}

describe('xihe doctor --model', () => {
  it('tries everything at the real endpoint, and says in Chinese what will work', async () => {
    const server = await serve(GOOD);
    const env = modelEnv(server.baseUrl);
    const shown = await xihe(['doctor', '--model'], { env });
    expect(shown.code).toBe(0);
    for (const name of ['流式', '中文', '工具调用', 'JSON', '用量', '上下文长度'])
      expect(shown.stdout).toContain(`✓ ${name}：`);
    expect(shown.stdout).toContain('→ 提问、改代码、操作都能用');
    const told = await xihe(['doctor', '--model', '--json'], { env });
    expect(doctorModelJson.parse(told.json)).toMatchObject({
      ok: true,
      models: [{ model: 'scripted', tools: 'native' }],
    });
    expect(JSON.stringify(told.json)).not.toContain('test-key');
  });

  it('is an error where no model is set, and tells of a key that is refused', async () => {
    const none = await xihe(['doctor', '--model', '--json']);
    expect([none.code, none.json.error.code]).toEqual([1, 'MODEL_NOT_CONFIGURED']);
    const server = await startModelServer({ rules: GOOD, apiKey: 'other' });
    servers.push(server);
    const refused = await xihe(['doctor', '--model'], { env: modelEnv(server.baseUrl) });
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/✗ 应答：.*401[\s\S]*→ 用不了/);
  });

  it('tools that the endpoint refuses work as JSON', async () => {
    const refusal: Rule = {
      when: { tools: true },
      reply: { fault: { kind: 'status', status: 400, message: 'scripted does not support tools' } },
    };
    const inJson = '{"calls":[{"tool":"note_color","args":{"color":"红色"}}]}';
    const got = await probe([greeting, json, long, refusal, { when: { user: 'note_color' }, reply: inJson }]);
    expect([got.tools, got.states.tools]).toEqual(['json', 'warn']);
    expect(got.verdict).toContain('工具写成 JSON');
  });

  it('a model that calls nothing can answer, and not edit', async () => {
    const got = await probe([greeting, json, long, { reply: '好的，红色。' }]);
    expect([got.tools, got.verdict.includes('不能改代码')]).toEqual([null, true]);
  });

  it('sees a window that cuts silently', async () => {
    const cut: Rule = { when: { user: '暗号' }, reply: { text: '不知道', usage: { prompt: 1200, completion: 3 } } };
    const got = await probe([greeting, json, cut, ...GOOD.slice(3)]);
    expect([got.states.window, got.details.includes('悄悄截断')]).toEqual(['fail', true]);
  });

  it('sees whole replies, missing usage, English, and JSON without `response_format`', async () => {
    const refusal: Rule = {
      when: { json: true },
      reply: { fault: { kind: 'status', status: 400, message: "unknown field 'response_format'" } },
    };
    const whole: Rule = {
      when: { user: '超时关单' },
      reply: { text: 'It closes orders.', usage: false, stream: { whole: true } },
    };
    const limit: Rule = {
      when: { test: (request) => request.max_tokens !== undefined },
      reply: { fault: { kind: 'status', status: 400, message: "Unsupported parameter: 'max_tokens'" } },
    };
    const got = await probe([limit, refusal, whole, ...GOOD.slice(1)]);
    // A small model that finds no end must not hold the doctor up; an endpoint that refuses the bound is asked without.
    const bounds = servers[0]!.chats().map((chat) => chat.max_tokens);
    expect([bounds[0], bounds.at(-1)]).toEqual([2_000, undefined]);
    expect(got.states).toMatchObject({ stream: 'warn', chinese: 'warn', usage: 'warn', json: 'ok', tools: 'ok' });
    expect(got.details).toContain('靠提示词');
  });
});
