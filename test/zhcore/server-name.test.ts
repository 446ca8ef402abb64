import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { originName, serverNameOf } from '../../src/zhcore/serverName.js';

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-name-')));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function project(path: string, origin?: string): string {
  const root = join(dir, path);
  mkdirSync(root, { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd: root });
  if (origin !== undefined) execFileSync('git', ['remote', 'add', 'origin', origin], { cwd: root });
  return root;
}

describe('a remote', () => {
  it.each([
    'git@github.com:org/Shop.git',
    'ssh://git@github.com:22/org/Shop.git',
    'https://user:token@GitHub.com/org/Shop',
    'https://github.com:443/org/Shop.git/',
    'github.com:org/Shop',
  ])('%s has one name', (url) => expect(originName(url)).toBe('github.com/org/Shop'));

  it.each(['/srv/git/shop.git', '../shop', 'file:///srv/shop.git', 'C:/shop', 'C:\\shop', ''])(
    '%j is on one machine only',
    (url) => expect(originName(url)).toBeUndefined(),
  );

  it('of another server or port of the web is another one', () => {
    const names = [
      'https://a.example/o/r',
      'https://a.example:8443/o/r',
      'https://b.example/o/r',
      'https://a.example/p/r',
    ];
    expect(new Set(names.map(originName)).size).toBe(4);
  });
});

describe('the name of a project on a server', () => {
  it('is the same for two clones of one repository, and others for all else', async () => {
    const names = {
      one: await serverNameOf(project('a/shop', 'git@github.com:org/shop.git')),
      clone: await serverNameOf(project('b/shop-2', 'https://github.com/org/shop')),
      other: await serverNameOf(project('c/shop', 'git@github.com:rival/shop.git')),
      alone: await serverNameOf(project('d/shop')),
      alsoAlone: await serverNameOf(project('e/shop')),
      noGit: await serverNameOf(project('f/shop', '/srv/git/shop.git')),
    };
    expect(names.clone).toBe(names.one);
    expect(new Set(Object.values(names)).size).toBe(5);
    for (const name of Object.values(names)) expect(name).toMatch(/^shop-[0-9a-f]{12}$/);
  });

  it('tells two projects of one repository apart', async () => {
    const root = project('mono', 'git@github.com:org/mono.git');
    for (const part of ['web', 'api']) mkdirSync(join(root, part));
    const [web, api] = [await serverNameOf(join(root, 'web')), await serverNameOf(join(root, 'api'))];
    expect([web.slice(0, 4), api.slice(0, 4), web === api]).toEqual(['web-', 'api-', false]);
  });
});
