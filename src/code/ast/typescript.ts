import { type Fact, fieldText, type OutlineBuilder, type Scope } from '../builder.js';
import type { SgNode } from '../parsers.js';
import type { SymbolKind } from '../types.js';
import type { AstLanguage } from './language.js';
import { routesFromDecorators } from './routes.js';
import { chineseInDecorators, controllerPrefix, visitAssignment, visitExport, visitImport } from './typescript-modules.js';

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

function visitNamespace(fact: Fact, ctx: OutlineBuilder): void {
  const name = fieldText(fact.node, 'name');
  if (name) ctx.enter({ name: name.text, kind: 'namespace', end: fact.end, exported: isExported(fact, ctx) });
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
  const exported = isExported(fact, ctx);
  const bodyStart = kind === 'type' ? fact.end : (fieldText(fact.node, 'body')?.start ?? fact.end);
  const signature = `${kind} ${ctx.slice(name.start, bodyStart)}`.replace(/;$/, '');
  const docLine = docLineOf(fact, ctx);
  ctx.addSymbol(fact, name, kind, { exported, container: scope?.name, signature, docLine });
  const routePrefix = kind === 'class' ? controllerPrefix(ctx, fact) : undefined;
@@@
const MEMBER_KIND: Record<string, SymbolKind> = {
  function_declaration: 'function',
  generator_function_declaration: 'function',
  function_signature: 'function',
  method_definition: 'method',
  abstract_method_signature: 'method',
  method_signature: 'method',
  property_signature: 'field',
  public_field_definition: 'field',
  enum_assignment: 'enum-member',
  property_identifier: 'enum-member',
  pair: 'method',
};

/** Functions, methods, fields, enum members. */
function visitMember(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  // A property of a type literal inside a function's signature or body names nothing that anyone looks for.
  if (fact.kind === 'property_signature' && scope?.kind !== 'interface' && scope?.kind !== 'type') return;
  if (fact.kind === 'pair' && scope !== undefined && FUNCTION_KINDS.has(scope.kind)) return;
  const name =
    fact.kind === 'property_identifier'
      ? { text: ctx.slice(fact.start, fact.end), line: fact.line, start: fact.start, end: fact.end }
      : fieldText(fact.node, fact.kind === 'pair' ? 'key' : 'name');
  if (!name) return;
  const value = fact.kind === 'public_field_definition' || fact.kind === 'pair' ? fact.node.field('value') : null;
  const functionValue = value !== null && /^(?:arrow_function|function_expression)$/.test(String(value.kind()));
  const kind = functionValue ? 'method' : MEMBER_KIND[fact.kind];
  if (kind === undefined) return;
  const exported = kind === 'function' ? isExported(fact, ctx) : isMemberExported(fact, ctx, scope, name);
  const body = (functionValue ? value.field('body') : fact.node.field('body'))?.range().start.index ?? fact.end;
  const signature = ctx.slice(name.start, body).replace(/=>\s*$|[;,]\s*$/, '');
  const text = name.text.replace(/^['"]|['"]$/g, '');
  const decorators = ctx.decoratorsAbove(fact.line);
  const symbol = ctx.addSymbol(fact, { text, line: name.line }, kind, {
    exported,
    container: scope?.name,
    signature,
    docLine: docLineOf(fact, ctx),
    doc: chineseText([...decorators, ctx.slice(fact.start, name.start)]),
  });
  for (const route of routesFromDecorators(decorators, scope?.routePrefix))
    addRoute(ctx, fact, symbol.line, route, scope?.name, symbol);
  if (kind === 'function' || kind === 'method') ctx.enter({ name: text, kind, end: fact.end, exported });
}

function visitVariable(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  const name = fieldText(fact.node, 'name');
  if (!name || /^[{[]/.test(name.text)) return;
  const value = fact.node.field('value');
  const valueKind = String(value?.kind() ?? '');
  const isFunction = valueKind === 'arrow_function' || valueKind === 'function_expression';
  const exported = isExported(fact, ctx);
  const docLine = docLineOf(fact, ctx);
  if (isFunction) {
    const body = value?.field('body')?.range().start.index ?? fact.end;
    const signature = ctx.slice(name.start, body).replace(/=>\s*$/, '');
    ctx.addSymbol(fact, name, 'function', { exported, container: scope?.name, signature, docLine });
    ctx.enter({ name: name.text, kind: 'function', end: fact.end, exported });
    return;
  }
  if (/^require\(/.test(value?.text().slice(0, 10) ?? '')) return;
  const symbol = ctx.addSymbol(fact, name, 'constant', {
    exported,
    container: scope?.name,
    signature: ctx.slice(fact.start, fact.end),
    docLine,
  });
  // A module's own variables are noise, unless somebody wrote them large or said what they are.
  if (!exported && !symbol.doc && !/^[A-Z][A-Z\d_]*$/.test(name.text)) ctx.symbols.pop();
  if (valueKind !== '') ctx.enter({ name: name.text, kind: 'object', end: fact.end, exported });
}

function visitExport(fact: Fact, ctx: OutlineBuilder): void {
  ctx.exportRange = fact;
  const text = ctx.slice(fact.start, Math.min(fact.end, fact.start + 2000));
  if (/^export\s+(?:type\s+)?(?:\*|\{[^}]*\})[^'"]*\bfrom\b/.test(text)) {
    addImport(fact, ctx, text);
    return;
  }
  const list =
    /^export\s+(?:type\s+)?\{([^}]*)\}/.exec(text)?.[1] ?? /^export\s+default\s+(\w+)\s*;?\s*$/.exec(text)?.[1];
  if (list === undefined) return;
  for (const name of list.split(',')) ctx.exportedNames.add(name.trim().split(/\s+as\s+/)[0]!);
}

/** Marks what `export { a, b }` and `module.exports = { a }` name, wherever it stands in the file. */
function finish(ctx: OutlineBuilder): void {
  const names = ctx.exportedNames;
  for (const symbol of ctx.symbols) {
    if (symbol.container === undefined ? names.has(symbol.name) : names.has(symbol.container)) symbol.exported = true;
  }
}

function isExported(fact: Fact, ctx: OutlineBuilder): boolean {
  const range = ctx.exportRange;
  if (range === undefined || fact.start < range.start || fact.end > range.end) return false;
  const scope = ctx.scopeAt(fact.start);
  return scope === undefined || scope.kind === 'namespace';
}

function isMemberExported(
  fact: Fact,
  ctx: OutlineBuilder,
  scope: Scope | undefined,
  name: { start: number; text: string },
): boolean {
  if (/\b(?:private|protected)\b/.test(ctx.slice(fact.start, name.start)) || name.text.startsWith('#')) return false;
  return scope === undefined ? isExported(fact, ctx) : scope.exported;
}

/** A doc comment stands before `export`, not before what is exported. */
function docLineOf(fact: Fact, ctx: OutlineBuilder): number {
  const range = ctx.exportRange;
  const direct = range !== undefined && fact.start >= range.start && fact.end <= range.end;
  if (!direct || ctx.scopeAt(fact.start) !== undefined) return fact.line;
  return range.line;
}

function addImport(fact: Fact, ctx: OutlineBuilder, text: string): void {
  const source = /['"]([^'"]+)['"]\s*(?:with\s*\{[^}]*\}|assert\s*\{[^}]*\})?\s*;?\s*$/.exec(text)?.[1];
  if (source === undefined) return;
  const clause = text
    .slice(0, text.lastIndexOf(source))
    .replace(/^(?:import|export)\s+(?:type\s+)?|\s*from\s*['"]$|^import\s*['"]$/g, '');
  const names = [...clause.matchAll(/(?:\*\s+as\s+)?([\w$]+|\*)(?:\s+as\s+[\w$]+)?/g)]
    .map((match) => match[1]!)
    .filter((name) => name !== 'type');
  ctx.imports.push({ source, names, line: fact.line });
}

function visitCall(fact: Fact, ctx: OutlineBuilder): void {
  const text = ctx.slice(fact.start, Math.min(fact.end, fact.start + 300));
  const required = /^(?:require|import)\(\s*["']([^"']+)["']/.exec(text)?.[1];
  if (required !== undefined) {
    const names = /(?:const|let|var)\s+(?:\{([^}]*)\}|([\w$]+))\s*=\s*(?:await\s+)?$/.exec(
      ctx.source.lineBefore(fact.start),
    );
    const list = (names?.[1] ?? names?.[2] ?? '').split(',').map((name) => name.trim().split(/\s*:\s*/)[0]!);
    ctx.imports.push({ source: required, names: list.filter((name) => name !== ''), line: fact.line });
    return;
  }
  const route = routeFromCall(text);
  if (route !== undefined) addRoute(ctx, fact, fact.line, route, undefined, { signature: text });
}

function addRoute(
  ctx: OutlineBuilder,
  fact: Fact,
  line: number,
  name: string,
  container?: string,
  handler?: { signature?: string; doc?: string },
): void {
  const signature = handler?.signature;
  ctx.addSymbol(fact, { text: name, line }, 'route', {
    exported: true,
    container,
    ...(signature ? { signature } : {}),
    doc: handler?.doc,
  });
}

/** NestJS: `@Controller('order')` on the class, in front of it or of its `export`. */
function controllerPrefix(ctx: OutlineBuilder, fact: Fact): string | undefined {
  const range = ctx.exportRange;
  const head = ctx.slice(range !== undefined && fact.end <= range.end ? range.start : fact.start, fact.start);
  const texts = [head, ...ctx.decoratorsAbove(fact.line)].join('\n');
  const match = /@(?:Json)?Controller\(\s*(?:\{[^}]*path:\s*)?(?:['"`]([^'"`]*)['"`])?/.exec(texts);
  return match === null ? undefined : (match[1] ?? '');
}

/** `exports.cancel = async () => {}` is a function; `module.exports = { a, b }` exports what it names. */
function visitCommonJsExport(fact: Fact, ctx: OutlineBuilder): void {
  const text = ctx.slice(fact.start, Math.min(fact.end, fact.start + 2000));
  const single = /^(?:module\.)?exports\.([\w$]+)\s*=\s*(async\b)?/.exec(text);
  if (single) {
    const right = fact.node.field('right');
    const isFunction = right !== null && /^(?:arrow_function|function_expression)$/.test(String(right.kind()));
    const body = right?.field('body')?.range().start.index ?? fact.end;
    const kind = isFunction ? 'function' : 'constant';
    const signature = ctx.slice(fact.start, body).replace(/=>\s*$/, '');
    ctx.addSymbol(fact, { text: single[1]!, line: fact.line }, kind, { exported: true, signature });
    if (isFunction) ctx.enter({ name: single[1]!, kind, end: fact.end, exported: true });
    return;
  }
  const list = /^module\.exports\s*=\s*(?:\{([^}]*)\}|([\w$]+))/.exec(text);
  for (const name of (list?.[1] ?? list?.[2] ?? '').split(',')) ctx.exportedNames.add(name.trim().split(/\s*:\s*/)[0]!);
}

/** Chinese in decorators says what a field is: `@ApiProperty({ description: '退款金额' })`. */
function chineseText(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    if (!text.includes('@')) continue;
    for (const match of text.matchAll(/["'`]([^"'`]+)["'`]/g)) if (hasChinese(match[1]!)) return match[1];
  }
  return undefined;
}
