import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLayout, projectAbove, projectKey } from '../../src/layout.js';

describe('where the state lies', () => {
  let root: string;
  let cache: string;
  const env = (more: NodeJS.ProcessEnv = {}) => ({ XDG_CACHE_HOME: cache, ...more });
  const elsewhere = () => join(cache, 'xihe/state', projectKey(root));
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-layout-')));
    cache = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-layout-cache-')));
  });
  afterEach(() => {
    for (const dir of [root, cache]) rmSync(dir, { recursive: true, force: true });
  });

  /**
   * Opens the project in a process that can't write a single byte to any file, as on a full disk: files can be made, and
   * each write fails.
   */
  function openOnFullDisk(): { stateDir?: string; code?: string; hint?: string } {
    const script = `import { openLayout } from ${JSON.stringify(resolve('src/layout.ts'))};
      let out; try { out = openLayout(process.argv[2]); } catch (e) { out = e.toJSON(); }
      process.stdout.write(JSON.stringify(out));`;
    const bundle = join(cache, 'open.mjs');
    execFileSync(
      resolve('node_modules/.bin/esbuild'),
      ['--bundle', '--platform=node', '--format=esm', `--outfile=${bundle}`],
      {
        input: script,
        cwd: resolve('.'),
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    );
    const line = `trap '' XFSZ; ulimit -f 0; exec "$0" "$@" | cat`;
    const out = execFileSync('bash', ['-c', line, process.execPath, bundle, root], {
      env: { ...process.env, ...env() },
      encoding: 'utf8',
    });
    return JSON.parse(out);
  }

  it('in the project, with a .gitignore of its own and nothing else', () => {
    expect(openLayout(root, env())).toMatchObject({ stateDir: join(root, '.xihe/state'), stateIsElsewhere: false });
    expect(readdirSync(join(root, '.xihe/state'))).toEqual(['.gitignore']);
  });

  it('elsewhere where the project can not have one, and there it stays', () => {
    writeFileSync(join(root, '.xihe'), 'a file');
    expect(openLayout(root, env())).toMatchObject({ stateDir: elsewhere(), stateIsElsewhere: true });
    writeFileSync(join(elsewhere(), 'thread'), '1');
    rmSync(join(root, '.xihe'));
    expect(openLayout(root, env())).toMatchObject({ stateDir: elsewhere(), stateIsElsewhere: true });
  });

  it('a place that was used once and holds nothing does not bind', () => {
    writeFileSync(join(root, '.xihe'), 'a file');
    openLayout(root, env());
    rmSync(join(root, '.xihe'));
    expect(openLayout(root, env()).stateDir).toBe(join(root, '.xihe/state'));
  });

  it("a project's own state wins over one elsewhere", () => {
    mkdirSync(elsewhere(), { recursive: true });
    writeFileSync(join(elsewhere(), 'thread'), '1');
    mkdirSync(join(root, '.xihe/state'), { recursive: true });
    writeFileSync(join(root, '.xihe/state/thread'), '1');
    expect(openLayout(root, env()).stateIsElsewhere).toBe(false);
  });

  it.each([true, false])('a full disk is said, and does not move the state (used before: %s)', (used) => {
    const { stateDir } = openLayout(root, env());
    if (used) writeFileSync(join(stateDir, 'thread'), '1');
    expect(openOnFullDisk()).toMatchObject({ code: 'STATE_UNWRITABLE', hint: expect.stringContaining('写权限') });
    expect(readdirSync(stateDir)).toEqual(used ? ['.gitignore', 'thread'] : ['.gitignore']);
    expect(readdirSync(cache)).toEqual(['open.mjs']);
    expect(openLayout(root, env()).stateDir).toBe(stateDir);
  });

  it('XIHE_STATE_DIR decides, apart for each project', () => {
    const own = join(cache, 'own');
    expect(openLayout(root, env({ XIHE_STATE_DIR: own }))).toMatchObject({
      stateDir: join(own, projectKey(root)),
      stateIsElsewhere: true,
    });
    writeFileSync(join(cache, 'file'), '');
    expect(() => openLayout(root, env({ XIHE_STATE_DIR: join(cache, 'file') }))).toThrow(
      expect.objectContaining({ code: 'STATE_UNWRITABLE' }),
    );
  });
});

describe('the project that a folder lies in', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-above-')));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const folder = (path: string) => {
    mkdirSync(join(root, path), { recursive: true });
    return join(root, path);
  };

  it('is the nearest one above it with a layer', () => {
    folder('.xihe/knowledge');
    expect(projectAbove(folder('src/order'))).toBe(root);
    folder('apps/web/.xihe/playbooks');
    expect(projectAbove(folder('apps/web/src'))).toBe(join(root, 'apps/web'));
  });

  it('is the folder itself where there is none', () => {
    const dir = folder('repo/src/order');
    folder('repo/.git');
    folder('.xihe/knowledge');
    // The layer lies outside the repository.
    expect(projectAbove(dir)).toBe(dir);
  });

  it('is not a folder that holds nothing but state', () => {
    folder('.xihe/knowledge');
    folder('src/.xihe/state');
    expect(projectAbove(folder('src/order'))).toBe(root);
  });
});
