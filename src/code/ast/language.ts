import type { Fact, OutlineBuilder } from '../builder.js';

/**
 * How one language's tree is read: one query for all kinds of nodes that matter, then a visit in document order.
 *
 * The query names kinds and nothing else: ast-grep compiles it anew for every file, and one regular expression in it costs as much as
 * parsing four files. Finer choices are made on the text.
 */
export interface AstLanguage {
  kinds: readonly string[];
  comments: readonly string[];
  decorators: readonly string[];
  strings: readonly string[];
  /** Called for every node that is no comment, decorator or string. */
  visit(fact: Fact, ctx: OutlineBuilder): void;
  /** Called once after all visits. */
  finish?(ctx: OutlineBuilder): void;
}
