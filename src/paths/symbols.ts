import type { CodeSymbol, Language } from '../code/types.js';
import { evidenceTokens } from '../history/index.js';
import type { FileIndex } from './fileIndex.js';
import { type Role, roleOf } from './roles.js';
import { stemOf } from './rules.js';
import type { IndexedFile, RepoPath, SymbolPlace } from './types.js';

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

/** A language of fewer than one in ten program files is beside the point: a script here, a generated client there. */
const MAIN_SHARE = 0.1;
/** Files in these describe or store; a program's own definition of the same name comes first. */
const NO_PROGRAM: ReadonlySet<Language> = new Set<Language>([
  ...(['sql', 'xml', 'html', 'css', 'json', 'yaml', 'markdown', 'shell', 'other'] as const),
]);
/** Spellings of one language. */
const FAMILY: Partial<Record<Language, Language>> = {
  tsx: 'typescript',
  vue: 'typescript',
  javascript: 'typescript',
  kotlin: 'java',
  cpp: 'c',
};
/** Folders of what is old, or was written by others or by a tool. */
const ASIDE_FOLDER =
  /(?:^|\/)(?:legacy|deprecated|archived?|backup|bak|old|vendors?|third[_-]?party|generated|gen|dumps?|docs?)\//i;
const ASIDE_ROLES: ReadonlySet<Role> = new Set(['test', 'mock', 'example', 'doc']);

/** Main languages by list of files: worked out once for each state of the index. */
const mainLanguages = new WeakMap<readonly IndexedFile[], ReadonlySet<Language>>();

interface Parsed {
  container?: string;
  name: string;
}

/**
 * Where a symbol is defined: `OrderService.cancelExpired` (also with `#`, `::`, `->`), `cancelExpired`, `gmt_create`, enum members.
 * Code of the project's main languages comes before SQL, documents, tests and what lies in legacy, vendor or generated folders.
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
  const main = mainLanguagesOf(index.list);
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
        rank: rankOf(symbol, file, main),
      });
    }
  }
  places.sort((a, b) => a.rank - b.rank || (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  return places.map(({ name, path, line, kind }) => ({ name, path, line, kind }));
}

function rankOf(symbol: CodeSymbol, file: IndexedFile, main: ReadonlySet<Language>): number {
  const kind = KIND_ORDER.indexOf(symbol.kind);
  const within = (symbol.exported ? 0 : 20) + (kind < 0 ? KIND_ORDER.length : kind);
  const aside = ASIDE_ROLES.has(roleOf(file.path)) || ASIDE_FOLDER.test(file.path);
  return within + (aside ? 200 : 0) + (main.has(familyOf(file.language)) ? 0 : 100);
}

function familyOf(language: Language): Language {
  return FAMILY[language] ?? language;
}

/** The languages that the project's program files are written in. */
function mainLanguagesOf(files: readonly IndexedFile[]): ReadonlySet<Language> {
  const known = mainLanguages.get(files);
  if (known) return known;
  const counts = new Map<Language, number>();
  let total = 0;
  for (const { language, path } of files) {
    if (NO_PROGRAM.has(language) || ASIDE_FOLDER.test(path)) continue;
    total++;
    counts.set(familyOf(language), (counts.get(familyOf(language)) ?? 0) + 1);
  }
  const main = new Set([...counts].filter(([, count]) => count >= total * MAIN_SHARE).map(([language]) => language));
  mainLanguages.set(files, main);
  return main;
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
