import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openPaths, type PathContext } from '../../src/paths/index.js';
import { cleanUp, commit, git, initRepository, project, tempDir, writeTree } from './support.js';
import { answers, Vandal, WORDS } from './vandal.js';

const open: PathContext[] = [];
afterAll(() => {
  for (const paths of open) paths.close();
  cleanUp();
});

async function watched(root: string, stateDir: string): Promise<PathContext> {
  const paths = await openPaths({ root, stateDir });
  open.push(paths);
  expect(paths.watch()).toBe(true);
  // The first refresh of a watch walks once: what happened before it is not in its notices.
  await paths.refresh();
  return paths;
}

const fresh = (root: string) => openPaths({ root, stateDir: join(tempDir(), 'state') });

// Elsewhere notices come when the system likes; there only what is answered is looked at again.
describe.runIf(process.platform === 'linux')('a watched tree', () => {
  it.each([11, 12, 13, 14, 15, 16])('equals one that is built anew, whatever happens: seed %d', async (seed) => {
    const { root, stateDir } = project();
    if (seed % 2 === 0) initRepository(root);
    const vandal = new Vandal(root, seed);
    const kept = await watched(root, stateDir);
    for (let round = 0; round < 8; round++) {
      for (let i = 0; i < 6; i++) vandal.act();
      await kept.refresh();
      const built = await fresh(root);
      expect(kept.files).toEqual(built.files);
      expect(await answers(kept)).toEqual(await answers(built));
    }
  });

  it('also under load: another process writes, and refreshes and questions run into each other', async () => {
    const { root, stateDir } = project();
    const vandal = new Vandal(root, 77);
    for (let i = 0; i < 30; i++) vandal.act();
    const kept = await watched(root, stateDir);
    const script = `const fs = require('node:fs');
      const dir = process.argv[1] + '/src/other';
      for (let i = 0; i < 400; i++) {
        fs.mkdirSync(dir + '/' + (i % 7), { recursive: true });
        fs.writeFileSync(dir + '/' + (i % 7) + '/f' + (i % 40) + '.ts', '// 订单 ' + i);
        if (i % 3 === 0) fs.rmSync(dir + '/' + (i % 5), { recursive: true, force: true });
      }`;
    const other = spawn(process.execPath, ['-e', script, root], { stdio: 'inherit' });
    const ended = new Promise((done) => other.on('exit', done));
    for (let i = 0; i < 40; i++) {
      vandal.act();
      const [, { candidates }] = await Promise.all([
        kept.refresh(),
        kept.lookupFile(WORDS[i % WORDS.length]!),
        kept.refresh(),
      ]);
      // What the other process removed in this very moment may still be named; what we removed may not.
      for (const { path } of candidates.filter(({ path: p }) => !p.startsWith('src/other')))
        expect(existsSync(join(root, path)), path).toBe(true);
    }
    expect(await ended).toBe(0);
    await kept.refresh();
    expect(await answers(kept)).toEqual(await answers(await fresh(root)));
  });

  it('looks at what changed only: nothing where nothing did, one file of 3,000 where one did', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, i) => [
        `src/m${i % 40}/f${i}.ts`,
        `import './f${i + 40}.js';\nexport const f${i} = ${i};\n`,
      ]),
    );
    const { root, stateDir } = project(files);
    initRepository(root);
    const building = await openPaths({ root, stateDir });
    const rebuilt = building.lastRefresh.read;
    expect(rebuilt).toBe(3_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const kept = await watched(root, stateDir);
    await kept.expandPath('src/m0/f0.ts');
    expect((await kept.refresh()).read).toBe(0);
    writeTree(root, { 'src/m7/f7.ts': '// 改了\n' });
    expect(await kept.refresh()).toMatchObject({ changed: ['src/m7/f7.ts'], added: [], removed: [], read: 1 });
    // A whole folder of 75 files: 2.5 % of what a rebuild reads; 80 % less is the bar.
    renameSync(join(root, 'src/m3'), join(root, 'src/moved'));
    const moved = await kept.refresh();
    expect([moved.added.length, moved.removed.length]).toEqual([75, 75]);
    expect(moved.read).toBeLessThanOrEqual(0.2 * rebuilt);
    expect(kept.files).toEqual((await fresh(root)).files);
  }, 120_000);

  it('sees commits, ignore rules, new folders in new folders, and a folder that was replaced', async () => {
    const { root, stateDir } = project({ 'src/a.ts': '', 'build/out.ts': '' });
    initRepository(root);
    commit(root, '导入');
    const kept = await watched(root, stateDir);
    writeTree(root, { '.gitignore': 'build/\n', 'src/x/y/z/deep.ts': '' });
    git(root, ['rm', '-q', '-r', '--cached', 'build']);
    await kept.refresh();
    expect(kept.files).toEqual(['.gitignore', 'src/a.ts', 'src/x/y/z/deep.ts']);
    writeTree(root, { 'src/x/y/z/later.ts': '' });
    await kept.refresh();
    expect(kept.files).toContain('src/x/y/z/later.ts');
    rmSync(join(root, 'src/x'), { recursive: true });
    mkdirSync(join(root, 'src/x'));
    await kept.refresh();
    writeFileSync(join(root, 'src/x/new.ts'), '');
    await kept.refresh();
    expect(kept.files).toEqual(['.gitignore', 'src/a.ts', 'src/x/new.ts']);
    mkdirSync(join(root, 'node_modules/x'), { recursive: true });
    writeFileSync(join(root, 'node_modules/x/index.js'), '');
    expect(await kept.refresh()).toMatchObject({ added: [], read: 0 });
  });

  it('goes on without notices when it is closed', async () => {
    const { root, stateDir } = project({ 'src/a.ts': '' });
    const kept = await watched(root, stateDir);
    kept.close();
    writeTree(root, { 'src/b.ts': '' });
    expect((await kept.refresh()).added).toEqual(['src/b.ts']);
  });
});

describe('what was renamed', () => {
  it('is said by its new name before anything is done with the old one, over several renames', async () => {
    const { root, stateDir } = project({ 'src/old.ts': '// 独一份\n', 'src/a.ts': 'x\n', 'src/b.ts': 'y\n' });
    const paths = await openPaths({ root, stateDir });
    renameSync(join(root, 'src/old.ts'), join(root, 'src/mid.ts'));
    await paths.refresh();
    expect(() => paths.resolve('src/old.ts')).toThrow('它已改名为 src/mid.ts');
    mkdirSync(join(root, 'src/deep'));
    renameSync(join(root, 'src/mid.ts'), join(root, 'src/deep/new.ts'));
    await paths.refresh();
    expect(() => paths.resolve('src/old.ts')).toThrow('它已改名为 src/deep/new.ts');
    rmSync(join(root, 'src/deep/new.ts'));
    // Gone since: not offered, also without a refresh.
    expect(() => paths.resolve('src/old.ts')).not.toThrow('new.ts');
    rmSync(join(root, 'src/b.ts'));
    expect(() => paths.resolve('src/c.ts')).toThrow(/^(?!.*src\/b\.ts)/);
  });
});
