import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { loadTasks, proveTask } from '../../src/evals/index.js';
import { ASK, CLOSE, makeTasks } from './support.js';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});
const tasksOf = (tasks: Record<string, string>) => {
  const dir = makeTasks(tasks);
  dirs.push(dir);
  return loadTasks(dir);
};
const problemsOf = async (text: string, id = 'close') => {
  const [task] = tasksOf({ [id]: text });
  return (await proveTask(task!)).problems.map((problem) => problem.text);
};

describe('a task that can tell right from wrong', () => {
  it('is proved: hidden tests fail before, pass after, each wrong way is caught', async () => {
    expect(await problemsOf(CLOSE)).toEqual([]);
    expect(await problemsOf(ASK, 'ask')).toEqual([]);
  });

  it.each<[string, (text: string) => string, RegExp]>([
    [
      'tests that pass without a change',
      (t) => t.replace('44).length, 0', '29).length, 0').replace('45).length, 1', '46).length, 1'),
      /改之前就通过/,
    ],
    [
      'a solution that does not pass',
      (t) => t.replace('order.at + 45 <= now', 'order.at + 50 <= now'),
      /没通过隐藏测试/,
    ],
    ['a wrong way that is right', (t) => t.replace("'at + 40'", "'at + 45'"), /没有被 hidden 抓住：改成了四十/],
    [
      'a warning that does not fire',
      (t) => t.replace("'<= Date.now()'", "'<= globalThis.clock'"),
      /没有被 warning 抓住/,
    ],
    ['a solution outside its own globs', (t) => t.replace('touch: [src/**]', 'touch: [lib/**]'), /touch 之外/],
    [
      'a solution that breaks a warning',
      (t) =>
        t.replace(
          '          return order.at + 45 <= now;',
          '          // Date.now\n          return order.at + 45 <= now;',
        ),
      /触发了团队的警示：no-now/,
    ],
    ['an entry that is not there', (t) => t.replace('[close-expired]', '[close-all]'), /没有条目 close-all/],
    [
      'a file that is not there',
      (t) => t.replace('files: [src/close.mjs]', 'files: [src/gone.mjs]'),
      /没有文件 src\/gone/,
    ],
  ])('is not: %s', async (_, change, says) => {
    const text = change(CLOSE);
    expect(text).not.toBe(CLOSE);
    expect((await problemsOf(text)).join('\n')).toMatch(says);
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ['an answer of its own that fails', (t) => t.replace('solution: 30', 'solution: 20'), /参考答案自己没通过/],
    [
      'facts that the question holds already',
      (t) => t.replace("'30|三十'", "'关单'").replace('solution: 30 分钟。', 'solution: 关单。'),
      /请求原样说一遍/,
    ],
    [
      'a wrong answer that passes',
      (t) => t.replace("never: ['45']", 'never: []').replace('does: 45', 'does: 30 或 45'),
      /错误答案没有被抓住/,
    ],
  ])('an answer is not: %s', async (_, change, says) => {
    expect((await problemsOf(change(ASK), 'ask')).join('\n')).toMatch(says);
  });

  it('an edit that does not fit the repository is named', async () => {
    await expect(problemsOf(CLOSE.replace('return order.at + 30', 'return order.at + 31'))).rejects.toMatchObject({
      code: 'EVAL_TASK_INVALID',
      message: expect.stringMatching(/close 的参考改法：src\/close.mjs 里这段文字出现 0 次/),
    });
  });

  it('what this machine can not run is skipped, and said', async () => {
    const text = CLOSE.replace('  files:\n    hidden', '  needs: [no-such-program-here]\n  files:\n    hidden');
    const [task] = tasksOf({ close: text });
    expect(await proveTask(task!)).toMatchObject({
      problems: [],
      skipped: expect.stringContaining('no-such-program-here'),
    });
  });
});

describe('reading tasks', () => {
  it.each([
    ['a line that is no YAML', CLOSE.replace('class: 修改', 'class: [修改'), /close\.yaml:\d+ /],
    ['an unknown class', CLOSE.replace('class: 修改', 'class: 改'), /close\.yaml:2 class 只能是 生成/],
    ['a key that nobody knows', CLOSE.replace('touch:', 'touches:'), /不认识的键 touches/],
    [
      'a path out of the repository',
      CLOSE.replace('- path: src/close.mjs', '- path: ../close.mjs'),
      /相对于项目根目录/,
    ],
    ['a pattern that is none', ASK.replace("'30|三十'", "'(30'"), /正则/],
    ['another name than its file', CLOSE.replace('id: close', 'id: other'), /和文件名一样/],
    ['a change without hidden tests', CLOSE.replace(/hidden:[\s\S]*?solution:/, 'solution:'), /必须有隐藏测试/],
    ['an answer without facts', ASK.replace(/facts:[\s\S]*?solution:/, 'solution:'), /必须写明答案里要有什么/],
  ])('%s is told with its place', (_, text, says) => {
    const name = text.includes('id: ask') ? 'ask' : 'close';
    expect(() => tasksOf({ [name]: text })).toThrowError(
      expect.objectContaining({ code: 'EVAL_TASK_INVALID', message: expect.stringMatching(says) }),
    );
  });

  it('two of one id are refused, and so is a folder without any', () => {
    const twice = { close: CLOSE, 'more/close': CLOSE.replace('fixture: fixtures', 'fixture: ../fixtures') };
    expect(() => tasksOf(twice)).toThrowError(expect.objectContaining({ message: expect.stringContaining('重复') }));
    expect(() => tasksOf({})).toThrowError(expect.objectContaining({ code: 'EVAL_TASK_INVALID' }));
  });
});
