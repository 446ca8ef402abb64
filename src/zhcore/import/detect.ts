import { basename } from 'node:path';
import { XiheError } from '../../errors.js';
import { readYaml } from '../../knowledge/index.js';
import type { Given, Source } from './source.js';
import { looksLikeTerms } from './termList.js';
import type { ImportKind, Notes } from './types.js';

const TABLES = new Set(['.xlsx', '.xlsm', '.csv', '.tsv']);
const LISTS = new Set(['.yaml', '.yml', '.json']);
const DOCUMENTS = new Set(['.md', '.markdown', '.mdx', '.mdc', '.html', '.htm', '.txt']);

/** What to do with files that look like a source and are none. */
const HINTS: [test: RegExp, what: string, hint: string][] = [
  [/\.xls$/i, '旧版 Excel 文件', '用 Excel 或 WPS 另存为 .xlsx 或 UTF-8 的 .csv。'],
  [/\.(?:ods|numbers|et|ett)$/i, '别的表格格式', '另存为 .xlsx 或 UTF-8 的 .csv。'],
  [/\.(?:docx?|wps|pdf|pptx?|rtf|odt|pages)$/i, '排版文档', '另存为网页（.html）或 Markdown，再导入。'],
  [/\.(?:zip|skill|rar|7z|tar|gz|tgz)$/i, '压缩包', '先解开，再导入解开后的目录。'],
  [/\.(?:png|jpe?g|gif|bmp|webp|svg)$/i, '图片', '把图里的内容整理成文字或表格再导入。'],
];

export const isSkillFile = (source: Source) => /^skill\.md$/i.test(basename(source.abs));
const isTable = (source: Source) => TABLES.has(source.ext);
const isList = (source: Source) => LISTS.has(source.ext);
const isRules = (source: Source) => source.ext === '' && /rules$/i.test(basename(source.abs));
const isDocument = (source: Source) => DOCUMENTS.has(source.ext) || isRules(source);

/** Glossaries are often a table in Markdown; only the user can say that the table is one. */
const isTermSource = (source: Source) => isTable(source) || isList(source) || /^\.(?:md|markdown)$/.test(source.ext);
const isReadme = (source: Source) => /^readme\b/i.test(source.stem);

/**
 * Takes a source for one kind of entries, by name and content, and picks the files of that kind.
 *
 * @param as what the user says it is
 * @throws XiheError ENTRY_INVALID when it is nothing that can be imported (so)
 */
export function detect(given: Given, as: ImportKind | undefined, notes: Notes): { kind: ImportKind; files: Source[] } {
  const kind = as ?? kindOf(given);
  const fits = {
    terms: as === 'terms' ? isTermSource : (s: Source) => isTable(s) || (isList(s) && listsTerms(s)),
    playbooks: isSkillFile,
    knowledge: isDocument,
  }[kind];
  const files = given.files.filter(fits);
  if (files.length === 0) throw unsupported(given, kind, as !== undefined);
  if (given.isFolder && kind !== 'playbooks') sayOthers(given, kind, fits, notes);
  return { kind, files };
}

function kindOf(given: Given): ImportKind {
  const { files } = given;
  if (files.some(isSkillFile)) return 'playbooks';
  const tables = files.some(isTable);
  if (files.some((file) => isDocument(file) && !(tables && isReadme(file)))) return 'knowledge';
  if (tables) return 'terms';
  if (files.some((file) => isList(file) && listsTerms(file))) return 'terms';
  throw unsupported(given, undefined, false);
}

function listsTerms(source: Source): boolean {
  const yaml = readYaml(source.text());
  // What can't be read may well be a term list with a typo: reading it as one tells the line.
  return !yaml.ok || looksLikeTerms(yaml.value);
}

/** Files of other kinds, told in one line for each ending. */
function sayOthers(given: Given, kind: ImportKind, fits: (source: Source) => boolean, notes: Notes): void {
  const others = new Map<string, Source[]>();
  for (const file of given.files) {
    if (fits(file)) continue;
    const ending = file.ext || '没有扩展名';
    others.set(ending, [...(others.get(ending) ?? []), file]);
  }
  for (const [ending, files] of others) {
    const table = kind === 'knowledge' && files.some(isTable) ? '表格' : '';
    const reason = table
      ? '是表格，请单独导入'
      : kind === 'terms' && files.some(isDocument)
        ? '是文档，请单独导入'
        : '不是能导入的格式';
    notes.drop(given.stem, `${files.length} 个 ${ending} 文件${reason}`, files.map((file) => file.name).join('、'));
  }
}

function unsupported(given: Given, kind: ImportKind | undefined, forced: boolean): XiheError {
  const name = given.isFolder ? given.stem : (given.files[0]?.name ?? given.stem);
  const known = given.isFolder ? undefined : HINTS.find(([test]) => test.test(given.abs));
  const accepted =
    '能导入的有：术语表（.xlsx、.csv、.tsv、.yaml、.json）、有 SKILL.md 的目录、AGENTS.md 和 Markdown、HTML、文本文档。';
  if (known) return new XiheError('ENTRY_INVALID', `${name} 是${known[1]}，不能直接导入`, { hint: known[2] });
  if (forced) {
    const wanted = { terms: '术语表', playbooks: 'SKILL.md', knowledge: '文档' }[kind as ImportKind];
    return new XiheError('ENTRY_INVALID', `${name} 里没有可以当作${wanted}导入的文件`, { hint: accepted });
  }
  if (given.isFolder) return new XiheError('ENTRY_INVALID', `${name} 里没有可以导入的文件`, { hint: accepted });
  const isData = given.files.some(isList);
  const hint = isData
    ? '术语写成列表（- 中文: 超时关单，下一行缩进写 代码: …）或「超时关单: OrderService.cancelExpired」；确实是术语表时加 --as terms 看逐条原因。'
    : accepted;
  return new XiheError('ENTRY_INVALID', `${name} 看不出是术语、流程还是文档`, { hint });
}
