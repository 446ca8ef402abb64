import { estimateTokens } from '../text/index.js';
import type { Companion } from './companions.js';
import type { ImportGraph, Reference } from './imports.js';
import { roleOf } from './roles.js';
import { folderOf } from './rules.js';
import type { IndexedFile } from './types.js';

/** Symbols of a summary at most: it is a table of contents, not the text. */
const MAX_SYMBOLS = 5;
/** References each way at most; the rest is counted. */
const MAX_REFERENCES = 6;
/** Tokens of the three lines: what is left of an expansion's 300 tells the companions and neighbours. */
const MAX_TOKENS = 210;

/** A file as three lines tell it. */
export interface FileSummary {
  /** Name and purpose; symbols; references. Lines that would be empty are left out. */
  lines: string[];
  /** Exported ones first, at most five, by line. */
  symbols: { name: string; kind: string; line: number }[];
  /** Project files that it imports, with the line of the import here. */
  importsOut: Reference[];
  /** Project files that import it, with the line of the import there. */
  importersIn: Reference[];
}

export interface SummarySources {
  graph: ImportGraph;
  moduleOf: (path: string) => string | undefined;
  /** Tells whether a file is there for whoever asks: one that is staged to be deleted is not. */
  isThere?: (path: string) => boolean;
}

/**
 * A file in three lines: what it is and does, what it offers, what it is tied to. At most some 200 tokens; references that do not fit
 * are counted.
 */
export function summarise(sources: SummarySources, file: IndexedFile): FileSummary {
  const isThere = sources.isThere ?? (() => true);
  const symbols = mainSymbols(file);
  const allOut = sources.graph.targetsOf(file.path, file.imports).filter(({ path }) => isThere(path));
  const allIn = sources.graph.importersOf(file.path).filter(({ path }) => isThere(path));
  const head = [
    titleOf(sources, file),
    ...(symbols.length > 0 ? [`符号：${symbols.map(({ name, line }) => `${name}:${line}`).join('、')}`] : []),
  ];
  for (let most = MAX_REFERENCES; ; most--) {
    const importsOut = notable(file.path, allOut, most).sort((a, b) => a.line - b.line);
    const importersIn = notable(file.path, allIn, most);
    const references = [
      ...(allOut.length > 0 ? [`引入 ${referenceList(importsOut, allOut.length)}`] : []),
      ...(allIn.length > 0 ? [`被引用于 ${referenceList(importersIn, allIn.length)}`] : []),
    ];
    const lines = [...head, ...(references.length > 0 ? [references.join('；')] : [])];
    if (most === 0 || estimateTokens(lines.join('\n')) <= MAX_TOKENS)
      return { lines, symbols, importsOut, importersIn };
  }
}

function titleOf({ moduleOf }: SummarySources, file: IndexedFile): string {
  const role = roleOf(file.path);
  const module = moduleOf(file.path);
  const size = file.lines > 0 ? `（${file.lines} 行）` : '';
  return `${file.path}${role ? ` [${role}]` : ''}${module ? ` 〔${module}〕` : ''}${size}：${file.summary}`;
}

/** Exported ones first, classes and functions before members. */
function mainSymbols(file: IndexedFile): FileSummary['symbols'] {
  const symbols = file.detail().outline?.symbols ?? [];
  const exported = symbols.filter(
    (symbol) => symbol.exported && symbol.kind !== 'field' && symbol.kind !== 'enum-member',
  );
  const pool = exported.length > 0 ? exported : symbols.filter((symbol) => symbol.container === undefined);
  const top = pool.filter((symbol) => symbol.container === undefined);
  const members = pool.filter((symbol) => symbol.container !== undefined);
  return [...top, ...members]
    .slice(0, MAX_SYMBOLS)
    .sort((a, b) => a.line - b.line)
    .map(({ name, container, kind, line }) => ({ name: container ? `${container}.${name}` : name, kind, line }));
}

/** The references that say most: sources before tests, near ones before far ones. */
function notable(from: string, references: readonly Reference[], most: number): Reference[] {
  if (references.length <= most) return [...references];
  const rank = ({ path }: Reference) => [roleOf(path) === 'test' ? 1 : 0, -commonFolders(from, path)] as const;
  return [...references]
    .sort((a, b) => {
      const [[testA, nearA], [testB, nearB]] = [rank(a), rank(b)];
      return testA - testB || nearA - nearB || (a.path < b.path ? -1 : 1);
    })
    .slice(0, most);
}

function commonFolders(a: string, b: string): number {
  const [left, right] = [folderOf(a).split('/'), folderOf(b).split('/')];
  let common = 0;
  while (common < left.length && left[common] === right[common]) common += 1;
  return common;
}

function referenceList(shown: readonly Reference[], total: number): string {
  const named = shown.map(({ path, line }) => `${path}:${line}`).join('、');
  if (shown.length === 0) return `${total} 个文件`;
  return total > shown.length ? `${named} 等 ${total} 个` : named;
}

/** Companions on one line, as many as fit; undefined where there are none. */
export function companionLine(companions: readonly Companion[], maxTokens: number): string | undefined {
  for (let n = companions.length; n > 0; n--) {
    const named = companions
      .slice(0, n)
      .map(({ path, kind }) => `${path}（${kind}）`)
      .join('、');
    const line = `伴生：${named}${n < companions.length ? ` 等 ${companions.length} 个` : ''}`;
    if (estimateTokens(line) <= maxTokens) return line;
  }
  return undefined;
}
