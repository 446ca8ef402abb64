import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callSite } from '../../src/agent/tool-context.js';
import { Changeset } from '../../src/sandbox/index.js';
import { callTool, EXECUTE_TOOLS } from '../../src/tools/index.js';
import { holdsSecretValues, maskLine, maskPatch } from '../../src/tools/secret-files.js';
import { envOf, makeRepo, put, removeRepo, stateOf } from '../agent/support.js';

const KEY = '-----BEGIN RSA PRIVATE KEY-----\nMIIEabcdefgh\n-----END RSA PRIVATE KEY-----\n';

describe('files of secrets', () => {
  it.each(['.env', 'a/.env.production', 'prod.env', '.npmrc', 'secrets.yaml', 'credentials.json', '.aws/credentials'])(
    '%s is one',
    (path) => expect(holdsSecretValues(path)).toBe(true),
  );
  it.each(['.env.example', 'src/env.ts', 'environment.md', 'secrets.ts', 'src/credentials.ts', '.env.sample'])(
    '%s is none',
    (path) => expect(holdsSecretValues(path)).toBe(false),
  );

  it.each([
    ['DB_PASSWORD=hunter2', 'DB_PASSWORD=***'],
    ['export TOKEN = "a=b c"', 'export TOKEN = ***'],
    ['# OLD_KEY=hunter2', '# OLD_KEY=***'],
    ['# 数据库', '# 数据库'],
    ['EMPTY=', 'EMPTY='],
    ['  password: hunter2', '  password: ***'],
    ['  "apiKey": "hunter2",', '  "apiKey": ***,'],
    ['db:', 'db:'],
    ['list: [', 'list: ['],
    ['  - hunter2', '  - ***'],
    ['[default]', '[default]'],
    ['}', '}'],
    ['machine x login y password hunter2', '***'],
    ['//registry.example.com/:_authToken=hunter2', '//registry.example.com/:_authToken=***'],
    ['host:5432:db:me:hunter2', '***'],
    ['-hunter2-rest-of-a-value', '***'],
  ])('%s', (line, masked) => expect(maskLine(line)).toBe(masked));

  it('do not show in diffs, deleted or changed; other files do', () => {
    const patch = (from: string, to: string) => `--- ${from}\n+++ ${to}\n@@ -1 +1 @@\n-A=hunter2\n+A=hunter3\n`;
    for (const hidden of [patch('a/.env', 'b/.env'), patch('a/.env', '/dev/null'), patch('/dev/null', 'b/x.env')])
      expect(maskPatch(hidden)).not.toContain('hunter');
    expect(maskPatch(patch('a/src/a.ts', 'b/src/a.ts'))).toContain('hunter3');
    const git = `diff --git a/.env b/.env\n${patch('a/.env', 'b/.env')}diff --git a/a.ts b/a.ts\n${patch('a/a.ts', 'b/a.ts')}`;
    expect(maskPatch(git)).toContain('.env：有改动');
    expect(maskPatch(git).match(/hunter/g)).toHaveLength(2);
  });
});

describe('tools on files of secrets', () => {
  let repo: string;
  beforeEach(() => {
    repo = makeRepo({
      '.env': 'PORT=3000\nDB_PASSWORD=hunter2\n',
      'keys/id_rsa': KEY,
      'keys/server.pem': KEY,
      'keys/ca.pem': '-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n',
    });
  });
  afterEach(() => removeRepo(repo));
  const call = async (name: string, args: Record<string, unknown>) => {
    const env = await envOf(repo);
    const changeset = Changeset.create(env.project.layout.stateDir, repo, 'c');
    const site = await callSite(stateOf('改', 'edit'), env, changeset);
    const outcome = await callTool(EXECUTE_TOOLS.find((t) => t.name === name)!, args, site.ctx(`id-${Math.random()}`));
    return outcome;
  };

  it('reading shows names, not values, and says so', async () => {
    const { text } = await call('read_file', { path: '.env' });
    expect(text).toContain('PORT=***');
    expect(text).toContain('DB_PASSWORD=***');
    expect(text).toContain('值已遮住');
    expect(text).not.toContain('hunter2');
  });

  it('a private key is refused, a certificate is read', async () => {
    for (const path of ['keys/id_rsa', 'keys/server.pem']) {
      const outcome = await call('read_file', { path });
      expect(outcome).toMatchObject({ ok: false, code: 'COMMAND_DENIED' });
      expect(outcome.text).not.toContain('MIIE');
    }
    expect((await call('read_file', { path: 'keys/ca.pem' })).text).toContain('MIIC');
  });

  it('an edit that misses quotes no value, one by name works, and the diff stays covered', async () => {
    const missed = await call('edit_file', { path: '.env', edits: [{ search: 'DB_PASSWORD=hunter1', replace: 'x' }] });
    expect(missed).toMatchObject({ ok: false, code: 'EDIT_NOT_FOUND' });
    expect(missed.text).toContain('DB_PASSWORD=***');
    expect(missed.text).not.toContain('hunter2');
    expect(
      (await call('edit_file', { path: '.env', edits: [{ search: 'PORT=', replace: 'HOST=0.0.0.0\nPORT=' }] })).ok,
    ).toBe(true);
    const diff = await call('git_diff', { staged: true });
    expect(diff.text).toContain('.env：有改动');
    expect(diff.text).not.toContain('hunter2');
  });

  it('a search shows no value', async () => {
    put(repo, { 'secrets.yaml': 'password: hunter2\n' });
    const { text } = await call('search_code', { pattern: 'hunter2' });
    expect(text.replaceAll('「hunter2」', '')).not.toContain('hunter2');
  });
});
