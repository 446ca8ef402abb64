import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, extname, isAbsolute, join, resolve } from 'node:path';
import { isSecretName } from '../text/index.js';

/** A program and its arguments as `spawn` takes them. */
export interface Command {
  file: string;
  args: string[];
  /** Windows: pass the arguments as they are (they are quoted already). */
  verbatim?: boolean;
}

const WINDOWS = process.platform === 'win32';

/** Set for every command: no pager and no question may wait for a terminal that is not there, no colours for models. */
const QUIET_ENV: Readonly<Record<string, string>> = {
  CI: '1',
  NO_COLOR: '1',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
  // Build daemons outlive their command by design; here that would look like a process left behind.
  MSBUILDDISABLENODEREUSE: '1',
  GRADLE_OPTS: '-Dorg.gradle.daemon=false',
};

/**
 * The environment of a command: ours without secrets (a model's command must not print the model's key), the quiet
 * settings, then what the request asks for.
 */
export function commandEnv(
  extra: Readonly<Record<string, string>> = {},
  base: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || /^(FORCE_COLOR|SSH_AUTH_SOCK|GPG_AGENT_INFO)$/.test(name)) continue;
    if (name === 'PWD' || !isSecretName(name)) env[name] = value;
  }
  for (const [name, value] of Object.entries(QUIET_ENV))
    env[name] = name === 'GRADLE_OPTS' && env[name] ? `${env[name]} ${value}` : value;
  return { ...env, ...extra };
}

/** A shell line as a command: bash where it exists (models write bash), else sh; cmd.exe on Windows. */
export function shellCommand(line: string, env: Readonly<Record<string, string>>): Command {
  if (WINDOWS) return { file: env.ComSpec ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
  return { file: findProgram('bash', '/', env) ?? '/bin/sh', args: ['-c', line] };
}

/**
 * A program with arguments as a command.
 *
 * @returns null when the program does not exist
 */
export function programCommand(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Command | null {
  const [name, ...args] = argv;
  const file = name === undefined || name === '' ? null : findProgram(name, cwd, env);
  if (file === null) return null;
  // Windows starts .cmd and .bat (npm, mvn, gradlew) only through cmd.exe.
  if (WINDOWS && /^\.(cmd|bat)$/i.test(extname(file))) {
    const line = [file, ...args].map(quoteForCmd).join(' ');
    return { file: env.ComSpec ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
  }
  return { file, args };
}

/**
 * The same command with a resource limit as a mark that its children can't shed: they may clear their environment,
 * leave the session and lose their parent, but limits are inherited.
 *
 * The limit is RLIMIT_LOCKS, which Linux keeps, inherits and has ignored since 2.4.25 (getrlimit(2)): no program notices.
 *
 * @param value a whole number that no other process has
 * @returns null where neither bash nor prlimit can set it
 */
export function markedByLimit(command: Command, value: number, env: Readonly<Record<string, string>>): Command | null {
  if (process.platform !== 'linux') return null;
  const bash = findProgram('bash', '/', env);
  const script = `ulimit -x ${value} 2>/dev/null; exec "$@"`;
  if (bash !== null) return { file: bash, args: ['-c', script, 'xihe', command.file, ...command.args] };
  const prlimit = findProgram('prlimit', '/', env);
  return prlimit === null ? null : { file: prlimit, args: [`--locks=${value}`, command.file, ...command.args] };
}

function quoteForCmd(arg: string): string {
  const quoted = /[\s"&|<>^%!()]/.test(arg) ? `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"` : arg;
  return quoted.replace(/%/g, '^%');
}

/** The absolute path of a program, as the shell would find it; null when there is none. */
export function findProgram(
  name: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const endings = WINDOWS && extname(name) === '' ? (env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';') : [''];
  const hasFolder = isAbsolute(name) || name.includes('/') || (WINDOWS && name.includes('\\'));
  const folders = hasFolder ? [''] : (env.PATH ?? env.Path ?? '').split(delimiter).filter((d) => d !== '');
  for (const folder of folders) {
    for (const ending of endings) {
      const candidate = resolve(cwd, join(folder, name) + ending);
      if (isExecutableFile(candidate)) return candidate;
    }
  }
  return null;
}

function isExecutableFile(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    if (!WINDOWS) accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether a folder exists (a missing cwd makes `spawn` say that the program is missing). */
export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
