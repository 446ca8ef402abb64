import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../src/assets.js';

/** A temporary copy of the example shop, with what it needs to run its own tests linked from the checkout. */
export function copyMall(options: { link?: boolean; name?: string } = {}): string {
  const dir = mkdtempSync(join(tmpdir(), options.name ?? 'xihe-mall-'));
  cpSync(join(packageRoot(), 'examples', 'mall'), dir, {
    recursive: true,
    filter: (p) => !/node_modules|\.xihe\/state/.test(p),
  });
  if (options.link !== false) linkPackages(dir);
  return dir;
}

/**
 * What `npm install` would put into the shop: the packages that it names, and theirs. Not the whole node_modules of the checkout: a
 * machine without bwrap copies that, 15,000 files, for every command of every run.
 */
function linkPackages(dir: string): void {
  const installed = join(packageRoot(), 'node_modules');
  const done = new Set<string>();
  const link = (manifest: string, keys: readonly string[]): void => {
    const fields = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, Record<string, string>>;
    for (const name of keys.flatMap((key) => Object.keys(fields[key] ?? {}))) {
      // Of optional packages, those for other systems are not there.
      if (done.has(name) || !existsSync(join(installed, name))) continue;
      done.add(name);
      const target = join(dir, 'node_modules', name);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(join(installed, name), target);
      link(join(installed, name, 'package.json'), ['dependencies', 'optionalDependencies']);
    }
  };
  link(join(dir, 'package.json'), ['dependencies', 'devDependencies']);
}

export function removeDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}

/** Hash of every file of a tree (path, bytes, mode), the state folder left out: equal before and after means untouched. */
export function treeHash(dir: string): string {
  const hash = createHash('sha256');
  const walk = (at: string): void => {
    for (const name of readdirSync(join(dir, at)).sort()) {
      const path = at ? `${at}/${name}` : name;
      if (path === '.xihe/state' || name === 'node_modules' || name === '.git') continue;
      const stat = lstatSync(join(dir, path));
      if (stat.isDirectory()) walk(path);
      else
        hash
          .update(`${path}\0${stat.mode}\0`)
          .update(stat.isSymbolicLink() ? readlinkSync(join(dir, path)) : readFileSync(join(dir, path)));
    }
  };
  walk('');
  return hash.digest('hex');
}

export interface CliResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents whose schema they also check
  json: any;
}

export interface CliOptions {
  env?: Record<string, string>;
  cwd?: string;
  input?: string;
  /** Who runs it, where permissions are tested: root may read everything. */
  uid?: number;
  /** Called with the process as soon as it runs, e.g. to kill it. */
  onStart?: (child: ChildProcess) => void;
  onStderr?: (text: string, child: ChildProcess) => void;
}

/** The environment of a user without any setting of ours. */
export function cleanEnv(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [key, value] of Object.entries(process.env))
    if (!/^(XIHE_|LANGSMITH|LANGCHAIN|OPENAI)/.test(key)) env[key] = value;
  // As in vitest.config.ts: the embedding model only where a test is about it.
  return { ...env, XIHE_SKIP_BUILD: '1', NO_COLOR: '1', XIHE_EMBED_PROVIDER: 'none', ...extra };
}

/** Runs the real command line in a child process. */
export function xihe(args: string[], options: CliOptions = {}): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(packageRoot(), 'bin', 'xihe'), ...args], {
      cwd: options.cwd ?? tmpdir(),
      env: cleanEnv(options.env),
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      options.onStderr?.(text, child);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      let json: unknown;
      if (args.includes('--json') && stdout.trim() !== '') json = JSON.parse(stdout);
      resolve({ code, signal, stdout, stderr, json });
    });
    child.stdin.end(options.input ?? '');
    options.onStart?.(child);
  });
}

/** Settings that point the command line at a scripted model. */
export function modelEnv(baseUrl: string): Record<string, string> {
  return { XIHE_BASE_URL: baseUrl, XIHE_API_KEY: 'test-key', XIHE_MODEL: 'scripted' };
}
