import { estimateTokens, truncateToTokens } from '../text/index.js';
import { summaryByPath } from './analyse.js';
import type { Companions } from './companions.js';
import { roleOf } from './roles.js';
import { baseOf, folderOf } from './rules.js';
import type { StagedFiles } from './staged.js';
import { companionLine, type SummarySources, summarise } from './summaries.js';
import type { Expansion, ExpansionChild, IndexedFile } from './types.js';

/** What one expansion may cost (DESIGN: 100–300 tokens). */
export const MAX_TOKENS = 300;
const MAX_COMPANIONS = 4;
/** Companions beside the three lines; neighbours get what is left. */
const COMPANION_TOKENS = 70;
/** A list of neighbours below this says nothing. */
const LEAST_NEIGHBOUR_TOKENS = 15;

export interface ExpandSources extends SummarySources {
  files: StagedFiles;
  companions: Companions;
}

/** A file in three lines: what it is, what it offers, what it is tied to; then its companions, and what lies beside it. */
export function expandFile(sources: ExpandSources, file: IndexedFile): Expansion {
  const { lines, symbols, importsOut, importersIn } = summarise(
    { ...sources, isThere: (path) => sources.files.isThere(path) },
    file,
  );
  const companions = sources.companions
    .of(file.path)
    .filter(({ path }) => sources.files.isThere(path))
    .slice(0, MAX_COMPANIONS);
  const companionText = companionLine(companions, COMPANION_TOKENS);
  const told = [...lines, ...(companionText ? [companionText] : [])];
  const left = MAX_TOKENS - estimateTokens(`${told.join('\n')}\n`);
  const neighbours = neighbourLine(file.path, sources.files, left);
  const { text } = truncateToTokens([...told, ...(neighbours ? [neighbours] : [])].join('\n'), MAX_TOKENS);
  return { text, tokens: estimateTokens(text), path: file.path, symbols, importsOut, importersIn, companions };
}

/** What lies in the same folder, by name: so that no file is imagined there. As many as fit; the rest is counted. */
function neighbourLine(path: string, files: StagedFiles, maxTokens: number): string | undefined {
  const names = files.neighboursOf(path);
  if (names.length === 0) return undefined;
  const head = `同目录（${folderOf(path) || '.'}）：`;
  const tail = ` 等 ${names.length} 项`;
  let room = maxTokens - estimateTokens(head + tail);
  if (room < LEAST_NEIGHBOUR_TOKENS) return undefined;
  const shown: string[] = [];
  for (const name of names) {
    room -= estimateTokens(`${name}、`);
    if (room < 0) break;
    shown.push(name);
  }
  if (shown.length === 0) return undefined;
  return `${head}${shown.join('、')}${shown.length < names.length ? tail : ''}`;
}

/** How to find what did not fit, for who reads it. */
const HOW_TO_FIND = {
  model: (folder: string) => `用 lookup_file 并把 scope 设为 ${folder} 来找`,
  person: (folder: string) => `用 xihe find "…" --scope ${folder} 来找`,
};

/** A folder's direct children, each with one line, as many as fit; the rest is counted. */
export async function expandFolder(
  sources: ExpandSources,
  folder: string,
  reader: 'model' | 'person' = 'model',
): Promise<Expansion> {
  const children = await childrenOf(sources.files, folder);
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
  const { text } = truncateToTokens(lines.join('\n'), MAX_TOKENS);
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

async function childrenOf(files: StagedFiles, folder: string): Promise<ExpansionChild[]> {
  const prefix = folder === '' ? '' : `${folder}/`;
  const found = await files.childrenOf(folder);
  const folders = found.folders.map(
    ([name, n]): ExpansionChild => ({ name: `${name}/`, path: `${prefix}${name}`, role: '', summary: `${n} 个文件` }),
  );
  const own = found.files.map(
    (file): ExpansionChild => ({
      name: baseOf(file.path),
      path: file.path,
      role: roleOf(file.path),
      summary: childSummary(file),
    }),
  );
  return [...folders, ...own];
}

/** The child's own name is beside it already. */
function childSummary(file: IndexedFile): string {
  return file.summary === summaryByPath(file.path) ? file.summary.replace(` ${baseOf(file.path)}`, '') : file.summary;
}
