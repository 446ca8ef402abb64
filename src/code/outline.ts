import { hasChinese } from '../text/index.js';
import { readTree } from './ast/read.js';
import type { OutlineBuilder } from './builder.js';
import { isLocalePath, readLineKeys, readMarkdown, readNestedKeys } from './data.js';
import { languageOf } from './language.js';
import { embeddedScript, readTemplate } from './markup.js';
import { parseSource } from './parsers.js';
import { scanByPattern, scanComments } from './patterns/scan.js';
import { scanSql } from './patterns/sql.js';
import { scanXml } from './patterns/xml.js';
import { SourceText } from './source.js';
import { summarise } from './summary.js';
import type { CodeSymbol, Language, Outline } from './types.js';

/** Files above this are generated or data; parsing one costs as much as a hundred real ones. 524,288 UTF-16 units. */
export const MAX_PARSED_LENGTH = 512 * 1024;

/** What a large file is looked at instead: its head says what it is. */
const HEAD_LENGTH = 16 * 1024;

/** Minified code has lines of thousands of characters; the longest hand-written ones (long texts) rarely pass 1,000. */
const MINIFIED_MEAN_LINE = 300;

/**
 * Reads what a file defines, without running or resolving anything.
 *
 * Never throws for any content: code that does not parse is read by patterns, and a huge or minified file gives its head only.
 *
 * @param path decides the language and names a component; it need not exist
 * @param text the decoded file, see text/decodeText
 */
export async function outline(path: string, text: string): Promise<Outline> {
  const language = languageOf(path);
  if (text.length > MAX_PARSED_LENGTH || isMinified(text, language)) return cheapOutline(language, text);
  try {
    return await fullOutline(path, language, text);
  } catch {
    // A defect in a parser or in our reading of its tree must not take the whole index down.
    return cheapOutline(language, text);
  }
}

function isMinified(text: string, language: Language): boolean {
  if (language === 'markdown' || language === 'json' || text.length < 4 * MINIFIED_MEAN_LINE) return false;
  const head = text.slice(0, 4 * HEAD_LENGTH);
  const lines = head.split(/\r\n|\r|\n/).length;
  return head.length / lines > MINIFIED_MEAN_LINE;
}

function cheapOutline(language: Language, text: string): Outline {
  const source = new SourceText(text.slice(0, HEAD_LENGTH));
  const headComment = scanComments(source, language)?.headComment();
  return {
    language,
    by: 'none',
    symbols: [],
    imports: [],
    ...(headComment === undefined ? {} : { headComment }),
    comments: [],
    strings: [],
    summary: summarise(headComment, []),
  };
}

async function fullOutline(path: string, language: Language, text: string): Promise<Outline> {
  const source = new SourceText(text);
  switch (language) {
    case 'vue':
    case 'html':
      return markupOutline(path, language, source);
    case 'markdown': {
      const { head, comments } = readMarkdown(source);
      return {
        ...emptyOutline(language, 'pattern'),
        comments,
        ...(head ? { headComment: head } : {}),
        summary: summarise(head, []),
      };
    }
    case 'json':
    case 'yaml':
    case 'other':
      return dataOutline(path, language, source);
    case 'sql':
      return fromBuilder(language, 'pattern', scanSql(source));
    case 'xml':
      return fromBuilder(language, 'pattern', scanXml(source));
    default:
      return codeOutline(path, language, source);
  }
}

async function codeOutline(path: string, language: Language, source: SourceText): Promise<Outline> {
  const result = await readCode(language, source, source.text);
  if (!/script|tsx/.test(language) || !isLocalePath(path)) return result;
  const i18n = readNestedKeys(source);
  return i18n.length > 0 ? { ...result, i18n } : result;
}

/** By tree; where the parser stumbles, patterns add what it missed; without a parser, patterns alone. */
async function readCode(language: Language, source: SourceText, code: string): Promise<Outline> {
  const root = await parseSource(language, code);
  const codeSource = code === source.text ? source : new SourceText(code);
  if (root === undefined) return byPattern(language, codeSource);
  const { ctx, broken } = readTree(root, language, codeSource);
  const result = fromBuilder(language, 'ast', ctx);
  if (!broken) return result;
  const rough = byPattern(language, codeSource);
  if (result.symbols.length === 0 && rough.symbols.length > 0) return { ...rough, by: 'pattern' };
  return complete(result, rough);
}

function byPattern(language: Language, source: SourceText): Outline {
  const scanned = scanByPattern(source, language) ?? scanComments(source, language);
  return scanned === undefined ? emptyOutline(language, 'none') : fromBuilder(language, 'pattern', scanned);
}

