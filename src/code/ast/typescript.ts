import { type Fact, factOf, fieldText, type OutlineBuilder, type Scope } from '../builder.js';
import type { SgNode } from '../parsers.js';
import type { CodeSymbol, SymbolKind } from '../types.js';
import { addCalls } from './calls.js';
import type { AstLanguage } from './language.js';
import { routesFromDecorators } from './routes.js';
import {
  chineseInDecorators,
  controllerPrefix,
  isFunctionNode,
  visitAssignment,
  visitExport,
  visitImport,
} from './typescript-modules.js';

const KINDS = [
  'comment',
  'decorator',
  'string',
  'template_string',
  'class_declaration',
  'abstract_class_declaration',
  'interface_declaration',
  'type_alias_declaration',
  'enum_declaration',
  'function_declaration',
  'generator_function_declaration',
  'function_signature',
  'method_definition',
  'abstract_method_signature',
  'method_signature',
  'property_signature',
  'public_field_definition',
  'variable_declarator',
  'pair',
  'assignment_expression',
  'internal_module',
  'import_statement',
  'export_statement',
];

/** How far a declaration is looked at for signs of a function value, in characters: its type annotation and its parameters. */
const FUNCTION_SIGNS = 400;

/** TypeScript. */
export const typescript: AstLanguage = {
  kinds: KINDS,
  comments: ['comment'],
  decorators: ['decorator'],
  strings: ['string', 'template_string'],
  visit,
  finish,
};

/** TSX and JavaScript: with the texts between tags. */
export const tsx: AstLanguage = {
  ...typescript,
  kinds: [...KINDS, 'jsx_text'],
  strings: ['string', 'template_string', 'jsx_text'],
};

type Visitor = (fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined) => void;

const VISITORS: Record<string, Visitor> = {
  export_statement: visitExport,
  import_statement: visitImport,
  assignment_expression: visitAssignment,
  internal_module: visitNamespace,
  class_declaration: visitType,
  abstract_class_declaration: visitType,
  interface_declaration: visitType,
  enum_declaration: visitType,
  type_alias_declaration: visitType,
  variable_declarator: visitVariable,
  pair: visitPair,
  property_signature: visitPropertySignature,
};

function visit(fact: Fact, ctx: OutlineBuilder): void {
  const visitor = VISITORS[fact.kind] ?? visitMember;
  visitor(fact, ctx, ctx.scopeAt(fact.start));
}

function visitNamespace(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  const name = fieldText(fact.node, 'name');
  if (name) ctx.enter({ name: name.text, kind: 'namespace', end: fact.end, exported: isExported(fact, ctx, scope) });
}

const TYPE_KIND: Record<string, SymbolKind> = {
  class_declaration: 'class',
  abstract_class_declaration: 'class',
  interface_declaration: 'interface',
  enum_declaration: 'enum',
  type_alias_declaration: 'type',
};

function visitType(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  const name = fieldText(fact.node, 'name');
  if (!name) return;
  const kind = TYPE_KIND[fact.kind]!;
  const exported = isExported(fact, ctx, scope);
  const bodyStart = kind === 'type' ? fact.end : (fieldText(fact.node, 'body')?.start ?? fact.end);
  const signature = `${kind} ${ctx.slice(name.start, bodyStart)}`.replace(/;$/, '');
  const docLine = docLineOf(fact, ctx, scope);
  ctx.addSymbol(fact, name, kind, { exported, container: scope?.name, signature, docLine });
  const routePrefix = kind === 'class' ? controllerPrefix(ctx, fact) : undefined;
  ctx.enter({ name: name.text, kind, end: fact.end, exported, ...(routePrefix === undefined ? {} : { routePrefix }) });
  if (kind === 'enum') addEnumMembers(fact.node, ctx, name.text, exported);
}

