import { execFile } from 'node:child_process';
import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { copyFile, lstat, readdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { XiheError } from '../errors.js';

/** Left out when there is no git to say what belongs to the project. */
const WALK_SKIPS = new Set([
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  'target',
  '.gradle',
  '.tox',
  '.mypy_cache',
  '.next',
  '.nuxt',
]);
/** Installed by a package manager, whatever git says: linked, never copied. Anywhere in the tree. */
const NEVER_COPIED = /(^|\/)(node_modules|\.venv)(\/|$)/;
/** Xihe's own state: it grows, and it holds the checkpoints of other runs. */
const STATE_DIR = /^\.xihe\/state(\/|$)/;
/** Files of a project at most; a million small files fill a disk's inode table, not its bytes. */
const MAX_FILES = 200_000;
/** File copies at once: enough to keep a disk busy. */
const PARALLEL_COPIES = 16;
/** `git ls-files` of 200,000 paths. Bytes. */
const GIT_OUTPUT_BYTES = 64 * 1024 * 1024;
const PROGRESS_EVERY_MS = 1_000;
/** Files looked at before other work gets its turn: about 5 ms. */
const FILES_PER_BREATH = 1_000;

interface ListOptions {
  exclude: readonly string[];
  signal?: AbortSignal | undefined;
}

/**
 * The files of a project: POSIX paths relative to the root, sorted.
 *
 * @throws XiheError FILE_TOO_LARGE when there are too many
 */
export async function listProject(root: string, options: ListOptions): Promise<string[]> {
  const excluded = (path: string) =>
    NEVER_COPIED.test(path) ||
    STATE_DIR.test(path) ||
    options.exclude.some((e) => path === e || path.startsWith(e.endsWith('/') ? e : `${e}/`));
  const found = (await listByGit(root, options.signal)) ?? (await walk(root, '', excluded, options.signal));
  const wanted = found.filter((path) => !excluded(path));
  const files = await expandFolders(root, wanted, excluded, options.signal);
  if (files.length > MAX_FILES) throw tooLarge(`项目有 ${files.length} 个文件，超过 ${MAX_FILES} 个`, files);
  return files.sort();
}

/** What git tracks and what it does not ignore; null when the root is no git work tree. */
async function listByGit(root: string, signal: AbortSignal | undefined): Promise<string[] | null> {
  const args = [
    '-C',
    root,
    '-c',
    'core.quotepath=false',
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
  ];
  try {
    const { stdout } = await promisify(execFile)('git', args, {
      maxBuffer: GIT_OUTPUT_BYTES,
      env: plainGitEnv(),
      ...(signal ? { signal } : {}),
    });
    const paths = stdout.split('\0').filter((p) => p !== '');
    // A root that an outer repository ignores lists nothing: then git knows nothing about it.
    return paths.length === 0 ? null : paths;
  } catch (e) {
    if (signal?.aborted) throw e;
    return null; // no git, no work tree, or a folder that belongs to someone else
  }
}

/** Inside a git hook these variables point at another repository or index. */
function plainGitEnv(): NodeJS.ProcessEnv {
  const set = new Set(['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE']);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !set.has(name)));
}

/**
 * Replaces folders by the files in them: git lists a submodule or a nested repository as one entry, and a link to a folder
 * outside the project is copied with what lies behind it, so that no write gets there.
 */
