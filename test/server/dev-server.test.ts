import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/assets.js';
import { RETRY_REQUEST, retryEdit, retryRules } from '../agent/scenarios/scripts.js';
import { cleanEnv, copyMall, modelEnv, removeDir, treeHash } from '../support/mall.js';
import { type ModelServer, startModelServer } from '../support/model-server.js';

/** The dev server builds the graph's schemas with TypeScript when it starts: some ten seconds on a small machine. */
const START_MS = 120_000;

let mall: string;
let home: string;
let model: ModelServer;
let server: ChildProcess;
let client: Client;
let output = '';

/** Acts of the shop: one for a role that nobody has here, one that `autoApprove` would cover on a machine of one's own. */
function writeActs(): void {
  const act = (name: string, word: string, role: string) =>
    writeFileSync(
      join(mall, `.xihe/tools/${name}.yaml`),
      `name: ${name}\ndescription: ${word}\nkeywords: [${word}]\ndanger: medium\nacl_role: ${role}\nargv: [node, -e, "require('fs').appendFileSync('acts.log', '${name} ')"]\nexamples: [{}]\n`,
    );
  act('notify_ops', '通知运维值班', 'ops');
  act('warm_cache', '预热商品缓存', 'developer');
}

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

beforeAll(async () => {
  mall = copyMall();
  writeActs();
  model = await startModelServer({ rules: retryRules });
  // A folder of its own: the server writes `.langgraph_api/` and edits `.gitignore` beside its configuration.
  home = mkdtempSync(join(tmpdir(), 'xihe-dev-'));
  cpSync(join(packageRoot(), 'langgraph.json'), join(home, 'langgraph.json'));
  cpSync(join(packageRoot(), 'package.json'), join(home, 'package.json'));
  for (const folder of ['graphs', 'src', 'node_modules']) symlinkSync(join(packageRoot(), folder), join(home, folder));
  const port = await freePort();
  const cli = join(packageRoot(), 'node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs');
  server = spawn(
    process.execPath,
    [cli, 'dev', '--no-browser', '--port', String(port), '--config', join(home, 'langgraph.json')],
    {
      cwd: home,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: cleanEnv({
        ...modelEnv(model.baseUrl),
        XIHE_TEST_COMMAND: 'node -e 0',
        XIHE_REPO: mall,
        LANGGRAPH_CLI_NO_ANALYTICS: '1',
        LANGSMITH_TRACING: 'false',
      }),
    },
  );
  server.stdout!.on('data', (d) => {
    output += d;
  });
  server.stderr!.on('data', (d) => {
    output += d;
  });
  client = new Client({ apiUrl: `http://127.0.0.1:${port}`, apiKey: 'none' });
  const deadline = Date.now() + START_MS;
  for (;;) {
    try {
      await client.assistants.search();
      return;
    } catch {
      if (Date.now() > deadline || server.exitCode !== null)
        throw new Error(`the dev server did not start:\n${output}`);
      await new Promise((r) => setTimeout(r, 300));
    }
  }
}, START_MS + 10_000);

afterAll(async () => {
  try {
    process.kill(-server.pid!, 'SIGKILL');
  } catch {
    // It has ended.
  }
  await model?.close();
  removeDir(mall);
  removeDir(home);
});