function addEnumMembers(node: SgNode, ctx: OutlineBuilder, container: string, exported: boolean): void {
  for (const member of node.field('body')?.namedChildren() ?? []) {
    const fact = factOf(member);
    if (!/^(?:property_identifier|string|enum_assignment)$/.test(fact.kind)) continue;
    const signature = ctx.slice(fact.start, fact.end);
    const text = /^["']?([\p{L}_$][\p{L}\d_$-]*)/u.exec(signature)?.[1];
    if (text) ctx.addSymbol(fact, { text, line: fact.line }, 'enum-member', { exported, container, signature });
  }
}

const MEMBER_KIND: Record<string, SymbolKind> = {
  function_declaration: 'function',
  generator_function_declaration: 'function',
  function_signature: 'function',
  method_definition: 'method',
  abstract_method_signature: 'method',
  method_signature: 'method',
  property_signature: 'field',
  public_field_definition: 'field',
};

/** What `export { A }` below must not show: private members of A. */
const hidden = new WeakSet<CodeSymbol>();

/** Functions, methods, fields. */
function visitMember(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  const base = MEMBER_KIND[fact.kind];
  const name = base === undefined ? undefined : fieldText(fact.node, 'name');
  if (base === undefined || !name) return;
  const value = base === 'field' ? functionValue(fact, ctx) : undefined;
  const kind = value ? 'method' : base;
  const isPrivate = /\b(?:private|protected)\b/.test(ctx.slice(fact.start, name.start)) || name.text.startsWith('#');
  const exported =
    !isPrivate && (kind === 'function' || scope === undefined ? isExported(fact, ctx, scope) : scope.exported);
  const decorators = ctx.decoratorsAbove(fact.line);
  const text = name.text.replace(/^['"]|['"]$/g, '');
  const symbol = ctx.addSymbol(fact, { text, line: name.line }, kind, {
    exported,
    container: scope?.name,
    signature: signatureOf(ctx, name.start, value ?? fact.node, fact.end),
    docLine: docLineOf(fact, ctx, scope),
    doc: chineseInDecorators([...decorators, ctx.slice(fact.start, name.start)]),
  });
  if (isPrivate) hidden.add(symbol);
  for (const route of routesFromDecorators(decorators, scope?.routePrefix)) {
    const { signature, doc } = symbol;
    const extra = { exported: true, container: scope?.name, doc, ...(signature ? { signature } : {}) };
    ctx.addSymbol(fact, { text: route, line: name.line }, 'route', extra);
  }
  if (kind !== 'field') ctx.enter({ name: text, kind, end: fact.end, exported });
}

/** A property of a type literal inside a signature or a function names nothing that anyone looks for. */
function visitPropertySignature(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  if (scope?.kind === 'interface' || scope?.kind === 'type') visitMember(fact, ctx, scope);
}

/** `cancel: async () => {}` in an object outside of functions, or in Vue's `methods`. */
function visitPair(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  if (scope?.kind === 'function' || scope?.kind === 'method') return;
  const value = functionValue(fact, ctx);
  const name = value && fieldText(fact.node, 'key');
  // Vue's props have a `default` each.
  if (!value || !name || name.text === 'default') return;
  const exported = scope === undefined ? isExported(fact, ctx, scope) : scope.exported;
  const text = name.text.replace(/^['"]|['"]$/g, '');
  const signature = signatureOf(ctx, name.start, value, fact.end);
  ctx.addSymbol(fact, { text, line: name.line }, 'method', { exported, container: scope?.name, signature });
  ctx.enter({ name: text, kind: 'method', end: fact.end, exported });
}

/**
 * The function that a declarator, pair or field holds. Most hold none, and asking the tree costs more than a look at the text, so
 * the text is asked first.
 */
function functionValue(fact: Fact, ctx: OutlineBuilder): SgNode | undefined {
  if (!/=>|\bfunction\b/.test(ctx.slice(fact.start, Math.min(fact.end, fact.start + FUNCTION_SIGNS)))) return undefined;
  const value = fact.node.field('value');
  return value !== null && isFunctionNode(value) ? value : undefined;
}

/** From a name to the body of its function. */
function signatureOf(ctx: OutlineBuilder, start: number, node: SgNode, end: number): string {
  const body = node.field('body')?.range().start.index ?? end;
  return ctx.slice(start, body).replace(/=>\s*$|[;,]\s*$/, '');
}

function visitVariable(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  const value = functionValue(fact, ctx);
  // Locals of functions are nobody's business, unless they are functions themselves.
  if (!value && (scope?.kind === 'function' || scope?.kind === 'method' || !isTopLevel(fact.node, scope))) return;
  const name = fieldText(fact.node, 'name');
  if (!name || /^[{[]/.test(name.text)) return;
  const exported = isExported(fact, ctx, scope);
  const docLine = docLineOf(fact, ctx, scope);
  if (value) {
    const signature = signatureOf(ctx, name.start, value, fact.end);
    ctx.addSymbol(fact, name, 'function', { exported, container: scope?.name, signature, docLine });
    ctx.enter({ name: name.text, kind: 'function', end: fact.end, exported });
    return;
  }
  const signature = ctx.slice(fact.start, fact.end);
  if (/^[\w$]+\s*=\s*require\(/.test(signature)) return;
  const symbol = ctx.addSymbol(fact, name, 'constant', { exported, container: scope?.name, signature, docLine });
  // A module's own variables are noise, unless somebody wrote them large or said what they are.
  if (!exported && !symbol.doc && !/^[A-Z][A-Z\d_]*$/.test(name.text)) ctx.symbols.pop();
  ctx.enter({ name: name.text, kind: 'object', end: fact.end, exported });
}

/** Declared by the module itself or by a namespace, not in a block, a loop or a callback. */
function isTopLevel(declarator: SgNode, scope: Scope | undefined): boolean {
  const holder = String(declarator.parent()?.parent()?.kind() ?? '');
  return /^(?:program|export_statement)$/.test(holder) || (holder === 'statement_block' && scope?.kind === 'namespace');
}

/** Marks what `export { a, b }` and `module.exports = { a }` name, wherever it stands in the file. */
function finish(ctx: OutlineBuilder): void {
  addCalls(ctx, true);
  const names = ctx.exportedNames;
  for (const symbol of ctx.symbols) {
    if (names.has(symbol.container ?? symbol.name) && !hidden.has(symbol)) symbol.exported = true;
  }
}

function isExported(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): boolean {
  return inExport(fact, ctx) && (scope === undefined || scope.kind === 'namespace');
}

function inExport(fact: Fact, ctx: OutlineBuilder): boolean {
  const range = ctx.exportRange;
  return range !== undefined && fact.start >= range.start && fact.end <= range.end;
}

/** A doc comment stands before `export`, not before what is exported. */
function docLineOf(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): number {
  const first = isExported(fact, ctx, scope) && !/\(/.test(ctx.slice(ctx.exportRange!.start, fact.start));
  return first ? ctx.exportRange!.line : fact.line;
}
