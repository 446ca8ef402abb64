import { hasChinese } from '../../text/index.js';
import type { Fact, OutlineBuilder } from '../builder.js';
import type { SgNode } from '../parsers.js';

/** Clauses longer than this are generated barrels; their first names are enough. In characters. */
const CLAUSE = 2000;

/** Tells whether a node is a function written as a value. */
export function isFunctionNode(node: SgNode): boolean {
  return /^(?:arrow_function|function_expression|generator_function)$/.test(String(node.kind()));
}

/** `import … from`, `import 'x'`. */
export function visitImport(fact: Fact, ctx: OutlineBuilder): void {
  addImport(fact, ctx, ctx.slice(fact.start, fact.end));
}

/** Remembers the range of an export, the names it lists, and the module that it passes on. */
export function visitExport(fact: Fact, ctx: OutlineBuilder): void {
  ctx.exportRange = fact;
  const text = ctx.slice(fact.start, Math.min(fact.end, fact.start + CLAUSE));
  if (/^export\s+(?:type\s+)?(?:\*|\{[^}]*\})[^'"]*\bfrom\b/.test(text)) {
    addImport(fact, ctx, ctx.slice(fact.start, fact.end));
    return;
  }
  const list = /^export\s+(?:type\s+)?\{([^}]*)\}/.exec(text)?.[1];
  const single = /^export\s+(?:default|=)\s+([\w$]+)\s*;?\s*$/.exec(text)?.[1];
  for (const name of (list ?? single ?? '').split(',')) ctx.exportedNames.add(name.trim().split(/\s+as\s+/)[0]!);
}

function addImport(fact: Fact, ctx: OutlineBuilder, text: string): void {
  const source = /['"]([^'"]+)['"]\s*(?:(?:with|assert)\s*\{[^}]*\})?\s*;?\s*$/.exec(text)?.[1];
  if (source === undefined) return;
  const clause = text
    .slice(0, text.lastIndexOf(source))
    .replace(/^(?:import|export)\s+(?:type\s+)?|\s*from\s*['"]$|^import\s*['"]$/g, '');
  const names = [...clause.matchAll(/(?:\*\s+as\s+)?([\w$]+|\*)(?:\s+as\s+[\w$]+)?/g)]
    .map((match) => match[1]!)
    .filter((name) => name !== 'type' && name !== 'import');
  ctx.imports.push({ source, names, line: fact.line });
}

/** CommonJS: `exports.cancel = async () => {}` is a function; `module.exports = { a, b }` exports what it names. */
export function visitAssignment(fact: Fact, ctx: OutlineBuilder): void {
  const text = ctx.slice(fact.start, Math.min(fact.end, fact.start + CLAUSE));
  if (!/^(?:module\.)?exports\b/.test(text)) return;
  const single = /^(?:module\.)?exports\.([\w$]+)\s*=(?!\s*(?:void|exports|undefined)\b)/.exec(text);
  if (single) {
    const right = fact.node.field('right');
    // exports.cancel = cancel
    if (right === null || String(right.kind()) === 'identifier') {
      ctx.exportedNames.add(single[1]!);
      return;
    }
    const kind = isFunctionNode(right) ? 'function' : 'constant';
    const body = right.field('body')?.range().start.index ?? fact.end;
    const signature = ctx.slice(fact.start, body).replace(/=>\s*$/, '');
    ctx.addSymbol(fact, { text: single[1]!, line: fact.line }, kind, { exported: true, signature });
    ctx.enter({ name: single[1]!, kind: kind === 'function' ? kind : 'object', end: fact.end, exported: true });
    return;
  }
  const list = /^module\.exports\s*=\s*(?:\{([^}]*)\}|([\w$]+)\s*$)/.exec(text);
  for (const name of (list?.[1] ?? list?.[2] ?? '').split(',')) ctx.exportedNames.add(name.trim().split(/\s*:\s*/)[0]!);
}

/** NestJS: `@Controller('order')` on the class, in front of it or of its `export`; undefined for any other class. */
export function controllerPrefix(ctx: OutlineBuilder, fact: Fact): string | undefined {
  const range = ctx.exportRange;
  const start = range !== undefined && range.start <= fact.start && fact.end <= range.end ? range.start : fact.start;
  const texts = [ctx.slice(start, fact.start), ...ctx.decoratorsAbove(fact.line)].join('\n');
  const match = /@(?:Json)?Controller\(\s*(?:\{[^}]*path:\s*)?(?:['"`]([^'"`]*)['"`])?/.exec(texts);
  return match === null ? undefined : (match[1] ?? '');
}

/** Chinese in decorators says what a member is: `@ApiProperty({ description: '退款金额' })`. */
export function chineseInDecorators(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    if (!text.includes('@')) continue;
    for (const match of text.matchAll(/["'`]([^"'`]+)["'`]/g)) if (hasChinese(match[1]!)) return match[1];
  }
  return undefined;
}
