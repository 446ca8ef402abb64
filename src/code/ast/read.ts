import { type Fact, OutlineBuilder } from '../builder.js';
import type { SgNode } from '../parsers.js';
import type { SourceText } from '../source.js';
import type { Language } from '../types.js';
import { go } from './go.js';
import { java } from './java.js';
import type { AstLanguage } from './language.js';
import { python } from './python.js';
import { tsx, typescript } from './typescript.js';

const LANGUAGES: Partial<Record<Language, AstLanguage>> = { typescript, tsx, javascript: tsx, java, python, go };

/**
 * Reads a parsed file: one query for all node kinds that the language asks for (walking the tree from JavaScript costs ten times
 * as much as the query), comments first, then the rest in document order.
 *
 * @returns the collected facts, and whether the parser met something that it could not read
 */
export function readTree(
  root: SgNode,
  language: Language,
  source: SourceText,
): { ctx: OutlineBuilder; broken: boolean } {
  const reader = LANGUAGES[language];
  const ctx = new OutlineBuilder(source);
  if (reader === undefined) return { ctx, broken: true };
  let broken = root.kind() === 'ERROR';
  const rest: Fact[] = [];
  for (const node of root.findAll({ rule: { any: reader.rules } })) {
    const fact = factOf(node);
    if (reader.comments.includes(fact.kind)) ctx.addComment(fact);
    else if (reader.decorators.includes(fact.kind)) ctx.addDecorator(fact);
    else if (fact.kind === 'ERROR') broken = true;
    else rest.push(fact);
  }
  for (const fact of rest) {
    if (reader.strings.includes(fact.kind)) ctx.addString(fact);
    reader.visit(fact, ctx);
  }
  reader.finish?.(ctx);
  return { ctx, broken };
}

function factOf(node: SgNode): Fact {
  const { start, end } = node.range();
  // A node that ends at column 0 (Python blocks) ends on the line before.
  const endLine = end.column === 0 && end.line > start.line ? end.line : end.line + 1;
  return { node, kind: String(node.kind()), start: start.index, end: end.index, line: start.line + 1, endLine };
}
