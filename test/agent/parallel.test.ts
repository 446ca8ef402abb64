import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, MemorySaver } from '@langchain/langgraph';
import iconv from 'iconv-lite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/agent/events.js';
import { buildGraph } from '../../src/agent/graph.js';
import type { ConfirmRequest } from '../../src/agent/human.js';
import { openModel } from '../../src/agent/model.js';
import { openProject, type Project } from '../../src/agent/project.js';
import { editsOf, runJsonOf } from '../../src/agent/run-json.js';
import type { ThreadView } from '../../src/agent/session.js';
import type { RunState } from '../../src/agent/state.js';
import { traceOf } from '../../src/agent/trace/index.js';
import { configSchema } from '../../src/config.js';
import {
  type ChatRequest,
  type ModelServer,
  type Reply,
  type Rule,
  startModelServer,
} from '../support/model-server.js';
import { asks, calmReview } from './scenarios/scripts.js';
import { makeRepo, NO_VECTORS, put, removeRepo, threadOf } from './support.js';

/** Three things that have nothing to do with each other, and a text that all of them may want to change. */
const SHARED = '灯会\r\n花灯：一\r\n正月\r\n二月\r\n风筝：一\r\n三月\r\n四月\r\n大鼓：一\r\n完\r\n';
const FILES = {
  'src/lantern.ts': '/** 花灯：元宵挂在门口的灯。 */\nexport const LANTERNS = 1;\n',
  'src/kite.ts': '/** 风筝：清明放的纸鸢。 */\nexport const KITES = 1;\n',
  'src/drum.ts': '/** 大鼓：舞狮时敲的鼓。 */\nexport const DRUMS = 1;\n',
};
const THINGS = {
  花灯: ['src/lantern.ts', 'LANTERNS'],
  风筝: ['src/kite.ts', 'KITES'],
  大鼓: ['src/drum.ts', 'DRUMS'],
} as const;
type Thing = keyof typeof THINGS;
const LIST = '1. 把花灯的数目改成 2\n2. 把风筝的数目改成 2\n3. 把大鼓的数目改成 2';

let repo: string;
let server: ModelServer | undefined;
beforeEach(() => {
  repo = makeRepo(FILES);
  writeFileSync(join(repo, 'notes.txt'), iconv.encode(SHARED, 'gbk'));
});
afterEach(async () => {
  await server?.close();
  removeRepo(repo);
});

const text = (message: ChatRequest['messages'][number]) => String(message.content ?? '');
/** Which part a request is about; undefined for the run's own conversation. */
const thingOf = (req: ChatRequest) =>
  /独立的一份：.*?(花灯|风筝|大鼓)/.exec(text(req.messages[1]!))?.[1] as Thing | undefined;
const turn = (req: ChatRequest) => req.messages.filter(({ role }) => role === 'assistant').length;
const isFix = (req: ChatRequest) =>
  req.messages.some((one) => one.role === 'user' && text(one).startsWith('几份改动合在一起时有冲突'));
const edit = (path: string, search: string, replace: string): Reply => ({
  toolCalls: [{ name: 'edit_file', args: { path, edits: [{ search, replace }] } }],
});
const count = (thing: Thing) => edit(THINGS[thing][0], `${THINGS[thing][1]} = 1`, `${THINGS[thing][1]} = 2`);
const note = (search: string, replace: string) => edit('notes.txt', search, replace);
const tree = (path: string) => readFileSync(join(repo, path));

type Worker = (thing: Thing, turn: number, req: ChatRequest) => Reply | string | Promise<Reply | string>;