/** The tree's reading, plus names and imports that only patterns saw. */
function complete(tree: Outline, rough: Outline): Outline {
  const names = new Set(tree.symbols.map((symbol) => symbol.name));
  const sources = new Set(tree.imports.map((entry) => entry.source));
  const symbols = [...tree.symbols, ...rough.symbols.filter((symbol) => !names.has(symbol.name))].sort(
    (a, b) => a.line - b.line,
  );
  const imports = [...tree.imports, ...rough.imports.filter((entry) => !sources.has(entry.source))];
  return { ...tree, symbols, imports, summary: summarise(tree.headComment, symbols) };
}

function fromBuilder(language: Language, by: Outline['by'], builder: OutlineBuilder): Outline {
  const headComment = builder.headComment();
  return {
    language,
    by,
    symbols: builder.symbols,
    imports: builder.imports,
    ...(headComment === undefined ? {} : { headComment }),
    comments: builder.chineseComments(),
    strings: builder.strings,
    ...(builder.remarks.length > 0 ? { remarks: builder.remarks } : {}),
    summary: summarise(headComment, builder.symbols),
  };
}

function emptyOutline(language: Language, by: Outline['by']): Outline {
  return { language, by, symbols: [], imports: [], comments: [], strings: [], summary: '' };
}

async function markupOutline(path: string, language: 'vue' | 'html', source: SourceText): Promise<Outline> {
  const template = readTemplate(source);
  const script = embeddedScript(source.text);
  const code =
    script === undefined ? emptyOutline(language, 'pattern') : await readCode(script.language, source, script.text);
  const component = language === 'vue' ? [componentOf(path, source)] : [];
  const symbols = [...component, ...code.symbols];
  const headComment = template.head ?? code.headComment;
  const byLine = (a: { line: number }, b: { line: number }) => a.line - b.line;
  return {
    ...code,
    language,
    symbols,
    ...(headComment === undefined ? {} : { headComment }),
    comments: [...template.comments, ...code.comments].sort(byLine),
    strings: [...template.strings, ...code.strings].sort(byLine),
    summary: summarise(headComment, symbols),
  };
}

/** A Vue file is a component with the file's name, or its folder's for index.vue. */
function componentOf(path: string, source: SourceText): CodeSymbol {
  const parts = path.replaceAll('\\', '/').split('/');
  const base = parts.at(-1)!.replace(/\.vue$/i, '');
  const name = base === 'index' && parts.length > 1 ? parts.at(-2)! : base;
  return { name, kind: 'class', line: 1, endLine: source.lineCount, exported: true };
}

function dataOutline(path: string, language: Language, source: SourceText): Outline {
  const isProperties = /\.properties$/i.test(path);
  if (language === 'other' && !isProperties) return emptyOutline(language, 'none');
  const entries = language === 'json' ? readNestedKeys(source) : readLineKeys(source, !isProperties);
  const hashed = language === 'json' ? undefined : scanComments(source, 'yaml');
  const headComment = hashed?.headComment() ?? describedBy(language, source.text);
  const keys = topKeys(language, source.text);
  return {
    ...emptyOutline(language, 'pattern'),
    ...(headComment === undefined ? {} : { headComment }),
    comments: hashed?.chineseComments() ?? [],
    strings: entries.map(({ line, text }) => ({ line, text })),
    ...(isLocalePath(path) && entries.length > 0 ? { i18n: entries } : {}),
    summary: summarise(
      headComment,
      keys.map((name) => ({ name, kind: 'constant', line: 1, endLine: 1, exported: true })),
    ),
  };
}

/** package.json and its like say what they are in `description`, `title` or `name`. */
function describedBy(language: Language, text: string): string | undefined {
  if (language !== 'json') return undefined;
  const values = ['description', 'title', 'name'].map(
    (key) => new RegExp(`^\\s{0,4}"${key}"\\s*:\\s*"((?:\\\\.|[^"\\\\])+)"`, 'm').exec(text)?.[1],
  );
  return (
    values.find((value) => value !== undefined && hasChinese(value)) ?? values.find((value) => value !== undefined)
  );
}

/** Keys of the outermost level, the first few. */
function topKeys(language: Language, text: string): string[] {
  const pattern = language === 'json' ? /^(?: {2}|\t| {4})?"([^"\n]{1,40})"\s*:/gm : /^([\p{L}\d_.-]{1,40})\s*[:=]/gmu;
  return [...new Set([...text.matchAll(pattern)].slice(0, 12).map((match) => match[1]!))];
}
