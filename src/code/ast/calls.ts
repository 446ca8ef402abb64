import type { OutlineBuilder } from '../builder.js';
import { spanOf } from '../source.js';
import { routeFromCall } from './routes.js';

/** How much of a call is looked at, in characters: a path and the name of its handler. */
const CALL = 300;

const REQUIRED = /(?<![\w$.])(?:require|import)\(\s*["']([^"'\n]+)["']/g;
const ROUTE =
  /(?<![\w$.])[\w.]+\.(?:get|post|put|delete|patch|all|any|GET|POST|PUT|DELETE|PATCH|Get|Post|Put|Delete|Patch|Any|Handle|HandleFunc)\(\s*["'`]\//g;

/**
 * Finds calls that matter beyond their file, on the text: `require('x')`, `import('x')`, `router.post('/order', …)`. Most nodes of a
 * tree are calls, so asking the tree for all of them would cost more than the rest of the outline.
 */
export function addCalls(ctx: OutlineBuilder, withRequires: boolean): void {
  const { text } = ctx.source;
  for (const match of withRequires ? text.matchAll(REQUIRED) : []) {
    if (ctx.inComment(match.index)) continue;
    const before = /(?:const|let|var)\s+(?:\{([^}]*)\}|([\w$]+))\s*=\s*(?:await\s+)?$/.exec(
      ctx.source.lineBefore(match.index),
    );
    const names = (before?.[1] ?? before?.[2] ?? '').split(',').map((name) => name.trim().split(/\s*:\s*/)[0]!);
    ctx.imports.push({
      source: match[1]!,
      names: names.filter((name) => name !== ''),
      line: ctx.source.lineAt(match.index),
    });
  }
  for (const match of text.matchAll(ROUTE)) {
    if (ctx.inComment(match.index)) continue;
    const call = text.slice(match.index, match.index + CALL);
    const route = routeFromCall(call);
    if (route === undefined) continue;
    const span = spanOf(ctx.source, match.index, match.index + match[0].length);
    const signature = call.split(/\r?\n/)[0]!.replace(/(?:=>)?\s*\{.*$/, '');
    ctx.addSymbol(span, { text: route, line: span.line }, 'route', { exported: true, signature });
  }
}
