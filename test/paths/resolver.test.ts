import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { XiheError } from '../../src/errors.js';
import { PathResolver } from '../../src/paths/index.js';
import { cleanUp, project, tempDir, writeTree } from './support.js';

afterAll(cleanUp);

const FILES = [
  'src/支付网关/notify.ts',
  'src/order/service.ts',
  'docs/接入指南v2.md',
  'docs/订单 说明.md',
  'README.md',
  'src/資料/导出.ts',
];

function shop(extra: Record<string, string> = {}): { root: string; resolver: PathResolver } {
  const { root } = project({ ...Object.fromEntries(FILES.map((path) => [path, 'x'])), ...extra });
  return {
    root,
    resolver: new PathResolver(root, () => [
      ...FILES,
      ...Object.keys(extra),
      'src',
      'docs',
      'src/支付网关',
      'src/order',
    ]),
  };
}

function failure(run: () => unknown): XiheError {
  try {
    run();
  } catch (e) {
    if (XiheError.is(e)) return e;
    throw e;
  }
  throw new Error('nothing was thrown');
}

describe('a path that is there', () => {
  const { root, resolver } = shop();

  it.each([
    ['src/order/service.ts', 'src/order/service.ts'],
    ['./src/order/service.ts', 'src/order/service.ts'],
    ['src//order/../order/service.ts', 'src/order/service.ts'],
    ['src\\order\\service.ts', 'src/order/service.ts'],
    ['  src/order/service.ts ', 'src/order/service.ts'],
    ['`src/order/service.ts`', 'src/order/service.ts'],
    ['src/order/', 'src/order'],
    ['src/order/service.ts:12', 'src/order/service.ts'],
    ['src/order/service.ts:12:3', 'src/order/service.ts'],
    ['.', '.'],
    ['docs/订单 说明.md', 'docs/订单 说明.md'],
  ])('%s → %s', (raw, path) => {
    expect(resolver.resolve(raw)).toEqual({ ok: true, path, repaired: false });
  });

  it('may be given absolutely, also through another name of the root', () => {
    expect(resolver.resolve(join(root, 'README.md')).path).toBe('README.md');
    expect(resolver.resolve(root).path).toBe('.');
    const alias = join(tempDir(), 'alias');
    symlinkSync(root, alias);
    expect(resolver.resolve(join(alias, 'README.md')).path).toBe('README.md');
  });

  it('is given by its real name when a symlink inside leads to it', () => {
    symlinkSync(join(root, 'src'), join(root, 'source'));
    expect(resolver.resolve('source/order/service.ts')).toMatchObject({
      path: 'src/order/service.ts',
      repaired: false,
    });
  });

  it('keeps a backslash that belongs to its name', () => {
    writeTree(root, { 'a\\b.txt': 'x' });
    expect(resolver.resolve('a\\b.txt').path).toBe('a\\b.txt');
  });
});

