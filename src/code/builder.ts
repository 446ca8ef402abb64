import { hasChinese } from '../text/index.js';
import { isBoilerplate, stripDocMarkers } from './comments.js';
import type { SgNode } from './parsers.js';
import { oneLine, type SourceText, type Span } from './source.js';
import { notableString } from './strings.js';
import type { CodeSymbol, ImportRef, Outline, SymbolKind } from './types.js';

/** A signature is a hint for people and models, not the declaration. */
const MAX_SIGNATURE = 160;

/** A node that a language asked for, with its place. */
export interface Fact extends Span {
  node: SgNode;
  kind: string;
}

/** Blank lines, a shebang, a package clause and a directive or two. */
const MAX_HEAD_LINES = 20;

/** Literals are read up to here; notableString cuts them shorter still. In characters. */
const MAX_LITERAL = 2000;

/** Comments are read up to here; longer ones are licences, logs or code that was commented out. In characters. */
const MAX_COMMENT = 4000;

/** A doc comment and the name that it explains lie at most so many lines apart (decorators between). */
const DOC_REACH = 10;

/** What is around the current node: a kept symbol whose range holds it. */
export interface Scope {
  name: string;
  kind: SymbolKind | 'object' | 'namespace';
  end: number;
  exported: boolean;
  /** For languages with routes on classes: the path prefix. */
  routePrefix?: string;
}

interface Comment extends Span {
  /** Nothing but white space before it on its line. */
  ownLine: boolean;
  /** `//`, `#`: neighbours form one comment. */
  lineStyle: boolean;
}

/** Collects what one file tells; readers (by tree or by pattern) find places and add symbols. */
export class OutlineBuilder {
  /** The export statement read last: what lies in it directly is exported, and its doc comment stands before `export`. */
  exportRange: Span | undefined;
  /** What `export { a }` or `module.exports = { a }` names; it may stand anywhere in the file. */
  readonly exportedNames = new Set<string>();
  /** Offset of a body → its symbol: a string that stands there is a docstring. */
  readonly bodies = new Map<number, CodeSymbol>();
  /** How many places were read so far; only the first can be the docstring of the file. */
  placesRead = 0;
  /** A docstring of the whole file. */
  moduleDoc: string | undefined;
  private readonly docStrings: { line: number; text: string }[] = [];
  readonly symbols: CodeSymbol[] = [];
  readonly imports: ImportRef[] = [];
  readonly strings: { line: number; text: string }[] = [];
  readonly remarks: NonNullable<Outline['remarks']> = [];
  private readonly scopes: Scope[] = [];
  private readonly comments: Comment[] = [];
  private readonly commentByEndLine = new Map<number, Comment>();
  private readonly commentByLine = new Map<number, Comment>();
  /** endLine → first line of decorators that stand before a declaration. */
  private readonly decoratorByEndLine = new Map<number, { line: number; text: string }>();

  constructor(readonly source: SourceText) {}

  slice(start: number, end: number): string {
    return this.source.text.slice(start, end);
  }

