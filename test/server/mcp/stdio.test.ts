import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { packageVersion } from '../../../src/assets.js';
import { estimateTokens } from '../../../src/text/index.js';
import { copyMall, removeDir, treeHash } from '../../support/mall.js';
import { QUESTIONS } from './questions.js';
import { callText, connectStdio } from './support.js';

let mall: string;
let other: string;
let client: Client;
let served: Awaited<ReturnType<typeof connectStdio>>;
let tree: string;
let root: string;
const told = { resources: 0, prompts: 0, updated: [] as string[], logs: [] as { level: string; data: unknown }[] };

beforeAll(async () => {
  mall = copyMall({ link: false });
  other = copyMall({ link: false });
  rmSync(join(other, '.xihe', 'knowledge'), { recursive: true });
  rmSync(join(other, 'src', 'refund'), { recursive: true });
  tree = treeHash(mall);
  root = mall;
  // Started elsewhere: the client says which folder it has open.
  served = await connectStdio([], {
    cwd: '/',
    capabilities: { roots: { listChanged: true } },
    before: (c) => {
      c.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(root).href, name: 'mall' }] }));
      c.setNotificationHandler(ResourceListChangedNotificationSchema, () => void told.resources++);
      c.setNotificationHandler(PromptListChangedNotificationSchema, () => void told.prompts++);
      c.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.updated.push(params.uri));
      c.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void told.logs.push(params));
    },
  });
  client = served.client;
});
afterAll(async () => {
  await client.close();
  for (const dir of [mall, other]) removeDir(dir);
});

