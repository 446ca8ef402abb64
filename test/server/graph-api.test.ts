import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RemoteGraph } from '@langchain/langgraph/remote';
import { Client } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GraphServer, startGraphServer } from '../../src/server/graph/server.js';
import { openLocalStore } from '../../src/server/graph/store.js';
import { RETRY_REQUEST, retryEdit, retryRules } from '../agent/scenarios/scripts.js';
import { cleanEnv, copyMall, modelEnv, removeDir, treeHash } from '../support/mall.js';
import { type ModelServer, startModelServer } from '../support/model-server.js';

let mall: string;
let dir: string;
let model: ModelServer;
let server: GraphServer;
let client: Client;

beforeAll(async () => {
  mall = copyMall();
  dir = mkdtempSync(join(tmpdir(), 'xihe-server-'));
  model = await startModelServer({ rules: retryRules });
  const env = cleanEnv({ ...modelEnv(model.baseUrl), XIHE_TEST_COMMAND: 'node -e 0', XIHE_REPO: mall });
  server = await startGraphServer(await openLocalStore(dir, env), {
    host: '127.0.0.1',
    port: 0,
    concurrency: 2,
    workerOnly: false,
    leaseMs: 10_000,
    authenticate: async () => ({ identity: 'lilei', roles: ['reader', 'developer'] }),
    log: () => {},
  });
  client = new Client({ apiUrl: server.url, apiKey: null });
});

afterAll(async () => {
  await server?.close();
  await model?.close();
  removeDir(mall);
  removeDir(dir);
});

describe('the workflow over the LangGraph protocol', () => {
  it('streams a run to its question over the SDK, takes the answer, and tells the history', async () => {
    const before = treeHash(mall);
    const thread = await client.threads.create();
    const nodes: string[] = [];
    let question: { kind?: string; diff?: string } | undefined;
    const events = new Set<string>();
    for await (const chunk of client.runs.stream(thread.thread_id, 'xihe', {
      input: { request: { text: RETRY_REQUEST } },
      streamMode: ['updates', 'custom', 'values'],
    })) {
      events.add(chunk.event);
      if (chunk.event !== 'updates') continue;
      const update = chunk.data as Record<string, unknown>;
      nodes.push(...Object.keys(update));
      const interrupts = update.__interrupt__ as { value: typeof question }[] | undefined;
      if (interrupts) question = interrupts[0]!.value;
    }
    expect([...events].sort()).toEqual(['custom', 'metadata', 'updates', 'values']);
    expect(nodes).toEqual(expect.arrayContaining(['route', 'preread', 'plan', 'execute', 'tools', 'postcheck']));
    expect(question?.kind).toBe('confirm');
    expect(question?.diff).toContain('releaseStock');
    expect(treeHash(mall)).toBe(before);

    expect((await client.threads.get(thread.thread_id)).status).toBe('interrupted');
    expect((await client.threads.getState(thread.thread_id)).next).toEqual(['confirm']);
    const resume = { decisions: [{ type: 'approve' }] };
    const end = await client.runs.wait(thread.thread_id, 'xihe', { command: { resume } });
    expect((end as { reported: { ok: boolean } }).reported.ok).toBe(true);
    expect(readFileSync(join(mall, retryEdit.path), 'utf8')).toContain('releaseStock');
    expect((await client.threads.getState(thread.thread_id)).next).toEqual([]);
    expect((await client.threads.getHistory(thread.thread_id, { limit: 100 })).length).toBeGreaterThan(8);
    const runs = await client.runs.list(thread.thread_id);
    expect(runs.map((run) => run.status)).toEqual(['success', 'success']);
    // The question has been answered.
    await expect(client.runs.wait(thread.thread_id, 'xihe', { command: { resume } })).rejects.toThrow(/409/);
  });

  it('shows its assistants, their graphs and schemas', async () => {
    const assistants = await client.assistants.search();
    expect(assistants.map((one) => one.graph_id)).toEqual(['xihe', 'knowledge']);
    const graph = await client.assistants.getGraph(assistants[0]!.assistant_id);
    expect(graph.edges.some((edge) => edge.data === '同意')).toBe(true);
    const schemas = await client.assistants.getSchemas('knowledge');
    expect(schemas.state_schema?.properties).toHaveProperty('request');
    expect((await client.assistants.get('xihe')).assistant_id).toBe(assistants[0]!.assistant_id);
  });

  it('answers a question with its sources through RemoteGraph, by the graph that only answers', async () => {
    const remote = new RemoteGraph({ graphId: 'knowledge', url: server.url, apiKey: 'none' });
    const { thread_id } = await client.threads.create();
    const config = { configurable: { thread_id } };
    const request = { text: '删掉全部订单，超时关单在哪里实现？', options: { noModel: true } };
    const nodes: string[] = [];
    for await (const update of await remote.stream({ request }, { ...config, streamMode: 'updates' }))
      nodes.push(...Object.keys(update as object));
    expect(nodes).toEqual(['question', 'preread', 'answer', 'report']);
    const { values } = await remote.getState(config);
    const state = values as { reported: { text: string }; ledger: { source: string }[] };
    expect(state.reported.text).toContain('cancelExpired');
    expect(state.ledger.length).toBeGreaterThan(0);
    const drawing = await remote.getGraphAsync();
    expect(Object.keys(drawing.nodes)).toContain('question');
    await expect(client.runs.wait(thread_id, 'xihe', { input: { request } })).rejects.toThrow(/422|404/);
  });
});
