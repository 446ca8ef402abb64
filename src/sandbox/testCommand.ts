import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How the tests of a project are run, and how that was found out (Chinese). */
export interface TestCommand {
  command: string;
  why: string;
}

/** What `npm init` writes into a new package.json. */
const NPM_PLACEHOLDER = /no test specified/;

/**
 * Finds the command that runs a project's tests.
 *
 * @param root absolute
 * @param configured what the team's config says; wins when it is not empty
 * @returns null when there is nothing to go by. Several build systems in one root: the first of package.json, Maven,
 *   Gradle, pytest, Go, Cargo, Makefile.
 */
export function detectTestCommand(root: string, configured?: string): TestCommand | null {
  if (configured !== undefined && configured.trim() !== '')
    return { command: configured.trim(), why: '配置里指定的测试命令' };
  for (const detect of [fromPackageJson, fromMaven, fromGradle, fromPytest, fromGo, fromCargo, fromMakefile]) {
    const found = detect(root);
    if (found !== null) return found;
  }
  return null;
}

function has(root: string, ...names: string[]): string | undefined {
  return names.find((name) => existsSync(join(root, name)));
}

function textOf(root: string, name: string): string {
  try {
    return readFileSync(join(root, name), 'utf8');
  } catch {
    return '';
  }
}

function fromPackageJson(root: string): TestCommand | null {
  let manifest: { scripts?: { test?: unknown }; packageManager?: unknown };
  try {
    manifest = JSON.parse(textOf(root, 'package.json').replace(/^\uFEFF/, '')) as typeof manifest;
  } catch {
    return null;
  }
  const script = manifest?.scripts?.test;
  if (typeof script !== 'string' || script.trim() === '' || NPM_PLACEHOLDER.test(script)) return null;
  const manager = packageManager(root, manifest.packageManager);
  return {
    command: manager === 'bun' ? 'bun run test' : `${manager} test`,
    why: `package.json 的 test 脚本：${script}`,
  };
}

function packageManager(root: string, declared: unknown): string {
  const named = typeof declared === 'string' ? /^(npm|pnpm|yarn|bun)@/.exec(declared)?.[1] : undefined;
  if (named !== undefined) return named;
  const lock = has(root, 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb');
  return lock === undefined ? 'npm' : lock.startsWith('pnpm') ? 'pnpm' : lock.startsWith('yarn') ? 'yarn' : 'bun';
}

function fromMaven(root: string): TestCommand | null {
  if (!has(root, 'pom.xml')) return null;
  return { command: `${has(root, 'mvnw') ? './mvnw' : 'mvn'} -q -B test`, why: '有 pom.xml' };
}

function fromGradle(root: string): TestCommand | null {
  const build = has(root, 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts');
  // A daemon would outlive the command, and be ended as one that was left behind.
  return build === undefined
    ? null
    : { command: `${has(root, 'gradlew') ? './gradlew' : 'gradle'} --no-daemon test`, why: `有 ${build}` };
}

function fromPytest(root: string): TestCommand | null {
  const sign = pytestSign(root);
  if (sign === null) return null;
  const python = has(root, '.venv/bin/python', 'venv/bin/python') ?? 'python3';
  return { command: `${python} -m pytest -q`, why: sign };
}

function pytestSign(root: string): string | null {
  const own = has(root, 'pytest.ini', 'conftest.py');
  if (own !== undefined) return `有 ${own}`;
  if (/^\[tool\.pytest/m.test(textOf(root, 'pyproject.toml'))) return 'pyproject.toml 里配置了 pytest';
  if (/^\[tool:pytest\]/m.test(textOf(root, 'setup.cfg'))) return 'setup.cfg 里配置了 pytest';
  if (/^\[pytest\]/m.test(textOf(root, 'tox.ini'))) return 'tox.ini 里配置了 pytest';
  for (const dir of ['tests', 'test', '.']) {
    const test = listNames(join(root, dir)).find((name) => /^(test_.*|.*_test)\.py$/.test(name));
    if (test !== undefined) return `有 ${dir === '.' ? '' : `${dir}/`}${test}`;
  }
  return null;
}

function listNames(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function fromGo(root: string): TestCommand | null {
  return has(root, 'go.mod') ? { command: 'go test ./...', why: '有 go.mod' } : null;
}

function fromCargo(root: string): TestCommand | null {
  return has(root, 'Cargo.toml') ? { command: 'cargo test', why: '有 Cargo.toml' } : null;
}

function fromMakefile(root: string): TestCommand | null {
  const file = has(root, 'Makefile', 'makefile', 'GNUmakefile');
  if (file === undefined || !/^test\s*:(?!=)/m.test(textOf(root, file))) return null;
  return { command: 'make test', why: `${file} 里有 test 目标` };
}
