/**
 * 200 commands that fork, leave their session, ignore SIGTERM, fill pipes, print a gigabyte or eat memory: none may count as a success,
 * and neither a process nor a file outside may be left. `npm run bench:sandbox -- [--keeper pid-namespace|subreaper|process-table] [--every n]`
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { confinementStatus, makeScratch, runProcess } from '../src/sandbox/index.js';
import type { KeeperKind } from '../src/sandbox/keeper.js';
import { type Attack, type HostileCommand, hostileCommands } from './sandbox-commands.js';

/** Long enough for every command to do its harm, short enough for 200. Milliseconds. */
const TIMEOUT_MS = 1_500;
/** What all processes of one command may take. Bytes. */
const MAX_MEMORY_BYTES = 256 * 1024 * 1024;

/** What one command did. */
export interface Survived {
  command: HostileCommand;
  outcome: string;
  keeper: KeeperKind;
  ms: number;
  /** Command lines of processes that are left. */
  processes: string[];
  /** Files outside the copy that it left. */
  files: string[];
}

/** Runs one command in a copy of a project, and looks at what is left. Without `keeper` the strongest that works here. */
export async function survive(project: string, command: HostileCommand, keeper?: KeeperKind): Promise<Survived> {
  const scratch = await makeScratch(project, undefined, {});
  try {
    const limits = { timeoutMs: TIMEOUT_MS, maxMemoryBytes: MAX_MEMORY_BYTES, ...(keeper ? { keeper } : {}) };
    const result = await runProcess({ shell: command.shell, cwd: scratch.dir, ...limits });
    const { outcome, durationMs: ms } = result;
    const left = { processes: processesWith(command.mark), files: filesWith(command.mark, project) };
    return { command, outcome, keeper: result.keeper, ms, ...left };
  } finally {
    await scratch.dispose();
  }
}

/** A project that is copied in no time. */
export function smallProject(): string {
  const dir = mkdtempSync(join(tmpdir(), 'xihe-hostile-'));
  mkdirSync(join(dir, 'src'));
  writeFileSync(join(dir, 'src/a.ts'), 'export const a = 1;\n');
  return dir;
}

/** Living processes that have a mark in their command line. */
export function processesWith(mark: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const isDead = /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
        return line.includes(mark) && !isDead ? [line.slice(0, 100)] : [];
      } catch {
        return [];
      }
    });
}

function filesWith(mark: string, project: string): string[] {
  return [homedir(), tmpdir(), project, join(project, 'src'), '/', process.cwd()]
    .filter((dir) => existsSync(dir))
    .flatMap((dir) =>
      readdirSync(dir)
        .filter((name) => name.includes(mark) || name === 'nohup.out')
        .map((name) => join(dir, name)),
    );
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { keeper: { type: 'string' }, every: { type: 'string' } } });
  const every = Number(values.every ?? 1);
  const all = hostileCommands(40_000_000 + (process.pid % 100_000) * 1_000).filter((_, i) => i % every === 0);
  const project = smallProject();
  const done: Survived[] = [];
  try {
    for (const command of all) {
      const one = await survive(project, command, values.keeper as KeeperKind | undefined);
      done.push(one);
      if (one.outcome === 'ok' || one.processes.length > 0 || one.files.length > 0) console.error(one);
      for (const line of one.processes) console.error('left:', line);
    }
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
  console.log((await confinementStatus()).why);
  console.log(`kept by: ${[...new Set(done.map(({ keeper }) => keeper))].join(', ')}\n`);
  console.log('| attack | commands | counted as success | processes left | files left | slowest, s |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  const row = (name: string, rows: Survived[]) => {
    const count = (is: (one: Survived) => boolean) => rows.filter(is).length;
    const slowest = Math.max(...rows.map(({ ms }) => ms)) / 1000;
    const left = [
      count(({ outcome }) => outcome === 'ok'),
      count(({ processes }) => processes.length > 0),
      count(({ files }) => files.length > 0),
    ];
    console.log(`| ${name} | ${rows.length} | ${left.join(' | ')} | ${slowest.toFixed(1)} |`);
  };
  for (const attack of new Set<Attack>(all.map((command) => command.attack)))
    row(
      attack,
      done.filter(({ command }) => command.attack === attack),
    );
  row('all', done);
}

if (process.argv[1]?.endsWith('sandbox.ts')) await main();
