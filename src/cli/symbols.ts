import type { PathContext } from '../paths/index.js';

/** A symbol's parts: `OrderService.cancelExpired`, `Order::cancel`, `Foo#bar`. */
const JOINTS = /\.|#|::|->|\//;

/** Files that only talk about code. */
const TALK = /\.(?:md|markdown|adoc|rst)$/i;

/**
 * Where a symbol stands in a repository: its definition, or at least a place that uses it as it is written. Column names of SQL, keys
 * of settings and names out of libraries are defined in no file, but stand in some.
 */
export function symbolFinder(paths: PathContext): (symbol: string) => Promise<{ path: string; line: number }[]> {
  return async (symbol) => {
    const defined = await paths.findSymbol(symbol);
    return defined.length > 0 ? defined : await usesOf(paths, symbol.trim().replace(/\(.*$/, ''));
  };
}

async function usesOf(paths: PathContext, symbol: string): Promise<{ path: string; line: number }[]> {
  const asWritten = await standsIn(paths, symbol);
  if (asWritten.length > 0) return asWritten;
  const parts = symbol.split(JOINTS).filter(Boolean);
  const [name, container] = [parts.at(-1), parts.at(-2)];
  if (name === undefined || container === undefined) return [];
  // A class and its method in one file, or in a file named after the class.
  const owners = new Set((await standsIn(paths, container)).map(({ path }) => path));
  return (await standsIn(paths, name)).filter(({ path }) => owners.has(path) || path.includes(container));
}

/** Lines that hold a name as a whole, in code, settings and scripts. */
async function standsIn(paths: PathContext, name: string): Promise<{ path: string; line: number }[]> {
  if (!/[\p{L}\p{N}]/u.test(name)) return [];
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const hits = await paths.searchCode(`(?<![\\w$])${escaped}(?![\\w$])`, { regex: true });
  return hits.filter(({ path }) => !TALK.test(path));
}
