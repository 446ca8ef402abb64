import { join } from 'node:path';
import { stateBytes, writeAtomic } from '../stateFile.js';
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
    const cache = JSON.parse(stateBytes(join(stateDir, CACHE_FILE)).toString('utf8')) as Partial<HistoryCache> | null;
    if (cache?.version !== CACHE_VERSION || cache.key !== key || typeof cache.head !== 'string') return undefined;
    if (!Array.isArray(cache.commits) || !cache.commits.every(isStoredCommit)) return undefined;
    return cache as HistoryCache;
  } catch {
    return undefined;
  }
}

/** Writes in one step, so that a second process never reads half a file. A state folder that can't be written costs only time. */
export function writeCache(stateDir: string, cache: Omit<HistoryCache, 'version'>): void {
  writeAtomic(join(stateDir, CACHE_FILE), [JSON.stringify({ version: CACHE_VERSION, ...cache })]);
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
