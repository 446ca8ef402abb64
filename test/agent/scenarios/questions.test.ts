import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyMall, modelEnv, removeDir, treeHash } from '../../support/mall.js';
import { xiheHere as xihe } from '../../support/mallHere.js';
import { startModelServer } from '../../support/model-server.js';
import { asks, calmReview } from './scripts.js';

let mall: string;
beforeEach(() => {
  mall = copyMall();
});
afterEach(() => removeDir(mall));

describe('「新增一个支付渠道：云闪付」 without docs/payment/接入指南.md', () => {
  const request = '新增一个支付渠道：云闪付';
  beforeEach(() => rmSync(join(mall, 'docs/payment/接入指南.md'), { force: true }));

  it('asks first, goes on once told to, and the whole playbook is in the plan and before the model', async () => {
    const server = await startModelServer({
      rules: [calmReview, { when: asks.execute, reply: '缺少接入指南，先列出需要的资料。' }],
    });
    try {
      const env = modelEnv(server.baseUrl);
      const asked = await xihe(['run', request, '--repo', mall, '--thread', 'q', '--json'], { env });
      expect(asked.code).toBe(3);
      expect(asked.json.waiting.kind).toBe('ask');
      expect(asked.json.waiting.text).toContain('docs/payment/接入指南.md');
      expect(server.requests).toHaveLength(0);
      const playbook = asked.json.playbooks[0];
      expect(playbook.id).toBe('add-payment-channel');
      expect(playbook.steps.length).toBeGreaterThanOrEqual(6);
      expect(asked.json.plan.steps).toEqual(playbook.steps);

      const done = await xihe(['resume', 'q', '--answer', '指南还没写，直接继续', '--repo', mall, '--json'], { env });
      expect(done.code).toBe(0);
      const task = JSON.stringify(server.requests[0]!.body!.messages);
      for (const step of playbook.steps) expect(task).toContain(JSON.stringify(step).slice(1, -1));
      expect(task).toContain('指南还没写，直接继续');
    } finally {
      await server.close();
    }
  });

  it('asks without a model too, and ends in the brief when told to go on', async () => {
    const asked = await xihe(['run', request, '--no-model', '--repo', mall, '--thread', 'n', '--json']);
    expect(asked.code).toBe(3);
    expect(asked.json.playbooks[0].checks.some((c: { state: string }) => c.state === 'missing')).toBe(true);
    const done = await xihe(['resume', 'n', '--approve', '--repo', mall, '--json']);
    expect(done.code).toBe(0);
    expect(done.json.report.kind).toBe('brief');
    expect(done.json.report.text).toContain(asked.json.playbooks[0].steps[3]);
  });

  it('stops when told not to, and changes nothing', async () => {
    const before = treeHash(mall);
    await xihe(['run', request, '--no-model', '--repo', mall, '--thread', 's', '--json']);
    const done = await xihe(['resume', 's', '--reject', '--repo', mall, '--json']);
    expect(done.code).toBe(0);
    expect(done.json.status).toBe('rejected');
    expect(treeHash(mall)).toBe(before);
  });
});

describe('「回调验签用什么字段？」', () => {
  it('answers without a model with the passages themselves and their sources', async () => {
    const before = treeHash(mall);
    const run = await xihe(['run', '回调验签用什么字段？', '--no-model', '--repo', mall, '--json']);
    expect(run.code).toBe(0);
    expect(run.json.route.kind).toBe('qa');
    expect(run.json.answer).toContain('Wechatpay-Signature');
    expect(run.json.answer).toMatch(/来源/);
    expect(run.json.terms.map((t: { keyword_ch: string }) => t.keyword_ch)).toContain('回调验签');
    expect(run.json.files.length).toBeGreaterThan(0);
    expect(run.json.plan).toBeNull();
    const trace = await xihe(['trace', run.json.thread, '--repo', mall, '--json']);
    const passages = trace.json.injections.filter((i: { type: string }) => i.type === 'knowledge');
    expect(passages.length).toBeGreaterThan(0);
    for (const p of passages) expect(p.version && p.source).toBeTruthy();
    expect(treeHash(mall)).toBe(before);
  });

  it('gives the model the passages, only reading tools, and changes nothing', async () => {
    const server = await startModelServer({
      rules: [
        {
          when: asks.answer,
          reply: [
            {
              toolCalls: [
                { name: 'lookup_knowledge', args: { query_text: '回调验签' } },
                { name: 'edit_file', args: { path: 'src/app.ts', edits: [{ search: 'a', replace: 'b' }] } },
              ],
            },
            '用 Wechatpay-Signature 等四个请求头（来源 src/payment/wechat/notify.ts）。',
          ],
        },
      ],
    });
    try {
      const before = treeHash(mall);
      const run = await xihe(['run', '回调验签用什么字段？', '--repo', mall, '--json'], {
        env: modelEnv(server.baseUrl),
      });
      expect(run.code).toBe(0);
      expect(run.json.answer).toContain('Wechatpay-Signature');
      const first = server.requests[0]!.body!;
      expect(JSON.stringify(first.messages)).toContain('来源');
      expect(first.tools!.map((t) => t.function.name)).not.toContain('edit_file');
      const results = server.requests[1]!.body!.messages.filter((m) => m.role === 'tool').map((m) => String(m.content));
      expect(results[1]).toContain('TOOL_UNKNOWN');
      expect(treeHash(mall)).toBe(before);
    } finally {
      await server.close();
    }
  });
});

describe('several things in one thread', () => {
  it('two intents in one sentence are done in order', async () => {
    const run = await xihe(['run', '超时关单在哪里实现？顺便给订单加上仅退款', '--no-model', '--repo', mall, '--json']);
    expect(run.code).toBe(0);
    expect(run.json.intents.map((i: { kind: string }) => i.kind)).toEqual(['qa', 'edit']);
    expect(run.json.reports.map((r: { kind: string }) => r.kind)).toEqual(['answer', 'brief']);
    expect(run.json.reports[0].text).toContain('order-service.ts');
  });

  it('a thread goes on with a new request, and its trace keeps both runs', async () => {
    await xihe(['run', '超时关单在哪里实现？', '--no-model', '--repo', mall, '--thread', 't']);
    const second = await xihe(['run', '给订单加上仅退款', '--no-model', '--repo', mall, '--thread', 't', '--json']);
    expect(second.code).toBe(0);
    expect(second.json.reports).toHaveLength(1);
    const trace = await xihe(['trace', 't', '--repo', mall, '--json']);
    expect(trace.json.runs).toBe(2);
    expect(new Set(trace.json.injections.map((i: { run: number }) => i.run))).toEqual(new Set([1, 2]));
    const list = await xihe(['threads', '--repo', mall, '--json']);
    expect(list.json.threads.map((x: { thread: string }) => x.thread)).toContain('t');
  });

  it('small talk is small talk', async () => {
    const run = await xihe(['run', '你好呀', '--no-model', '--repo', mall, '--json']);
    expect(run.code).toBe(0);
    expect(run.json.route.kind).toBe('chat');
    expect(run.json.changes).toBeNull();
  });
});
