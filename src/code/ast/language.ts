import type { Fact, OutlineBuilder } from '../builder.js';
import type { NapiConfig } from '../parsers.js';

/** How one language's tree is read: one query for all kinds of nodes that matter, then a visit in document order. */
export interface AstLanguage {
  /** Alternatives of the query; each node comes once. ERROR must be among them. */
  rules: NonNullable<NapiConfig['rule']['any']>;
  comments: readonly string[];
  decorators: readonly string[];
  strings: readonly string[];
  /** Called for every node that is no comment and no decorator. Strings come too, after they were noted. */
  visit(fact: Fact, ctx: OutlineBuilder): void;
  /** Called once after all visits. */
  finish?(ctx: OutlineBuilder): void;
}
