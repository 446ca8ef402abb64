import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeRepo, removeRepo } from '../agent/support.js';
import { type CliResult, modelEnv, treeHash, xihe } from '../support/mall.js';
import { type ModelServer, startModelServer } from '../support/model-server.js';

/** A number that no other test's sleep has, so that a survivor can be found in the process table. */
const MARK = `7${process.pid}.25`;
const edit = { path: 'src/order.ts', edits: [{ search: 'RETRY = 0', replace: 'RETRY = 1' }] };

let repo: string;
let before: string;
let server: ModelServer;
/** Whether the model breaks off in the middle of its second turn. */
let stalls = true;

beforeAll(async () => {
  repo = makeRepo({ 'src/order.ts': '/** 超时关单。 */\nexport const RETRY = 0;\n' });
  before = treeHash(repo);
  server = await startModelServer({
    rules: [
      { when: { system: '你在审查一份代码改动' }, reply: '{"findings":[]}' },
      {
        reply: [
          { toolCalls: [{ name: 'edit_file', args: edit }] },
          () =>
            stalls
              ? { text: '我来说说为什么', fault: { kind: 'stall', afterChunks: 2 } }
              : { toolCalls: [{ name: 'run_tests', args: {} }] },
          '好了',
        ],
      },
    ],
  });
});
afterAll(async () => {
  await server.close();
  removeRepo(repo);
});
beforeEach(() => {
  stalls = true;
});

const run = (thread: string, more: string[], env: Record<string, string>, onStart: (child: ChildProcess) => void) =>
  xihe(['run', '超时关单加一次重试', '--repo', repo, '--thread', thread, ...more], {
    env: { ...modelEnv(server.baseUrl), ...env },
    onStart,
  });

const resume = (thread: string, ...more: string[]): Promise<CliResult> =>
  xihe(['resume', thread, '--repo', repo, '--json', ...more], {
    env: { ...modelEnv(server.baseUrl), XIHE_TEST_COMMAND: 'node -e 0' },
  });

/** Processes that the test command has started. */
function sleepers(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(join('/proc', pid, 'cmdline'), 'utf8').includes(MARK);
      } catch {
        return false;
      }
    });
}

describe('Ctrl-C', () => {
  it('once, while the model speaks: the edit stays, two lines say so, and the run goes on', async () => {
    const asked = server.chats().length;
    const result = await run('speak', [], { XIHE_TEST_COMMAND: 'node -e 0' }, (child) => {
      server.arrived(asked + 2).then(() => child.kill('SIGINT'));
    });
    expect(result.code).toBe(130);
    const said = result.stderr.trim().split('\n').slice(-2);
    expect(said[0]).toBe('已停下。暂存的 1 个文件的修改都留着（src/order.ts），工作区没有变。');
    expect(said[1]).toMatch(/^用了 1 次调用，.*秒。接着跑：xihe resume speak --repo /);
    expect(treeHash(repo)).toBe(before);
    stalls = false;
    const resumed = await resume('speak');
    expect(resumed.json).toMatchObject({ status: 'waiting', changes: { files: [{ path: 'src/order.ts', added: 1 }] } });
    expect(server.unmatched()).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux').each([
    ['once', 1, 'SIGTERM'],
    ['twice', 2, 'SIGINT'],
  ] as const)('%s, while a command runs: its processes end with it', async (name, times, signal) => {
    stalls = false;
    const result = await run(name, ['--json'], { XIHE_TEST_COMMAND: `sleep ${MARK} & sleep ${MARK}` }, (child) => {
      expect
        .poll(sleepers)
        .not.toEqual([])
        .then(() => {
          child.kill(signal);
          if (times === 2) child.stderr!.on('data', (text: string) => text.includes('正在停下') && child.kill(signal));
        });
    });
    expect(result.code).toBe(130);
    expect(result.json.error.code).toBe('CANCELLED');
    expect(result.json.error.hint).toContain(`xihe resume ${name}`);
    if (times === 1)
      expect(result.json.error.details).toMatchObject({ thread: name, staged: ['src/order.ts'], receipt: null });
    await expect.poll(sleepers).toEqual([]);
    expect(treeHash(repo)).toBe(before);
    expect((await resume(name)).json.status).toBe('waiting');
  });
});