/** A graph over the repository whose sub-agents answer by `work`, and the run itself by `main`. */
async function start(work: Worker, main: Rule['reply'] = '都好了', settings = '') {
  if (settings) put(repo, { '.xihe/config.yaml': settings });
  const rules: Rule[] = [
    calmReview,
    {
      name: 'part',
      when: { test: (req) => asks.execute.test!(req) && thingOf(req) !== undefined },
      reply: (req) => work(thingOf(req)!, turn(req), req),
    },
    { name: 'main', when: asks.execute, reply: main },
  ];
  const running = await startModelServer({ rules });
  server = running;
  const config = configSchema.parse({ model: { baseUrl: running.baseUrl, name: 'm', maxRetries: 0 } });
  const deps = {
    defaultRepo: repo,
    openProject: (root: string): Promise<Project> => openProject(root, NO_VECTORS),
    openModel: () => openModel(config.model, { retryBaseMs: 1 }),
  };
  const graph = buildGraph(deps, new MemorySaver());
  const events: RunEvent[] = [];
  const go = async (input: unknown, signal?: AbortSignal) => {
    const options = { ...threadOf('p'), streamMode: ['custom'], ...(signal ? { signal } : {}) };
    const stream = (await graph.stream(input as never, options as never)) as unknown as AsyncIterable<
      [string, RunEvent]
    >;
    for await (const [, event] of stream) events.push(event);
    return look();
  };
  const look = async () => {
    const snapshot = await graph.getState(threadOf('p'));
    const pending = snapshot.tasks.flatMap((task) => task.interrupts ?? [])[0]?.value as ConfirmRequest | undefined;
    const state = snapshot.values as RunState;
    const view: ThreadView = {
      thread: 'p',
      status: pending ? 'waiting' : 'done',
      state,
      pending: pending ?? null,
      updatedAt: '',
    };
    return { state, pending, view, project: await deps.openProject(repo) };
  };
  const run = (said = LIST, options: object = {}) => go({ request: { text: said, repo, options } });
  const answer = (decision: object) => go(new Command({ resume: { decisions: [decision] } }));
  return { run, go, answer, events, server: running };
}

describe('parts that the user listed', () => {
  it('are done at the same time, merged, checked and written as one change', async () => {
    // Each is answered only after all three have asked: one after the other would never get on.
    const at = await start(async (thing, n) => {
      if (n > 0) return `${thing}改成 2 了`;
      await at.server.arrived(3);
      return count(thing);
    });
    const { state, pending, view, project } = await at.run();
    expect(pending!.files.map(({ path }) => path)).toEqual(['src/drum.ts', 'src/kite.ts', 'src/lantern.ts']);
    expect(state.agents.map(({ state: how, turns }) => [how, turns])).toEqual([
      ['done', 2],
      ['done', 2],
      ['done', 2],
    ]);
    // Nobody but the parts and the reviewer was asked, each only about its own.
    const asked = at.server.chats().filter((chat) => asks.execute.test!(chat));
    expect(asked).toHaveLength(6);
    for (const chat of asked) {
      const task = text(chat.messages[1]!);
      expect(task.split('# 从这些文件开始')[1]).toContain(THINGS[thingOf(chat)!][0]);
    }
    expect(state.usage.calls).toBe(7);
    expect(at.events.filter(({ agent }) => agent === 'part-2').map(({ type }) => type)).toContain('tool.finished');
    expect(state.fed.every(({ agent }) => agent === undefined || /^part-[123]$/.test(agent))).toBe(true);

    // Every changed line leads to the step of the sub-agent that wrote it.
    const { lines, steps } = traceOf(view, project);
    const origin = Object.fromEntries(
      lines.map(({ path, step }) => [path, steps.find((one) => one.step === step)?.agent]),
    );
    expect(origin).toEqual({ 'src/lantern.ts': 'part-1', 'src/kite.ts': 'part-2', 'src/drum.ts': 'part-3' });
    expect(
      editsOf(view)
        .map(({ agent, ok }) => `${agent} ${ok}`)
        .sort(),
    ).toEqual(['part-1 true', 'part-2 true', 'part-3 true']);
    expect(runJsonOf(view, project).agents.map(({ name, files }) => [name, files.length])).toHaveLength(3);

    const done = await at.answer({ type: 'approve' });
    expect(done.state.reported!.text).toContain('分成 3 份同时做');
    expect(done.state.reported!.text).toContain('风筝改成 2 了');
    expect(String(tree('src/kite.ts'))).toContain('KITES = 2');
    // The changesets of the parts are gone, that of the run stays for undo.
    expect(project.changeset(state.split!.parts[0]!.changesetId).list()).toEqual([]);
  });

  it('run one after the other in one conversation where the setting says so, or where they are tied', async () => {
    const off = await start(() => '不该问到', ['没有要改的'], 'run:\n  maxAgents: 1\n');
    expect((await off.run()).state.planned!.parts).toEqual([]);
    expect(off.server.chats()[0]!.tools!.map(({ function: { name } }) => name)).not.toContain('split_work');
    await off.server.close();

    put(repo, {
      '.xihe/config.yaml': '',
      'src/kite.ts': `import { LANTERNS } from './lantern.js';\n${FILES['src/kite.ts']}`,
    });
    const tied = await start(() => '不该问到', ['没有要改的']);
    expect((await tied.run()).state.planned!.parts).toEqual([]);
    expect(tied.server.unmatched()).toEqual([]);
  });

  it.each([
    ['one waits for another', '1. 把花灯的数目改成 2\n2. 然后把风筝的数目改成和花灯一样'],
    ['one is a question', '1. 把花灯的数目改成 2\n2. 风筝的数目写在哪里？'],
    ['one piece of work', '把花灯的数目改成 2'],
  ])('are not parts: %s', async (_, said) => {
    const at = await start(() => '不该问到', ['没有要改的']);
    expect((await at.run(said)).state.planned?.parts ?? []).toEqual([]);
  });
});

