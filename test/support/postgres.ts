/** A Postgres of a test's own: a cluster in a temporary folder, on a free port, of Debian's package or whatever is on the PATH. */

import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PostgresServer {
  url: string;
  /** Stops it as a crash would and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Debian keeps the programs of each version apart from the PATH. */
function binFolder(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((v) => join(debian, v, 'bin')), ...(process.env.PATH ?? '').split(':')];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/**
 * Starts a cluster of its own.
 *
 * @returns undefined, after one line on stderr, where there is no Postgres
 * @throws always instead, where `CI` is set
 */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const bin = binFolder();
  if (bin === undefined) {
    if (process.env.CI) throw new Error('no Postgres on this machine: apt-get install postgresql');
    process.stderr.write('Tests skipped: there is no Postgres on this machine to test with.\n');
    return undefined;
  }
  const home = mkdtempSync(join(tmpdir(), 'xihe-pg-'));
  const isRoot = process.getuid?.() === 0;
  // Postgres refuses to run as root.
  if (isRoot) chownSync(home, idOf('-u'), idOf('-g'));
  const data = join(home, 'data');
  const run = (program: string, ...args: string[]) => asPostgres(isRoot, join(bin, program), args, home);
  await run('initdb', '-D', data, '-U', 'xihe', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  const port = await freePort();
  const settings = `-p ${port} -k ${home} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200`;
  const start = () => run('pg_ctl', '-D', data, '-o', settings, '-w', '-l', join(home, 'log'), 'start');
  const stop = (mode: string) => run('pg_ctl', '-D', data, '-m', mode, '-w', 'stop');
  await start();
  return {
    url: `postgres://xihe@127.0.0.1:${port}/postgres`,
    async restart() {
      await stop('immediate');
      await start();
    },
    async stop() {
      await stop('immediate');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function idOf(which: '-u' | '-g'): number {
  return Number(spawnSync('id', [which, 'postgres'], { encoding: 'utf8' }).stdout);
}

async function asPostgres(isRoot: boolean, program: string, args: string[], cwd: string): Promise<void> {
  const [command, rest] = isRoot ? ['runuser', ['-u', 'postgres', '--', program, ...args]] : [program, args];
  // The server itself must not hold our pipes open.
  const child = spawn(command, rest, { cwd, stdio: 'ignore' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
