import { randomUUID } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { messageOf, XiheError } from '../../errors.js';
import { admit, answerProject, jsonReply, type Reply, type Visit } from './answer.js';
import { mayUse } from './caller.js';
import { assertLoopbackName, assertOrigin, corsHeaders, PREFLIGHT_HEADERS } from './guards.js';
import { openApi } from './openapi.js';
import { docsPage } from './page.js';
import { PROJECT_ROUTES, type ProjectRoute } from './routes.js';
import type { Site } from './site.js';
import { SITE_ROUTES, type SiteRoute } from './siteRoutes.js';
import { statusOf } from './statuses.js';

type Env = { Bindings: HttpBindings };
type Answerer = (visit: Visit) => Reply | Promise<Reply>;

/** A request id that a client may choose: what fits into a line of a log. */
const REQUEST_ID = /^[\w.:-]{1,64}$/;
const SAFE = { 'x-content-type-options': 'nosniff' } as const;

/** The service as a Hono app: nothing but routes; everything else happens in {@link visited}, the same for all. */
export function httpApp(site: Site): Hono<Env> {
  const app = new Hono<Env>();
  for (const route of PROJECT_ROUTES)
    app.on(route.method, honoPath(route.path), visited(site, route.path, projectAnswerer(site, route)));
  for (const route of SITE_ROUTES)
    app.on(route.method, route.path, visited(site, route.path, siteAnswerer(site, route)));
  for (const [path, methods] of methodsOf([...PROJECT_ROUTES, ...SITE_ROUTES]))
    app.all(
      honoPath(path),
      visited(site, path, () => refuseMethod(methods)),
    );
  app.notFound(visited(site, '', refusePath));
  return app;
}

/** `/entries/{id}`, whose id may hold slashes, as Hono writes it. */
function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1{.+}');
}

function methodsOf(routes: readonly { method: string; path: string }[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { method, path } of routes) methods.set(path, [...(methods.get(path) ?? []), method]);
  return methods;
}

function projectAnswerer(site: Site, route: ProjectRoute): Answerer {
  return (visit) => answerProject(site, route, visit);
}

function siteAnswerer(site: Site, route: SiteRoute): Answerer {
  const documents = { openapi: () => openApi(), page: () => docsPage() };
  return (visit) => {
    if (route.role === undefined) return route.reply({ site, documents });
    const caller = admit(site, visit, route.role);
    return route.reply({ site, documents, isShown: (project) => mayUse(caller, project) });
  };
}

function refuseMethod(methods: readonly string[]): Reply {
  const error = new XiheError('METHOD_NOT_ALLOWED', `这个地址只接受 ${methods.join('、')}`, {
    hint: '看 /openapi.json 或 /docs。',
    details: { allow: methods.join(', ') },
  });
  throw error;
}

function refusePath(): Reply {
  throw new XiheError('ROUTE_NOT_FOUND', '没有这个地址', { hint: '看 /openapi.json 或 /docs 有哪些。' });
}

/** What is the same for every request: its id, who may ask at all, errors, one line in the log, what is counted. */
function visited(site: Site, route: string, answer: Answerer): (c: Context<Env>) => Promise<Response> {
  return async (c) => {
    const started = performance.now();
    const { incoming } = c.env;
    const visit: Visit = {
      requestId: requestIdOf(incoming.headers['x-request-id']),
      incoming,
      params: c.req.param(),
      search: c.req.query(),
    };
    let cors: Record<string, string> = {};
    let reply: Reply;
    let failure: unknown;
    try {
      const { host, origin } = incoming.headers;
      if (site.isLoopback) assertLoopbackName(host);
      if (assertOrigin(origin, host, site.cors)) cors = corsHeaders(origin as string);
      const isPreflight = incoming.method === 'OPTIONS' && 'access-control-request-method' in incoming.headers;
      reply = isPreflight && origin !== undefined && site.cors.includes(origin) ? preflight() : await answer(visit);
    } catch (e) {
      failure = e;
      reply = errorReply(e, visit.requestId);
    }
    const ended: Record<string, string> = site.isEnding ? { connection: 'close' } : {};
    const headers = { ...SAFE, ...reply.headers, ...cors, ...ended, 'x-request-id': visit.requestId };
    note(site, route, visit, reply, performance.now() - started, failure);
    return new Response(reply.body, { status: reply.status, headers });
  };
}

function preflight(): Reply {
  return { status: 204, body: null, headers: { ...PREFLIGHT_HEADERS } };
}

function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID();
}

/** An error as a client gets it. What is a fault of the server is told in the log only. */
export function errorReply(e: unknown, requestId: string): Reply {
  const error = XiheError.is(e) ? e : internal(e);
  const status = statusOf(error.code);
  const shown = status === 500 ? internal(error) : error;
  const { code, message, hint, details } = shown.toJSON();
  const { retryAfter, allow, ...facts } = details;
  const headers: Record<string, string> = { 'cache-control': 'no-store' };
  if (typeof retryAfter === 'number') headers['retry-after'] = String(retryAfter);
  if (typeof allow === 'string') headers.allow = allow;
  if (status === 401) headers['www-authenticate'] = 'Bearer realm="xihe"';
  return jsonReply(status, { error: { code, message, hint, request_id: requestId, details: facts } }, headers);
}

function internal(cause: unknown): XiheError {
  return new XiheError('INTERNAL', '服务出了错', { hint: '把 request_id 告诉管理员，日志里有原因。', cause });
}

function note(site: Site, route: string, visit: Visit, reply: Reply, ms: number, failure: unknown): void {
  const { requestId, incoming, caller, project, kind } = visit;
  site.metrics.request(route, reply.status, project, ms / 1000);
  const code = XiheError.is(failure) ? failure.code : failure === undefined ? undefined : 'INTERNAL';
  const isFault = reply.status === 500;
  site.log.line({
    level: isFault ? 'error' : reply.status >= 500 && code !== 'CANCELLED' ? 'warn' : 'info',
    msg: 'request',
    request_id: requestId,
    method: incoming.method,
    // The pattern: what stands in an address may be what somebody asked.
    route,
    status: reply.status,
    ms: Math.round(ms * 100) / 100,
    bytes: reply.body?.length ?? 0,
    ...(caller === undefined ? {} : { key: caller.name }),
    ...(project === undefined ? {} : { project }),
    ...(kind === undefined ? {} : { answer: kind }),
    ...(code === undefined ? {} : { code }),
    ...(isFault ? { error: messageOf(failure), stack: failure instanceof Error ? failure.stack : undefined } : {}),
  });
}