  /** To be called for every comment before symbols are added. */
  addComment(fact: Span): void {
    // A shebang says how to run the file, not what it is.
    if (fact.start === 0 && this.source.text.startsWith('#!')) return;
    const comment: Comment = {
      start: fact.start,
      end: fact.end,
      line: fact.line,
      endLine: fact.endLine,
      ownLine: this.source.lineBefore(fact.start).trim() === '',
      lineStyle: /^(?:\/\/|#)/.test(this.slice(fact.start, fact.start + 2)),
    };
    this.comments.push(comment);
    if (comment.ownLine) this.commentByEndLine.set(comment.endLine, comment);
    else this.commentByLine.set(comment.line, comment);
  }

  addDecorator(fact: Span): void {
    // One that shares its line with the declaration is part of it.
    if (!this.endsItsLine(fact)) return;
    const text = this.slice(fact.start, Math.min(fact.end, fact.start + MAX_LITERAL));
    this.decoratorByEndLine.set(fact.endLine, { line: fact.line, text });
  }

  /** A docstring is a comment that happens to be a literal. */
  addDocString(line: number, text: string): void {
    this.docStrings.push({ line, text });
  }

  addString(fact: Span): void {
    const text = notableString(this.slice(fact.start, Math.min(fact.end, fact.start + MAX_LITERAL)));
    if (text !== undefined) this.strings.push({ line: fact.line, text });
  }

  /** Leaves every scope that ends before `start`; returns the innermost one left. */
  scopeAt(start: number): Scope | undefined {
    while (this.scopes.length > 0 && this.scopes.at(-1)!.end <= start) this.scopes.pop();
    return this.scopes.at(-1);
  }

  enter(scope: Scope): void {
    this.scopes.push(scope);
  }

  /**
   * Adds a symbol with its signature and doc comment.
   *
   * @param fact the declaration, with modifiers and annotations
   * @param nameNode its name
   * @param extra `from`/`to` bound the signature; `docStart` is where a doc comment ends before, if not at the fact
   */
  addSymbol(
    fact: Span,
    nameNode: { text: string; line: number },
    kind: SymbolKind,
    extra: {
      exported: boolean;
      container?: string | undefined;
      signature?: string;
      docLine?: number;
      doc?: string | undefined;
    },
  ): CodeSymbol {
    const doc = this.docBefore(extra.docLine ?? fact.line) ?? this.trailingDoc(fact, kind) ?? extra.doc;
    const symbol: CodeSymbol = {
      name: nameNode.text,
      kind,
      ...(extra.container ? { container: extra.container } : {}),
      line: nameNode.line,
      endLine: fact.endLine,
      exported: extra.exported,
      ...(extra.signature ? { signature: oneLine(extra.signature, MAX_SIGNATURE) } : {}),
      ...(doc ? { doc } : {}),
    };
    this.symbols.push(symbol);
    return symbol;
  }

  /** Text of the decorators right above a line, nearest first. */
  decoratorsAbove(line: number): string[] {
    const texts: string[] = [];
    for (let at = line; ; ) {
      const decorator = this.decoratorByEndLine.get(at - 1);
      if (decorator === undefined) return texts;
      texts.push(decorator.text);
      at = decorator.line;
    }
  }

  /** The comment that ends on the line before `line`, decorators skipped; line comments above it join. */
  private docBefore(line: number): string | undefined {
    let first = line;
    for (
      let decorator = this.decoratorByEndLine.get(first - 1);
      decorator;
      decorator = this.decoratorByEndLine.get(first - 1)
    ) {
      first = decorator.line;
    }
    const last = this.commentByEndLine.get(first - 1);
    if (last === undefined) return undefined;
    let start = last;
    while (start.lineStyle) {
      const above = this.commentByEndLine.get(start.line - 1);
      if (!above?.lineStyle) break;
      start = above;
    }
    const doc = this.commentText(start.start, last.end);
    return doc === '' || isBoilerplate(doc) ? undefined : doc;
  }

  /** `PAID, // 已支付`: for the kinds that people comment that way. */
  private trailingDoc(fact: Span, kind: SymbolKind): string | undefined {
    if (kind !== 'enum-member' && kind !== 'field' && kind !== 'constant') return undefined;
    const comment = this.commentByLine.get(fact.endLine);
    if (comment === undefined || comment.start < fact.end || !this.endsItsLine(comment)) return undefined;
    return this.commentText(comment.start, comment.end) || undefined;
  }

  private commentText(start: number, end: number): string {
    return stripDocMarkers(this.slice(start, Math.min(end, start + MAX_COMMENT)));
  }

  private isDoc(comment: Span, text: string): boolean {
    return this.symbols.some(
      (symbol) => symbol.doc === text && symbol.line > comment.endLine && symbol.line <= comment.endLine + DOC_REACH,
    );
  }

  private endsItsLine(comment: Span): boolean {
    return this.slice(comment.end, this.source.startOf(comment.endLine + 1)).trim() === '';
  }

  /** Tells whether a place lies in a comment. To be asked when all comments are in. */
  inComment(index: number): boolean {
    let low = 0;
    let high = this.comments.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.comments[middle]!.end <= index) low = middle + 1;
      else high = middle;
    }
    const comment = this.comments[low];
    return comment !== undefined && comment.start <= index;
  }

  /** Chinese comments; line comments on neighbouring lines stay apart, so that each keeps its line. */
  chineseComments(): { line: number; text: string }[] {
    return this.comments
      .map((comment) => ({ line: comment.line, text: this.commentText(comment.start, comment.end) }))
      .concat(this.docStrings)
      .filter((comment) => hasChinese(comment.text))
      .sort((a, b) => a.line - b.line);
  }

  /** Tells whether only comments and blank lines stand before a place. To be asked when all comments are in. */
  nothingBefore(index: number): boolean {
    let end = 0;
    for (const comment of this.comments) {
      if (comment.start >= index) break;
      if (!mayStandFirst(this.slice(end, comment.start))) return false;
      end = comment.end;
    }
    return mayStandFirst(this.slice(end, index));
  }

  /** The comment at the head of the file, licences and tool switches skipped; one that is the doc of a symbol is not it. */
  headComment(): string | undefined {
    if (this.moduleDoc !== undefined) return this.moduleDoc;
    let end = 0;
    for (let i = 0; i < this.comments.length; i++) {
      const comment = this.comments[i]!;
      // Directives, package clauses and shebangs may stand before it, code may not.
      if (!mayStandFirst(this.slice(end, comment.start))) return undefined;
      let last = comment;
      while (last.lineStyle && this.comments[i + 1]?.lineStyle && this.comments[i + 1]!.line === last.endLine + 1)
        last = this.comments[++i]!;
      const text = this.commentText(comment.start, last.end);
      if (!isBoilerplate(text)) return this.isDoc(last, text) ? undefined : text;
      end = last.end;
    }
    return undefined;
  }
}

/** Shebangs, package clauses and directives: what may stand before the comment at the head of a file. */
function mayStandFirst(text: string): boolean {
  const lines = text.trim().split(/[\r\n]+/);
  // A few lines at most: below that it is code, and looking at all of it for every comment would cost too much.
  if (lines.length > MAX_HEAD_LINES) return false;
  return lines.every((line) => line.trim() === '' || MAY_STAND_FIRST.test(line.trim()));
}

const MAY_STAND_FIRST = /^(?:#!.*|<\?php|<\?xml.*|package [\w.]+;?|['"]use \w+['"];?)$/;

/** A node with its place. */
export function factOf(node: SgNode): Fact {
  const { start, end } = node.range();
  // A node that ends at column 0 (Python blocks) ends on the line before.
  const endLine = end.column === 0 && end.line > start.line ? end.line : end.line + 1;
  return { node, kind: String(node.kind()), start: start.index, end: end.index, line: start.line + 1, endLine };
}

/** Text and place of a node's field, e.g. its `name`; undefined when it is absent or empty. */
export function fieldText(
  node: SgNode,
  field: string,
): { text: string; line: number; start: number; end: number } | undefined {
  const found = node.field(field);
  if (found === null) return undefined;
  const text = found.text();
  // A name that the parser only missed is none.
  if (text === '') return undefined;
  const range = found.range();
  return { text, line: range.start.line + 1, start: range.start.index, end: range.end.index };
}
