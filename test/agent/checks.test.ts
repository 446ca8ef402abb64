import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  playbookCommands,
  playbookFindings,
  syntaxFindings,
  warningFindings,
} from '../../src/agent/checks/diff-checks.js';
import { importFindings } from '../../src/agent/checks/import-checks.js';
import { secretFindings } from '../../src/agent/checks/secret-checks.js';
import { runProjectTests } from '../../src/agent/checks/tests.js';
import type { PlaybookRun } from '../../src/agent/state.js';
import { Changeset, type FileDiff } from '../../src/sandbox/index.js';
import { envOf, makeRepo, put, removeRepo } from './support.js';

const added = (path: string, ...lines: string[]): FileDiff => ({
  path,
  change: 'modified',
  patch: '',
  addedLines: lines.map((text, i) => ({ line: i + 1, text })),
  removedLines: [],
});

describe('secrets on added lines', () => {
  it.each([
    ['a provider key', "const k = 'sk-qW8eR2tY6uI0pA4sD9fG3hJ7';"],
    ['an AWS key', 'AKIAQ7WZ4R2KX9M3NB5T'],
    ['an Alibaba key', 'id: LTAIx7Kd93mQz2Lw'],
    ['a Tencent key', 'id: AKIDz8krbsJ5yKBZQpn74WFkmLPx3gnPhESA'],
    ['a GitHub token', 'ghp_k3Jd8sLq0Zx7Vb2Nm5Wc9Rt4Yp6Fh1Ga8Ue2'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----'],
    ['a password', 'const password = "hunter2hunter2";'],
    ['a secret in an object', "{ apiKey: 'q8w7e6r5t4y3' }"],
    ['the second of two', "{ password: '请输入', api_key: 'q8w7e6r5t4y3' }"],
  ])('%s is caught, and never repeated', (_name, line) => {
    const [finding, ...more] = secretFindings([added('src/a.ts', 'const a = 1;', line)]);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ from: 'secret', severity: 'block', path: 'src/a.ts', line: 2 });
    const secret = /[A-Za-z0-9_-]{10,}/.exec(line)![0];
    expect(JSON.stringify(finding)).not.toContain(secret);
  });

  it.each([
    "password: '请输入八位以上的登录密码'",
    "const apiKey = 'your-api-key-here';",
    "{ access_token: 'access_token' }",
    'const password = process.env.DB_PASSWORD;',
    'const secret = `${prefix}-secret`;',
    "password: '********'",
    "const PASSWORD_FIELD = 'password_hash';",
    'const token = sha256Hex12;',
    "const k = 'sk-xxxxxxxxxxxxxxxxxxxxxxxx';",
  ])('is fine: %s', (line) => {
    expect(secretFindings([added('src/a.ts', line)])).toEqual([]);
  });

  it('are caught without quotes in settings, where they are no variable', () => {
    const line = 'spring.datasource.password: Hq7zP2mWx9Lk';
    expect(secretFindings([added('src/main/resources/application.yml', line)])).toHaveLength(1);
    expect(secretFindings([added('src/a.ts', line)])).toEqual([]);
  });

  it('are ordinary in tests and documents', () => {
    const line = 'const password = "hunter2hunter2";';
    expect(secretFindings(['test/a.ts', 'src/a.test.ts', 'docs/a.md'].map((p) => added(p, line)))).toEqual([]);
  });
});

