import { languageOf } from './language.js';
import { embeddedScript } from './markup.js';
import { MAX_PARSED_LENGTH } from './outline.js';
import { parseSource, type SgNode } from './parsers.js';
import { oneLine } from './source.js';
import type { SyntaxProblem } from './types.js';

/** One wrong bracket can give dozens of follow-up errors; the first few are what people fix. */
const MAX_PROBLEMS = 20;
const MAX_TEXT = 80;

/**
 * Marks of template languages (Jinja, ERB, EJS, FreeMarker, Handlebars, Thymeleaf) where code would stand. A file that holds one is no
 * code of its language yet, so that it does not parse says nothing. `{{ name }}` is also an object in JSX, so it counts only where it
 * stands beside the problem.
 */
const TEMPLATE_MARKS = /<%|%>|\{%|%\}|<#(?:if|list|assign|else|include|macro)\b|\[\[\s*[$#]\{/;
const TEMPLATE_HOLES = /\{\{-?\s*[\w.$@#/^>!]+[^{}]*\}\}|\$\{[^}]*\}|@[\w.-]+@|__[A-Z_]+__/;

/** What the grammars do not know yet although it is sound: `<in out T>` of TypeScript 4.7, `import defer` of TypeScript 5.9. */
const GRAMMAR_GAPS = /^(?:in out|out|in)\s+\w|^defer$/;

/**
 * Where a file does not parse.
 *
 * @param path decides the language
 * @returns in file order, at most 20; [] for a sound file, for languages without a parser, and for files over 512 KB
 */
export async function syntaxProblems(path: string, text: string): Promise<SyntaxProblem[]> {
  if (text.length > MAX_PARSED_LENGTH) return [];
  const language = languageOf(path);
  const script = language === 'vue' || language === 'html' ? embeddedScript(text) : undefined;
  const root = await parseSource(script?.language ?? language, script?.text ?? text).catch(() => undefined);
  if (root === undefined) return [];
  const nodes = root.findAll({ rule: { any: [{ kind: 'ERROR' }, { regex: '^$' }] } });
  const errors = nodes.filter((node) => String(node.kind()) === 'ERROR' || isMissing(node));
  const places = errors.map((node) => ({ node, start: node.range().start.index, end: node.range().end.index }));
  // An error around another one (often the whole file) only says where the parser gave up; the inner one says why.
  const inner = places.filter(
    (a) => !places.some((b) => b !== a && b.start >= a.start && b.end <= a.end && b.end - b.start < a.end - a.start),
  );
  return inner
    .sort((a, b) => a.start - b.start)
    .slice(0, MAX_PROBLEMS)
    .map(({ node }) => problemOf(node));
}

/**
 * Syntax errors that a change brought into a file. Silent wherever that is not certain: where the file had errors before (whatever
 * the parser says next to them may be theirs), in templates, and for what the grammars are known not to read.
 *
 * @param path decides the language
 * @param before the text before the change; undefined for a new file
 * @returns in file order; [] also for languages without a parser
 */
export async function newSyntaxProblems(
  path: string,
  before: string | undefined,
  after: string,
): Promise<SyntaxProblem[]> {
  if (before === after || TEMPLATE_MARKS.test(after)) return [];
  const found = (await syntaxProblems(path, after)).filter(({ text }) => !GRAMMAR_GAPS.test(text));
  if (found.length === 0) return [];
  const lines = after.split(/\r\n|\r|\n/);
  if (found.some(({ line }) => TEMPLATE_HOLES.test(withoutStrings(lines[line - 1] ?? '')))) return [];
  const old = before === undefined ? [] : await syntaxProblems(path, before);
  return old.length > 0 ? [] : found;
}

/** A line less its strings, in which `${…}` is ordinary. */
function withoutStrings(line: string): string {
  return line.replace(/`[^`]*`|"[^"]*"|'[^']*'/g, '');
}

/** Tree-sitter puts a token of no width where one is missing; grammars also have rules that may match nothing, which are named. */
function isMissing(node: SgNode): boolean {
  return node.isLeaf() && (!node.isNamed() || /identifier$/.test(String(node.kind()))) && node.parent() !== null;
}

function problemOf(node: SgNode): SyntaxProblem {
  const { start } = node.range();
  const text = node.text();
  return {
    line: start.line + 1,
    column: start.column + 1,
    text: text === '' ? `缺少 ${node.kind()}` : oneLine(text, MAX_TEXT),
  };
}
