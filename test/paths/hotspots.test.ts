import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Hotspots, MAX_HOT, openPaths } from '../../src/paths/index.js';
import { cleanUp, project, writeTree } from './support.js';

afterAll(cleanUp);

const FILES = Object.fromEntries(
  Array.from({ length: 60 }, (_, i) => [
    `src/f${String(i).padStart(2, '0')}.ts`,
    `// 第 ${i} 个\nexport const f${i} = ${i};\n`,
  ]),
);
const file = (i: number) => `src/f${String(i).padStart(2, '0')}.ts`;

describe('hotspots', () => {
  it('put what was used last and most first, edits before looks', async () => {
    const { root, stateDir } = project(FILES);
    const paths = await openPaths({ root, stateDir });
    const hot = new Hotspots(stateDir);
    await hot.use('run', file(1), 'expand', paths);
    await hot.use('run', file(2), 'edit', paths);
    for (let i = 0; i < 3; i++) await hot.use('run', file(3), 'read', paths);
    expect((await hot.top('run', 10, paths)).map(({ path }) => path)).toEqual([file(3), file(2), file(1)]);
    expect((await hot.top('run', 1, paths))[0]).toMatchObject({ path: file(3), summary: '第 3 个：f3' });
    // Thirty uses later what was looked at once before is still there, and behind.
    for (let i = 10; i < 40; i++) await hot.use('run', file(i), 'read', paths);
    const later = (await hot.top('run', MAX_HOT, paths)).map(({ path }) => path);
    // What was read three times is still worth as much as the newest one.
    expect(later.slice(0, 2)).toEqual([file(3), file(39)]);
    expect(later.at(-1)).toBe(file(1));
    hot.close();
  });

  it('never hold more than forty paths of a run, the least recently used ones gone', async () => {
    const { root, stateDir } = project(FILES);
    const paths = await openPaths({ root, stateDir });
    const hot = new Hotspots(stateDir);
    for (let i = 0; i < 60; i++) await hot.use('run', file(i), 'read', paths);
    const kept = (await hot.top('run', 999, paths)).map(({ path }) => path);
    expect(kept).toHaveLength(MAX_HOT);
    expect(kept).not.toContain(file(19));
    expect(kept).toContain(file(20));
    hot.close();
  });

  it('are those of a run first, those of other runs behind', async () => {
    const { root, stateDir } = project(FILES);
    const paths = await openPaths({ root, stateDir });
    const hot = new Hotspots(stateDir);
    await hot.use('mine', file(1), 'read', paths);
    await hot.use('other', file(2), 'read', paths);
    expect((await hot.top('mine', 5, paths)).map(({ path }) => path)).toEqual([file(1), file(2)]);
    expect((await hot.top('other', 5, paths)).map(({ path }) => path)).toEqual([file(2), file(1)]);
    hot.close();
  });

  it('are shared by those who work side by side, but not what one of them has only staged', async () => {
    const { root, stateDir } = project(FILES);
    const paths = await openPaths({ root, stateDir });
    const hot = new Hotspots(stateDir);
    const text = Buffer.from('// 改过的\nexport const changed = 1;\n');
    const staged = { changed: [file(1)], added: ['src/new.ts'], deleted: [file(2)], bytes: () => text };
    const [a, b] = [paths.factsWith(staged), paths.factsWith({})];
    await hot.use('run', file(2), 'read', b);
    await hot.use('run', file(1), 'edit', a);
    await hot.use('run', 'src/new.ts', 'edit', a);
    const seen = async (source: typeof a) =>
      (await hot.top('run', 9, source)).map(({ path, summary }) => `${path} ${summary}`);
    // Each reads the file as it is for itself, in whatever order they ask, and a deletion is one's own too.
    for (let i = 0; i < 2; i++) {
      expect(await seen(b)).toEqual([`${file(1)} 第 1 个：f1`, `${file(2)} 第 2 个：f2`]);
      await hot.use('run', file(1), 'read', b);
      expect(await seen(a)).toEqual([`${file(1)} 改过的：changed`]);
    }
    hot.close();
  });

  it('never give a stale path or summary, whoever changed the file', async () => {
    const { root, stateDir } = project(FILES);
    const [mine, theirs] = [new Hotspots(stateDir), new Hotspots(stateDir)];
    const paths = await openPaths({ root, stateDir });
    for (const i of [1, 2, 3]) await mine.use('run', file(i), 'read', paths);
    writeTree(root, { [file(1)]: '// 改过的说明\n' });
    rmSync(join(root, file(2)));
    renameSync(join(root, file(3)), join(root, 'src/moved.ts'));
    // A process with an index of its own, which has not looked since.
    const other = await openPaths({ root, stateDir: join(stateDir, 'other') });
    writeTree(root, { [file(1)]: '// 又改了一次\n' });
    expect(await theirs.top('run', 9, other)).toMatchObject([{ path: file(1), summary: '又改了一次' }]);
    // The rows themselves were put right.
    expect(await mine.top('run', 9, paths)).toMatchObject([{ path: file(1), summary: '又改了一次' }]);
    mine.close();
    theirs.close();
  });

  it('keep nothing of what is no file of the project', async () => {
    const { root, stateDir } = project(FILES);
    const paths = await openPaths({ root, stateDir });
    const hot = new Hotspots(stateDir);
    for (const path of ['src', 'src/none.ts', '../x', '']) await hot.use('run', path, 'read', paths);
    expect(await hot.top('run', 9, paths)).toEqual([]);
    hot.close();
  });

  it.each(['a file in place of the state folder', 'a broken database'])(
    'work for this process with %s',
    async (what) => {
      const { root, stateDir } = project(FILES);
      const paths = await openPaths({ root, stateDir: join(stateDir, 'index') });
      const state = join(stateDir, 'hot');
      if (what.startsWith('a file')) writeFileSync(state, 'x');
      else {
        mkdirSync(state);
        writeFileSync(
          join(state, 'hotspots.sqlite'),
          'no database at all, but long enough to look like one'.repeat(50),
        );
      }
      const hot = new Hotspots(state);
      await hot.use('run', file(1), 'read', paths);
      expect((await hot.top('run', 9, paths)).map(({ path }) => path)).toEqual([file(1)]);
      hot.close();
    },
  );

  // Root may write there all the same; the answer is the same.
  it('work where the state can only be read', async () => {
    const { root, stateDir } = project(FILES);
    const paths = await openPaths({ root, stateDir });
    chmodSync(stateDir, 0o500);
    const hot = new Hotspots(stateDir);
    await hot.use('run', file(1), 'read', paths);
    expect(await hot.top('run', 9, paths)).toHaveLength(1);
    chmodSync(stateDir, 0o700);
    hot.close();
  });

  it('are shared by processes that write at once, and no use is lost', async () => {
    const { root, stateDir } = project(FILES);
    const script = `
      import { Hotspots, openPaths } from ${JSON.stringify(resolve('src/paths/index.ts'))};
      const [root, stateDir, from] = process.argv.slice(1);
      const paths = await openPaths({ root, stateDir: stateDir + '-' + from });
      const hot = new Hotspots(stateDir);
      for (let i = 0; i < 12; i++) await hot.use('run', 'src/f' + String(Number(from) + (i % 6)).padStart(2, '0') + '.ts', 'read', paths);
    `;
    const child = (from: number) =>
      new Promise<number | null>((done, fail) => {
        const args = ['--import', 'tsx', '--input-type=module', '-e', script, root, stateDir, String(from)];
        spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
          .on('exit', done)
          .on('error', fail);
      });
    expect(await Promise.all([child(0), child(6), child(12)])).toEqual([0, 0, 0]);
    const paths = await openPaths({ root, stateDir });
    const hot = new Hotspots(stateDir);
    const top = await hot.top('run', MAX_HOT, paths);
    expect(top.map(({ path }) => path).sort()).toEqual(Array.from({ length: 18 }, (_, i) => file(i)));
    hot.close();
  });
});