describe('over a changeset', () => {
  let repo: string;
  let changeset: Changeset;
  beforeEach(async () => {
    repo = makeRepo({
      'src/a.ts': "import { b } from './b.js';\nexport const a = b;\n",
      'src/b.ts': 'export const b = 1;\n',
      'src/dir/index.ts': 'export const d = 1;\n',
      'src/page.vue': '<template><p/></template>\n<script setup lang="ts">\nconst x = 1;\n</script>\n',
      'src/broken.ts': 'const = ;\n',
    });
    changeset = Changeset.create((await envOf(repo)).project.layout.stateDir, repo, 'c');
  });
  afterEach(() => removeRepo(repo));
  const write = (path: string, text: string) => changeset.stage({ kind: 'write', path, text });
  const dead = async () =>
    (await importFindings(changeset, changeset.diff(), await (await envOf(repo)).project.paths())).map(
      (f) => `${f.path}:${f.line} ${f.text}`,
    );

  it('imports that lead somewhere are fine: staged files, folders, other endings', async () => {
    write(
      'src/new.ts',
      "export { d } from './dir';\nimport './b';\nimport './b.js';\nimport 'node:fs';\nimport x from '@/any';\n",
    );
    write(
      'src/user.ts',
      "import './new.js';\nimport './page.vue';\nimport text from './page.vue?raw';\nvoid import('./dir/index.js');\n",
    );
    expect(await dead()).toEqual([]);
  });

  it('imports that lead nowhere block, in ts, js and vue, with the line', async () => {
    write('src/a.ts', "import { b } from './b.js';\nimport { c } from './c.js';\nexport const a = b + c;\n");
    write('src/x.js', "const y = require('./nope');\nmodule.exports = y;\n");
    write(
      'src/page.vue',
      '<template><p/></template>\n<script setup lang="ts">\nimport N from "./Nope.vue";\n</script>\n',
    );
    expect(await dead()).toEqual([
      'src/a.ts:2 引入的文件不存在：./c.js',
      'src/page.vue:3 引入的文件不存在：./Nope.vue',
      'src/x.js:1 引入的文件不存在：./nope',
    ]);
  });

  it('a deleted file that others still import blocks; with its importer mended it does not', async () => {
    changeset.stage({ kind: 'delete', path: 'src/b.ts' });
    expect(await dead()).toEqual(['src/a.ts:1 还在引入这次删掉的文件：./b.js']);
    write('src/a.ts', 'export const a = 1;\n');
    expect(await dead()).toEqual([]);
    write('src/a.ts', "export const a = 1;\nexport { b } from './b.js';\n");
    expect(await dead()).toEqual(['src/a.ts:2 引入的文件不存在：./b.js']);
  });

  it('a file moved to where its importers now look is fine', async () => {
    changeset.stage({ kind: 'delete', path: 'src/b.ts' });
    write('src/b/index.ts', 'export const b = 1;\n');
    write('src/a.ts', "import { b } from './b/index.js';\nexport const a = b;\n");
    expect(await dead()).toEqual([]);
  });

  it('syntax errors count only when the change brought them', async () => {
    const before = (path: string) => (path === 'src/broken.ts' ? 'const = ;\n' : undefined);
    write('src/broken.ts', 'const = ;\nconst ok = 1;\n');
    write('src/ok.ts', 'const fine = 1;\n');
    expect(await syntaxFindings(changeset, changeset.diff(), before)).toEqual([]);
    write('src/ok.ts', 'const fine = {;\n');
    const found = await syntaxFindings(changeset, changeset.diff(), before);
    expect(found.map((f) => [f.path, f.severity])).toEqual([['src/ok.ts', 'block']]);
  });
});

