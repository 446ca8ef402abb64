import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keptOf, parseEvent, type RunEvent } from '../../src/agent/index.js';
import { Session } from '../../src/agent/session.js';
import { modelEnv, treeHash } from '../support/mall.js';
import { type ModelServer, startModelServer } from '../support/model-server.js';
import { makeRepo, removeRepo } from './support.js';

const OPTIONS = { noModel: false, autoApprove: 'none' } as const;
const edit = { path: 'src/order.ts', edits: [{ search: 'RETRY = 0', replace: 'RETRY = 1' }] };

let repo: string;
let before: string;
let server: ModelServer;
let session: Session;

beforeAll(async () => {
  repo = makeRepo({ 'src/order.ts': '/** 超时关单。 */\nexport const RETRY = 0;\n' });
  before = treeHash(repo);
  server = await startModelServer({
    rules: [
      { when: { system: '你在审查一份代码改动' }, reply: '{"findings":[]}' },
      {
        reply: [
          { toolCalls: [{ name: 'edit_file', args: edit }] },
          { toolCalls: [{ name: 'run_tests', args: {} }] },
          '好了',
        ],
      },
    ],
  });
  Object.assign(process.env, modelEnv(server.baseUrl), { XIHE_TEST_COMMAND: 'node -e 0' });
  session = await Session.open(repo);
});
afterAll(async () => {
  for (const key of ['XIHE_BASE_URL', 'XIHE_API_KEY', 'XIHE_MODEL', 'XIHE_TEST_COMMAND']) delete process.env[key];
  session.close();
  await server.close();
  removeRepo(repo);
});

/** Stops at the n-th event that `when` picks; gives back what was told. */
async function stopAt(
  when: (event: RunEvent) => boolean,
  step: (onEvent: (event: RunEvent) => void, signal: AbortSignal) => Promise<unknown>,
): Promise<RunEvent[]> {
  const stop = new AbortController();
  const told: RunEvent[] = [];
  const onEvent = (event: RunEvent) => {
    told.push(parseEvent(event));
    if (when(event)) stop.abort();
  };
  await expect(step(onEvent, stop.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
  return told;
}

const started = (node: string) => (event: RunEvent) => event.type === 'node.started' && event.node === node;

describe('a run that is stopped', () => {
  it.each([
    ['route', started('route')],
    ['plan', started('plan')],
    ['the model speaks', (e: RunEvent) => e.type === 'model.started'],
    ['an edit is staged', (e: RunEvent) => e.type === 'edit.staged'],
    ['tests begin', (e: RunEvent) => e.type === 'tool.started' && e.name === 'run_tests'],
    ['postcheck', started('postcheck')],
  ] as const)('at %s: the tree is as before, and the run goes on to the same question', async (name, when) => {
    const told = await stopAt(when, (onEvent, signal) =>
      session.run('超时关单加一次重试', OPTIONS, name, onEvent, signal),
    );
    expect(told.at(-1)).toMatchObject({ type: 'run.stopped', thread: name, resume: `xihe resume ${name}` });
    expect(treeHash(repo)).toBe(before);
    const events: RunEvent[] = [];
    const view = await session.resume(name, undefined, (e) => events.push(parseEvent(e)));
    expect(view.status).toBe('waiting');
    expect(events[0]).toMatchObject({ type: 'run.resumed', thread: name });
    expect(events.at(-1)).toMatchObject({ type: 'question.asked', kind: 'confirm' });
    expect(session.project.changeset(view.state.changesetId!).list()).toHaveLength(1);
    // What was staged before the stop is not staged again.
    const all = [...told, ...events].filter((e) => e.type === 'edit.staged');
    expect(all).toHaveLength(1);
    await session.resume(name, { decisions: ['拒绝'] }, () => {});
  });

  it.each(['apply', 'apply:after'])('at %s: the tree is whole, and the run says what it did', async (point) => {
    const waiting = await session.run('超时关单加一次重试', OPTIONS, point, () => {});
    process.env.XIHE_PAUSE_IN = point;
    const isWritten = point === 'apply:after';
    await stopAt(isWritten ? (e) => e.type === 'changes.applied' : started('apply'), (onEvent, signal) =>
      session.resume(point, { decisions: ['同意'] }, onEvent, signal),
    );
    delete process.env.XIHE_PAUSE_IN;
    const text = () => readFileSync(join(repo, 'src/order.ts'), 'utf8');
    expect(text()).toContain(isWritten ? 'RETRY = 1' : 'RETRY = 0');
    const kept = keptOf(await session.view(point), session.project);
    expect(kept.receipt?.files ?? kept.staged).toEqual(['src/order.ts']);
    expect(kept.staged).toEqual(isWritten ? [] : ['src/order.ts']);
    const events: RunEvent[] = [];
    const done = await session.resume(point, undefined, (e) => events.push(e));
    expect(done).toMatchObject({
      status: 'done',
      state: { receipt: { id: expect.stringContaining(waiting.state.changesetId!) } },
    });
    expect(events.at(-2)).toMatchObject({ type: 'run.finished', ok: true, reports: ['changes'] });
    expect(text()).toContain('RETRY = 1');
    const { undo } = await import('../../src/sandbox/index.js');
    undo(session.project.layout.stateDir, session.project.layout.root);
    expect(treeHash(repo)).toBe(before);
  });
});
