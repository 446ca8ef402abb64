import { hasChinese } from '../../text/index.js';
import { type Fact, fieldText, type OutlineBuilder, type Scope } from '../builder.js';
import type { SymbolKind } from '../types.js';
import type { AstLanguage } from './language.js';
import { joinRoute, springMappings } from './routes.js';

const TYPE_KIND: Record<string, SymbolKind> = {
  class_declaration: 'class',
  record_declaration: 'class',
  interface_declaration: 'interface',
  annotation_type_declaration: 'interface',
  enum_declaration: 'enum',
};

const KINDS = [
  ...Object.keys(TYPE_KIND),
  'line_comment',
  'block_comment',
  'string_literal',
  'method_declaration',
  'constructor_declaration',
  'enum_constant',
  'field_declaration',
  'import_declaration',
];

/** Java. */
export const java: AstLanguage = {
  kinds: KINDS,
  comments: ['line_comment', 'block_comment'],
  decorators: [],
  strings: ['string_literal'],
  visit,
};

const VISITORS: Record<string, (fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined) => void> = {
  ...Object.fromEntries(Object.keys(TYPE_KIND).map((kind) => [kind, visitType])),
  method_declaration: visitMethod,
  constructor_declaration: visitMethod,
  field_declaration: visitField,
  enum_constant: visitConstant,
  import_declaration: visitImport,
};

function visit(fact: Fact, ctx: OutlineBuilder): void {
  VISITORS[fact.kind]?.(fact, ctx, ctx.scopeAt(fact.start));
}

function visitType(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  const name = fieldText(fact.node, 'name');
  if (!name) return;
  const kind = TYPE_KIND[fact.kind]!;
  const header = ctx.slice(fact.start, name.start);
  const exported = /\bpublic\b/.test(header);
  const bodyStart = fieldText(fact.node, 'body')?.start ?? fact.end;
  const signature = `${kind} ${ctx.slice(name.start, bodyStart)}`;
  ctx.addSymbol(fact, name, kind, { exported, container: scope?.name, signature, doc: annotationText(header) });
  const routePrefix = springMappings(header)[0]?.path ?? '';
  ctx.enter({ name: name.text, kind, end: fact.end, exported, routePrefix });
}

function visitMethod(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  const name = fieldText(fact.node, 'name');
  if (!name) return;
  const header = ctx.slice(fact.start, name.start);
  const exported = /\bpublic\b/.test(header) || scope?.kind === 'interface';
  const from = fact.node.field('type')?.range().start.index ?? name.start;
  const to = fact.node.field('body')?.range().start.index ?? fact.end;
  const signature = ctx.slice(from, to).replace(/;\s*$/, '');
  const symbol = ctx.addSymbol(fact, name, 'method', {
    exported,
    container: scope?.name,
    signature,
    doc: annotationText(header),
  });
  for (const { verb, path } of springMappings(header)) {
    const route = `${verb} ${joinRoute(scope?.routePrefix ?? '', path)}`;
    ctx.addSymbol(fact, { text: route, line: name.line }, 'route', {
      exported: true,
      container: scope?.name,
      signature,
      doc: symbol.doc,
    });
  }
  ctx.enter({ name: name.text, kind: 'method', end: fact.end, exported });
}

function visitField(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  // Fields of an anonymous class inside a method are nobody's business.
  if (scope?.kind === 'method') return;
  const type = fieldText(fact.node, 'type');
  if (!type) return;
  const header = ctx.slice(fact.start, type.start);
  const constant = /\bstatic\b/.test(header) && /\bfinal\b/.test(header);
  const extra = {
    exported: /\bpublic\b/.test(header) || scope?.kind === 'interface',
    container: scope?.name,
    signature: ctx.slice(type.start, fact.end).replace(/;\s*$/, ''),
    doc: annotationText(header),
  };
  for (const declarator of fact.node.fieldChildren('declarator')) {
    const name = fieldText(declarator, 'name');
    if (name) ctx.addSymbol(fact, name, constant ? 'constant' : 'field', extra);
  }
}

function visitConstant(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  const name = fieldText(fact.node, 'name');
  if (!name) return;
  const text = ctx.slice(fact.start, fact.end);
  ctx.addSymbol(fact, name, 'enum-member', {
    exported: scope?.exported ?? false,
    container: scope?.name,
    signature: text,
    // PAID(1, "已支付"): the text says what the constant is.
    doc: chineseLiteral(text),
  });
}

function visitImport(fact: Fact, ctx: OutlineBuilder): void {
  const match = /^import\s+(?:static\s+)?([\w.]*\w(?:\.\*)?)\s*;?/.exec(ctx.slice(fact.start, fact.end));
  if (match === null) return;
  const source = match[1]!;
  ctx.imports.push({ source, names: [source.slice(source.lastIndexOf('.') + 1)], line: fact.line });
}

/** Swagger, Excel and validation annotations explain fields: `@ApiModelProperty("退款金额")`. */
function annotationText(header: string): string | undefined {
  return header.includes('@') ? chineseLiteral(header) : undefined;
}

function chineseLiteral(text: string): string | undefined {
  for (const match of text.matchAll(/"([^"\n]*)"/g)) if (hasChinese(match[1]!)) return match[1];
  return undefined;
}
