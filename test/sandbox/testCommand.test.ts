import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dangerOf, detectTestCommand } from '../../src/sandbox/index.js';
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
