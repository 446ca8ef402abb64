import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processesWith, smallProject, survive } from '../../bench/sandbox.js';
import { hostileCommands } from '../../bench/sandbox-commands.js';
import { confinementStatus, runProcess } from '../../src/sandbox/index.js';
import { type KeeperKind, keepers } from '../../src/sandbox/keeper.js';

/**
 * Each sixteenth of the 200 of the bench: every attack but the chains, every ending. Chains of Python and Perl fork thousands of times a
 * second, and until they are ended may use up the process numbers of the machine (32,768 on many): other tests could start nothing.
 */
const SAMPLE = hostileCommands(70_000_000 + (process.pid % 100_000) * 1_000).filter(
  ({ attack }, i) => i % 16 === 3 && attack !== 'chain',
);

const { namespace, subreaper } = await keepers();
const WORKING: KeeperKind[] = [namespace, subreaper].flatMap((keeper) => keeper?.kind ?? []);

let project: string;
beforeAll(() => {
  project = smallProject();
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('commands that try to stay, to fill or to eat', () => {
  it('are the same 200 for everybody, each with a mark of its own', () => {
    const all = hostileCommands(1_000);
    expect(all.length).toBe(200);
    expect(new Set(all.map(({ mark }) => mark)).size).toBe(200);
    expect(all.every(({ shell, mark }) => shell.includes(mark))).toBe(true);
  });

  const CASES = SAMPLE.map((command) => [command.attack, command.shell.split('\n').at(-1), command] as const);
  it.each(CASES)('%s, then %s', async (_attack, _ending, command) => {
    const { outcome, processes, files } = await survive(project, command);
    expect(outcome).not.toBe('ok');
    expect(processes).toEqual([]);
    expect(files).toEqual([]);
  });
});

describe.each(WORKING)('a chain of sessions that outruns every look (%s)', (keeper) => {
  const chains = hostileCommands(75_000_000 + (process.pid % 100_000) * 1_000).filter(
    ({ attack, shell }) => attack === 'chain' && !/python|perl/.test(shell),
  );
  // One of each form: a script that starts itself anew by setsid, with and without its environment.
  it.each(chains.filter((_, i) => i % 5 === 0))('is no success and does not go on: $shell', async (command) => {
    const { outcome, processes, keeper: used } = await survive(project, command, keeper);
    expect(used).toBe(keeper);
    expect(outcome).toBe('failed');
    expect(processes).toEqual([]);
  });

  it('is told from a command that only starts and ends many', async () => {
    const shell = 'for i in 1 2 3 4 5 6 7 8; do (true | cat | cat); done; echo done';
    const result = await runProcess({ shell, cwd: project, timeoutMs: 20_000, keeper });
    expect(result).toMatchObject({ outcome: 'ok', leftovers: 0, stdout: 'done\n' });
  });

  it('and what a command may signal does not end what keeps it', async () => {
    const mark = String(76_000_000 + (process.pid % 100_000) * 10 + WORKING.indexOf(keeper));
    const shell = `kill -TERM $PPID; setsid -f sleep ${mark}; kill -TERM 0; sleep 5`;
    const result = await runProcess({ shell, cwd: project, timeoutMs: 20_000, keeper });
    expect(result.outcome).not.toBe('ok');
    expect(processesWith(mark)).toEqual([]);
  });
});

it('says what keeps processes together', async () => {
  const { keeper, why } = await confinementStatus();
  const words = { 'pid-namespace': /命名空间|bwrap/, subreaper: /收养/, 'process-table': /进程表/ };
  expect(why).toMatch(words[keeper]);
  const table = await confinementStatus({ ...process.env, XIHE_SANDBOX: 'process-table' });
  expect([table.keeper, table.why]).toEqual(['process-table', expect.stringMatching(words['process-table'])]);
});
