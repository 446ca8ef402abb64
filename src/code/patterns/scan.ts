import { aspnetMappings, joinRoute, springMappings } from '../ast/routes.js';
import { OutlineBuilder } from '../builder.js';
import { type SourceText, spanOf } from '../source.js';
import type { Language, SymbolKind } from '../types.js';
import { type BlockEnd, braceBlocks, indentedBlocks } from './blocks.js';
import { lex } from './lexer.js';
import type { PatternLanguage, PatternRule } from './rule.js';
import { PATTERN_LANGUAGES } from './rules.js';

/** Words that look like declarations to a regular expression. */
const NOT_NAMES = new Set(
  'if for while switch catch return else new throw do try case default when in is as await sizeof'.split(' '),
);
/** Behind these even `is` and `default` are names. */
const AFTER_KEYWORD = /\b(?:fn|function|fun|def|func)\s/;

interface Found {
  rule: PatternRule;
  name: string;
  mods: string;
  header: string;
  start: number;
  nameStart: number;
  end: number;
}

/**
 * Reads a file by patterns: rougher than a parser, never wrong about lines, and indifferent to broken code.
 *
 * @returns undefined for languages without rules; then at least its comments are in a builder from {@link scanComments}
 */
export function scanByPattern(source: SourceText, language: Language): OutlineBuilder | undefined {
  const rules = PATTERN_LANGUAGES[language];
  const out = scanComments(source, language);
  if (rules === undefined || out === undefined) return undefined;
  const code = withoutLongLines(lex(source.text, language)!.code);
  addDecoratorLines(out, source, code);
  for (const found of findAll(code, rules, blockEnds(code, source, rules))) addFound(out, source, rules, found);
  addImports(out, source, code, rules);
  return out;
}

/** Lines of more characters are data; patterns would look at each of their characters many times. */
const MAX_LINE = 1000;

function withoutLongLines(code: string): string {
  return code.replace(/[^\n\r]+/g, (line) => (line.length > MAX_LINE ? ' '.repeat(line.length) : line));
}

/** Comments and literals alone. */
export function scanComments(source: SourceText, language: Language): OutlineBuilder | undefined {
  const lexed = lex(source.text, language);
  if (lexed === undefined) return undefined;
  const out = new OutlineBuilder(source);
  for (const { start, end } of lexed.comments) out.addComment(spanOf(source, start, end));
  for (const { start, end } of lexed.strings) out.addString(spanOf(source, start, end));
  return out;
}

function blockEnds(code: string, source: SourceText, rules: PatternLanguage): BlockEnd {
  if (rules.blocks === 'brace') return braceBlocks(code);
  return indentedBlocks(code, source, rules.blocks === 'end' ? 'end' : undefined);
}

/** Kinds that have a body; the others end with their line. */
const BLOCK_KINDS: ReadonlySet<string> = new Set(['class', 'interface', 'enum', 'scope', 'function', 'method']);

/** The end of the line on which a match ends, without its line break. */
function lineEnd(code: string, matchEnd: number): number {
  const last = code[matchEnd - 1] === '\n' ? matchEnd - 1 : matchEnd;
  const next = /[\r\n]/g;
  next.lastIndex = last;
  const end = next.exec(code)?.index ?? code.length;
  // Blanks at the end may be a comment that explains the line.
  return last + code.slice(last, end).trimEnd().length;
}

