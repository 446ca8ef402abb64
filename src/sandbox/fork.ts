import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readStateFile, stateBytes } from '../stateFile.js';
import { folderName } from './changesetName.js';
import { fsyncDir, hashOf, inState, replaceFile, writeSynced } from './durable.js';
import { appendJournal, type JournalEntry, readJournal } from './journal.js';
import { lockPath, withFileLock } from './lock.js';
import { TRASH } from './prune.js';

/** What a fork keeps beside its journal: how each file stood that was staged where it began. */
const FORK_FILE = 'fork.json';
/** The name of a changeset's own lock, as `changeset.ts` takes it. */
const LOCK = 'lock';

/** A version of a file that is to be staged. */
export interface Version {
  /** Null deletes it. */
  bytes: Uint8Array | null;
  base: ForkedFile['base'];
  /** Id of the changeset that keeps the version of the tree. */
  from: string;
}

/** One staged edit of a fork; bytes by hash, null where the file is deleted. */
export interface ForkStep {
  key: string | null;
  after: string | null;
}

/** A file that a fork left otherwise than it found it. */
export interface ForkedFile {
  path: string;
  /** Hash of its bytes where the fork began; null where it was not there. */
  before: string | null;
  after: string | null;
  /** How it lies in the tree, as it was first touched. */
  base: NonNullable<JournalEntry['base']>;
  /** First to last. */
  steps: ForkStep[];
  /** Where it went, when it was moved. */
  movedTo?: string;
}

/**
 * Begins a changeset on top of another one: it sees what is staged there, and what it stages stays its own until it is merged. The other
 * one must not change meanwhile.
 *
 * Whole or not at all, and only once: a fork of that name that is there already stays as it is.
 *
 * @param from id of the other one; it need not have anything staged
 * @param files more files to begin with (conflicts with their marks), by path
 * @throws XiheError STATE_UNWRITABLE
 */
export function forkChangeset(
  stateDir: string,
  root: string,
  from: string,
  to: string,
  files: ReadonlyMap<string, Version> = new Map(),
): void {
  const dir = join(stateDir, 'changesets', folderName(to));
  if (existsSync(join(dir, FORK_FILE))) return;
  const made = join(stateDir, 'changesets', `${TRASH}fork-${process.pid}-${folderName(to)}`);
  // Under the lock of those who clear away old changesets: what is being made looks like waste.
  withFileLock(lockPath(stateDir, 'apply'), () =>
    inState(dir, () => {
      rmSync(made, { recursive: true, force: true });
      mkdirSync(join(made, 'blobs'), { recursive: true });
      const entries = stagedIn(stateDir, from);
      for (const { after, base } of entries.values())
        for (const hash of [after, base!.hash])
          if (hash !== null) keep(made, hash, () => versionOf(stateDir, from, hash)!);
      for (const [path, { bytes, base, from: source }] of files) {
        const { hash } = base;
        if (bytes !== null) keep(made, hashOf(bytes), () => bytes);
        if (hash !== null) keep(made, hash, () => versionOf(stateDir, source, hash)!);
        entries.set(path, entryOf(path, bytes && hashOf(bytes), entries.get(path)?.base ?? base));
      }
      const lines = [...entries.values()].map((entry) => `${JSON.stringify(entry)}\n`).join('');
      writeSynced(join(made, 'journal.jsonl'), lines);
      writeSynced(join(made, 'meta.json'), JSON.stringify({ version: 1, id: to, root, at: new Date().toISOString() }));
      const began = Object.fromEntries([...entries].map(([path, { after }]) => [path, after]));
      writeSynced(join(made, FORK_FILE), JSON.stringify({ version: 1, from, files: began }));
      rmSync(dir, { recursive: true, force: true });
      renameSync(made, dir);
      fsyncDir(join(stateDir, 'changesets'));
    }),
  );
}

