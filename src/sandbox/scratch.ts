import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { errnoOf, messageOf, XiheError } from '../errors.js';
import type { Changeset } from './changeset.js';
import { confinementStatus } from './confinement.js';
import { linkDependencies } from './dependencies.js';
import { ownerState, parseOwner, selfOwner } from './liveness.js';
import { privateHome } from './privateHome.js';
import { copyFiles, listProject } from './scratchFiles.js';
import { forgetScratch, registerScratch } from './scratchRegistry.js';
import { holdsSecrets } from './secretFilter.js';
import { modeNow } from './treeWriter.js';

/** Settings of a scratch copy. */
export interface ScratchOptions {
  /** Paths (files or folders, POSIX, relative to the root) that are left out. */
  exclude?: readonly string[];
  /** Bytes copied at most; default {@link MAX_SCRATCH_BYTES}. */
  maxBytes?: number;
  signal?: AbortSignal | undefined;
  /** Gets a Chinese line now and then when copying takes longer than a second. */
  onProgress?: ((text: string) => void) | undefined;
}

/** A private copy of a project, where commands may do what they like. */
export interface Scratch {
  /** The copy's root, absolute; its last part is the project's folder name. */
  dir: string;
  /** Files of the project that hold secrets and were left out. POSIX, relative to the root. */
  leftOut: readonly string[];
  /** Folders of the user's dependencies that the copy links to; without bwrap a command can write there. Absolute. */
  linked: readonly string[];
  /** Lays the changeset's present state over the copy again (files that commands changed meanwhile stay). */
  sync(changeset: Changeset): void;
  /** Removes the copy; a second call does nothing. */
  dispose(): Promise<void>;
}

/** A project's own text is rarely above 100 MB; what is larger holds data that should be excluded. Bytes. */
export const MAX_SCRATCH_BYTES = 512 * 1024 * 1024;

/**
 * Dependencies that are copied where commands are not confined, so that they can't write to the user's through a link; larger
 * ones are linked, because a second before each command is the most that people would wait. Bytes.
 */
const MAX_COPIED_DEPENDENCIES = 50 * 1024 * 1024;

const PREFIX = 'xihe-scratch-';
/** A folder without an owner's note this old was left by a crash between its making and the note. Milliseconds. */
const UNOWNED_STALE_MS = 60_000;

/**
 * Copies a project to the system's temporary folder and lays the staged edits over the copy.
 *
 * In the copy: what git tracks and what it does not ignore (without git: everything but dependencies and build output).
 * Not in it: `.git`, ignored files, `.xihe/state`, files of secrets (`holdsSecrets`). Installed dependencies are linked, or
 * copied where they are small and nothing confines commands, see `linkDependencies`.
 *
 * @param root absolute
 * @throws XiheError FILE_TOO_LARGE over the size limit, CANCELLED on abort, STATE_UNWRITABLE without a
 *   temporary folder; nothing is left behind then
 */
