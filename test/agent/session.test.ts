import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Session } from '../../src/agent/session.js';
import type { RunOptions } from '../../src/agent/state.js';
import { modelEnv, xihe } from '../support/mall.js';
import { type ModelServer, startModelServer } from '../support/model-server.js';
import { makeRepo, removeRepo } from './support.js';

const NO_MODEL: RunOptions = { noModel: true, autoApprove: 'none' };
const WITH_MODEL: RunOptions = { noModel: false, autoApprove: 'none' };
const quiet = () => {};

let repo: string;
let server: ModelServer;
beforeEach(async () => {
  repo = makeRepo({ 'src/order.ts': '/** 超时关单。 */\nexport const RETRY = 0;\n' });
  const edits = [{ search: 'RETRY = 0', replace: 'RETRY = 1' }];
  server = await startModelServer({
    rules: [
      { when: { system: '你在审查一份代码改动' }, reply: '{"findings":[]}' },
      {
        when: { anyUser: '超时关单' },
        reply: [{ toolCalls: [{ name: 'edit_file', args: { path: 'src/order.ts', edits } }] }, '好了'],
      },
    ],
  });
  for (const [key, value] of Object.entries(modelEnv(server.baseUrl))) process.env[key] = value;
});
afterEach(async () => {
  for (const key of ['XIHE_BASE_URL', 'XIHE_API_KEY', 'XIHE_MODEL', 'XIHE_KEEP_THREADS']) delete process.env[key];
  await server.close();
  removeRepo(repo);
});

const withSession = async <T>(work: (s: Session) => Promise<T>): Promise<T> => {
  const session = await Session.open(repo);
  try {
    return await work(session);
  } finally {
    session.close();
  }
};

describe('threads', () => {
  it('that wait are kept with their changesets, however many others come', async () => {
    process.env.XIHE_KEEP_THREADS = '2';
    await withSession(async (s) => {
      const waiting = await s.run('超时关单加一次重试', WITH_MODEL, 'wait', quiet);
      expect(waiting.status).toBe('waiting');
      const changeset = waiting.state.changesetId!;
      // One thread with many runs pushes the changeset of the other beyond the number.
      for (let i = 0; i < 3; i++) {
        await s.run('超时关单加一次重试', WITH_MODEL, 'busy', quiet);
        await s.resume('busy', { decisions: [{ type: 'reject' }] }, quiet);
      }
      for (const name of ['q1', 'q2', 'q3']) await s.run('超时关单在哪？', NO_MODEL, name, quiet);
      const names = (await s.threads(-1)).map((t) => t.thread);
      expect(names).toContain('wait');
      expect(names).toContain('q3');
      expect(names).not.toContain('q1');
      expect(s.project.changeset(changeset).list()).toHaveLength(1);
      expect((await s.resume('wait', { decisions: [{ type: 'approve' }] }, quiet)).status).toBe('done');
    });
  });

  it('that wait take no new request, and those that are done take no answer', async () => {
    await withSession(async (s) => {
      await s.run('超时关单加一次重试', WITH_MODEL, 'a', quiet);
      await expect(s.run('别的事', NO_MODEL, 'a', quiet)).rejects.toMatchObject({ code: 'THREAD_BUSY' });
      expect((await s.resume('a', undefined, quiet)).status).toBe('waiting');
      expect((await s.resume('a', { decisions: ['拒绝'] }, quiet)).status).toBe('rejected');
      await expect(s.resume('a', { decisions: ['同意'] }, quiet)).rejects.toMatchObject({ code: 'THREAD_NOT_WAITING' });
      await expect(s.resume('nobody', undefined, quiet)).rejects.toMatchObject({ code: 'THREAD_NOT_FOUND' });
      expect((await s.view('nobody')).status).toBe('empty');
      expect((await s.run('超时关单在哪？', NO_MODEL, 'a', quiet)).state.run).toBe(2);
    });
  });

  it('keep waiting after an answer that nobody can read', async () => {
    await withSession(async (s) => {
      await s.run('超时关单加一次重试', WITH_MODEL, 'a', quiet);
      const view = await s.resume('a', { what: 'ever' }, quiet);
      expect(view.status).toBe('waiting');
      expect(view.pending!.problem).toContain('看不懂');
      expect((await s.resume('a', { decisions: ['同意'] }, quiet)).status).toBe('done');
    });
  });

  it('belong to one process at a time, also with names that differ only at the end', async () => {
    await withSession(async (s) => {
      const long = '很长的会话名'.repeat(30);
      const first = s.run('超时关单在哪？', NO_MODEL, `${long}1`, quiet);
      await expect(s.run('超时关单在哪？', NO_MODEL, `${long}1`, quiet)).rejects.toMatchObject({ code: 'THREAD_BUSY' });
      expect((await s.run('超时关单在哪？', NO_MODEL, `${long}2`, quiet)).status).toBe('done');
      expect((await first).status).toBe('done');
    });
  });

  it('two processes: the second is told that the thread is busy', async () => {
    let second: ReturnType<typeof xihe> | undefined;
    const args = ['run', '超时关单在哪？', '--no-model', '--repo', repo, '--thread', 'two'];
    await xihe(args, {
      env: { XIHE_PAUSE_IN: 'preread' },
      onStderr: (text, child) => {
        if (!text.includes('paused in preread') || second) return;
        second = xihe([...args, '--json']);
        second.then(() => child.kill('SIGKILL'));
      },
    });
    const said = await second!;
    expect(said.code).toBe(1);
    expect(said.json.error.code).toBe('THREAD_BUSY');
    // The lock of a killed process does not hold anybody up.
    const resumed = await xihe(['resume', 'two', '--repo', repo, '--json']);
    expect(resumed.json.status).toBe('done');
    expect(existsSync(join(repo, '.xihe/state/checkpoints.sqlite'))).toBe(true);
  });
});