describe('xihe mcp over stdio', () => {
  it('says who it is and when to call what', () => {
    expect(client.getServerVersion()).toMatchObject({ name: 'xihe', version: packageVersion() });
    expect(client.getInstructions()).toContain('zh_core_query');
    expect(estimateTokens(client.getInstructions() ?? '')).toBeLessThan(400);
    expect(client.getServerCapabilities()).toMatchObject({ resources: { subscribe: true, listChanged: true } });
  });

  it('lists read-only tools with short descriptions, explained parameters and a schema of the answer', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'zh_core_query',
      'lookup_knowledge',
      'load_context',
      'expand_path',
      'lookup_file',
    ]);
    for (const { description = '', annotations, inputSchema, outputSchema } of tools) {
      expect([...description].length).toBeLessThanOrEqual(50);
      expect(annotations).toMatchObject({ readOnlyHint: true, idempotentHint: true, openWorldHint: false });
      for (const property of Object.values(inputSchema.properties ?? {}))
        expect(property).toMatchObject({ description: expect.stringMatching(/\p{Script=Han}/u) });
      expect(inputSchema.properties).toHaveProperty('max_tokens');
      expect(outputSchema?.required).toContain('data_version');
    }
  });

  it('answers thirty real questions below 1,000 tokens, as text and as data, with sources', async () => {
    const sizes: number[] = [];
    let version: unknown;
    for (const question of QUESTIONS) {
      const calls = [
        await callText(client, 'zh_core_query', { user_intent: question, max_results: 10 }),
        await callText(client, 'lookup_knowledge', { query_text: question }),
        await callText(client, 'lookup_file', { query: question, top_k: 10 }),
      ];
      for (const { text, data, isError } of calls) {
        expect(isError, text).toBe(false);
        sizes.push(estimateTokens(text), estimateTokens(JSON.stringify(data)));
        version ??= data.data_version;
        expect(data.data_version).toBe(version);
      }
      const [core, lookup, files] = calls.map(({ data }) => data);
      for (const entry of [...core.terms, ...core.playbooks, ...core.warnings, ...core.knowledge, ...lookup.documents])
        expect(entry).toMatchObject({
          source: expect.stringMatching(/./),
          version: expect.stringMatching(/^[0-9a-f]{7}$/),
          confidence: expect.any(Number),
        });
      for (const file of files.files) expect(file).toMatchObject({ path: expect.any(String), why: expect.any(String) });
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    expect(sizes).toHaveLength(QUESTIONS.length * 6);
  });

  it('brings the right entries, text and data saying the same', async () => {
    const { text, data } = await callText(client, 'zh_core_query', { user_intent: QUESTIONS[0] });
    expect(data.terms[0]).toMatchObject({
      id: 'order-cancel-expired',
      version: expect.stringMatching(/^[0-9a-f]{7}$/),
    });
    expect(data.terms[0].places).toContain('src/order/order-service.ts:139');
    expect(data.warnings[0].id).toBe('order-close-once');
    expect(data.playbooks[0].steps).toHaveLength(7);
    for (const part of ['OrderService.cancelExpired', data.playbooks[0].steps[6], data.warnings[0].version])
      expect(text).toContain(part);
    const found = await callText(client, 'lookup_file', { query: '超时关单' });
    expect(found.data.files[0]).toMatchObject({ path: 'src/order/order-service.ts', confidence: 1 });
    const expanded = await callText(client, 'expand_path', { path: 'src/order/order-service.ts' });
    expect(expanded.data.paths[0].symbols).toContainEqual({ name: 'OrderService', kind: 'class', line: 48 });
    expect((await callText(client, 'expand_path', { move: 'up' })).data.paths[0].path).toBe('src/order');
    const map = await callText(client, 'load_context');
    expect(map.data.trees[0].tree).toContain('order-service.ts');
    expect(estimateTokens(JSON.stringify(map.data))).toBeLessThanOrEqual(1_000);
  });

  it('says how much was left out and how to see it; more room brings more', async () => {
    const args = { user_intent: QUESTIONS[0], max_results: 10 };
    const small = await callText(client, 'zh_core_query', { ...args, max_tokens: 400 });
    const large = await callText(client, 'zh_core_query', { ...args, max_tokens: 4_000 });
    const count = (d: typeof small.data) =>
      d.terms.length + d.playbooks.length + d.warnings.length + d.knowledge.length;
    expect(estimateTokens(small.text)).toBeLessThanOrEqual(400);
    expect(small.data.omitted.count).toBe(count(large.data) - count(small.data));
    expect(small.text).toContain(`还有 ${small.data.omitted.count} 条没写出来`);
    expect(large.data.omitted).toBeUndefined();
    const [uri] = small.data.omitted.uris;
    expect((await client.readResource({ uri })).contents[0]).toMatchObject({ uri, mimeType: 'text/markdown' });
    const cut = await callText(client, 'lookup_knowledge', { query_text: '支付网关超时', max_tokens: 400 });
    expect(estimateTokens(JSON.stringify(cut.data))).toBeLessThanOrEqual(400);
    expect(cut.data.documents[0].cut).toContain('xihe://knowledge/payment/errors.md');
    const part = await callText(client, 'lookup_knowledge', { query_text: '支付网关超时', section_title: '拒绝排查' });
    expect(part.data.documents[0].content).toContain('ERR_CHANNEL_REJECTED');
  });

  it('answers what is wrong with a call in Chinese, and only faults of the protocol as such', async () => {
    const missing = await callText(client, 'expand_path', { path: 'src/nope' });
    expect(missing).toMatchObject({ isError: true, text: expect.stringMatching(/PATH_NOT_FOUND.*lookup_file/) });
    expect(await callText(client, 'expand_path', { path: '../..' })).toMatchObject({ isError: true });
    expect(await callText(client, 'zh_core_query', {})).toMatchObject({
      isError: true,
      text: expect.stringContaining('user_intent'),
    });
    expect(await callText(client, 'zh_core_query', { user_intent: '退款', max_tokens: 5 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('300 到 4000'),
    });
    await expect(client.callTool({ name: 'rm_rf', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await expect(client.request({ method: 'tools/call', params: { name: 7 } } as never, {} as never)).rejects.toThrow();
    await expect(client.listResources({ cursor: 'nonsense' })).rejects.toMatchObject({ code: -32602 });
    await expect(client.readResource({ uri: 'xihe://term/none' })).rejects.toMatchObject({ code: -32002 });
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toMatchObject({ code: -32002 });
  });

  it('keeps the rules of the project', async () => {
    const policy = join(mall, '.xihe', 'policy.yaml');
    writeFileSync(policy, 'rules:\n  - { tool: load_context, decision: deny, reason: 骨架不外给 }\n');
    const denied = await callText(client, 'load_context');
    expect(denied).toMatchObject({ isError: true, text: expect.stringContaining('骨架不外给') });
    rmSync(policy);
    expect((await callText(client, 'load_context')).isError).toBe(false);
  });

  it('gives no answer to what was cancelled, and goes on', async () => {
    const stop = new AbortController();
    const call = client.callTool({ name: 'lookup_file', arguments: { query: '退款' } }, undefined, {
      signal: stop.signal,
    });
    stop.abort('enough');
    await expect(call).rejects.toThrow('enough');
    expect((await callText(client, 'lookup_file', { query: '退款' })).isError).toBe(false);
  });

  it('lists everything in pages, the team first, and completes ids', async () => {
    const uris: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await client.listResources(cursor ? { cursor } : {});
      expect(page.resources.length).toBeLessThanOrEqual(50);
      uris.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    expect(new Set(uris).size).toBe(uris.length);
    expect(uris.length).toBeGreaterThan(500);
    expect(uris.slice(0, 4)).toEqual(expect.arrayContaining(['xihe://playbook/add-payment-channel']));
    expect(uris).toEqual(expect.arrayContaining(['xihe://term/order-state', 'xihe://warning/order-close-once']));
    expect(uris.indexOf('xihe://term/order-state')).toBeLessThan(uris.findIndex((uri) => uri.includes('/g-')));
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('xihe://knowledge/{+id}');
    const ref = { type: 'ref/resource' as const, uri: 'xihe://term/{id}' };
    const { completion } = await client.complete({ ref, argument: { name: 'id', value: '超时' } });
    expect(completion.values).toContain('order-cancel-expired');
    const document = await client.readResource({ uri: 'xihe://knowledge/payment/errors.md' });
    expect(document.contents[0]).toMatchObject({ text: expect.stringContaining('ERR_TIMEOUT') });
  });

  it('gives a playbook as a prompt, with its steps and the warnings that the request touches', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts[0]).toMatchObject({ name: 'add-payment-channel', arguments: [{ name: 'request', required: true }] });
    const prompt = await client.getPrompt({
      name: 'add-payment-channel',
      arguments: { request: '接入云闪付，回调要验签' },
    });
    const [message] = prompt.messages as { content: { text: string } }[];
    const text = message?.content.text;
    for (const part of ['接入云闪付', '先查：', '9. 更新', '改完查：', '【警示】', '验签'])
      expect(text).toContain(part);
    await expect(client.getPrompt({ name: 'add-payment-channel' })).rejects.toMatchObject({ code: -32602 });
    await expect(client.getPrompt({ name: 'nope', arguments: { request: '一' } })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('tells when a file changes while it runs, and when one is broken', async () => {
    const uri = 'xihe://term/order-state';
    await client.subscribeResource({ uri });
    await expect(client.subscribeResource({ uri: 'xihe://term/none' })).rejects.toMatchObject({ code: -32002 });
    const file = join(mall, '.xihe', 'knowledge', 'terms', 'order.yaml');
    const before = (await callText(client, 'zh_core_query', { user_intent: '订单状态' })).data;
    const text = await import('node:fs').then(({ readFileSync }) => readFileSync(file, 'utf8'));
    writeFileSync(file, text.replace('note: 待付款、', 'note: 新写的、待付款、'));
    await vi.waitFor(() => expect(told.updated).toContain(uri), 20_000);
    expect(told.resources).toBeGreaterThan(0);
    expect(told.prompts).toBe(0);
    const after = (await callText(client, 'zh_core_query', { user_intent: '订单状态' })).data;
    expect(after.data_version).not.toBe(before.data_version);
    expect(JSON.stringify(after.terms)).toContain('新写的');

    writeFileSync(file, '- id: [broken');
    await vi.waitFor(() => expect(told.logs).toContainEqual(expect.objectContaining({ level: 'error' })), 20_000);
    expect(JSON.stringify(told.logs)).toContain('order.yaml');
    expect(JSON.stringify(told.logs)).toContain('上一个可用的版本继续生效');
    expect(JSON.stringify((await callText(client, 'zh_core_query', { user_intent: '订单状态' })).data)).toContain(
      '新写的',
    );

    writeFileSync(file, text);
    await vi.waitFor(() => expect(told.logs).toContainEqual(expect.objectContaining({ level: 'info' })), 20_000);
    writeFileSync(join(mall, '.xihe', 'playbooks', 'new-one.md'), NEW_PLAYBOOK);
    await vi.waitFor(() => expect(told.prompts).toBeGreaterThan(0), 20_000);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('new-one');
    rmSync(join(mall, '.xihe', 'playbooks', 'new-one.md'));
    expect(treeHash(mall)).toBe(tree);
  });

  it('follows the client to another folder', async () => {
    root = other;
    const { resources } = told;
    await client.sendRootsListChanged();
    await vi.waitFor(() => expect(told.resources).toBeGreaterThan(resources), 20_000);
    const { data } = await callText(client, 'lookup_file', { query: '退款' });
    expect(data.files.map(({ path }: { path: string }) => path).join()).not.toContain('src/refund/');
  });

  it('writes nothing to stderr but Chinese lines, and is gone once its input is closed', async () => {
    const { pid } = served.transport;
    for (const line of served.stderr().trim().split('\n')) expect(line).toMatch(/^羲和：/);
    await client.close();
    await vi.waitFor(() => expect(() => process.kill(pid as number, 0)).toThrow(), 5_000);
  });
});

const NEW_PLAYBOOK = `---
id: new-one
title: 新的一份
trigger_keywords: [新的一份流程]
steps:
  - 第一步先看
  - 第二步再做
source: 团队约定
confidence: 0.9
reviewed_at: 2026-12-01
---

给人看的说明。
`;
