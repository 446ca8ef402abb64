import { sep } from 'node:path';

/** What the runner must know about a scratch copy in which it runs a command. Absolute paths. */
export interface ScratchRecord {
  /** The private folder that holds the copy (and the links beside it). */
  base: string;
  /** Real folders that the copy's dependency links point to. */
  readable: string[];
  /** Set for commands that run in the copy. */
  env: Record<string, string>;
  /** Set beside it where nothing else keeps commands out of the user's home folder. */
  unconfinedEnv: Record<string, string>;
  /** The project itself: commands see of it what was copied, and the dependencies. */
  root: string;
}

const records = new Map<string, ScratchRecord>();

/** Makes a scratch copy known to the runner, so that callers need not carry its needs about. */
export function registerScratch(record: ScratchRecord): void {
  records.set(record.base, record);
}

export function forgetScratch(base: string): void {
  records.delete(base);
}

/** The scratch copy that `dir` lies in, or undefined. */
export function scratchOf(dir: string): ScratchRecord | undefined {
  for (const record of records.values()) {
    if (dir === record.base || dir.startsWith(record.base + sep)) return record;
  }
  return undefined;
}
