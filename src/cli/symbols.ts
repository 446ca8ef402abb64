import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { CoreEntry } from '../zhcore/index.js';

/** Larger files are bundles or dumps; what they hold, others define. In bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Where symbols stand in a repository, by the rule that `scan` has ({@link SymbolPresence} of the scan): what is gone for one command is
 * gone for all. The first question reads all files once, for all symbols that are known beforehand.
 *
 * @param root absolute path of the project
 * @param files its paths, relative and POSIX
 * @param expected symbols that will be asked about; others cost a reading each time
 */
export function symbolFinder(
  root: string,
  files: readonly string[],
  expected: Iterable<string>,
): (symbol: string) => Promise<{ path: string; line: number }[]> {
  const known = new Set(expected);
  let reading: ReturnType<typeof look> | undefined;
  return async (symbol) => {
    if (!known.has(symbol)) {
      known.add(symbol);
      reading = undefined;
    }
    reading ??= look(root, files, known);
    return (await reading).placesOf(symbol);
  };
}

/** Symbols that terms and warnings of the project stand and fall by: what a check will ask about. */
export function symbolsIn(entries: readonly CoreEntry[]): string[] {
  return entries.flatMap(({ type, entry }) => {
    if (entry.provenance.layer !== 'project') return [];
    return type === 'term' ? entry.code_symbols : type === 'warning' ? entry.when.symbols : [];
  });
}

async function look(root: string, files: readonly string[], symbols: Iterable<string>) {
  const [{ findPresence }, { readFileText }] = await Promise.all([
    import('../zhcore/scan/index.js'),
    import('../text/index.js'),
  ]);
  return findPresence(symbols, files, (path) => {
    const file = join(root, path);
    try {
      return statSync(file).size > MAX_BYTES ? undefined : readFileText(file).text;
    } catch {
      return undefined;
    }
  });
}
