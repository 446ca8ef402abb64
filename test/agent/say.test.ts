import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sayTo } from '../../src/agent/inbox.js';
import type { RunEvent } from '../../src/agent/index.js';
import { Session } from '../../src/agent/session.js';
import { traceOf } from '../../src/agent/trace/index.js';
import { undo } from '../../src/sandbox/index.js';
import { modelEnv } from '../support/mall.js';
import { type ModelServer, startModelServer, textOf } from '../support/model-server.js';
import { makeRepo, removeRepo } from './support.js';

const OPTIONS = { noModel: false, autoApprove: 'none' } as const;
const edit = { path: 'src/order.ts', edits: [{ search: 'RETRY = 0', replace: 'RETRY = 1' }] };
const WORD = '别动测试文件';

let repo: string;
let server: ModelServer;
let session: Session;

beforeAll(async () => {
  repo = makeRepo({ 'src/order.ts': '/** 超时关单。 */\nexport const RETRY = 0;\n' });
  server = await startModelServer({
    rules: [
      { when: { system: '你在审查一份代码改动' }, reply: '{"findings":[]}' },
      { reply: [{ toolCalls: [{ name: 'edit_file', args: edit }] }, '好了', '知道了，没有动测试文件'] },
    ],
  });
  Object.assign(process.env, modelEnv(server.baseUrl));
  session = await Session.open(repo);
});
afterAll(async () => {
  for (const key of ['XIHE_BASE_URL', 'XIHE_API_KEY', 'XIHE_MODEL']) delete process.env[key];
  session.close();
  await server.close();
  removeRepo(repo);
});

/** The conversations of the last run's execute phase, request by request. */
const asked = (from: number) =>
  server
    .chats()
    .slice(from)
    .filter((chat) => textOf(chat.messages[0]).includes('做一次修改'))
    .map((chat) => chat.messages);
const heardIn = (messages: ReturnType<typeof asked>[number]) =>
  messages.filter((m) => m.role === 'user' && textOf(m).includes(WORD));

/** Says the word once, when an event is picked. */
const sayAt = (thread: string, when: (e: RunEvent) => boolean) => {
  let said = 0;
  const events: RunEvent[] = [];
  const onEvent = (e: RunEvent) => {
    events.push(e);
    // At once, so that the run has not moved on.
    if (said === 0 && when(e)) said = sayTo(session.project.layout.stateDir, thread, WORD);
  };
  return { onEvent, events };
};

describe('a word in mid-run', () => {
  it('reaches the model at its next turn, as the user, behind what was sent before', async () => {
    const from = server.chats().length;
    const { onEvent, events } = sayAt('a', (e) => e.type === 'tool.started');
    const view = await session.run('超时关单加一次重试', OPTIONS, 'a', onEvent);
    expect(view.status).toBe('waiting');
    const [first, second] = asked(from);
    expect(second!.slice(0, first!.length)).toEqual(first);
    expect(second!.at(-1)!.role).toBe('user');
    expect(textOf(second!.at(-1))).toContain(WORD);
    expect(textOf(second!.at(-1))).not.toContain('<数据');
    expect(events.filter((e) => e.type === 'user.said')).toMatchObject([{ text: WORD }]);
    expect(view.state.said).toMatchObject([{ text: WORD, turn: 2, run: 1 }]);
    const step = traceOf(view, session.project).steps[1]!;
    expect(step.prompt.added.at(-1)).toMatchObject({ role: 'user', text: expect.stringContaining(WORD) });
    await expect(session.say('a', '还有')).rejects.toMatchObject({
      code: 'THREAD_NOT_WAITING',
      hint: expect.stringContaining('--comment'),
    });
    await session.resume('a', { decisions: ['拒绝'] }, () => {});
    await expect(session.say('a', '还有')).rejects.toMatchObject({
      code: 'THREAD_NOT_WAITING',
      hint: expect.stringContaining('xihe run'),
    });
  });

  it('is given once where the process stops between hearing and its checkpoint', async () => {
    const from = server.chats().length;
    const { onEvent } = sayAt('b', (e) => e.type === 'tool.started');
    const stop = new AbortController();
    const run = session.run(
      '超时关单加一次重试',
      OPTIONS,
      'b',
      (e) => {
        onEvent(e);
        if (e.type === 'user.said') stop.abort();
      },
      stop.signal,
    );
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    const view = await session.resume('b', undefined, () => {});
    expect(view.status).toBe('waiting');
    expect(heardIn(asked(from).at(-1)!)).toHaveLength(1);
    expect(view.state.said).toHaveLength(1);
    await session.resume('b', { decisions: ['拒绝'] }, () => {});
    // The next run of the thread does not hear it again.
    await session.run('超时关单加一次重试', OPTIONS, 'b', () => {});
    expect(heardIn(asked(from).at(-1)!)).toHaveLength(0);
    await session.resume('b', { decisions: ['拒绝'] }, () => {});
  });

  it('after the last turn sends the run back to the model before anybody is asked', async () => {
    const from = server.chats().length;
    const { onEvent, events } = sayAt('c', (e) => e.type === 'node.started' && e.node === 'postcheck');
    const view = await session.run('超时关单加一次重试', OPTIONS, 'c', onEvent);
    expect(view.status).toBe('waiting');
    expect(heardIn(asked(from).at(-1)!)).toHaveLength(1);
    const nodes = events.flatMap((e) => (e.type === 'node.started' ? [e.node] : []));
    expect(nodes.slice(nodes.indexOf('postcheck'))).toEqual(['postcheck', 'execute', 'postcheck', 'confirm']);
    await session.resume('c', { decisions: ['拒绝'] }, () => {});
    await expect(session.say('nobody', WORD)).rejects.toMatchObject({ code: 'THREAD_NOT_FOUND' });
  });
});