describe('what they did to the same file', () => {
  const twoNotes: Worker = (thing, n) => (n === 0 ? note(`${thing}：一`, `${thing}：二`) : '记好了');

  it('goes together where the lines differ: GBK and CRLF stay, byte by byte', async () => {
    const at = await start(twoNotes);
    const { pending } = await at.run();
    expect(pending!.files.map(({ path, added }) => [path, added])).toEqual([['notes.txt', 3]]);
    await at.answer({ type: 'approve' });
    expect(Buffer.compare(tree('notes.txt'), iconv.encode(SHARED.replaceAll('：一', '：二'), 'gbk'))).toBe(0);
  });

  const quarrel = (solve: (req: ChatRequest, n: number) => Reply | string): Worker => {
    let fixes = 0;
    return (thing, n, req) => {
      if (isFix(req)) return solve(req, fixes++);
      if (n > 0) return '记好了';
      if (thing === '大鼓') return count(thing);
      // 风筝 changes more lines of the file.
      return thing === '花灯' ? note('正月', '正月元宵') : note('正月\n二月', '正月十五\n二月二');
    };
  };

  it('goes to the one that changed more where it does not, in its own conversation', async () => {
    const at = await start(
      quarrel((req, n) => {
        if (n > 0) return '两边的都留下了';
        expect(thingOf(req)).toBe('风筝');
        const told = text(req.messages.at(-1)!);
        expect(told).toContain('+正月元宵');
        expect(told).toContain('+正月十五');
        const marked = [
          '<<<<<<< xihe part-1',
          '正月元宵',
          '二月',
          '||||||| xihe base',
          '正月',
          '二月',
          '======= xihe part-2',
          '正月十五',
          '二月二',
          '>>>>>>> xihe',
        ];
        return note(marked.join('\n'), '正月十五元宵\n二月二');
      }),
    );
    const { pending, state } = await at.run();
    expect(state.split).toMatchObject({ conflicts: [], round: 2 });
    expect(pending!.conflicts).toBeUndefined();
    expect(state.agents.map(({ name }) => name).at(-1)).toBe('part-2-fix');
    await at.answer({ type: 'approve' });
    const now = SHARED.replace('正月\r\n二月', '正月十五元宵\r\n二月二');
    expect(Buffer.compare(tree('notes.txt'), iconv.encode(now, 'gbk'))).toBe(0);
    expect(String(tree('src/drum.ts'))).toContain('DRUMS = 2');
  });

  it('goes to the user after two rounds; nothing of it is written, whatever may be waved through', async () => {
    let fixes = 0;
    const at = await start(
      quarrel(() => {
        fixes++;
        return '我看不出该留哪个';
      }),
    );
    const { pending, state } = await at.run(LIST, { autoApprove: 'medium' });
    expect(fixes).toBe(2);
    expect(pending).toMatchObject({ danger: 'high', files: [{ path: 'src/drum.ts' }] });
    expect(pending!.conflicts).toMatchObject([
      { path: 'notes.txt', versions: [{ title: '把花灯的数目改成 2' }, { title: '把风筝的数目改成 2' }] },
    ]);
    expect(pending!.conflicts![0]!.versions.map(({ diff }) => /\+正月.*/.exec(diff)?.[0]?.trim())).toEqual([
      '+正月元宵',
      '+正月十五',
    ]);
    expect(pending!.actionRequests[0]!.description).toContain('没有解决、也不会写入的冲突');
    expect(state.findings.map(({ from, path }) => [from, path])).toEqual([['conflict', 'notes.txt']]);
    await at.answer({ type: 'approve' });
    expect(Buffer.compare(tree('notes.txt'), iconv.encode(SHARED, 'gbk'))).toBe(0);
    expect(String(tree('src/drum.ts'))).toContain('DRUMS = 2');
  });

  it('is settled by what the user says of it', async () => {
    const at = await start(
      quarrel(() => '看不出'),
      [note('正月', '正月元宵十五'), '按你说的改了'],
    );
    await at.run();
    const { pending } = await at.answer({ type: 'edit', message: '两个都写上' });
    const last = at.server.chats().findLast((chat) => asks.execute.test!(chat) && !thingOf(chat))!;
    expect(last.messages.some((one) => text(one).includes('两个都写上') && text(one).includes('+正月元宵'))).toBe(true);
    expect(pending!.conflicts).toBeUndefined();
    expect(pending!.files.map(({ path }) => path)).toEqual(['notes.txt', 'src/drum.ts']);
    expect(pending!.findings.some((one) => one.text.includes('后来改成了现在这样'))).toBe(true);
  });
});