describe('what a playbook checks after the change', () => {
  const playbook = (...postChecks: PlaybookRun['postChecks']) =>
    ({ id: 'p', postChecks, provenance: { source: 's' } }) as unknown as PlaybookRun;

  it('files that must change, and lines that must not come', () => {
    const run = playbook(
      { type: 'file_changed', path: 'docs/**', purpose: '写文档' },
      { type: 'no_match', path: 'src/**/*.ts', pattern: 'console\\.log', purpose: '不留调试输出' },
    );
    const bad = playbookFindings(run, [
      added('src/a/b.ts', 'x', 'console.log(1)'),
      added('web/a.ts', 'console.log(1)'),
    ]);
    expect(bad.map((f) => [f.severity, f.path, f.line])).toEqual([
      ['warn', undefined, undefined],
      ['block', 'src/a/b.ts', 2],
    ]);
    expect(bad[1]).toMatchObject({ entryId: 'p', source: 's' });
    expect(playbookFindings(run, [added('docs/a.md', 'console.log(1)')])).toEqual([]);
    expect(playbookFindings(null, [added('a', 'b')])).toEqual([]);
  });

  it('a forbidden pattern may be written with (?i), and one without end is reported, not run for ever', () => {
    const run = playbook(
      { type: 'no_match', pattern: '(?i)export', purpose: '不导出' },
      { type: 'no_match', pattern: '(a+)+$', purpose: '慢' },
    );
    const found = playbookFindings(run, [added('a.ts', 'EXPORT x'), added('b.ts', `${'a'.repeat(60)}!`)]);
    expect(found.map((f) => [f.severity, f.path])).toEqual([
      ['block', 'a.ts'],
      ['warn', undefined],
    ]);
    expect(found[1]!.text).toContain('(a+)+$');
    expect(found[1]).toMatchObject({ from: 'playbook', entryId: 'p' });
  });

  it('harmless commands run, others are for people', () => {
    const { run, ask } = playbookCommands(
      playbook(
        { type: 'command', command: 'npm test', purpose: '测' },
        { type: 'command', command: 'npm publish', purpose: '发' },
      ),
    );
    expect(run.map((c) => c.command)).toEqual(['npm test']);
    expect(ask).toMatchObject([{ command: 'npm publish', danger: 'high' }]);
    expect(playbookCommands(null)).toEqual({ run: [], ask: [] });
  });
});

describe('warnings of the core', () => {
  let repo: string;
  beforeEach(() => {
    repo = makeRepo({
      '.xihe/knowledge/warnings/w.yaml':
        '- id: no-refund-only\n  danger: 不要新增仅退款状态\n  severity: block\n  when:\n    added:\n      - REFUND_ONLY\n  source: repo://src/a.ts\n  confidence: 0.9\n  reviewed_at: 2026-01-01\n',
      'src/a.ts': 'export const a = 1;\n',
    });
  });
  afterEach(() => removeRepo(repo));

  it('fire on the added line and name their source', async () => {
    const { core } = (await envOf(repo)).project;
    expect(core.problems).toEqual([]);
    const [hit] = warningFindings(core, [added('src/a.ts', 'x', "REFUND_ONLY = 'R',")]);
    expect(hit).toMatchObject({ severity: 'block', path: 'src/a.ts', line: 2, entryId: 'no-refund-only' });
    expect(hit!.source).toContain('src/a.ts');
    expect(warningFindings(core, [added('src/a.ts', 'fine')])).toEqual([]);
  });
});

describe("the project's tests", () => {
  let repo: string;
  const test = 'if (require("./a.js") !== 1) process.exit(1);\n';
  beforeEach(() => {
    repo = makeRepo({ 'a.js': 'module.exports = 1;\n', 'test.js': test });
  });
  afterEach(() => removeRepo(repo));
  const verdict = async (text: string, config: string | null = 'node test.js') => {
    if (config) put(repo, { '.xihe/config.yaml': `sandbox:\n  testCommand: ${config}\n` });
    const env = await envOf(repo);
    const changeset = Changeset.create(env.project.layout.stateDir, repo, `c${Math.random()}`);
    changeset.stage({ kind: 'write', path: 'a.js', text });
    return runProjectTests(env, changeset);
  };

  it('green: nothing to say', async () => {
    expect(await verdict('module.exports = 2 - 1;\n')).toMatchObject({ tests: { ok: true }, findings: [] });
  });

  it('red by the change: blocks', async () => {
    const { tests, findings } = await verdict('module.exports = 2;\n');
    expect(tests!.ok).toBe(false);
    expect(findings).toMatchObject([{ from: 'tests', severity: 'block' }]);
  });

  it('red before: told, not blamed', async () => {
    put(repo, { 'a.js': 'module.exports = 3;\n' });
    expect((await verdict('module.exports = 2;\n')).findings).toMatchObject([{ from: 'tests', severity: 'warn' }]);
  });

  it('no command, or one that is not installed: no verdict', async () => {
    expect(await verdict('module.exports = 2;\n', null)).toEqual({ tests: null, findings: [] });
    const missing = await verdict('module.exports = 2;\n', 'no-such-program-here --all');
    expect(missing.findings).toMatchObject([{ severity: 'warn' }]);
  });
});
