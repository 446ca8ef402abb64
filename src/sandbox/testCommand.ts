import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** How the tests of a project are run, and how that was found out (Chinese). */
export interface TestCommand {
  /** A shell line for the project's root. */
  command: string;
  why: string;
  /** The folder whose tests they are, POSIX, relative to the root; '.' for the root itself. */
  folder: string;
  /** What the command itself runs in that folder. */
  line: string;
  /** The script behind it, for package managers. */
  script?: string;
}

type Found = Pick<TestCommand, 'command' | 'why' | 'script'>;

/** What `npm init` writes into a new package.json. */
const NPM_PLACEHOLDER = /no test specified/;

const DETECTORS = [fromPackageJson, fromMaven, fromGradle, fromPytest, fromGo, fromCargo, fromMakefile];

/**
 * Finds the command that runs a project's tests.
 *
 * @param root absolute
 * @param configured what the team's config says; wins when it is not empty
 * @param touched files that the tests are to be about, POSIX, relative: where the root has no tests of its own (a monorepo), the nearest
 *   package around most of them is taken
 * @returns null when there is nothing to go by. Several build systems in one root: the first of package.json, Maven,
 *   Gradle, pytest, Go, Cargo, Makefile.
 */
export function detectTestCommand(
  root: string,
  configured?: string,
  touched: readonly string[] = [],
): TestCommand | null {
  const set = configured?.trim() ?? '';
  if (set !== '') return { command: set, line: set, folder: '.', why: '配置里指定的测试命令' };
  return testCommandIn(root, '.') ?? nearestTestCommand(root, touched);
}

/**
 * The tests of the nearest package around most of these files.
 *
 * @returns null where no folder around them has tests of its own
 */
export function nearestTestCommand(root: string, files: readonly string[]): TestCommand | null {
  const counts = new Map<string, { found: TestCommand; files: number }>();
  for (const file of files) {
    const found = around(root, file);
    if (found === null) continue;
    const known = counts.get(found.folder);
    counts.set(found.folder, { found, files: (known?.files ?? 0) + 1 });
  }
  return [...counts.values()].sort((a, b) => b.files - a.files)[0]?.found ?? null;
}

function around(root: string, file: string): TestCommand | null {
  for (let folder = posix.dirname(file); ; folder = posix.dirname(folder)) {
    const found = testCommandIn(root, folder);
    if (found !== null || folder === '.') return found;
  }
}

function testCommandIn(root: string, folder: string): TestCommand | null {
  for (const detect of DETECTORS) {
    const found = detect(join(root, folder), root);
    if (found === null) continue;
    if (folder === '.') return { ...found, line: found.command, folder };
    // A wrapper lies at the root of a build of several modules.
    const up = folder
      .split('/')
      .map(() => '..')
      .join('/');
    const line = found.command.replace(/^\.\/(mvnw|gradlew)/, (_, name: string) =>
      has(join(root, folder), name) ? `./${name}` : `${up}/${name}`,
    );
    const command = `cd ${/^[\w./-]+$/.test(folder) ? folder : `'${folder}'`} && ${line}`;
    return { ...found, command, line, folder, why: `${folder} 里的 ${found.why}` };
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

function fromPackageJson(root: string, top = root): Found | null {
  let manifest: { scripts?: { test?: unknown }; packageManager?: unknown };
  try {
    manifest = JSON.parse(textOf(root, 'package.json').replace(/^\uFEFF/, '')) as typeof manifest;
  } catch {
    return null;
  }
  const script = manifest?.scripts?.test;
  if (typeof script !== 'string' || script.trim() === '' || NPM_PLACEHOLDER.test(script)) return null;
  const manager = packageManager(root, manifest.packageManager) ?? packageManager(top, topManager(top)) ?? 'npm';
  return {
    command: manager === 'bun' ? 'bun run test' : `${manager} test`,
    why: `package.json 的 test 脚本：${script}`,
    script,
  };
}

function packageManager(root: string, declared: unknown): string | undefined {
  const named = typeof declared === 'string' ? /^(npm|pnpm|yarn|bun)@/.exec(declared)?.[1] : undefined;
  if (named !== undefined) return named;
  const lock = has(root, 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock', 'bun.lockb', 'package-lock.json');
  return lock === undefined ? undefined : (/^(pnpm|yarn|bun)/.exec(lock)?.[1] ?? 'npm');
}

/** What the manifest of the whole repository declares: its packages follow it. */
function topManager(top: string): unknown {
  return /"packageManager"\s*:\s*"([^"]+)"/.exec(textOf(top, 'package.json'))?.[1];
}

function fromMaven(root: string, top = root): Found | null {
  if (!has(root, 'pom.xml')) return null;
  return { command: `${has(root, 'mvnw') || has(top, 'mvnw') ? './mvnw' : 'mvn'} -q -B test`, why: '有 pom.xml' };
}

function fromGradle(root: string, top = root): Found | null {
  const build = has(root, 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts');
  // A daemon would outlive the command, and be ended as one that was left behind.
  return build === undefined
    ? null
    : {
        command: `${has(root, 'gradlew') || has(top, 'gradlew') ? './gradlew' : 'gradle'} --no-daemon test`,
        why: `有 ${build}`,
      };
}

function fromPytest(root: string): Found | null {
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

function fromGo(root: string): Found | null {
  return has(root, 'go.mod') ? { command: 'go test ./...', why: '有 go.mod' } : null;
}

function fromCargo(root: string): Found | null {
  return has(root, 'Cargo.toml') ? { command: 'cargo test', why: '有 Cargo.toml' } : null;
}

function fromMakefile(root: string): Found | null {
  const file = has(root, 'Makefile', 'makefile', 'GNUmakefile');
  if (file === undefined || !/^test\s*:(?!=)/m.test(textOf(root, file))) return null;
  return { command: 'make test', why: `${file} 里有 test 目标` };
}
