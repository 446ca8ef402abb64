import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach } from 'vitest';

const made: string[] = [];

afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** A folder of this test, removed after it. */
export function tempDir(name = 'xihe-test-'): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), name)));
  made.push(dir);
  return dir;
}

/** A small seeded generator: whole numbers below n. */
export function seeded(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** Everything under a folder: path → bytes as hex, or 'dir'; `skip` names folders at the top. */
export function snapshot(dir: string, skip: readonly string[] = []): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (rel: string) => {
    for (const entry of readdirSync(join(dir, rel), { withFileTypes: true })) {
      const path = rel === '' ? entry.name : `${rel}/${entry.name}`;
      if (skip.includes(path)) continue;
      if (entry.isDirectory()) {
        found[path] = 'dir';
        walk(path);
      } else if (entry.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(dir, path))}`;
      else found[path] = readFileSync(join(dir, path)).toString('hex');
    }
  };
  walk('');
  return found;
}

let built: string | undefined;

/** `child.ts` as one file, so that starting it takes a tenth of a second: tests start it a hundred times. */
export function childScript(): string {
  if (built === undefined) {
    // Inside the project, so that its packages are found from there.
    built = resolve(`node_modules/.cache/xihe-tests/child-${process.pid}.mjs`);
    buildSync({
      entryPoints: [resolve('test/sandbox/child.ts')],
      outfile: built,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    });
    process.once('exit', () => rmSync(built!, { force: true }));
  }
  return built;
}

/** Runs `child.ts` in a process of its own; `env` places crashes and faults. */
export function runChild(
  args: readonly unknown[],
  env: Record<string, string> = {},
): { status: number | null; signal: string | null; out: string } {
  const r = spawnSync(process.execPath, [childScript(), ...args.map((a) => JSON.stringify(a))], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  return { status: r.status, signal: r.signal, out: r.stdout + r.stderr };
}

/** The same without waiting for each other: what each printed, in order. */
export function runChildren(all: readonly (readonly unknown[])[]): Promise<string[]> {
  const script = childScript();
  return Promise.all(
    all.map(
      (args) =>
        new Promise<string>((done) => {
          const child = spawn(process.execPath, [script, ...args.map((a) => JSON.stringify(a))]);
          let out = '';
          for (const stream of [child.stdout, child.stderr]) {
            stream.on('data', (d: Buffer) => {
              out += d.toString();
            });
          }
          child.on('close', () => done(out));
        }),
    ),
  );
}