describe('one of them', () => {
  it('that fails leaves the work of the others, and the report says so', async () => {
    const at = await start((thing, n) => {
      if (n === 0) return count(thing);
      return thing === '风筝' ? { fault: { kind: 'status', status: 400, message: 'no such model' } } : '好了';
    });
    const { pending, state } = await at.run();
    expect(pending!.files.map(({ path }) => path)).toEqual(['src/drum.ts', 'src/lantern.ts']);
    expect(state.agents.find(({ name }) => name === 'part-2')).toMatchObject({
      state: 'failed',
      files: ['src/kite.ts'],
    });
    const { state: done } = await at.answer({ type: 'approve' });
    expect(done.reported!.text).toMatch(/把风筝的数目改成 2：没有做成（.*它的改动没有采用）/);
    expect(String(tree('src/kite.ts'))).toContain('KITES = 1');
  });

  it('and all the others: the run fails as one that has no model, with the brief', async () => {
    const at = await start(() => ({ fault: { kind: 'status', status: 400, message: 'no such model' } }));
    const { state, pending } = await at.run();
    expect(pending).toBeUndefined();
    expect(state.reported).toMatchObject({ kind: 'failed', ok: false });
    expect(state.reported!.text).toContain('行动预案');
  });
});

describe('the limits of a run', () => {
  it('are shared: turns of all count together, what was done by then is merged, and it is told', async () => {
    const at = await start(
      (thing, n) =>
        n === 0
          ? count(thing)
          : { toolCalls: [{ name: 'read_file', args: { path: THINGS[thing][0], start_line: n } }] },
      '不该问到',
      'run:\n  maxTurns: 7\n',
    );
    const { state, pending } = await at.run();
    const turns = state.agents.reduce((sum, one) => sum + one.turns, 0);
    // Each may be in one call that the others have not heard of.
    expect(turns).toBeGreaterThanOrEqual(7);
    expect(turns).toBeLessThanOrEqual(9);
    expect(state.agents.every(({ state: how, why }) => how === 'stopped' && why!.includes('轮数上限（7 轮'))).toBe(
      true,
    );
    expect(pending!.files).toHaveLength(3);
    expect(pending!.actionRequests[0]!.description).toContain('轮数上限');
  });

  it('a cancelled run stops all of them, and goes on where each was: no call and no edit twice', async () => {
    const stop = new AbortController();
    let held = true;
    const at = await start(async (thing, n) => {
      if (n === 0) return count(thing);
      if (thing !== '花灯' && held) await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
      return '好了';
    });
    const going = at.go({ request: { text: LIST, repo } }, stop.signal);
    const ended = expect(going).rejects.toThrow();
    await at.server.arrived(6);
    await expect
      .poll(() => at.events.some(({ type, agent }) => type === 'agent.finished' && agent === 'part-1'))
      .toBe(true);
    stop.abort();
    await ended;
    await expect.poll(() => at.server.requests.filter(({ aborted }) => aborted).length).toBe(2);
    held = false;
    const { state, pending } = await at.go(null);
    expect(pending!.files.map(({ path, added }) => [path, added])).toEqual([
      ['src/drum.ts', 1],
      ['src/kite.ts', 1],
      ['src/lantern.ts', 1],
    ]);
    expect(state.agents.map(({ turns }) => turns)).toEqual([2, 2, 2]);
    const asked = at.server.chats().filter((chat) => thingOf(chat) === '花灯');
    expect(asked).toHaveLength(2);
  });
});