export async function makeScratch(root: string, changeset?: Changeset, options: ScratchOptions = {}): Promise<Scratch> {
  const temp = tempFolder();
  sweepScratches(temp);
  const real = realpathSync(root);
  const base = join(temp, `${PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    mkdirSync(base, { mode: 0o700 });
  } catch (cause) {
    throw noTemp(temp, cause);
  }
  const dispose = async () => {
    forgetScratch(base);
    await removeTree(base);
  };
  try {
    writeFileSync(join(base, 'owner.json'), JSON.stringify(selfOwner()));
    const dir = join(base, basename(real) || 'project');
    mkdirSync(dir);
    const listed = await listProject(real, { exclude: options.exclude ?? [], signal: options.signal });
    const leftOut = listed.filter((path) => holdsSecrets(real, path));
    const hidden = new Set(leftOut);
    const files = listed.filter((path) => !hidden.has(path));
    await copyFiles(real, dir, files, { ...options, maxBytes: options.maxBytes ?? MAX_SCRATCH_BYTES });
    const { kind } = await confinementStatus();
    const links = linkDependencies(real, dir, files, kind === 'bwrap' ? 0 : MAX_COPIED_DEPENDENCIES);
    registerScratch({
      base,
      root: real,
      readable: links.readable,
      env: links.env,
      unconfinedEnv: privateHome(base),
    });
    const overlay = new Overlay(real, dir);
    if (changeset) overlay.lay(changeset);
    return { dir, leftOut, linked: links.linked, sync: (c) => overlay.lay(c), dispose };
  } catch (e) {
    await dispose();
    if (options.signal?.aborted && !XiheError.is(e)) throw cancelled(e);
    if (['ENOSPC', 'EDQUOT'].includes(errnoOf(e) ?? '')) throw noTemp(temp, e);
    throw e;
  }
}

function tempFolder(): string {
  try {
    const dir = realpathSync(tmpdir());
    if (!statSync(dir).isDirectory()) throw new Error('not a folder');
    return dir;
  } catch (cause) {
    throw noTemp(tmpdir(), cause);
  }
}

function noTemp(dir: string, cause: unknown): XiheError {
  return new XiheError('STATE_UNWRITABLE', `临时目录用不了：${dir}（${messageOf(cause)}）`, {
    hint: '把环境变量 TMPDIR 设为一个存在、可写、有空间的目录再运行。',
    cause,
  });
}

function cancelled(cause: unknown): XiheError {
  return new XiheError('CANCELLED', '复制项目时被取消', { hint: '需要时重新运行。', cause });
}

/** The staged files on a copy, and what they were last time. */
class Overlay {
  private laid = new Map<string, string | null>();

  constructor(
    private readonly root: string,
    private readonly dir: string,
  ) {}

  lay(changeset: Changeset): void {
    const now = new Map(changeset.list().map((file) => [file.path, file]));
    for (const path of this.laid.keys()) if (!now.has(path)) this.restore(path);
    for (const [path, file] of now) {
      if (this.laid.get(path) === file.after) continue;
      // An edit of a file of secrets holds the rest of it; a new one holds only what the model wrote.
      if (file.before !== null && holdsSecrets(this.root, path)) continue;
      this.put(path, changeset.bytes(path) ?? null, modeNow(this.root, path) ?? file.mode);
    }
    this.laid = new Map([...now].map(([path, file]) => [path, file.after]));
  }

  private restore(path: string): void {
    const source = join(this.root, path);
    const stat = statSync(source, { throwIfNoEntry: false });
    this.put(path, stat?.isFile() ? readFileSync(source) : null, stat?.mode ?? null);
  }

  private put(path: string, bytes: Uint8Array | null, mode: number | null): void {
    const target = join(this.dir, path);
    // Never through a link that a command may have put there.
    rmSync(target, { recursive: true, force: true });
    if (bytes === null) return;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, bytes);
    if (mode !== null) chmodSync(target, mode & 0o777);
  }
}

/** Removes a tree, read-only folders in it included (Go's module cache, tests that take rights away). */
async function removeTree(dir: string): Promise<void> {
  try {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    makeWritable(dir);
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

function makeWritable(dir: string): void {
  if (!existsSync(dir)) return;
  chmodSync(dir, 0o700);
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) makeWritable(join(dir, entry.name));
  }
}

/** Removes the copies of processes that died without removing them. */
function sweepScratches(temp: string): void {
  for (const name of readdirSync(temp)) {
    if (!name.startsWith(PREFIX)) continue;
    const dir = join(temp, name);
    try {
      if (!isAbandoned(dir)) continue;
      // Renamed first: two processes that sweep at once must not remove under each other.
      const doomed = `${dir}.gone`;
      renameSync(dir, doomed);
      makeWritable(doomed);
      rmSync(doomed, { recursive: true, force: true });
    } catch {
      // Another user's, or swept by another process at this moment.
    }
  }
}

function isAbandoned(dir: string): boolean {
  if (dir.endsWith('.gone')) return true;
  const note = join(dir, 'owner.json');
  const owner = existsSync(note) ? parseOwner(readFileSync(note, 'utf8')) : null;
  if (owner !== null) return ownerState(owner) === 'dead';
  return Date.now() - statSync(dir).mtimeMs > UNOWNED_STALE_MS;
}
