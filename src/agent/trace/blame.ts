import { diffArrays } from 'diff';
import type { FileVersion } from '../../sandbox/index.js';

/** A line of a changed file. */
export interface TracedLine {
  /** 1-based, in the file as the changeset leaves it. */
  line: number;
  text: string;
  /** The edit that wrote it; null where it stood there before. */
  key: string | null;
}

/**
 * Which edit wrote each line of a file.
 *
 * @param versions the file before, then after each edit
 * @returns the lines of the last version; empty when that is gone
 */
export function blame(versions: readonly FileVersion[]): TracedLine[] {
  let lines = linesOf(versions[0]?.text).map((text) => ({ text, key: null as string | null }));
  for (const { key, text } of versions.slice(1)) {
    const next = linesOf(text);
    const changes = diffArrays(
      lines.map((one) => one.text),
      next,
    );
    let at = 0;
    lines = changes.flatMap(({ value, added, removed }) => {
      if (removed) {
        at += value.length;
        return [];
      }
      if (added) return value.map((line) => ({ text: line, key }));
      const kept = lines.slice(at, at + value.length);
      at += value.length;
      return kept;
    });
  }
  return lines.map((one, i) => ({ line: i + 1, ...one }));
}

function linesOf(text: string | null | undefined): string[] {
  if (text === null || text === undefined || text === '') return [];
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
