import { type Fact, fieldText, type OutlineBuilder, type Scope } from '../builder.js';
import { isBoilerplate, stripDocMarkers } from '../comments.js';
import type { AstLanguage } from './language.js';
import { routesFromDecorators } from './routes.js';

/** Python. */
export const python: AstLanguage = {
  kinds: [
    'comment',
    'decorator',
    'class_definition',
    'function_definition',
    'import_statement',
    'import_from_statement',
    'assignment',
    'string',
  ],
  comments: ['comment'],
  decorators: ['decorator'],
  strings: [],
  visit,
};

const VISITORS: Record<string, (fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined) => void> = {
  class_definition: visitDefinition,
  function_definition: visitDefinition,
  assignment: visitAssignment,
  string: visitString,
  import_statement: visitImport,
  import_from_statement: visitImport,
};

function visit(fact: Fact, ctx: OutlineBuilder): void {
  ctx.placesRead += 1;
  VISITORS[fact.kind]?.(fact, ctx, ctx.scopeAt(fact.start));
}

function visitDefinition(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  const name = fieldText(fact.node, 'name');
  if (!name) return;
  const kind = fact.kind === 'class_definition' ? 'class' : scope?.kind === 'class' ? 'method' : 'function';
  const bodyStart = fact.node.field('body')?.range().start.index ?? fact.end;
  const head = ctx.slice(name.start, bodyStart).replace(/:\s*(?:#.*)?\s*$/, '');
  const exported = !/^_(?!_\w+__$)/.test(name.text) && (scope === undefined || scope.exported);
  const decorators = ctx.decoratorsAbove(fact.line);
  const symbol = ctx.addSymbol(fact, name, kind, {
    exported,
    container: scope?.name,
    signature: kind === 'class' ? `class ${head}` : head,
  });
  ctx.bodies.set(bodyStart, symbol);
  for (const route of routesFromDecorators(decorators, undefined)) {
    ctx.addSymbol(fact, { text: route, line: name.line }, 'route', { exported: true, signature: head });
  }
  ctx.enter({ name: name.text, kind, end: fact.end, exported });
}

function visitAssignment(fact: Fact, ctx: OutlineBuilder, scope: Scope | undefined): void {
  // Locals, and what scripts assign in blocks, name nothing that anyone looks for.
  if (scope === undefined ? ctx.source.lineBefore(fact.start) !== '' : scope.kind !== 'class') return;
  const name = fieldText(fact.node, 'left');
  if (!name || !/^[\p{L}_][\p{L}\d_]*$/u.test(name.text) || /^__\w+__$/.test(name.text)) return;
  const kind = scope === undefined ? 'constant' : 'field';
  const exported = !name.text.startsWith('_') && (scope === undefined || scope.exported);
  ctx.addSymbol(fact, name, kind, { exported, container: scope?.name, signature: ctx.slice(fact.start, fact.end) });
}

/** A string that opens a body or the file is documentation; any other is a literal. */
function visitString(fact: Fact, ctx: OutlineBuilder): void {
  const symbol = ctx.bodies.get(fact.start);
  const opensFile = symbol === undefined && ctx.placesRead === 1 && ctx.nothingBefore(fact.start);
  if (symbol === undefined && !opensFile) {
    ctx.addString(fact);
    return;
  }
  const doc = stripDocMarkers(ctx.slice(fact.start, fact.end).replace(/^["'](?!["'])|(?<!["'])["']$/g, ''));
  if (doc === '') return;
  ctx.addDocString(fact.line, doc);
  if (symbol === undefined) {
    if (!isBoilerplate(doc)) ctx.moduleDoc = doc;
    return;
  }
  symbol.doc = doc;
  // The route of a handler stands right behind it and is explained by the same docstring.
  const next = ctx.symbols[ctx.symbols.indexOf(symbol) + 1];
  if (next?.kind === 'route') next.doc = doc;
}

function visitImport(fact: Fact, ctx: OutlineBuilder): void {
  const text = ctx
    .slice(fact.start, fact.end)
    .replace(/[()\\]/g, ' ')
    .replace(/#.*$/gm, '');
  const from = /^from\s+(\S+)\s+import\s+([\s\S]*)$/.exec(text);
  const names = (list: string) =>
    list
      .split(',')
      .map((name) => name.trim().split(/\s+as\s+/)[0]!)
      .filter((name) => name !== '');
  if (from) {
    ctx.imports.push({ source: from[1]!, names: names(from[2]!), line: fact.line });
    return;
  }
  for (const source of names(text.replace(/^import\s+/, ''))) ctx.imports.push({ source, names: [], line: fact.line });
}