describe('a branch', () => {
  it('has its own copy of what was staged at the step, and leaves the other thread as it is', async () => {
    const first = await session.run('超时关单加一次重试', OPTIONS, 'old', () => {});
    const steps = await session.steps('old');
    const at = (after: string) => steps.find((one) => one.after === after)!;
    const journal = () =>
      readFileSync(join(session.project.layout.stateDir, 'changesets', first.state.changesetId!, 'journal.jsonl'));
    const before = journal();
    // Before the edit, after it, and where the question was.
    const early = await session.branch(
      { thread: 'old', step: at('plan').step },
      'early',
      { options: OPTIONS, words: WORD },
      () => {},
    );
    const events: RunEvent[] = [];
    const from = server.chats().length;
    const late = await session.branch(
      { thread: 'old', step: at('tools').step },
      'late',
      { options: OPTIONS, words: WORD },
      (e) => events.push(e),
    );
    const asking = await session.branch(
      { thread: 'old', step: steps.at(-1)!.step },
      'asking',
      { options: OPTIONS },
      () => {},
    );
    for (const view of [early, late, asking]) {
      expect(view.status).toBe('waiting');
      expect(view.state.changesetId).not.toBe(first.state.changesetId);
      expect(session.project.changeset(view.state.changesetId!).list()).toHaveLength(1);
      expect(view.state.origin).toMatchObject({ thread: 'old' });
    }
    expect(events[0]).toMatchObject({ type: 'run.resumed', origin: `old@${at('tools').step}` });
    expect(heardIn(asked(from)[0]!)).toHaveLength(1);
    expect(late.state.usage.calls).toBeLessThan(first.state.usage.calls + 2);
    expect(asking.state.usage.calls).toBe(0);
    expect(journal()).toEqual(before);
    expect((await session.view('old')).state).toEqual(first.state);

    // The branch writes; then the tree has moved on under the old thread, which is refused as ever.
    expect((await session.resume('late', { decisions: ['同意'] }, () => {})).status).toBe('done');
    const lateSteps = await session.steps('late');
    const refused = (step: number) => session.branch({ thread: 'late', step }, 'x', { options: OPTIONS }, () => {});
    await expect(refused(lateSteps.at(-1)!.step)).rejects.toMatchObject({
      code: 'USAGE',
      hint: expect.stringContaining('xihe undo'),
    });
    await expect(refused(lateSteps[0]!.step)).rejects.toMatchObject({
      code: 'USAGE',
      hint: expect.stringContaining('xihe undo'),
    });
    await expect(
      session.branch({ thread: 'old', step: 999 }, 'x', { options: OPTIONS }, () => {}),
    ).rejects.toMatchObject({ code: 'USAGE' });
    const told: RunEvent[] = [];
    await session.branch({ thread: 'old', step: steps.at(-1)!.step }, 'moved', { options: OPTIONS }, (e) =>
      told.push(e),
    );
    expect(told.find((e) => e.type === 'progress')).toMatchObject({ text: expect.stringContaining('src/order.ts') });
    undo(session.project.layout.stateDir, session.project.layout.root);
    expect((await session.resume('old', { decisions: ['同意'] }, () => {})).status).toBe('done');
  });
});
