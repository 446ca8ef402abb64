import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { messageOf, XiheError, type XiheErrorCode } from '../../errors.js';
import { assertLoopbackName, assertOrigin } from '../http/guards.js';
import { addAssistantRoutes } from './assistant-routes.js';
import type { GraphApp, GraphEnv, GraphService } from './context.js';
import { isStoreAway } from './postgres-errors.js';
import { addRunRoutes } from './run-routes.js';
import { addThreadRoutes } from './thread-routes.js';

/** Bytes of a request: chat clients send whole conversations; file texts belong into the project. */
const BODY_BYTES = 4_000_000;

/** A caller's own id of a request is used when it can be written into a log as it is. */
const REQUEST_ID = /^[\w.:-]{1,64}$/;

const STATUS: Partial<Record<XiheErrorCode, ContentfulStatusCode>> = {
  KEY_REQUIRED: 401,
  KEY_INVALID: 401,
  KEY_FORBIDDEN: 403,
  HOST_NOT_ALLOWED: 403,
  ORIGIN_NOT_ALLOWED: 403,
  THREAD_NOT_FOUND: 404,
  RUN_NOT_FOUND: 404,
  GRAPH_NOT_FOUND: 404,
  THREAD_BUSY: 409,
  THREAD_NOT_WAITING: 409,
  FILE_TOO_LARGE: 413,
  USAGE: 422,
  RESUME_INVALID: 422,
  NOT_SUPPORTED: 501,
  STORE_FAILED: 503,
  STATE_UNWRITABLE: 503,
};

/** Open to everybody: whether the process lives says nothing of anybody's work. */
const PUBLIC = new Set(['/ok', '/healthz', '/readyz']);

/**
 * The LangGraph protocol as a Hono app. Not `createEmbedServer`: that one keeps in the memory of one process which runs there are, ends a
 * run with its client, and lets two runs of a thread write over each other; of its routes none would have stayed as it is.
 */
export function graphApp(service: GraphService): GraphApp {
  const app = new Hono<GraphEnv>();
  app.use(async (c, next) => {
    const started = performance.now();
    const given = c.req.header('x-request-id');
    const requestId = given && REQUEST_ID.test(given) ? given : randomUUID();
    c.set('requestId', requestId);
    c.header('x-request-id', requestId);
    await next();
    const { method, path } = c.req;
    const user = c.get('user')?.identity;
    service.log('request', {
      request: requestId,
      method,
      path,
      status: c.res.status,
      ms: Math.round(performance.now() - started),
      user,
    });
  });
  if (service.cors.length > 0) {
    const expose = ['content-location', 'location', 'x-request-id'];
    app.use(cors({ origin: [...service.cors], exposeHeaders: expose }));
  }
  app.use(async (c, next) => {
    // Pages of other sites get nothing: not by their browser's word, and not by a name of theirs that leads to this machine.
    if (service.isLoopback) assertLoopbackName(c.req.header('host'));
    assertOrigin(c.req.header('origin'), c.req.header('host'), service.cors);
    if (!PUBLIC.has(c.req.path)) c.set('user', await service.authenticate(c.req.raw.headers));
    await next();
  });
  app.use(
    bodyLimit({
      maxSize: BODY_BYTES,
      onError: () => {
        throw new XiheError('FILE_TOO_LARGE', `请求体超过 ${BODY_BYTES / 1_000_000} MB`, {
          hint: '大段文字放进项目的文件里，请求里写路径。',
        });
      },
    }),
  );
  addHealthRoutes(app, service);
  addAssistantRoutes(app, service);
  addThreadRoutes(app, service);
  addRunRoutes(app, service);
  app.notFound((c) => c.json(errorBody(notHere(c.req.method, c.req.path)), 404));
  app.onError((e, c) => {
    const error = XiheError.is(e) ? e : unexpected(e);
    const status = STATUS[error.code] ?? 500;
    if (status >= 500) {
      const cause = XiheError.is(e) ? e.cause : e;
      service.log('request.failed', {
        request: c.get('requestId'),
        code: error.code,
        error: messageOf(cause ?? e),
        stack: (cause as Error | undefined)?.stack,
      });
    }
    return c.json(errorBody(error), status);
  });
  return app;
}

/** What a process that only works on the queue answers: whether it lives. */
export function healthApp(service: GraphService): GraphApp {
  const app = new Hono<GraphEnv>();
  addHealthRoutes(app, service);
  return app;
}

function addHealthRoutes(app: GraphApp, service: GraphService): void {
  app.get('/ok', (c) => c.json({ ok: true }));
  app.get('/healthz', (c) => c.json({ ok: true }));
  app.get('/readyz', async (c) => {
    if (service.isClosing()) return c.json({ ok: false, why: '正在停止' }, 503);
    try {
      await service.sql.all('SELECT 1 AS one');
      return c.json({ ok: true });
    } catch (e) {
      service.log('store.failed', { error: messageOf(e) });
      return c.json({ ok: false, why: '存储没有应答' }, 503);
    }
  });
}

/** `detail` and `error` are where the SDKs of the two languages look for words. */
function errorBody(error: XiheError): Record<string, unknown> {
  const { code, message, hint, details } = error.toJSON();
  return { code, message, hint, details, error: message, detail: message };
}

function notHere(method: string, path: string): XiheError {
  return new XiheError('NOT_SUPPORTED', `没有 ${method} ${path}`, { hint: '这个服务支持的接口见 docs/deploy.md。' });
}

function unexpected(e: unknown): XiheError {
  if (isStoreAway(e)) return new XiheError('STORE_FAILED', '存储没有应答', { hint: '过几秒再试。', cause: e });
  return new XiheError('INTERNAL', '服务内部出错', { hint: '把响应头里的 x-request-id 交给管理员查日志。', cause: e });
}
