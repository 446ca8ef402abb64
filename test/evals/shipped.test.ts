import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadTasks, proveTask, TASK_CLASSES } from '../../src/evals/index.js';

/** The tasks that ship. All of them are proved by `xihe eval lint`, which takes minutes; here those that need no program, and one of each repository. */
const tasks = loadTasks(fileURLToPath(new URL('../../evals/tasks', import.meta.url)));
const fixtures = [...new Set(tasks.map(({ fixture }) => fixture))];
const answers = tasks.filter(({ solution }) => typeof solution === 'string');
const changes = fixtures.map((fixture) => tasks.find((one) => one.fixture === fixture && one.hidden !== undefined)!);

describe('the tasks that ship', () => {
  it('are at least forty, ten of a class, on three repositories', () => {
    expect(tasks.length).toBeGreaterThanOrEqual(40);
    for (const name of TASK_CLASSES)
      expect(tasks.filter((one) => one.class === name).length, name).toBeGreaterThanOrEqual(10);
    expect(fixtures.sort()).toEqual(['admin-web', 'mall', 'member-service']);
  });

  it.each([...answers, ...changes].map((task) => [task.id, task] as const))(
    '%s tells right from wrong',
    async (_, task) => {
      expect((await proveTask(task)).problems).toEqual([]);
    },
  );
});
