import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { GraphServer } from '../../src/server/graph/server.js';
import { type ProbeInput, startProbeServer } from './graph-probe.js';

const clientOf = (url: string, who = 'lilei') =>
  new Client({ apiUrl: url, apiKey: null, defaultHeaders: { 'x-who': who }, callerOptions: { maxRetries: 0 } });

/** Starts a probe server that can be killed. */
export async function startProcess(where: string, leaseMs = 1500): Promise<{ child: ChildProcess; url: string }> {
  const file = fileURLToPath(new URL('./graph-probe-process.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file, where, String(leaseMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout! })) return { child, url: line };
  throw new Error('the probe server did not start');
}

/** What holds on every store. @param where a folder, or the address of a Postgres; asked when the tests run */
export function itServes(where: () => string): void {
  let dir: string;
  let one: GraphServer;
  let two: Awaited<ReturnType<typeof startProcess>>;
  let client: Client;
  let other: Client;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'xihe-scenarios-'));
    one = await startProbeServer(where());
    // A process of its own: on SQLite one that waits for the other's lock would wait for itself.
    two = await startProcess(where());
    client = clientOf(one.url);
    other = clientOf(two.url);
  }, 60_000);
  afterAll(async () => {
    two?.child.kill('SIGKILL');
    await one?.close();
    rmSync(dir, { recursive: true, force: true });
  }, 30_000);

  let files = 0;
  const file = (name: string) => join(dir, `${name}-${files++}`);
  const open = (gate: string) => writeFileSync(gate, '');
  const begin = (thread: string, input: ProbeInput, options: object = {}) =>
    client.runs.create(thread, 'probe', { input: { ...input }, ...options });
  const logOf = async (thread: string) => (await client.threads.getState<{ log?: string[] }>(thread)).values.log ?? [];
  const untilRunning = async (thread: string, run: string) => {
    while ((await client.runs.get(thread, run)).status === 'pending') await new Promise((r) => setTimeout(r, 20));
  };

  it('takes one of two answers that two processes get at once', async () => {
    const { thread_id } = await client.threads.create();
    const asked = (await client.runs.wait(thread_id, 'probe', { input: { asks: true } })) as Record<string, unknown>;
    expect(asked.__interrupt__).toHaveLength(1);
    const answer = (by: Client, resume: string) => by.runs.wait(thread_id, 'probe', { command: { resume } });
    const both = await Promise.allSettled([answer(client, 'a'), answer(other, 'b')]);
    expect(both.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(String((both.find((r) => r.status === 'rejected') as PromiseRejectedResult).reason)).toContain('409');
    expect((await logOf(thread_id)).filter((line) => line.startsWith('answer'))).toHaveLength(1);
    await expect(answer(other, 'c')).rejects.toThrow(/409/);
  });

  it('goes on without the client that began, and gives all of it to one that joins later, in another process', async () => {
    const { thread_id } = await client.threads.create();
    const gate = file('gate');
    const leaving = new AbortController();
    let run = '';
    await expect(async () => {
      for await (const { event } of client.runs.stream(thread_id, 'probe', {
        input: { gate },
        streamMode: ['updates'],
        signal: leaving.signal,
        onRunCreated: ({ run_id }) => {
          run = run_id;
        },
      }))
        if (event === 'updates') leaving.abort();
      leaving.signal.throwIfAborted();
    }).rejects.toThrow();
    const joined = (async () => {
      const nodes: string[] = [];
      for await (const { event, data } of other.runs.joinStream(thread_id, run))
        if (event === 'updates') nodes.push(...Object.keys(data as object));
      return nodes;
    })();
    open(gate);
    expect(await joined).toEqual(['first', 'ask', 'hold', 'act']);
    expect((await other.runs.get(thread_id, run)).status).toBe('success');
    expect(await other.runs.join(thread_id, run)).toMatchObject({ log: ['first', 'hold', 'act'] });
  });

  it('stops a run that is cancelled from another process, and the next one runs', async () => {
    const { thread_id } = await client.threads.create();
    const acts = file('acts');
    const run = await begin(thread_id, { gate: file('never'), acts });
    await untilRunning(thread_id, run.run_id);
    await other.runs.cancel(thread_id, run.run_id, true);
    expect((await client.runs.get(thread_id, run.run_id)).status).toBe('interrupted');
    expect(existsSync(acts)).toBe(false);
    await client.runs.wait(thread_id, 'probe', { input: { gate: null, acts } });
    expect(readFileSync(acts, 'utf8')).toBe(`${thread_id}\n`);
  });

  it('does with a second run what its strategy says', async () => {
    const { thread_id } = await client.threads.create();
    const gate = file('gate');
    const held = await begin(thread_id, { gate });
    await untilRunning(thread_id, held.run_id);
    await expect(begin(thread_id, {})).rejects.toThrow(/409/);
    const queued = await begin(thread_id, {}, { multitaskStrategy: 'enqueue' });
    expect((await client.runs.get(thread_id, queued.run_id)).status).toBe('pending');
    open(gate);
    await client.runs.join(thread_id, queued.run_id);
    const statuses = await client.runs.list(thread_id);
    expect(statuses.map((run) => run.status)).toEqual(['success', 'success']);

    const never = await begin(thread_id, { gate: file('never') });
    await untilRunning(thread_id, never.run_id);
    await client.runs.wait(thread_id, 'probe', { input: { gate: null }, multitaskStrategy: 'interrupt' });
    expect((await client.runs.get(thread_id, never.run_id)).status).toBe('interrupted');

    const before = await logOf(thread_id);
    const undone = await begin(thread_id, { gate: file('never') });
    await untilRunning(thread_id, undone.run_id);
    await client.runs.wait(thread_id, 'probe', { input: { gate: null }, multitaskStrategy: 'rollback' });
    expect(await logOf(thread_id)).toEqual([...before, 'first', 'hold', 'act']);
    await expect(client.runs.get(thread_id, undone.run_id)).rejects.toThrow(/404/);
  });

  it('tells a failed run, on the thread too, and the thread can go on', async () => {
    const { thread_id } = await client.threads.create();
    await expect(client.runs.wait(thread_id, 'probe', { input: { fails: true } })).rejects.toThrow(/told to fail/);
    expect((await client.threads.get(thread_id)).status).toBe('error');
    await client.runs.wait(thread_id, 'probe', { input: { fails: false } });
    expect((await client.threads.get(thread_id)).status).toBe('idle');
  });

  it('shows nothing of a thread to anybody but its owner', async () => {
    const { thread_id } = await client.threads.create({ metadata: { team: '订单' } });
    await client.runs.wait(thread_id, 'probe', { input: {} });
    const stranger = clientOf(two.url, 'hanmei');
    await expect(stranger.threads.get(thread_id)).rejects.toThrow(/404/);
    expect(await stranger.threads.search({ metadata: { team: '订单' } })).toEqual([]);
    expect((await other.threads.search({ metadata: { team: '订单' } })).map((t) => t.thread_id)).toEqual([thread_id]);
    await expect(stranger.runs.wait(thread_id, 'probe', { input: {}, ifNotExists: 'create' })).rejects.toThrow(
      /404|409/,
    );
    await other.threads.delete(thread_id);
    await expect(client.threads.get(thread_id)).rejects.toThrow(/404/);
  });

  it('runs without a thread', async () => {
    expect(await other.runs.wait(null, 'probe', { input: {} })).toMatchObject({ log: ['first', 'hold', 'act'] });
  });

  it('takes over what a killed process worked on, from its checkpoint, and acts once', async () => {
    const acts = file('acts');
    const gate = file('gate');
    // More than one of the two takes at once, so that the one to be killed has some of them.
    const threads = await Promise.all(Array.from({ length: 8 }, () => other.threads.create()));
    const input = { gate, acts };
    const runs = await Promise.all(threads.map((t) => other.runs.create(t.thread_id, 'probe', { input })));
    for (const [i, run] of runs.entries()) await untilRunning(threads[i]!.thread_id, run.run_id);
    two.child.kill('SIGKILL');
    open(gate);
    await Promise.all(runs.map((run, i) => client.runs.join(threads[i]!.thread_id, run.run_id)));
    for (const { thread_id } of threads) expect(await logOf(thread_id)).toEqual(['first', 'hold', 'act']);
    expect(readFileSync(acts, 'utf8').trim().split('\n').sort()).toEqual(threads.map((t) => t.thread_id).sort());
  }, 60_000);
}
