import type { CodeSymbol } from '../code/types.js';
import { evidenceTokens } from '../history/index.js';
import type { FileIndex } from './fileIndex.js';
import { roleOf } from './roles.js';
import { stemOf } from './rules.js';
import type { RepoPath, SymbolPlace } from './types.js';

/** Files whose outlines one name may open; a name of more files is too common to be worth it. */
const MAX_FILES = 200;
/** Kinds that a name most likely means, first ones first. */
const KIND_ORDER = [
  'class',
  'interface',
  'enum',
  'function',
  'method',
  'type',
  'constant',
  'enum-member',
  'field',
  'route',
];

interface Parsed {
  container?: string;
  name: string;
}

/**
 * Where a symbol is defined: `OrderService.cancelExpired` (also with `#`, `::`, `->`), `cancelExpired`, `gmt_create`, enum members.
 * An identifier in another spelling (`gmtCreate`) is found where the exact one is not.
 *
 * @returns definitions, best first; [] when the name is defined nowhere
 */
export function findSymbol(index: FileIndex, written: string): SymbolPlace[] {
  const parsed = parse(written);
  if (parsed === undefined) return [];
  const files = filesDefining(index, parsed.name);
  const exact = collect(
    index,
    files,
    written,
    (symbol, path) => symbol.name === parsed.name && belongs(symbol, path, parsed.container),
  );
  if (exact.length > 0) return exact;
  const spelled = squeeze(parsed.name);
  return collect(
    index,
    files,
    written,
    (symbol, path) => squeeze(symbol.name) === spelled && belongs(symbol, path, parsed.container),
  );
}

function parse(written: string): Parsed | undefined {
  const parts = written
    .trim()
    .replace(/\(.*$/, '')
    .split(/\.|#|::|->/)
    .filter(Boolean);
  const name = parts.at(-1);
  if (name === undefined) return undefined;
  const container = parts.at(-2);
  return container === undefined ? { name } : { name, container };
}

/** Files whose symbols hold all parts of the name, by the postings: no outline is opened for the others. */
function filesDefining(index: FileIndex, name: string): number[] {
  let files: number[] | undefined;
  for (const token of partsOf(name)) {
    const id = index.vocabulary.find(token);
    if (id === undefined) return [];
    const holders = index.postings.filesWith(id, 'symbols');
    const known: Set<number> | undefined = files && new Set(files);
    files = known ? holders.filter((file) => known.has(file)) : holders;
  }
  return (files ?? []).slice(0, MAX_FILES);
}

/** The parts of a name without its whole, which comes last and is one spelling only. */
function partsOf(name: string): string[] {
  const tokens = evidenceTokens(name);
  return tokens.length > 1 && /^[\w$]+$/.test(name) ? tokens.slice(0, -1) : tokens;
}

function collect(
  index: FileIndex,
  files: number[],
  written: string,
  fits: (symbol: CodeSymbol, path: string) => boolean,
): SymbolPlace[] {
  const places: (SymbolPlace & { rank: number })[] = [];
  for (const position of files) {
    const file = index.list[position];
    if (!file) continue;
    for (const symbol of file.detail().outline?.symbols ?? []) {
      if (!fits(symbol, file.path)) continue;
      places.push({
        name: written,
        path: file.path as RepoPath,
        line: symbol.line,
        kind: symbol.kind,
        rank: rankOf(symbol, file.path),
      });
    }
  }
  places.sort((a, b) => a.rank - b.rank || (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  return places.map(({ name, path, line, kind }) => ({ name, path, line, kind }));
}

function rankOf(symbol: CodeSymbol, path: string): number {
  const role = roleOf(path);
  const aside = role === 'test' || role === 'mock' || role === 'example' ? 100 : 0;
  const kind = KIND_ORDER.indexOf(symbol.kind);
  return aside + (symbol.exported ? 0 : 20) + (kind < 0 ? KIND_ORDER.length : kind);
}

/** A container is the class around a symbol, or, where a module exports functions, the file's own name. */
function belongs(symbol: CodeSymbol, path: string, container: string | undefined): boolean {
  if (container === undefined) return true;
  if (symbol.container !== undefined)
    return (
      symbol.container === container ||
      symbol.container.endsWith(`.${container}`) ||
      squeeze(symbol.container) === squeeze(container)
    );
  return squeeze(stemOf(path)) === squeeze(container);
}

function squeeze(name: string): string {
  return name.replace(/[^A-Za-z0-9\u3400-\u9FFF]/g, '').toLowerCase();
}
