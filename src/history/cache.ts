import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredCommit } from './types.js';

/** Raised when the shape or meaning of the cache changes; an older file is then read as if it were not there. */
const CACHE_VERSION = 1;
const CACHE_FILE = 'history.json';

/** Commits as they were read at `head`, and what the reading depended on. */
export interface HistoryCache {
  version: number;
  /** Everything but HEAD that changes what is read: prefix, cap, how shallow. */
  key: string;
  head: string;
  commits: StoredCommit[];
}

/** @returns undefined when there is no usable cache (missing, broken, of another version, for other settings) */
export function readCache(stateDir: string, key: string): HistoryCache | undefined {
  try {
    const cache = JSON.parse(readFileSync(join(stateDir, CACHE_FILE), 'utf8')) as Partial<HistoryCache> | null;
    if (cache?.version !== CACHE_VERSION || cache.key !== key || typeof cache.head !== 'string') return undefined;
    if (!Array.isArray(cache.commits) || !cache.commits.every(isStoredCommit)) return undefined;
    return cache as HistoryCache;
  } catch {
    return undefined;
  }
}

/** Writes in one step, so that a second process never reads half a file. A state folder that can't be written costs only time. */
export function writeCache(stateDir: string, cache: Omit<HistoryCache, 'version'>): void {
  const file = join(stateDir, CACHE_FILE);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(temporary, JSON.stringify({ version: CACHE_VERSION, ...cache }));
    renameSync(temporary, file);
  } catch {
    removeQuietly(temporary);
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder is not ours to write; there is nothing to clean.
  }
}

function isStoredCommit(value: unknown): value is StoredCommit {
  const commit = value as Partial<StoredCommit> | null;
  return (
    typeof commit?.hash === 'string' &&
    typeof commit.time === 'number' &&
    typeof commit.subject === 'string' &&
    typeof commit.body === 'string' &&
    Array.isArray(commit.files)
  );
}