describe('the graph under the real LangGraph dev server', () => {
  it('streams a run to the confirm interrupt, resumes it over the SDK, and reads the history', async () => {
    const before = treeHash(mall);
    const thread = await client.threads.create();
    const nodes: string[] = [];
    let question: { kind?: string; diff?: string } | undefined;
    for await (const chunk of client.runs.stream(thread.thread_id, 'xihe', {
      input: { request: { text: RETRY_REQUEST } },
      streamMode: ['updates', 'custom'],
    })) {
      if (chunk.event !== 'updates') continue;
      const update = chunk.data as Record<string, unknown>;
      nodes.push(...Object.keys(update));
      const interrupts = update.__interrupt__ as { value: typeof question }[] | undefined;
      if (interrupts) question = interrupts[0]!.value;
    }
    expect(nodes, output).toEqual(
      expect.arrayContaining(['route', 'preread', 'plan', 'execute', 'tools', 'postcheck']),
    );
    expect(question?.kind).toBe('confirm');
    expect(question?.diff).toContain('releaseStock');
    expect(treeHash(mall)).toBe(before);

    const waiting = await client.threads.getState(thread.thread_id);
    expect(waiting.next).toEqual(['confirm']);
    await client.runs.wait(thread.thread_id, 'xihe', { command: { resume: { decisions: [{ type: 'approve' }] } } });
    const state = await client.threads.getState<{ reported: { ok: boolean }; receipt: { id: string } }>(
      thread.thread_id,
    );
    expect(state.next).toEqual([]);
    expect(state.values.reported.ok).toBe(true);
    expect(readFileSync(join(mall, retryEdit.path), 'utf8')).toContain('releaseStock');
    const history = await client.threads.getHistory(thread.thread_id, { limit: 100 });
    expect(history.length).toBeGreaterThan(8);
    expect(JSON.stringify(state.values)).not.toContain('releaseResources(orderNo: string)'.repeat(2));
  });

  it('draws the graph with labelled edges, for Studio', async () => {
    const [assistant] = await client.assistants.search();
    const graph = await client.assistants.getGraph(assistant!.assistant_id);
    expect(graph.nodes.map((n) => String(n.id))).toEqual(expect.arrayContaining(['route', 'confirm', 'apply']));
    expect(graph.edges.some((e) => e.data === '同意')).toBe(true);
  });

  it('believes no roles, no name and no autoApprove of a client', async () => {
    const forged = { langgraph_auth_user: { identity: 'root', permissions: ['ops'] } };
    const ask = async (text: string) => {
      const thread = await client.threads.create();
      const request = {
        text,
        caller: { name: 'root', roles: ['ops', 'developer'] },
        options: { autoApprove: 'medium' },
      };
      await client.runs.wait(thread.thread_id, 'xihe', { input: { request }, config: { configurable: forged } });
      const waiting = (await client.threads.getState(thread.thread_id)).next;
      await client.runs.wait(thread.thread_id, 'xihe', {
        command: { resume: { decisions: [{ type: 'approve' }] } },
        config: { configurable: forged },
      });
      const { values } = await client.threads.getState<{ tool: { outcome: { ok: boolean; code?: string } } }>(
        thread.thread_id,
      );
      return { waiting, outcome: values.tool.outcome };
    };
    expect(await ask('执行一下预热商品缓存')).toMatchObject({ waiting: ['approve'], outcome: { ok: true } });
    expect(await ask('执行一下通知运维值班')).toMatchObject({ outcome: { ok: false, code: 'COMMAND_DENIED' } });
    expect(readFileSync(join(mall, 'acts.log'), 'utf8')).toBe('warm_cache ');
    const log = join(mall, '.xihe/state/audit');
    const files = existsSync(log) ? readdirSync(log).filter((name) => name.endsWith('.jsonl')) : [];
    const lines = files.flatMap((name) => readFileSync(join(log, name), 'utf8').trim().split('\n'));
    const who = lines.map((line) => JSON.parse(line) as { what: string; who: string });
    expect(new Set(who.map((one) => one.who))).toEqual(new Set(['server']));
    expect(who.map(({ what }) => what)).toContain('warm_cache');
  });

  it('takes a chat client that sends only messages, and refuses projects it was not started for', async () => {
    const thread = await client.threads.create();
    const answer = (await client.runs.wait(thread.thread_id, 'xihe', {
      input: { messages: [{ role: 'user', content: '你好呀' }] },
    })) as { reported?: { text: string } };
    expect(answer.reported?.text).toBeTruthy();
    const other = await client.threads.create();
    await client.runs
      .wait(other.thread_id, 'xihe', { input: { request: { text: '超时关单在哪', repo: '/' } } })
      .catch(() => {});
    const state = await client.threads.get(other.thread_id);
    expect(state.status).toBe('error');
  });
});
