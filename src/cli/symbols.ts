import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, XiheError } from '../errors.js';
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
 * @param hidden what can't be looked into, for the symbols of entries: those that stand nowhere else are said to stand there
 */
export function symbolFinder(
  root: string,
  files: readonly string[],
  expected: Iterable<string>,
  hidden?: Hidden,
): (symbol: string) => Promise<{ path: string; line: number }[]> {
  const known = new Set(expected);
  let reading: ReturnType<typeof look> | undefined;
  return async (symbol) => {
    if (!known.has(symbol)) {
      known.add(symbol);
      reading = undefined;
    }
    reading ??= look(root, files, known, hidden?.unreadable ?? []);
    const { presence, unreadable } = await reading;
    const places = presence.placesOf(symbol);
    if (places.length > 0 || hidden === undefined || unreadable.length === 0) return places;
    const { hiddenPlace } = await import('../zhcore/scan/index.js');
    const sources = sourcesOf(symbol, hidden.entries);
    const place = sources.map((source) => hiddenPlace(source, unreadable)).find((found) => found !== undefined);
    return place === undefined ? [] : [{ path: place, line: 1 }];
  };
}

/** What a finder needs to tell what is gone from what can't be seen. */
interface Hidden {
  /** Folders that could not be looked into, see `RefreshReport` of the paths room. */
  unreadable: readonly string[];
  /** Whose symbols are asked about: where an entry comes from is where its symbols are looked for. */
  entries: readonly CoreEntry[];
}

function sourcesOf(symbol: string, entries: readonly CoreEntry[]): string[] {
  return entries.filter((entry) => symbolsIn([entry]).includes(symbol)).map(({ entry }) => entry.provenance.source);
}

/** Symbols that terms and warnings of the project stand and fall by: what a check will ask about. */
export function symbolsIn(entries: readonly CoreEntry[]): string[] {
  return entries.flatMap(({ type, entry }) => {
    if (entry.provenance.layer !== 'project') return [];
    return type === 'term' ? entry.code_symbols : type === 'warning' ? entry.when.symbols : [];
  });
}

async function look(root: string, files: readonly string[], symbols: Iterable<string>, folders: readonly string[]) {
  const [{ findPresence }, { readFileText }] = await Promise.all([
    import('../zhcore/scan/index.js'),
    import('../text/index.js'),
  ]);
  const unreadable = [...folders];
  const presence = await findPresence(symbols, files, (path) => {
    const file = join(root, path);
    try {
      return statSync(file).size > MAX_BYTES ? undefined : readFileText(file).text;
    } catch (e) {
      // What is no text or gone by now says nothing; where the disk refuses, anything may stand.
      if (!XiheError.is(e) && errnoOf(e) !== 'ENOENT') unreadable.push(path);
      return undefined;
    }
  });
  return { presence, unreadable };
}
