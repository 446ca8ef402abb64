import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dangerOf, detectTestCommand, focused, nearestTestCommand } from '../../src/sandbox/index.js';
import { tempDir } from './support.js';

function project(files: Record<string, string>): string {
  const root = tempDir();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

const pkg = (test?: string, more = {}) => JSON.stringify({ scripts: test === undefined ? {} : { test }, ...more });

describe('detectTestCommand', () => {
  it.each<[string, Record<string, string>, string | null]>([
    ['npm', { 'package.json': pkg('vitest run') }, 'npm test'],
    ['pnpm by its lock', { 'package.json': pkg('vitest'), 'pnpm-lock.yaml': '' }, 'pnpm test'],
    ['yarn by packageManager', { 'package.json': pkg('jest', { packageManager: 'yarn@4.1.0' }) }, 'yarn test'],
    ['bun', { 'package.json': pkg('bun test'), 'bun.lock': '' }, 'bun run test'],
    ['a BOM', { 'package.json': `\uFEFF${pkg('jest')}` }, 'npm test'],
    ['what npm init writes', { 'package.json': pkg('echo "Error: no test specified" && exit 1') }, null],
    ['no script', { 'package.json': pkg() }, null],
    ['broken JSON', { 'package.json': '{', 'go.mod': '' }, 'go test ./...'],
    ['Maven', { 'pom.xml': '' }, 'mvn -q -B test'],
    ['Maven wrapper', { 'pom.xml': '', mvnw: '' }, './mvnw -q -B test'],
    ['Gradle', { 'build.gradle.kts': '' }, 'gradle --no-daemon test'],
    ['Gradle wrapper', { 'build.gradle': '', gradlew: '' }, './gradlew --no-daemon test'],
    ['pytest.ini', { 'pytest.ini': '' }, 'python3 -m pytest -q'],
    [
      'pyproject',
      { 'pyproject.toml': '[tool.pytest.ini_options]\n', '.venv/bin/python': '' },
      '.venv/bin/python -m pytest -q',
    ],
    ['pyproject without pytest', { 'pyproject.toml': '[project]\n' }, null],
    ['test files', { 'tests/test_order.py': '' }, 'python3 -m pytest -q'],
    ['Go', { 'go.mod': '' }, 'go test ./...'],
    ['Rust', { 'Cargo.toml': '' }, 'cargo test'],
    ['Makefile', { Makefile: 'all:\n\ntest: all\n\tfoo\n' }, 'make test'],
    ['Makefile variable', { Makefile: 'test := 1\nall:\n' }, null],
    ['nothing', {}, null],
    ['polyglot', { 'package.json': pkg('vitest'), 'pom.xml': '', 'go.mod': '', Makefile: 'test:\n' }, 'npm test'],
    [
      'polyglot, npm placeholder',
      { 'package.json': pkg('echo "Error: no test specified"'), 'go.mod': '', Makefile: 'test:\n' },
      'go test ./...',
    ],
  ])('%s', (_name, files, command) => {
    const found = detectTestCommand(project(files));
    expect(found?.command ?? null).toBe(command);
    if (found === null) return;
    expect(found.why).toMatch(/\p{Script=Han}/u);
    expect(dangerOf(found.command).danger).toBe('low');
  });

  it('the config wins; an empty one does not count', () => {
    const root = project({ 'package.json': pkg('vitest') });
    expect(detectTestCommand(root, ' make check ')).toMatchObject({ command: 'make check' });
    expect(detectTestCommand(root, '  ')).toMatchObject({ command: 'npm test' });
  });
});

describe('a repository of several packages', () => {
  const root = () =>
    project({
      'package.json': JSON.stringify({ private: true, packageManager: 'pnpm@9.0.0' }),
      'packages/order/package.json': pkg('vitest run'),
      'packages/order/src/a.ts': '',
      'packages/web/package.json': pkg('jest'),
      'services/pay/pom.xml': '',
      'services/pay/src/main/java/A.java': '',
      mvnw: '',
      'tools/job/go.mod': '',
    });

  it('has the tests of the package around most of the files, run as the repository says', () => {
    const at = root();
    expect(detectTestCommand(at)).toBeNull();
    const of = (...files: string[]) => detectTestCommand(at, undefined, files)?.command;
    expect(of('packages/order/src/a.ts', 'packages/order/src/b.ts', 'packages/web/c.ts')).toBe(
      'cd packages/order && pnpm test',
    );
    expect(of('services/pay/src/main/java/A.java')).toBe('cd services/pay && ../../mvnw -q -B test');
    expect(of('tools/job/x/y.go')).toBe('cd tools/job && go test ./...');
    expect(of('README.md')).toBeUndefined();
    expect(nearestTestCommand(at, ['packages/web/src/x.ts'])?.folder).toBe('packages/web');
  });
});

describe('a part of the tests', () => {
  const part = (files: Record<string, string>, focus: { files?: string[]; name?: string }, touched: string[] = []) =>
    focused(detectTestCommand(project(files), undefined, touched)!, focus);

  it.each<[string, Record<string, string>, { files?: string[]; name?: string }, string | undefined]>([
    ['vitest', { 'package.json': pkg('vitest run') }, { files: ['test/a.test.ts'] }, 'npm test -- test/a.test.ts'],
    [
      'jest by name',
      { 'package.json': pkg('jest'), 'yarn.lock': '' },
      { name: '超时 关单' },
      "yarn test -t '超时 关单'",
    ],
    ['mocha', { 'package.json': pkg('mocha'), 'pnpm-lock.yaml': '' }, { files: ['a b.js'] }, "pnpm test 'a b.js'"],
    [
      'node:test: only these files',
      { 'package.json': pkg('node --import tsx --test test/*.test.ts') },
      { files: ['test/a.test.ts'], name: 'x' },
      'node --import tsx --test --test-name-pattern=x test/a.test.ts',
    ],
    ['a chain of commands: not', { 'package.json': pkg('tsc && vitest run') }, { files: ['a.ts'] }, undefined],
    [
      'pytest',
      { 'pytest.ini': '' },
      { files: ['tests/test_a.py'], name: 'close' },
      'python3 -m pytest -q -k close tests/test_a.py',
    ],
    [
      'Go',
      { 'go.mod': '' },
      { files: ['order/a_test.go', 'order/b_test.go'], name: 'TestA' },
      'go test ./order -run TestA',
    ],
    [
      'Maven',
      { 'pom.xml': '' },
      { files: ['src/test/java/com/OrderTest.java'] },
      'mvn -q -B test -Dtest=OrderTest -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false',
    ],
    [
      'Gradle',
      { 'build.gradle': '' },
      { files: ['src/test/java/com/OrderTest.java'] },
      'gradle --no-daemon test --tests OrderTest',
    ],
    ['make: not', { Makefile: 'test:\n' }, { files: ['a.c'] }, undefined],
    ['an option in a file name: not', { 'package.json': pkg('vitest run') }, { files: ['--config=x'] }, undefined],
    ['a quote: not', { 'package.json': pkg('vitest run') }, { name: "a'; rm -rf /; '" }, undefined],
  ])('%s', (_name, files, focus, command) => {
    expect(part(files, focus)).toBe(command);
  });

  it('of a package runs in its folder, by names in it', () => {
    const files = { 'packages/order/package.json': pkg('vitest run'), 'packages/order/test/a.test.ts': '' };
    expect(part(files, { files: ['packages/order/test/a.test.ts'] }, ['packages/order/test/a.test.ts'])).toBe(
      'cd packages/order && npm test -- test/a.test.ts',
    );
  });
});
