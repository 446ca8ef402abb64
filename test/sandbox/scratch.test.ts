import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { linkDependencies } from '../../src/sandbox/dependencies.js';
import {
  Changeset,
  confinementStatus,
  makeScratch,
  runProcess,
  type Scratch,
  type ScratchOptions,
} from '../../src/sandbox/index.js';
import { snapshot, tempDir } from './support.js';

const WAYS: ReadonlyArray<'auto' | 'process-group'> =
  (await confinementStatus()).kind === 'bwrap' ? ['auto', 'process-group'] : ['process-group'];

function write(root: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

function gitInit(root: string): void {
  execFileSync('git', ['init', '-q', root]);
  execFileSync('git', ['-C', root, 'add', '-A']);
}

async function inScratch<T>(
  root: string,
  fn: (s: Scratch) => T | Promise<T>,
  changeset?: Changeset,
  options?: ScratchOptions,
): Promise<T> {
  const scratch = await makeScratch(root, changeset, options);
  try {
    return await fn(scratch);
  } finally {
    await scratch.dispose();
    expect(existsSync(dirname(scratch.dir))).toBe(false);
  }
}

describe('makeScratch', () => {
  it('copies what git tracks and what it does not ignore, with odd names', async () => {
    const root = tempDir();
    write(root, {
      '.gitignore': 'ignored/\n*.log\n',
      'src/支付 网关/通知.ts': '1',
      'ignored/x': '1',
      'a.log': '1',
      'gone.txt': '1',
      '.xihe/state/big': '1',
      '.xihe/modules.yaml': '',
    });
    gitInit(root);
    write(root, { 'untracked "quoted".txt': '2' });
    execFileSync('rm', [join(root, 'gone.txt')]);
    await inScratch(root, ({ dir }) => {
      expect(
        Object.keys(snapshot(dir))
          .filter((p) => snapshot(dir)[p] !== 'dir')
          .sort(),
      ).toEqual(['.gitignore', '.xihe/modules.yaml', 'src/支付 网关/通知.ts', 'untracked "quoted".txt']);
      expect(dir.endsWith(root.slice(root.lastIndexOf('/')))).toBe(true);
    });
  });

  it('walks where there is no git, and leaves dependencies, builds and what is excluded out', async () => {
    const root = tempDir();
    write(root, {
      'a.txt': '1',
      'target/x.class': '1',
      '__pycache__/a.pyc': '1',
      'data/d.csv': '1',
      'src/b.txt': '1',
      'src/venv/x': '1',
    });
    const check = ({ dir }: Scratch) =>
      expect(Object.keys(snapshot(dir)).sort()).toEqual(['a.txt', 'src', 'src/b.txt']);
    await inScratch(root, check, undefined, { exclude: ['data'] });
  });

  it('copies submodules and nested repositories, without their .git', async () => {
    const root = tempDir();
    write(root, { 'a.txt': '1' });
    gitInit(root);
    write(join(root, 'nested'), { 'b.txt': '2' });
    gitInit(join(root, 'nested'));
    await inScratch(root, ({ dir }) =>
      expect(Object.keys(snapshot(dir)).sort()).toEqual(['a.txt', 'nested', 'nested/b.txt']),
    );
  });

  it('keeps modes and inner links; what links point to outside becomes a copy', async () => {
    const outside = tempDir();
    write(outside, { 'shared.txt': '外', 'lib/x.txt': 'x', 'lib/deep/y.txt': 'y' });
    const root = tempDir();
    write(root, { 'run.sh': '#!/bin/sh\n', 'real/a.txt': 'a' });
    chmodSync(join(root, 'run.sh'), 0o755);
    symlinkSync('real/a.txt', join(root, 'relative'));
    symlinkSync(join(root, 'real'), join(root, 'absolute'));
    symlinkSync(join(outside, 'shared.txt'), join(root, 'file'));
    symlinkSync(join(outside, 'lib'), join(root, 'folder'));
    symlinkSync('nowhere', join(root, 'dangling'));
    await inScratch(root, ({ dir }) => {
      expect(statSync(join(dir, 'run.sh')).mode & 0o777).toBe(0o755);
      expect(realpathSync(join(dir, 'relative'))).toBe(join(dir, 'real/a.txt'));
      expect(realpathSync(join(dir, 'absolute'))).toBe(join(dir, 'real'));
      expect(lstatSync(join(dir, 'file')).isFile()).toBe(true);
      expect(lstatSync(join(dir, 'folder')).isDirectory()).toBe(true);
      writeFileSync(join(dir, 'folder/deep/y.txt'), 'changed');
      writeFileSync(join(dir, 'file'), 'changed');
    });
    expect(readFileSync(join(outside, 'lib/deep/y.txt'), 'utf8')).toBe('y');
    expect(readFileSync(join(outside, 'shared.txt'), 'utf8')).toBe('外');
  });

  it('lays the changeset over the copy, and again after more edits', async () => {
    const root = tempDir();
    write(root, { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
    chmodSync(join(root, 'a.txt'), 0o755);
    const c = Changeset.create(tempDir(), root);
    c.stage({ kind: 'write', path: 'a.txt', text: 'A' });
    c.stage({ kind: 'delete', path: 'b.txt' });
    c.stage({ kind: 'write', path: 'new/d.txt', text: 'D' });
    const before = snapshot(root);
    await inScratch(
      root,
      (scratch) => {
        const at = (path: string) =>
          existsSync(join(scratch.dir, path)) ? readFileSync(join(scratch.dir, path), 'utf8') : null;
        expect([at('a.txt'), at('b.txt'), at('c.txt'), at('new/d.txt')]).toEqual(['A', null, 'c', 'D']);
        expect(statSync(join(scratch.dir, 'a.txt')).mode & 0o777).toBe(0o755);
        writeFileSync(join(scratch.dir, 'made-by-command.txt'), 'x');
        c.stage({ kind: 'write', path: 'a.txt', text: 'AA' });
        c.stage({ kind: 'write', path: 'b.txt', text: 'b' });
        c.stage({ kind: 'delete', path: 'new/d.txt' });
        scratch.sync(c);
        expect([at('a.txt'), at('b.txt'), at('new/d.txt'), at('made-by-command.txt')]).toEqual(['AA', 'b', null, 'x']);
      },
      c,
    );
    expect(snapshot(root)).toEqual(before);
  });

  it('says what is too large, and leaves nothing behind', async () => {
    const root = tempDir();
    write(root, { 'data/a.bin': 'x'.repeat(2_000_000), 'a.txt': '1' });
    await expect(makeScratch(root, undefined, { maxBytes: 1_000_000 })).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
      message: expect.stringContaining('data（2 MB）'),
    });
    await expect(makeScratch(root, undefined, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(readdirSync(tmpdir()).filter((n) => n.startsWith(`xihe-scratch-${process.pid}-`))).toEqual([]);
  });

  it('stops in the middle of copying', async () => {
    const root = tempDir();
    for (let i = 0; i < 3_000; i++) writeFileSync(join(root, `f${i}`), 'x');
    const abort = new AbortController();
    const pending = makeScratch(root, undefined, { signal: abort.signal });
    setImmediate(() => abort.abort());
    await expect(pending).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(readdirSync(tmpdir()).filter((n) => n.startsWith(`xihe-scratch-${process.pid}-`))).toEqual([]);
  });

  it('removes read-only folders that a command has left', async () => {
    const root = tempDir();
    write(root, { 'a.txt': '1' });
    await inScratch(root, ({ dir }) => {
      mkdirSync(join(dir, 'locked/in'), { recursive: true });
      writeFileSync(join(dir, 'locked/in/x'), '');
      chmodSync(join(dir, 'locked/in'), 0o500);
      chmodSync(join(dir, 'locked'), 0o500);
    });
  });

  it('sweeps the copies of processes that are dead, and only those', async () => {
    const alive = await makeScratch(tempDir());
    const dead = join(realpathSync(tmpdir()), `xihe-scratch-1-test${process.pid}`);
    const unowned = `${dead}b`;
    const fresh = `${dead}c`;
    for (const dir of [dead, unowned, fresh]) mkdirSync(join(dir, 'x'), { recursive: true });
    const owner = JSON.parse(readFileSync(join(dirname(alive.dir), 'owner.json'), 'utf8')) as Record<string, unknown>;
    writeFileSync(join(dead, 'owner.json'), JSON.stringify({ ...owner, pid: 4_194_000 }));
    utimesSync(unowned, new Date(0), new Date(0));
    const next = await makeScratch(tempDir());
    expect([alive.dir, dead, unowned, fresh].map((d) => existsSync(d))).toEqual([true, false, false, true]);
    await Promise.all([alive.dispose(), next.dispose()]);
    execFileSync('rm', ['-rf', fresh]);
  });
});

describe('files of secrets in a scratch copy', () => {
  const PEM = '-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----\n';
  const SECRET = {
    '.env': 'A=hunter2',
    '.env.production': 'A=hunter2',
    'packages/a/.env.local': 'A=hunter2',
    '.npmrc': '//r/:_authToken=hunter2',
    '.netrc': 'machine x password hunter2',
    '.pypirc': 'password = hunter2',
    '.xihe/config.yaml': 'model: {apiKey: hunter2}',
    'keys/id_rsa': PEM,
    'keys/id_ed25519': PEM,
    'keys/server.pem': PEM,
    'keys/store.p12': 'x',
    'keys/store.pfx': 'x',
    'keys/store.jks': 'x',
  };
  const PLAIN = {
    '.env.example': 'A=',
    '.env.sample': 'A=',
    '.env.template': 'A=',
    '.env.test': 'A=1',
    'keys/ca.pem': '-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n',
    'keys/id_rsa.pub': 'ssh-rsa AAAA',
    'src/env.ts': 'x',
  };

  it.each([true, false])('are left out and named, samples and certificates are not (git: %s)', async (git) => {
    const root = tempDir();
    write(root, { ...SECRET, ...PLAIN });
    if (git) gitInit(root);
    symlinkSync('../.env', join(root, 'src/link'));
    const outside = tempDir();
    write(outside, { '.env': 'A=hunter2' });
    symlinkSync(join(outside, '.env'), join(root, 'src/innocent'));
    await inScratch(root, ({ dir, leftOut }) => {
      expect([...leftOut].sort()).toEqual([...Object.keys(SECRET), 'src/innocent', 'src/link'].sort());
      for (const path of Object.keys(SECRET)) expect(existsSync(join(dir, path)), path).toBe(false);
      for (const path of Object.keys(PLAIN)) expect(existsSync(join(dir, path)), path).toBe(true);
      const all = Object.values(snapshot(dir)).map((hex) => Buffer.from(hex, 'hex').toString());
      expect(all.filter((text) => text.includes('hunter2'))).toEqual([]);
    });
  });

  it('stay out when an edit of one is staged; a new one is there', async () => {
    const root = tempDir();
    write(root, { '.env': 'PORT=1\nA=hunter2\n' });
    const c = Changeset.create(tempDir(), root);
    c.stage({ kind: 'edit', path: '.env', edits: [{ start: 5, end: 6, text: '2' }] });
    c.stage({ kind: 'write', path: '.env.local', text: 'B=1\n' });
    await inScratch(
      root,
      ({ dir, sync }) => {
        sync(c);
        expect(readdirSync(dir)).toEqual(['.env.local']);
      },
      c,
    );
  });

  it.each(WAYS)('a command in the copy finds neither them nor, with bwrap, the project (%s)', async (confinement) => {
    // Outside the home folder and /tmp, which bwrap hides anyway.
    mkdirSync(join(process.cwd(), 'node_modules', '.cache'), { recursive: true });
    const root = realpathSync(mkdtempSync(join(process.cwd(), 'node_modules/.cache/xihe-tests-')));
    try {
      write(root, { '.env': 'A=hunter2', 'a.txt': 'copied', 'node_modules/x/i.js': 'linked' });
      await inScratch(root, async ({ dir }) => {
        const shell = `cat .env; cat a.txt node_modules/x/i.js${confinement === 'auto' ? ` ${root}/.env ${root}/a.txt` : ''}`;
        const { stdout } = await runProcess({ shell, cwd: dir, timeoutMs: 20_000, confinement });
        expect(stdout).toBe('copiedlinked');
      });
    } finally {
      execFileSync('rm', ['-rf', root]);
    }
  });
});

describe('the temporary folder', () => {
  it.each(['/nowhere/at/all', 'a-file'])('a broken one (%s) is named, with what to do', async (temp) => {
    const root = tempDir();
    write(root, { 'a-file': '1' });
    const before = process.env.TMPDIR;
    process.env.TMPDIR = temp.startsWith('/') ? temp : join(root, temp);
    try {
      await expect(makeScratch(root)).rejects.toMatchObject({
        code: 'STATE_UNWRITABLE',
        hint: expect.stringContaining('TMPDIR'),
      });
      // A command needs none.
      const run = await runProcess({ shell: 'echo 中', cwd: root, timeoutMs: 20_000, confinement: 'process-group' });
      expect(run).toMatchObject({ outcome: 'ok', stdout: '中\n' });
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });
});

describe('a scratch copy where nothing confines commands', () => {
  const before = process.env.XIHE_SANDBOX;
  beforeEach(() => {
    process.env.XIHE_SANDBOX = 'process-group';
  });
  afterEach(() => {
    if (before === undefined) delete process.env.XIHE_SANDBOX;
    else process.env.XIHE_SANDBOX = before;
  });

  it('home, temporary and settings folders are its own; PATH and tools stay', async () => {
    const root = tempDir();
    write(root, { 'a.txt': '1' });
    await inScratch(root, async ({ dir }) => {
      const shell =
        'echo x > ~/f; echo y > "$TMPDIR/t"; rm -rf ~; mkdir -p ~; ls -A ~; printf "%s\\n" "$HOME" "$TMPDIR" "$XDG_CONFIG_HOME" "$PATH"; node -p 1+1';
      const { stdout, confinement } = await runProcess({ shell, cwd: dir, timeoutMs: 20_000 });
      expect(confinement).toBe('process-group');
      const [home, temp, config, path, node] = stdout.trim().split('\n');
      for (const folder of [home, temp, config]) expect(folder).toMatch(new RegExp(`^${dirname(dir)}/`));
      expect([path, node]).toEqual([process.env.PATH, '2']);
    });
    expect(existsSync(homedir())).toBe(true);
  });

  it('small dependencies are copied, links between them too, so that a command reaches no original', async () => {
    const root = tempDir();
    write(root, {
      'package.json': '{"name":"p"}',
      'packages/own/i.js': 'module.exports = "own";',
      'node_modules/.pnpm/a@1/node_modules/a/i.js': 'module.exports = "a";',
      'node_modules/plain/i.js': 'module.exports = "plain";',
      'node_modules/.cache/c': 'old',
    });
    symlinkSync('.pnpm/a@1/node_modules/a', join(root, 'node_modules/a'));
    symlinkSync('../packages/own', join(root, 'node_modules/own'));
    const old = snapshot(root);
    await inScratch(root, async ({ dir, linked }) => {
      expect(linked).toEqual([]);
      const shell = `node -p 'require("a/i.js") + require("own/i.js") + require("plain/i.js")'; for f in a own plain; do echo pwn >> node_modules/$f/i.js; done; ls -A node_modules`;
      const { stdout } = await runProcess({ shell, cwd: dir, timeoutMs: 20_000 });
      expect(stdout.split('\n')).toEqual(['aownplain', '.pnpm', 'a', 'own', 'plain', '']);
    });
    expect(snapshot(root)).toEqual(old);
  });

  it('large dependencies are linked, and the copy says which', async () => {
    const root = tempDir();
    write(root, { 'package.json': '{}', 'node_modules/big/i.js': '1' });
    truncateSync(join(root, 'node_modules/big/i.js'), 51 * 1024 * 1024);
    await inScratch(root, ({ dir, linked }) => {
      expect(linked).toEqual([join(root, 'node_modules')]);
      expect(realpathSync(join(dir, 'node_modules/big'))).toBe(join(root, 'node_modules/big'));
    });
  });
});

describe('dependencies of a scratch copy', () => {
  it('are copied as a whole or linked as a whole, scopes included', () => {
    const root = realpathSync(tempDir());
    write(root, {
      'node_modules/large/i.js': 'x'.repeat(2000),
      'node_modules/@scope/one/i.js': 'x',
    });
    const isLink = (copyUpTo: number, entry: string) => {
      const copy = join(tempDir(), 'copy');
      linkDependencies(root, copy, ['package.json'], copyUpTo);
      return lstatSync(join(copy, 'node_modules', entry)).isSymbolicLink();
    };
    for (const entry of ['large', '@scope/one'])
      expect([isLink(1000, entry), isLink(3000, entry)]).toEqual([true, false]);
    expect(isLink(1000, '@scope')).toBe(false);
  });

  function monorepo(): { top: string; app: string } {
    const top = tempDir();
    write(top, {
      'package.json': '{"name":"top","workspaces":["packages/*"]}',
      'node_modules/lib/package.json': '{"name":"lib","main":"i.js"}',
      'node_modules/lib/i.js': 'module.exports = "lib";',
      'node_modules/lib/cli.js': '#!/usr/bin/env node\nconsole.log("cli");',
      'node_modules/@scope/one/package.json': '{"name":"@scope/one","main":"i.js"}',
      'node_modules/@scope/one/i.js': 'module.exports = "one";',
      'node_modules/.cache/c': 'old cache',
      'packages/app/package.json': '{"name":"app","scripts":{"test":"lib-cli"}}',
      'packages/app/main.js':
        'console.log(require("lib"), require("@scope/one"), require("@scope/util"), require("own"));',
      'packages/app/node_modules/own/index.js': 'module.exports = "own";',
      'packages/util/package.json': '{"name":"@scope/util","main":"u.js"}',
      'packages/util/u.js': 'module.exports = "util";',
    });
    mkdirSync(join(top, 'node_modules/.bin'));
    symlinkSync('../lib/cli.js', join(top, 'node_modules/.bin/lib-cli'));
    chmodSync(join(top, 'node_modules/lib/cli.js'), 0o755);
    symlinkSync('../../packages/util', join(top, 'node_modules/@scope/util'));
    return { top, app: join(top, 'packages/app') };
  }

  it.each(WAYS)('resolve as in the original, from the root and from a package below it (%s)', async (confinement) => {
    const { top, app } = monorepo();
    const node = (cwd: string) =>
      runProcess({ argv: [process.execPath, join(cwd, 'main.js')], cwd, timeoutMs: 20_000, confinement });
    await inScratch(top, async ({ dir }) =>
      expect(await node(join(dir, 'packages/app'))).toMatchObject({ stdout: 'lib one util own\n', stderr: '' }),
    );
    await inScratch(app, async ({ dir }) =>
      expect(await node(dir)).toMatchObject({ stdout: 'lib one util own\n', stderr: '' }),
    );
    await inScratch(app, async ({ dir }) =>
      expect(await runProcess({ shell: 'npm test --silent', cwd: dir, timeoutMs: 20_000, confinement })).toMatchObject({
        outcome: 'ok',
        stdout: 'cli\n',
      }),
    );
  });

  it.each(WAYS)('workspace packages are those of the copy, staged edits included (%s)', async (confinement) => {
    const { top } = monorepo();
    const c = Changeset.create(tempDir(), top);
    c.stage({ kind: 'write', path: 'packages/util/u.js', text: 'module.exports = "staged";' });
    await inScratch(
      top,
      async ({ dir }) => {
        const r = await runProcess({
          argv: [process.execPath, 'packages/app/main.js'],
          cwd: dir,
          timeoutMs: 20_000,
          confinement,
        });
        expect(r.stdout).toBe('lib one staged own\n');
      },
      c,
    );
  });

  it.each(WAYS)('nothing that a command writes reaches the tree (%s)', async (confinement) => {
    const { top } = monorepo();
    const before = snapshot(top);
    const shell = [
      'ls node_modules/.cache 2>/dev/null && echo "old cache shown"',
      'mkdir -p node_modules/.cache/x node_modules/.vite node_modules/@scope/new packages/app/node_modules/.cache',
      'echo 1 > node_modules/.cache/x/y; echo 1 > node_modules/.package-lock.json; echo 1 > node_modules/.bin/new; echo 1 > node_modules/@scope/new/n',
      'echo 2 >> packages/util/u.js; echo 3 > node_modules/@scope/util/u.js; rm -rf packages/app node_modules',
      'echo done',
    ].join('\n');
    await inScratch(top, async ({ dir }) => {
      expect(await runProcess({ shell, cwd: dir, timeoutMs: 20_000, confinement })).toMatchObject({
        outcome: 'ok',
        stdout: 'done\n',
      });
    });
    expect(snapshot(top)).toEqual(before);
  });

  it('installed PHP and Python dependencies: linked, but what finds the project by its own place is copied', async () => {
    const root = tempDir();
    write(root, {
      'composer.json': '{}',
      '.gitignore': 'vendor/\n.venv/\n',
      'pyproject.toml': '',
      'src/shop/__init__.py': 'NAME = "tree"',
      'vendor/autoload.php': '<?php',
      'vendor/composer/autoload_real.php': '<?php',
      'vendor/acme/lib/a.php': '<?php',
      '.venv/pyvenv.cfg': 'home = /usr/bin',
      '.venv/lib/site.py': '1',
    });
    gitInit(root);
    await inScratch(root, async ({ dir }) => {
      expect(
        ['autoload.php', 'composer', 'acme'].map((n) => lstatSync(join(dir, 'vendor', n)).isSymbolicLink()),
        // Where nothing confines commands, a vendor folder this small is copied whole.
      ).toEqual([false, false, WAYS.includes('auto')]);
      expect(realpathSync(join(dir, '.venv/lib'))).toBe(join(root, '.venv/lib'));
      const r = await runProcess({ shell: 'echo "$PYTHONPATH"', cwd: dir, timeoutMs: 10_000 });
      expect(r.stdout.startsWith(`${join(dir, 'src')}:${dir}`)).toBe(true);
    });
  });

  it('a vendor folder that git tracks is copied like any other', async () => {
    const root = tempDir();
    write(root, { 'go.mod': 'module x', 'vendor/modules.txt': '', 'vendor/github.com/a/a.go': 'package a' });
    gitInit(root);
    await inScratch(root, ({ dir }) => expect(lstatSync(join(dir, 'vendor/github.com')).isSymbolicLink()).toBe(false));
  });
});
