import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { stateBytes, writeAtomic } from '../stateFile.js';
import { stableHash } from '../text/index.js';

/** Remembers the last good version of files between processes. */
export interface LastGood {
  /** Notes that this text of a file loaded without a fault. */
  keep(path: string, text: string): void;
  /** The last text of a file that did, if one was kept. */
  recall(path: string): string | undefined;
  /** Forgets files that are not there any more: what was deleted must not come back when its path is used again. */
  forgetOthers(paths: Iterable<string>): void;
}

/**
 * Keeps one copy of each file that loaded without a fault, so that a file that is broken when a process starts still counts as it
 * was. A copy is named by what kind of file it is, its path and content: one look at the folder tells which are up to date, and two processes that
 * write the same one write the same bytes. A folder that can't be written only costs the memory.
 */
export class LastGoodFolder implements LastGood {
  private names: Map<string, string> | undefined;

  /**
   * @param dir absolute, in the project's state folder
   * @param scope what the paths are relative to; one folder serves several kinds of file
   */
  constructor(
    private readonly dir: string,
    private readonly scope: string,
  ) {}

  keep(path: string, text: string): void {
    const key = this.keyOf(path);
    const name = `${key}-${stableHash(text)}`;
    const known = this.known().get(key);
    try {
      const kept = known === name ? statSync(join(this.dir, name)) : undefined;
      if (kept?.isFile() && kept.size === Buffer.byteLength(text)) return;
      if (!writeAtomic(join(this.dir, name), [text])) return;
      if (known !== undefined && known !== name) rmSync(join(this.dir, known), { force: true });
      this.known().set(key, name);
    } catch {
      // Read-only or full: what is in force does not depend on it.
    }
  }

  recall(path: string): string | undefined {
    const name = this.known().get(this.keyOf(path));
    if (name === undefined) return undefined;
    try {
      const text = stateBytes(join(this.dir, name)).toString('utf8');
      // A copy that was damaged since says something else than what was good.
      return name.endsWith(`-${stableHash(text)}`) ? text : undefined;
    } catch {
      return undefined;
    }
  }

  forgetOthers(paths: Iterable<string>): void {
    const there = new Set([...paths].map((path) => this.keyOf(path)));
    const scope = `${stableHash(this.scope)}-`;
    for (const [key, name] of this.known()) {
      if (!key.startsWith(scope) || there.has(key)) continue;
      try {
        rmSync(join(this.dir, name), { force: true });
      } catch {
        // Read-only: then nothing was kept here by this process either.
      }
      this.known().delete(key);
    }
  }

  private keyOf(path: string): string {
    return `${stableHash(this.scope)}-${stableHash(path)}`;
  }

  private known(): Map<string, string> {
    if (this.names !== undefined) return this.names;
    let names: string[] = [];
    try {
      names = readdirSync(this.dir);
    } catch {
      // Nothing was kept yet.
    }
    const copies = names.filter((name) => /^[0-9a-f]+-[0-9a-f]+-[0-9a-f]+$/.test(name));
    this.names = new Map(copies.map((name) => [name.slice(0, name.lastIndexOf('-')), name]));
    return this.names;
  }
}