/** The files that a fork changed since it began, by path; [] where there is no such fork. */
export function forkedFiles(stateDir: string, id: string): ForkedFile[] {
  const dir = join(stateDir, 'changesets', folderName(id));
  const raw = readStateFile(join(dir, FORK_FILE));
  if (raw === undefined) return [];
  const began = (JSON.parse(raw.toString('utf8')) as { files: Record<string, string | null> }).files;
  const { entries } = readJournal(join(dir, 'journal.jsonl'));
  const files = new Map<string, ForkedFile>();
  let moving: { path: string; after: string | null } | undefined;
  for (const [i, entry] of entries.entries()) {
    const { path, after, key } = entry;
    const base = entry.base ?? files.get(path)?.base ?? { hash: null, mode: null, encoding: null };
    const before = Object.hasOwn(began, path) ? began[path]! : base.hash;
    const file = files.get(path) ?? { path, before, after: before, base, steps: [] };
    // A move is staged in two lines, the new place first.
    const isMove = entry.kind === 'delete' && moving !== undefined && moving.after === file.after;
    if (isMove) file.movedTo = moving!.path;
    else if (after !== null) delete file.movedTo;
    moving = entry.kind === 'write' && key === null ? { path, after } : undefined;
    if (i >= Object.keys(began).length) file.steps.push({ key, after });
    file.after = after;
    files.set(path, file);
  }
  return [...files.values()].filter(({ before, after }) => before !== after).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Paths of the files that a fork changed since it began, sorted. */
export function changedInFork(stateDir: string, id: string): string[] {
  return forkedFiles(stateDir, id).map(({ path }) => path);
}

/** The bytes of a version that a changeset keeps. @param hash null gives null */
export function versionOf(stateDir: string, id: string, hash: string | null): Uint8Array | null {
  return hash === null ? null : stateBytes(join(stateDir, 'changesets', folderName(id), 'blobs', hash));
}

/**
 * Stages a version of a file that another changeset worked out, against the tree as that one first found it: what the user changed since
 * is noticed when it is to be written.
 *
 * @param key names the act: a second call with it does nothing, also after kill -9
 * @throws XiheError STATE_UNWRITABLE, LOCK_BUSY
 */
export function adoptFile(stateDir: string, id: string, file: Version & { path: string; key: string }): void {
  const dir = join(stateDir, 'changesets', folderName(id));
  withFileLock(join(dir, LOCK), () => {
    const journal = join(dir, 'journal.jsonl');
    const { entries, goodBytes } = readJournal(journal);
    if (entries.some(({ key }) => key === file.key)) return;
    if (file.bytes !== null) putBlob(dir, file.bytes);
    if (file.base.hash !== null) putBlob(dir, versionOf(stateDir, file.from, file.base.hash)!);
    const first = entries.some(({ path }) => path === file.path) ? undefined : file.base;
    const entry = entryOf(file.path, file.bytes && hashOf(file.bytes), first, file.key);
    inState(journal, () => appendJournal(journal, entry, goodBytes));
  });
}

/** Where something may be noted that lives as long as a changeset. @param name of a file */
export function noteFile(stateDir: string, id: string, name: string): string {
  return join(stateDir, 'changesets', folderName(id), name);
}

/** Whether anything was staged in a changeset under this key. */
export function hasAdopted(stateDir: string, id: string, key: string): boolean {
  const { entries } = readJournal(join(stateDir, 'changesets', folderName(id), 'journal.jsonl'));
  return entries.some((entry) => entry.key === key);
}

/** How a changeset leaves a file: the hash of its bytes; undefined where it does not touch it. */
export function stagedVersion(stateDir: string, id: string, path: string): { after: string | null } | undefined {
  return stagedIn(stateDir, id).get(path);
}

function stagedIn(stateDir: string, id: string): Map<string, JournalEntry> {
  const { entries } = readJournal(join(stateDir, 'changesets', folderName(id), 'journal.jsonl'));
  const files = new Map<string, JournalEntry>();
  for (const { path, after, base } of entries)
    files.set(path, entryOf(path, after, files.get(path)?.base ?? base ?? { hash: null, mode: null, encoding: null }));
  return files;
}

function entryOf(
  path: string,
  after: string | null,
  base?: ForkedFile['base'],
  key: string | null = null,
): JournalEntry {
  return {
    key,
    path,
    kind: after === null ? 'delete' : 'write',
    after,
    ...(base ? { base } : {}),
    at: new Date().toISOString(),
  };
}

function keep(made: string, hash: string, bytes: () => Uint8Array): void {
  const file = join(made, 'blobs', hash);
  if (!existsSync(file)) writeSynced(file, bytes());
}

function putBlob(dir: string, bytes: Uint8Array): void {
  const file = join(dir, 'blobs', hashOf(bytes));
  if (!existsSync(file)) replaceFile(file, bytes);
}