async function expandFolders(
  root: string,
  paths: readonly string[],
  excluded: (path: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const files: string[] = [];
  for (const [i, path] of paths.entries()) {
    if (i % FILES_PER_BREATH === 0) await breathe(signal);
    const clean = path.replace(/\/$/, '');
    const stat = lstatSync(join(root, clean), { throwIfNoEntry: false });
    if (stat === undefined) continue; // tracked, but deleted in the work tree
    if (stat.isDirectory() || (stat.isSymbolicLink() && leadsToFolderOutside(root, clean))) {
      files.push(...(await walk(root, clean, excluded, signal)));
    } else files.push(clean);
  }
  return files;
}

function leadsToFolderOutside(root: string, path: string): boolean {
  try {
    const real = realpathSync(join(root, path));
    return real !== root && !real.startsWith(root + sep) && statSync(real).isDirectory();
  } catch {
    return false; // a link to nothing
  }
}

/** Lets other work and an abort through. */
async function breathe(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal?.throwIfAborted();
}

async function walk(
  root: string,
  from: string,
  excluded: (path: string) => boolean,
  signal?: AbortSignal,
): Promise<string[]> {
  const files: string[] = [];
  const folders = [from];
  while (folders.length > 0 && files.length <= MAX_FILES) {
    signal?.throwIfAborted();
    const folder = folders.pop()!;
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (WALK_SKIPS.has(entry.name) || excluded(path)) continue;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile() || entry.isSymbolicLink()) files.push(path);
    }
  }
  return files;
}

interface CopyOptions {
  maxBytes: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((text: string) => void) | undefined;
}

/** Copies the files; the total size is known before the first byte is written. */
export async function copyFiles(
  root: string,
  target: string,
  files: readonly string[],
  options: CopyOptions,
): Promise<void> {
  await checkSize(root, files, options);
  for (const dir of new Set(files.map((f) => dirname(f)))) mkdirSync(join(target, dir), { recursive: true });
  let next = 0;
  let told = performance.now();
  const worker = async () => {
    while (next < files.length) {
      const path = files[next++]!;
      options.signal?.throwIfAborted();
      await copyOne(root, target, path);
      if (performance.now() - told < PROGRESS_EVERY_MS) continue;
      told = performance.now();
      options.onProgress?.(`正在复制项目：${next}/${files.length} 个文件`);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_COPIES }, worker));
}

async function checkSize(root: string, files: readonly string[], options: CopyOptions): Promise<void> {
  const perFolder = new Map<string, number>();
  let total = 0;
  for (const [i, path] of files.entries()) {
    if (i % FILES_PER_BREATH === 0) await breathe(options.signal);
    const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
    const size = stat?.isFile() ? stat.size : 0;
    const top = path.split('/')[0]!;
    perFolder.set(top, (perFolder.get(top) ?? 0) + size);
    total += size;
  }
  if (total <= options.maxBytes) return;
  const largest = [...perFolder].sort((a, b) => b[1] - a[1]).slice(0, 3);
  const megabytes = (n: number) => `${Math.round(n / 1024 / 1024)} MB`;
  const names = largest.map(([name, size]) => `${name}（${megabytes(size)}）`).join('、');
  throw tooLarge(`项目太大，不能复制：${megabytes(total)}，上限 ${megabytes(options.maxBytes)}；最大的是 ${names}`, []);
}

function tooLarge(message: string, files: readonly string[]): XiheError {
  return new XiheError('FILE_TOO_LARGE', message, {
    hint: '把数据、构建产物写进 .gitignore，或在运行时排除这些目录。',
    details: { files: files.length },
  });
}

async function copyOne(root: string, target: string, path: string): Promise<void> {
  const from = join(root, path);
  const to = join(target, path);
  const stat = await lstat(from).catch(() => null);
  if (stat === null) return; // gone since it was listed
  if (stat.isSymbolicLink()) copyLink(root, target, path);
  // Shares the disk blocks where the file system can (btrfs, XFS, APFS); permission bits come along.
  else if (stat.isFile()) await copyFile(from, to, constants.COPYFILE_FICLONE);
}

/** A link stays a link when it points into the project; a file outside is copied, so that no write gets there. */
function copyLink(root: string, target: string, path: string): void {
  const from = join(root, path);
  const to = join(target, path);
  const points = readlinkSync(from);
  const aim = resolve(realpathSync(dirname(from)), points);
  if (aim === root || aim.startsWith(root + sep)) {
    symlinkSync(isAbsolute(points) ? join(target, relative(root, aim)) : points, to);
    return;
  }
  if (!existsSync(from)) return; // a link to nothing outside: nothing to copy
  const real = realpathSync(from);
  if (statSync(real).isFile()) copyFileSync(real, to, constants.COPYFILE_FICLONE);
}