describe('repair', () => {
  const { root, resolver } = shop();

  it.each([
    ['src/支付 网关/notify.ts', 'src/支付网关/notify.ts'],
    ['src/支付网关 /notify.ts', 'src/支付网关/notify.ts'],
    ['src / 支付 网关 / notify.ts'.replaceAll(' / ', '/'), 'src/支付网关/notify.ts'],
    ['docs/接入指南 v2.md', 'docs/接入指南v2.md'],
    ['docs/接入指南v2 .md', ''],
    ['docs/订单说明.md', 'docs/订单 说明.md'],
    ['ｓｒｃ／支付网关／notify．ts', 'src/支付网关/notify.ts'],
    ['src/支付網關/notify.ts', 'src/支付网关/notify.ts'],
    ['src/资料/導出.ts', 'src/資料/导出.ts'],
    [join(root, 'src/支付 网关'), 'src/支付网关'],
  ])('%s → %s', (raw, path) => {
    if (path === '') expect(failure(() => resolver.resolve(raw)).code).toBe('PATH_NOT_FOUND');
    else {
      const resolution = resolver.resolve(raw);
      expect(resolution).toMatchObject({ path, repaired: true, from: raw });
      expect(resolution.repaired && resolution.note).toContain(`→「${path}」`);
    }
  });

  it('composes characters that macOS takes apart', () => {
    const { resolver: other } = shop({ [`docs/${'café'.normalize('NFD')}.md`]: 'x' });
    expect(other.resolve(`docs/${'café'.normalize('NFC')}.md`)).toMatchObject({ repaired: true });
  });

  it('does not take 数据 for 资料, which is another name', () => {
    expect(failure(() => resolver.resolve('src/数据/导出.ts')).code).toBe('PATH_NOT_FOUND');
  });

  it('does not change letter case or other characters', () => {
    expect(failure(() => resolver.resolve('readme.md')).code).toBe('PATH_NOT_FOUND');
    expect(failure(() => resolver.resolve('src/order/service1.ts')).code).toBe('PATH_NOT_FOUND');
  });

  it('refuses to choose between two files, and names both', () => {
    const { resolver: other } = shop({ 'src/支 付网关/notify.ts': 'x' });
    const error = failure(() => other.resolve('src/支付 网关/notify.ts'));
    expect(error.code).toBe('PATH_NOT_FOUND');
    expect(error.message).toContain('src/支付网关/notify.ts');
    expect(error.message).toContain('src/支 付网关/notify.ts');
    expect(other.resolve('src/支付网关/notify.ts')).toMatchObject({ repaired: false });
  });

  it('sees a file that was made a moment ago, and none that is gone', () => {
    expect(failure(() => resolver.resolve('src/新 文件.ts')).code).toBe('PATH_NOT_FOUND');
    writeFileSync(join(root, 'src/新文件.ts'), 'x');
    expect(resolver.resolve('src/新 文件.ts').path).toBe('src/新文件.ts');
  });

  it('names at most three nearest real paths when there is nothing to repair', () => {
    const error = failure(() => resolver.resolve('src/orders/servise.ts'));
    expect(error.code).toBe('PATH_NOT_FOUND');
    expect(error.message).toContain('src/order/service.ts');
    expect((error.details.nearest as string[]).length).toBeLessThanOrEqual(3);
    expect(error.hint).toContain('上面列出的');
    const unlike = failure(() => resolver.resolve('qqqq/zzzzzzzzzzzz'));
    expect(unlike.details.nearest).toEqual([]);
    expect(unlike.hint).not.toContain('上面列出的');
  });

  it('counts what a changeset added as there, and what it deleted as gone', () => {
    const overlay = { added: ['src/退款/仅退款.ts'], deleted: ['README.md'] };
    expect(resolver.resolve('src/退款/仅退款.ts', overlay)).toMatchObject({ repaired: false });
    expect(resolver.resolve('src/退 款/仅退款.ts', overlay)).toMatchObject({
      path: 'src/退款/仅退款.ts',
      repaired: true,
    });
    expect(failure(() => resolver.resolve('README.md', overlay)).code).toBe('PATH_NOT_FOUND');
    expect(resolver.resolveForWrite('README.md', overlay)).toEqual({ path: 'README.md', exists: false });
  });
});

