import { type Fact, fieldText, type OutlineBuilder, type Scope } from '../builder.js';
import { addCalls } from './calls.js';
import type { AstLanguage } from './language.js';

const KINDS = [
  'comment',
  'interpreted_string_literal',
  'raw_string_literal',
  'function_declaration',
  'method_declaration',
  'type_spec',
  'type_alias',
  'field_declaration',
  'method_elem',
  'const_spec',
  'var_spec',
  'import_spec',
];

/** Go. */
export const go: AstLanguage = {
  kinds: KINDS,
  comments: ['comment'],
  decorators: [],
  strings: ['interpreted_string_literal', 'raw_string_literal'],
  visit,
  finish: (ctx) => addCalls(ctx, false),
};

const VISITORS: Record<string, (fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined) => void> = {
  function_declaration: visitFunction,
  method_declaration: visitFunction,
  type_spec: visitType,
  type_alias: visitType,
  field_declaration: visitMember,
  method_elem: visitMember,
  const_spec: visitValue,
  var_spec: visitValue,
  import_spec: visitImport,
};

function visit(fact: Fact, ctx: OutlineBuilder): void {
  VISITORS[fact.kind]?.(fact, ctx, ctx.scopeAt(fact.start));
}

/** Upper-case names leave the package. Chinese names count as lower case in Go. */
function isExported(name: string): boolean {
  return /^\p{Lu}/u.test(name);
}

function visitFunction(fact: Fact, ctx: OutlineBuilder): void {
  const name = fieldText(fact.node, 'name');
  if (!name) return;
  const method = fact.kind === 'method_declaration';
  const receiver = method ? (fieldText(fact.node, 'receiver')?.text ?? '') : '';
  const container = /\*?\s*([\p{L}_][\p{L}\d_]*)\s*(?:\[[^\]]*\])?\s*\)$/u.exec(receiver)?.[1];
  const bodyStart = fact.node.field('body')?.range().start.index ?? fact.end;
  const kind = method ? 'method' : 'function';
  const exported = isExported(name.text);
  ctx.addSymbol(fact, name, kind, { exported, container, signature: ctx.slice(name.start, bodyStart) });
  ctx.enter({ name: name.text, kind, end: fact.end, exported });
}

function visitType(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  const name = fieldText(fact.node, 'name');
  if (!name) return;
  const typeKind = fact.node.field('type')?.kind();
  const kind = typeKind === 'struct_type' ? 'class' : typeKind === 'interface_type' ? 'interface' : 'type';
  const exported = isExported(name.text);
  const signature = `type ${ctx.slice(name.start, fact.end).replace(/\{[\s\S]*$/, '')}`;
  ctx.addSymbol(fact, name, kind, { exported, container: scope?.name, signature });
  ctx.enter({ name: name.text, kind, end: fact.end, exported });
}

function visitMember(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  if (scope?.kind !== 'class' && scope?.kind !== 'interface') return;
  const kind = fact.kind === 'method_elem' ? 'method' : 'field';
  const signature = ctx.slice(fact.start, fact.end);
  // `A, B string` has two names, an embedded type none.
  for (const node of fact.node.fieldChildren('name')) {
    const name = { text: node.text(), line: node.range().start.line + 1 };
    ctx.addSymbol(fact, name, kind, { exported: isExported(name.text), container: scope.name, signature });
  }
}

function visitValue(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  if (scope !== undefined) return;
  const name = fieldText(fact.node, 'name');
  if (!name || name.text === '_') return;
  const symbol = ctx.addSymbol(fact, name, 'constant', {
    exported: isExported(name.text),
    signature: ctx.slice(fact.start, fact.end),
  });
  if (fact.kind === 'var_spec' && !symbol.exported && !symbol.doc) ctx.symbols.pop();
}

function visitImport(fact: Fact, ctx: OutlineBuilder): void {
  const match = /^(?:([\w.]+)\s+)?["`]([^"`]+)["`]/.exec(ctx.slice(fact.start, fact.end));
  if (match === null) return;
  ctx.imports.push({ source: match[2]!, names: match[1] && match[1] !== '_' ? [match[1]] : [], line: fact.line });
}