/** Every declaration in document order; where two rules find the same name at one place the first wins. */
function findAll(code: string, rules: PatternLanguage, blockEnd: BlockEnd): Found[] {
  const byNameStart = new Map<number, Found>();
  for (const rule of rules.rules) {
    for (const match of code.matchAll(rule.pattern)) {
      const groups = match.groups ?? {};
      const name = groups.name ?? groups.name2;
      if (name === undefined || (NOT_NAMES.has(name) && !AFTER_KEYWORD.test(match[0]))) continue;
      const nameStart = match.index + match[0].lastIndexOf(name, nameLimit(match[0], name));
      if (byNameStart.has(nameStart)) continue;
      const start = match.index + /^\s*/.exec(match[0])![0].length;
      const end = BLOCK_KINDS.has(rule.kind)
        ? blockEnd(match.index + match[0].length, match.index)
        : lineEnd(code, match.index + match[0].length);
      const header = groups.sig ?? code.slice(nameStart, headerEnd(code, nameStart, end));
      byNameStart.set(nameStart, { rule, name, mods: groups.mods ?? '', header, start, nameStart, end });
    }
  }
  return [...byNameStart.values()].sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Where the declared name may begin at the latest: before the argument list, so that an argument of the same name isn't taken. */
function nameLimit(text: string, name: string): number {
  const list = text.indexOf('(', text.indexOf(name));
  return list < 0 ? text.length : list;
}

/** A signature ends at its block, its value, or its line. */
function headerEnd(code: string, nameStart: number, end: number): number {
  const stop = /\{|=>|;|$/gm;
  stop.lastIndex = nameStart;
  const match = stop.exec(code);
  return Math.min(match === null ? end : match.index, code.length);
}

const CLASS_LIKE: ReadonlySet<string> = new Set(['class', 'interface', 'enum', 'object']);

function addFound(out: OutlineBuilder, source: SourceText, rules: PatternLanguage, found: Found): void {
  const scope = out.scopeAt(found.start);
  const inClass = scope !== undefined && CLASS_LIKE.has(scope.kind);
  const { rule } = found;
  if (rule.outside && scope !== undefined) return;
  if (rule.within === 'class' && !inClass) return;
  if (rule.within === 'enum' && scope?.kind !== 'enum') return;
  const exported = rules.exported(found.mods, found.name) || scope?.kind === 'interface' || rule.kind === 'enum-member';
  if (rule.kind === 'scope') {
    out.enter({ name: found.name, kind: 'object', end: found.end, exported: true });
    return;
  }
  const kind: SymbolKind = rule.kind === 'function' && inClass ? 'method' : rule.kind;
  // C++ names the class of a method in its definition: Order::cancel.
  const parts = found.name.split('::');
  const container = parts.length > 1 ? parts.slice(0, -1).join('::') : scope?.name;
  const span = spanOf(source, found.start, found.end);
  const nameAt = { text: parts.at(-1)!, line: source.lineAt(found.nameStart) };
  const symbol = out.addSymbol(span, nameAt, parts.length > 1 && kind === 'function' ? 'method' : kind, {
    exported,
    container,
    signature: CLASS_LIKE.has(kind) ? `${kind} ${found.header}` : found.header,
    doc: kind === 'enum-member' ? chineseLiteral(source.text.slice(found.start, found.end)) : undefined,
  });
  const header = out.decoratorsAbove(span.line).join('\n');
  const mappings = [...springMappings(header), ...aspnetMappings(header)];
  if (kind === 'method') {
    for (const { verb, path } of mappings) {
      const route = { text: `${verb} ${joinRoute(scope?.routePrefix ?? '', path)}`, line: symbol.line };
      out.addSymbol(span, route, 'route', {
        exported: true,
        container,
        ...(symbol.signature ? { signature: symbol.signature } : {}),
      });
    }
  }
  if (CLASS_LIKE.has(kind) || kind === 'function' || kind === 'method') {
    out.enter({
      name: nameAt.text,
      kind,
      end: found.end,
      exported,
      ...(mappings[0] ? { routePrefix: mappings[0].path } : {}),
    });
  }
}

/** PAID(1, "已支付"): the text says what the member is. */
function chineseLiteral(text: string): string | undefined {
  return /"([^"\n]*\p{Script=Han}[^"\n]*)"/u.exec(text)?.[1];
}

/** Annotations (`@X`), attributes (`[X]`, `#[x]`) on lines of their own stand between a doc comment and its declaration. */
function addDecoratorLines(out: OutlineBuilder, source: SourceText, code: string): void {
  for (const match of code.matchAll(/^[ \t]*(?:@\w[^\n\r]*|\[\w[^\n\r]*\]|#\[[^\n\r]*\])[ \t]*\r?$/gm)) {
    const start = match.index + /^\s*/.exec(match[0])![0].length;
    out.addDecorator(spanOf(source, start, match.index + match[0].trimEnd().length));
  }
}

function addImports(out: OutlineBuilder, source: SourceText, code: string, rules: PatternLanguage): void {
  for (const match of source.text.matchAll(rules.imports)) {
    const start = match.index + /^\s*/.exec(match[0])![0].length;
    // Blank in the code means that it stands in a comment.
    if (code.charAt(start) === ' ') continue;
    const groups = match.groups ?? {};
    const specifier = groups.source ?? groups.source2;
    if (specifier === undefined) continue;
    const names = (groups.names ?? '').match(/[\p{L}_$][\p{L}\d_$]*/gu) ?? [];
    out.imports.push({
      source: specifier,
      names: names.filter((name) => name !== 'as' && name !== 'type'),
      line: source.lineAt(start),
    });
  }
}
