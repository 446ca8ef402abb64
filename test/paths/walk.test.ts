import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { walkProject } from '../../src/paths/index.js';
import { cleanUp, commit, git, initRepository, project, tempDir, writeTree } from './support.js';

afterAll(cleanUp);

async function listed(root: string): Promise<string[]> {
  return (await walkProject(root)).files.map(({ path }) => path);
}

const TREE = {
  '.gitignore': 'ignored/\n*.tmp\n!keep.tmp\n',
  'src/订单/取消 订单.ts': 'x',
  'src/a.tmp': 'x',
  'src/keep.tmp': 'x',
  'src/sub/.gitignore': 'local.ts\n',
  'src/sub/local.ts': 'x',
  'src/sub/kept.ts': 'x',
  'src/local.ts': 'x',
  'ignored/a.ts': 'x',
  'node_modules/a/index.js': 'x',
  'packages/web/node_modules/b/index.js': 'x',
  'dist/bundle.js': 'x',
  'target/classes/A.class': 'x',
  'src/main/java/com/target/A.java': 'x',
  '.xihe/state/cache.bin': 'x',
  '.xihe/config.yaml': 'x',
  'README.md': 'x',
};
const EXPECTED = [
  '.gitignore',
  '.xihe/config.yaml',
  'README.md',
  'src/keep.tmp',
  'src/local.ts',
  'src/main/java/com/target/A.java',
  'src/sub/.gitignore',
  'src/sub/kept.ts',
  'src/订单/取消 订单.ts',
];

describe('what is listed', () => {
  it('without git: what .gitignore files and the built-in rules leave', async () => {
    const { root } = project(TREE);
    expect((await walkProject(root)).by).toBe('walk');
    expect(await listed(root)).toEqual(EXPECTED);
  });

  it('with git: the same, tracked or not', async () => {
    const { root } = project(TREE);
    initRepository(root);
    expect((await walkProject(root)).by).toBe('git');
    expect(await listed(root)).toEqual(EXPECTED);
    commit(root, '全部');
    writeTree(root, { 'src/new.ts': 'x' });
    rmSync(join(root, 'README.md'));
    expect(await listed(root)).toEqual([...EXPECTED.filter((path) => path !== 'README.md'), 'src/new.ts'].sort());
  });

  it('in a subfolder of a repository: paths from the project on, with the outer ignore rules', async () => {
    const { root } = project({ '.gitignore': 'gen/\n', 'web/src/a.ts': 'x', 'web/gen/b.ts': 'x', 'server/c.go': 'x' });
    initRepository(root);
    commit(root, '全部');
    expect(await listed(join(root, 'web'))).toEqual(['src/a.ts']);
  });

  it('in a folder that its repository ignores: all of it', async () => {
    const { root } = project({ '.gitignore': 'scratch/\n', 'scratch/demo/src/a.ts': 'x' });
    initRepository(root);
    commit(root, '全部');
    expect(await listed(join(root, 'scratch/demo'))).toEqual(['src/a.ts']);
  });

  it('also what a repository inside of the project holds', async () => {
    const { root } = project({ 'a.ts': 'x', 'libs/inner/src/b.ts': 'x' });
    initRepository(root);
    initRepository(join(root, 'libs/inner'));
    commit(join(root, 'libs/inner'), '内层');
    expect(await listed(root)).toEqual(['a.ts', 'libs/inner/src/b.ts']);
  });

  it.each(['git', 'walk'])('by %s: no symlink, and nothing behind one', async (by) => {
    const outer = tempDir();
    writeTree(outer, { 'secret.ts': 'x' });
    const { root } = project({ 'src/a.ts': 'x', 'moved/b.ts': 'x' });
    if (by === 'git') {
      initRepository(root);
      commit(root, '全部');
    }
    symlinkSync(outer, join(root, 'out'));
    symlinkSync(join(root, 'src/a.ts'), join(root, 'same.ts'));
    symlinkSync(root, join(root, 'src/loop'));
    // A tracked folder that became a symlink: git still names the file below it.
    rmSync(join(root, 'moved'), { recursive: true });
    writeTree(outer, { 'b.ts': 'x' });
    symlinkSync(outer, join(root, 'moved'));
    expect(await walkProject(root)).toMatchObject({ by });
    expect(await listed(root)).toEqual(['src/a.ts']);
  });

  it('an empty folder, and one of a repository without files', async () => {
    const { root } = project();
    expect(await listed(root)).toEqual([]);
    initRepository(root);
    expect(await listed(root)).toEqual([]);
    mkdirSync(join(root, 'empty/deep'), { recursive: true });
    expect(await listed(root)).toEqual([]);
  });

  it('is cut at the cap with a note', async () => {
    const { root } = project(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}.ts`, 'x'])));
    const walk = await walkProject(root, { maxFiles: 10 });
    expect(walk.files).toHaveLength(10);
    expect(walk.note).toContain('10');
  });

  it('works when a hook of another repository has set GIT_DIR', async () => {
    const { root } = project({ 'a.ts': 'x' });
    initRepository(root);
    const { root: other } = project({ 'other.ts': 'x' });
    initRepository(other);
    process.env.GIT_DIR = join(other, '.git');
    try {
      expect(await listed(root)).toEqual(['a.ts']);
    } finally {
      delete process.env.GIT_DIR;
    }
  });

  it('stops when it is cancelled', async () => {
    const { root } = project({ 'a.ts': 'x' });
    await expect(walkProject(root, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('lists each file of an unfinished merge once', async () => {
    const { root } = project();
    initRepository(root);
    commit(root, '起点', { 'a.ts': '1\n' });
    git(root, ['checkout', '-q', '-b', 'other']);
    commit(root, '那边', { 'a.ts': '2\n' });
    git(root, ['checkout', '-q', 'main']);
    commit(root, '这边', { 'a.ts': '3\n' });
    expect(() => git(root, ['merge', '-q', 'other'])).toThrow();
    expect(await listed(root)).toEqual(['a.ts']);
  });
});
