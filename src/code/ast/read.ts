import { type Fact, factOf, OutlineBuilder } from '../builder.js';
import type { NapiConfig, SgNode } from '../parsers.js';
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
  let broken = String(root.kind()) === 'ERROR';
  const rest: Fact[] = [];
  for (const node of root.findAll(queryOf(reader))) {
    const fact = factOf(node);
    if (reader.comments.includes(fact.kind)) ctx.addComment(fact);
    else if (reader.decorators.includes(fact.kind)) ctx.addDecorator(fact);
    else if (fact.kind === 'ERROR') broken = true;
    else rest.push(fact);
  }
  for (const fact of rest) {
    if (reader.strings.includes(fact.kind)) ctx.addString(fact);
    else reader.visit(fact, ctx);
  }
  reader.finish?.(ctx);
  return { ctx, broken };
}

const queries = new Map<AstLanguage, NapiConfig>();

function queryOf(reader: AstLanguage): NapiConfig {
  let query = queries.get(reader);
  if (query === undefined) {
    query = { rule: { any: ['ERROR', ...reader.kinds].map((kind) => ({ kind })) } };
    queries.set(reader, query);
  }
  return query;
}