describe('split_work', () => {
  const REQUEST = '花灯和风筝的数目都改成 2，分别写清楚';
  const task = (thing: Thing, more: object = {}) => ({
    title: `${thing}的数目`,
    instruction: `把${thing}的数目改成 2`,
    files: [THINGS[thing][0]],
    ...more,
  });
  const split = (...tasks: object[]): Reply => ({ toolCalls: [{ name: 'split_work', args: { tasks } }] });

  it('is answered by what came of the parts; the run goes on from there', async () => {
    const at = await start(
      (thing, n) => (n === 0 ? count(thing) : `${thing}好了`),
      [split(task('花灯'), task('风筝')), count('大鼓'), '三个都改了'],
    );
    const { pending, state } = await at.run(REQUEST);
    expect(pending!.files).toHaveLength(3);
    const main = at.server.chats().filter((chat) => asks.execute.test!(chat) && !thingOf(chat));
    const answered = text(main[1]!.messages.at(-1)!);
    expect(answered).toContain('风筝的数目：做完了，改了 src/kite.ts');
    expect(answered).toContain('没有留下冲突');
    // The list of tools is the same from the first turn on; the parts can't split again.
    expect(new Set(main.map((chat) => JSON.stringify(chat.tools))).size).toBe(1);
    const parts = at.server.chats().filter((chat) => thingOf(chat));
    expect(parts.every((chat) => !chat.tools!.some((tool) => tool.function.name === 'split_work'))).toBe(true);
    expect(state.split!.by).toBe('model');
  });

  it.each([
    [
      'files that overlap',
      [task('花灯'), task('风筝', { files: ['src/kite.ts', 'src/lantern.ts'] })],
      '都要改 src/lantern.ts',
    ],
    ['one that waits', [task('花灯'), task('风筝', { needs: ['花灯的数目'] })], '先做完，不能同时做'],
    ['one that speaks of another', [task('花灯'), task('风筝', { instruction: '和花灯的数目改成一样' })], '提到了'],
    [
      'too many',
      [task('花灯'), task('风筝'), task('大鼓'), task('大鼓', { title: '鼓', files: ['x.ts'] })],
      '最多同时做 3 份',
    ],
  ])('refuses %s, with the reason', async (_, tasks, why) => {
    const at = await start(() => '不该问到', [split(...tasks), '那我自己做']);
    const { state } = await at.run(REQUEST);
    expect(state.split).toBeNull();
    expect(text(at.server.chats()[1]!.messages.at(-1)!)).toContain(why);
  });
});
