import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stableHash } from '../text/index.js';

/** Remembers the last good version of files between processes. */
export interface LastGood {
  /** Notes that this text of a file loaded without a fault. */
  keep(path: string, text: string): void;
  /** The last text of a file that did, if one was kept. */
  recall(path: string): string | undefined;
}

/**
 * Keeps one copy of each file that loaded without a fault, so that a file that is broken when a process starts still counts as it
 * was. A copy is named by its file's path and content: one look at the folder tells which are up to date, and two processes that
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
    if (known === name) return;
    try {
      mkdirSync(this.dir, { recursive: true });
      const draft = join(this.dir, `.${name}.${process.pid}`);
      writeFileSync(draft, text);
      renameSync(draft, join(this.dir, name));
      if (known !== undefined) rmSync(join(this.dir, known), { force: true });
      this.known().set(key, name);
    } catch {
      // Read-only or full: what is in force does not depend on it.
    }
  }

  recall(path: string): string | undefined {
    const name = this.known().get(this.keyOf(path));
    if (name === undefined) return undefined;
    try {
      return readFileSync(join(this.dir, name), 'utf8');
    } catch {
      return undefined;
    }
  }

  private keyOf(path: string): string {
    return stableHash(`${this.scope}/${path}`);
  }

  private known(): Map<string, string> {
    if (this.names !== undefined) return this.names;
    let names: string[] = [];
    try {
      names = readdirSync(this.dir);
    } catch {
      // Nothing was kept yet.
    }
    this.names = new Map(names.filter((n) => !n.startsWith('.')).map((name) => [name.split('-')[0] as string, name]));
    return this.names;
  }
}
