/** Receivers that register routes; `axios.get('/x')` and `request.post('/x')` are calls of a client. */
const ROUTERS =
  /(?:^|\W|_)(?:app|router|routes?|server|fastify|engine|mux|group|rg|rt|r|g|e|v\d|\w*[rR]outer|\w*[gG]roup)$/;

/** Joins two parts of a URL path with single slashes. */
export function joinRoute(prefix: string, path: string): string {
  const joined = `/${prefix}/${path}`.replace(/\/{2,}/g, '/');
  return joined.length > 1 ? joined.replace(/\/$/, '') : joined;
}

/**
 * `router.post('/order/:id', handler)` → `POST /order/:id`.
 *
 * @param call beginning of a call as written
 * @returns undefined when the call registers no route
 */
export function routeFromCall(call: string): string | undefined {
  const match = /^([\w.]+)\.(\w+)\(\s*["'`](\/[^"'`\s]*)["'`]\s*,/.exec(call);
  if (match === null || !ROUTERS.test(match[1]!)) return undefined;
  const verb = match[2]!.toUpperCase();
  return `${/^(?:ALL|ANY|HANDLE|HANDLEFUNC|USE)$/.test(verb) ? 'ANY' : verb} ${match[3]}`;
}

/**
 * Routes of decorators: NestJS (`@Get(':id')` below `@Controller('order')`), Flask and FastAPI (`@app.get('/x')`, `@bp.route('/x', methods=['POST'])`).
 *
 * @param prefix the controller's path; undefined where there is no controller, then only decorators with a receiver count
 */
export function routesFromDecorators(decorators: readonly string[], prefix: string | undefined): string[] {
  const routes: string[] = [];
  for (const text of decorators) {
    const nest = /^@(Get|Post|Put|Delete|Patch|All|Head|Options)\(\s*(?:["'`]([^"'`]*)["'`])?/.exec(text);
    if (nest && prefix !== undefined) routes.push(`${verbOf(nest[1]!)} ${joinRoute(prefix, nest[2] ?? '')}`);
    const python = /^@[\w.]+\.(get|post|put|delete|patch|route|websocket)\(\s*["']([^"']*)["']([\s\S]*)/.exec(text);
    if (python) routes.push(...pythonRoutes(python[1]!, python[2]!, python[3]!));
  }
  return routes;
}

function pythonRoutes(verb: string, path: string, rest: string): string[] {
  if (verb !== 'route') return [`${verb.toUpperCase()} ${joinRoute('', path)}`];
  const methods = [...(/methods\s*=\s*[[(]([^\])]*)/.exec(rest)?.[1] ?? "'GET'").matchAll(/["'](\w+)["']/g)];
  return methods.map((method) => `${method[1]!.toUpperCase()} ${joinRoute('', path)}`);
}

function verbOf(decorator: string): string {
  return decorator === 'All' ? 'ANY' : decorator.toUpperCase();
}

/**
 * Routes of ASP.NET attributes: `[HttpPost("{id}/cancel")]` below `[Route("api/[controller]")]`.
 *
 * @param header attributes of a class or method, as written
 */
export function aspnetMappings(header: string): { verb: string; path: string }[] {
  return [...header.matchAll(/\[(?:Http(Get|Post|Put|Delete|Patch)|Route)(?:\(\s*"([^"]*)")?/g)].map((match) => ({
    verb: (match[1] ?? 'ANY').toUpperCase(),
    path: match[2] ?? '',
  }));
}

/**
 * Routes of Spring annotations.
 *
 * @param header modifiers and annotations of a class or method, as written
 * @returns verb and path as written; a path given by a constant is left empty
 */
export function springMappings(header: string): { verb: string; path: string }[] {
  const mappings: { verb: string; path: string }[] = [];
  for (const match of header.matchAll(
    /@(Request|Get|Post|Put|Delete|Patch)Mapping\b(?:\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\))?/g,
  )) {
    const args = match[2] ?? '';
    const verb =
      match[1] === 'Request' ? (/\bmethod\s*=\s*\{?\s*(?:RequestMethod\.)?(\w+)/.exec(args)?.[1] ?? 'ANY') : match[1]!;
    const paths = /(?:^|\b(?:value|path)\s*=)\s*(\{[^}]*\}|"[^"]*")/.exec(args.trim())?.[1] ?? '';
    const list = [...paths.matchAll(/"([^"]*)"/g)].map((path) => path[1]!);
    for (const path of list.length > 0 ? list : ['']) mappings.push({ verb: verb.toUpperCase(), path });
  }
  return mappings;
}
