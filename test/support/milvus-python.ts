/** A Python environment with milvus-lite, made once and kept in the user's cache folder. */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Named in the folder too, so that another version is another folder. */
const PACKAGES = ['milvus-lite==3.2.2', 'pymilvus==3.0.2', 'jieba==0.42.1'];

/** What pip says when it is the network, and nothing of ours, that fails. */
const NO_NETWORK =
  /NewConnectionError|NameResolutionError|ConnectTimeout|ReadTimeout|Temporary failure in name resolution|Network is unreachable|Connection refused|Max retries exceeded|ProxyError/;

function cacheFolder(): string {
  if (process.platform === 'win32') return process.env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

function python(dir: string): string {
  return process.platform === 'win32' ? join(dir, 'Scripts', 'python.exe') : join(dir, 'bin', 'python');
}

/**
 * The Python that can run milvus-lite; the first call on a machine installs about 500 MB.
 *
 * @returns undefined, after one line on stderr, where PyPI can't be reached
 * @throws when it can't be made for another reason, and always where `CI` is set
 */
export async function milvusPython(): Promise<string | undefined> {
  const cache = join(cacheFolder(), 'xihe-test-milvus');
  const final = join(cache, PACKAGES[0]!.replace('==', '-'));
  mkdirSync(cache, { recursive: true });
  const unlock = await lock(join(cache, 'lock'));
  try {
    if (!existsSync(python(final))) await install(cache, final);
    return python(final);
  } catch (e) {
    const reason = (e as Error).message;
    if (process.env.CI || !NO_NETWORK.test(reason)) throw e;
    process.stderr.write('Milvus tests skipped: PyPI can not be reached, so there is no milvus-lite to test with.\n');
    return undefined;
  } finally {
    unlock();
  }
}

/** Into a folder of its own first: what an interrupted run leaves is never taken for an environment. */
async function install(cache: string, final: string): Promise<void> {
  const dir = mkdtempSync(join(cache, 'making-'));
  try {
    await run('python3', ['-m', 'venv', dir]);
    // Retries, because only with them pip says why it finds nothing.
    const options = ['--quiet', '--disable-pip-version-check', '--retries', '2'];
    await run(python(dir), ['-m', 'pip', 'install', ...options, ...PACKAGES]);
    // It is started as a module: scripts in a moved environment name the old folder.
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
    child.on('exit', resolve);
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
      if (!isAlive(file)) rmSync(file, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
}

/** Installing takes a minute or two; after a restart of the machine the number may be another process's. */
const LOCK_MS = 15 * 60_000;

function isAlive(file: string): boolean {
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
