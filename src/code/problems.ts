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
