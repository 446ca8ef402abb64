import { estimateTokens, truncateToTokens } from '../text/index.js';
import { summaryByPath } from './analyse.js';
import type { Companions } from './companions.js';
import type { FileIndex } from './fileIndex.js';
import type { ImportGraph, Reference } from './imports.js';
import { roleOf } from './roles.js';
import { baseOf } from './rules.js';
import type { Expansion, ExpansionChild, IndexedFile } from './types.js';

/** What one expansion may cost (DESIGN: 100–300 tokens). */
const MAX_TOKENS = 300;
/** The three-line rule: at most five exported symbols. */
const MAX_SYMBOLS = 5;
const MAX_REFERENCES = 6;
const MAX_COMPANIONS = 4;

export interface ExpandSources {
  index: FileIndex;
  graph: ImportGraph;
  companions: Companions;
  moduleOf: (path: string) => string | undefined;
}

/** A file in three lines: what it is, what it offers, what it is tied to; and its companions. */
export function expandFile(sources: ExpandSources, file: IndexedFile): Expansion {
  const symbols = mainSymbols(file);
  const out = sources.graph.importsOf(file.path).slice(0, MAX_REFERENCES);
  const into = sources.graph.importersOf(file.path).slice(0, MAX_REFERENCES);
  const companions = sources.companions.of(file.path).slice(0, MAX_COMPANIONS);
  const lines = [titleOf(sources, file), `用途：${file.summary}`];
  if (symbols.length > 0) lines.push(`符号：${symbols.map(({ name, line }) => `${name}（${line} 行）`).join('、')}`);
  const references = [
    ...(out.length > 0 ? [`引入 ${referenceList(out, sources.graph.importsOf(file.path).length)}`] : []),
    ...(into.length > 0 ? [`被引用于 ${referenceList(into, sources.graph.importersOf(file.path).length, true)}`] : []),
  ];
  if (references.length > 0) lines.push(references.join('；'));
  if (companions.length > 0) lines.push(`伴生：${companions.map(({ path, kind }) => `${path}（${kind}）`).join('、')}`);
  const { text } = truncateToTokens(lines.join('\n'), MAX_TOKENS);
  return {
    text,
    tokens: estimateTokens(text),
    path: file.path,
    symbols,
    importsOut: [...out],
    importersIn: [...into],
    companions,
  };
}

function titleOf({ moduleOf }: ExpandSources, file: IndexedFile): string {
  const role = roleOf(file.path);
  const module = moduleOf(file.path);
  const size = file.lines > 0 ? `，${file.lines} 行` : `，${Math.ceil(file.size / 1024)} KB`;
  return `${file.path}${role ? ` [${role}]` : ''}${module ? ` 〔${module}〕` : ''}（${file.language}${size}）`;
}

/** Exported ones first, classes and functions before members. */
function mainSymbols(file: IndexedFile): { name: string; kind: string; line: number }[] {
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

function referenceList(references: readonly Reference[], total: number, withLine = false): string {
  const shown = references.map(({ path, line }) => (withLine ? `${path}:${line}` : path)).join('、');
  return total > references.length ? `${shown} 等 ${total} 个` : shown;
}

/** How to find what did not fit, for who reads it. */
const HOW_TO_FIND = {
  model: (folder: string) => `用 lookup_file 并把 scope 设为 ${folder} 来找`,
  person: (folder: string) => `用 xihe find "…" --scope ${folder} 来找`,
};

/** A folder's direct children, each with one line, as many as fit; the rest is counted. */
export function expandFolder(sources: ExpandSources, folder: string, reader: 'model' | 'person' = 'model'): Expansion {
  const children = childrenOf(sources.index, folder);
  const module = folder === '' ? undefined : sources.moduleOf(folder);
  const head = `${folder === '' ? '.' : folder}/${module ? ` 〔${module}〕` : ''}（${children.length} 项）`;
  const lines = [head];
  let tokens = estimateTokens(head);
  // Room for the line that says what is left out.
  const limit = MAX_TOKENS - 30;
  let shown = 0;
  for (const child of children) {
    const line = `  ${child.name}${child.role ? ` [${child.role}]` : ''} ${child.summary}`;
    const cost = estimateTokens(`${line}\n`);
    if (tokens + cost > limit) break;
    tokens += cost;
    lines.push(line);
    shown += 1;
  }
  if (shown < children.length)
    lines.push(`  … 另有 ${children.length - shown} 项；${HOW_TO_FIND[reader](folder || '.')}`);
  const text = lines.join('\n');
  return {
    text,
    tokens: estimateTokens(text),
    path: folder === '' ? '.' : folder,
    children: children.slice(0, shown),
    importsOut: [],
    importersIn: [],
    companions: [],
  };
}

function childrenOf(index: FileIndex, folder: string): ExpansionChild[] {
  const prefix = folder === '' ? '' : `${folder}/`;
  const folders = new Map<string, number>();
  const files: ExpansionChild[] = [];
  for (const file of index.list) {
    if (!file.path.startsWith(prefix)) continue;
    const rest = file.path.slice(prefix.length);
    const slash = rest.indexOf('/');
    if (slash < 0) files.push({ name: rest, path: file.path, role: roleOf(file.path), summary: childSummary(file) });
    else folders.set(rest.slice(0, slash), (folders.get(rest.slice(0, slash)) ?? 0) + 1);
  }
  const listed = [...folders].map(
    ([name, n]): ExpansionChild => ({ name: `${name}/`, path: `${prefix}${name}`, role: '', summary: `${n} 个文件` }),
  );
  return [...listed, ...files];
}

/** The child's own name is beside it already. */
function childSummary(file: IndexedFile): string {
  return file.summary === summaryByPath(file.path) ? file.summary.replace(` ${baseOf(file.path)}`, '') : file.summary;
}