describe('the border', () => {
  const { root, resolver } = shop();
  const outer = tempDir();
  writeTree(outer, { 'secret.txt': 's', 'dir/a.ts': 'x' });
  symlinkSync(join(outer, 'secret.txt'), join(root, 'leak.txt'));
  symlinkSync(join(outer, 'dir'), join(root, 'leakdir'));
  mkdirSync(join(root, '.git/hooks'), { recursive: true });
  writeFileSync(join(root, '.git/config'), '[core]\n');
  symlinkSync(join(root, '.git'), join(root, 'gitlink'));

  it.each([
    '../secret.txt',
    'src/../../secret.txt',
    '..',
    '/etc/passwd',
    '~/.ssh/id_rsa',
    '~',
    'C:\\Windows\\win.ini',
    '//server/share',
    '\\\\server\\share',
    '．．／secret.txt',
    'src/．．／．．／secret.txt',
    'leak.txt',
    'leakdir/a.ts',
    'leakdir/not-there.ts',
    'leak dir/../leakdir',
    join(outer, 'secret.txt'),
    `${root}-other/x.ts`,
  ])('%s is outside, for reading and for writing', (raw) => {
    expect(failure(() => resolver.resolve(raw)).code).toBe('PATH_OUTSIDE_PROJECT');
    expect(failure(() => resolver.resolveForWrite(raw)).code).toBe('PATH_OUTSIDE_PROJECT');
  });

  it.each([
    '',
    '   ',
    'a\0b',
    'a\nb',
    'x'.repeat(3000),
    '.git/config',
    '.git',
    '.GIT/hooks/pre-commit',
    '.ｇｉｔ/config',
    'gitlink/config',
  ])('%j is no path that a tool may use', (raw) => {
    expect(failure(() => resolver.resolve(raw)).code).toBe('PATH_INVALID');
    expect(failure(() => resolver.resolveForWrite(raw)).code).toBe('PATH_INVALID');
  });

  it('does not follow a repair out of the root', () => {
    symlinkSync(join(outer, 'dir'), join(root, '外部目录'));
    expect(failure(() => resolver.resolve('外部 目录/a.ts')).code).toBe('PATH_OUTSIDE_PROJECT');
    expect(failure(() => resolver.resolveForWrite('外部 目录/new.ts')).code).toBe('PATH_OUTSIDE_PROJECT');
  });
});

describe('a path for a new file', () => {
  const { root, resolver } = shop();

  it.each([
    ['src/order/retry.ts', 'src/order/retry.ts'],
    ['./src/new/deep/a.ts', 'src/new/deep/a.ts'],
    ['src/支付 网关/sign.ts', 'src/支付网关/sign.ts'],
    ['src/支付网關/new/签名.ts', 'src/支付网关/new/签名.ts'],
    [join(root, 'src/order/b.ts'), 'src/order/b.ts'],
  ])('%s → %s', (raw, path) => {
    expect(resolver.resolveNew(raw)).toBe(path);
  });

  it('tells the repair of a parent folder', () => {
    expect(resolver.resolveForWrite('src/支付 网关/sign.ts').note).toContain('src/支付网关/sign.ts');
    expect(resolver.resolveForWrite('src/order/sign.ts').note).toBeUndefined();
  });

  it('leads to the real file when the name is only spelled differently', () => {
    expect(resolver.resolveForWrite('src/支付 网关/notify.ts')).toMatchObject({
      path: 'src/支付网关/notify.ts',
      exists: true,
    });
    expect(failure(() => resolver.resolveNew('src/支付 网关/notify.ts')).code).toBe('PATH_INVALID');
  });

  it.each([
    'src/order',
    'src/order/',
    'src/new/',
    'README.md/a.ts',
    'src/a?.ts',
    'src/con.ts',
    'src/a.',
    `src/${'长'.repeat(90)}.ts`,
    '.xihe/state/x.json',
    '.git/hooks/pre-commit',
  ])('%s is refused', (raw) => {
    expect(failure(() => resolver.resolveForWrite(raw)).code).toBe('PATH_INVALID');
  });

  it('does not write through a symlink, whole or broken', () => {
    const outer = tempDir();
    symlinkSync(join(outer, 'made-later.txt'), join(root, 'dangling.txt'));
    expect(failure(() => resolver.resolveForWrite('dangling.txt')).code).toBe('PATH_INVALID');
    symlinkSync(outer, join(root, 'out'));
    expect(failure(() => resolver.resolveForWrite('out/a.ts')).code).toBe('PATH_OUTSIDE_PROJECT');
  });
});
