import type { IndexedFile } from './types.js';

/** Renames that are remembered: a checkout may move thousands, of which nobody asks. */
const MAX_REMEMBERED = 2_000;

/** Where files went that are gone: found by their bytes, followed over several renames. */
export class Renames {
  readonly #to = new Map<string, string>();

  /**
   * Takes a refresh in.
   *
   * @param before the files as they were
   * @param now the files as they are
   */
  after(
    report: { added: readonly string[]; removed: readonly string[] },
    before: readonly IndexedFile[],
    now: readonly IndexedFile[],
  ): void {
    if (report.added.length + report.removed.length === 0) return;
    const removed = hashesOf(report.removed, before);
    const added = hashesOf(report.added, now);
    for (const path of added.keys()) this.#to.delete(path);
    const byHash = new Map<string, string | undefined>();
    // Two new files of the same bytes: nobody knows which one it became.
    for (const [path, hash] of added) byHash.set(hash, byHash.has(hash) ? undefined : path);
    for (const [path, hash] of removed) {
      const now = hash === '' ? undefined : byHash.get(hash);
      if (now !== undefined) this.#to.set(path, now);
    }
    for (const path of this.#to.keys()) {
      if (this.#to.size <= MAX_REMEMBERED) break;
      this.#to.delete(path);
    }
  }

  /** What a path is called now; undefined where it was not renamed. It may be gone again. */
  of(path: string): string | undefined {
    let now = this.#to.get(path);
    const seen = new Set([path]);
    for (let next = now; next !== undefined && !seen.has(next); next = this.#to.get(next)) {
      seen.add(next);
      now = next;
    }
    return now;
  }
}

function hashesOf(paths: readonly string[], files: readonly IndexedFile[]): Map<string, string> {
  const wanted = new Set(paths);
  return new Map(files.filter(({ path }) => wanted.has(path)).map(({ path, hash }) => [path, hash]));
}
