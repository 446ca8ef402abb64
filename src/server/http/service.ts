import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { errnoOf, messageOf, XiheError } from '../../errors.js';
import { openProjects, type ProjectEvent, type Projects } from '../projects/index.js';
import { errorReply, httpApp } from './app.js';
import { isLoopbackHost } from './guards.js';
import { KeyRing } from './keys.js';
import * as limits from './limits.js';
import { JsonLog } from './log.js';
import { Metrics } from './metrics.js';
import { Site } from './site.js';

export interface ServiceOptions {
  /** Project name → folder. */
  projects: Readonly<Record<string, string>>;
  /** Default 127.0.0.1: other machines can't ask. */
  host?: string;
  /** 0: any that is free. */
  port: number;
  /** Sites whose pages may ask. */
  cors?: readonly string[];
  /** Requests per second of one key; 0: as many as it likes. */
  rate?: number;
  /** Answers of each project that are kept; 0: none. */
  cacheAnswers?: number;
  /** A project that nobody asked for so long is closed, in milliseconds. */
  idleMs?: number;
  env?: NodeJS.ProcessEnv;
  /** Gets lines of the log; default: standard error. */
  writeLog?(text: string): void;
}

/** A service that listens. */
export interface Service {
  /** `http://127.0.0.1:7700`. */
  url: string;
  projects: Projects;
  /** Whether whoever asks has to show a key. */
  needsKey: boolean;
  /** Stops accepting, finishes what runs, closes the projects; within ten seconds. */
  close(): Promise<void>;
}

/**
 * Starts the HTTP service.
 *
 * @throws XiheError KEYS_REQUIRED where other machines could ask and no key is set; LISTEN_FAILED, CONFIG_INVALID, USAGE
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { host = '127.0.0.1', env = process.env } = options;
  const log = new JsonLog(options.writeLog);
  const isLoopback = isLoopbackHost(host);
  const onBroken = (why: string) => log.line({ level: 'warn', msg: 'keys', error: why });
  const keys = new KeyRing(Object.values(options.projects), env, onBroken);
  if (!isLoopback && keys.isEmpty)
    throw new XiheError('KEYS_REQUIRED', `${host} 别的机器也连得到，没有密钥不能开`, {
      hint: '先发一把密钥：xihe keys add 名字；只给本机用就不要写 --host。',
    });
  const metrics = new Metrics();
  const projects = openProjects({
    roots: options.projects,
    env,
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
    onEvent: (event) => noteEvent(event),
  });
  const site = new Site({
    projects,
    keys,
    limiter: new limits.RateLimiter(options.rate ?? limits.RATE_PER_SECOND),
    log,
    metrics,
    isLoopback,
    cors: options.cors ?? [],
    cacheAnswers: options.cacheAnswers,
  });
  const noteEvent = ({ what, ...facts }: ProjectEvent) => {
    if (what === 'reloaded') metrics.reload(facts.project);
    if (what === 'closed') site.forget(facts.project);
    log.line({ level: what === 'failed' ? 'warn' : 'info', msg: `project ${what}`, ...facts });
  };
  const server = serverOf(site);
  try {
    await listening(server, options.port, host);
  } catch (e) {
    metrics.close();
    await projects.close();
    throw e;
  }
  const { port } = server.address() as AddressInfo;
  const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
  log.line({ level: 'info', msg: 'listening', url, projects: projects.names });
  return { url, projects, needsKey: !keys.isEmpty, close: () => ended(site, server) };
}

function serverOf(site: Site): Server {
  const app = httpApp(site);
  const onError = (e: unknown) => {
    // An address or host that is none: nothing of ours was reached.
    const wrong = new XiheError('REQUEST_INVALID', '请求的地址不对', { hint: '看 /docs 有哪些地址。', cause: e });
    const { status, body, headers } = errorReply(wrong, 'none');
    return new Response(body, { status, headers });
  };
  const server = createServer(
    {
      maxHeaderSize: limits.HEADER_BYTES,
      headersTimeout: limits.HEADERS_MS,
      requestTimeout: limits.REQUEST_MS,
      keepAliveTimeout: limits.KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS,
    },
    getRequestListener(app.fetch, { errorHandler: onError }),
  );
  server.maxHeadersCount = limits.HEADERS_MAX;
  server.maxConnections = limits.CONNECTIONS_MAX;
  server.timeout = limits.SILENT_MS;
  server.on('clientError', (e: NodeJS.ErrnoException, socket: Socket) => refuse(e, socket));
  return server;
}

/** How often connections are looked through for those that are late, in milliseconds. */
const CHECK_MS = 1_000;

/** What is no HTTP, or too much of it, is answered without a request: by hand. */
function refuse(e: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || e.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { error, line } = refusalOf(e.code);
  const { body } = errorReply(error, 'none');
  const length = Buffer.byteLength(body ?? '');
  socket.end(
    `HTTP/1.1 ${line}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function refusalOf(code: string | undefined): { error: XiheError; line: string } {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW': {
      const kb = limits.HEADER_BYTES / 1024;
      const hint = '地址和请求头里不要放要查的内容，放进请求体。';
      const error = new XiheError('HEADERS_TOO_LARGE', `请求头超过 ${kb} KB`, { hint });
      return { error, line: '431 Request Header Fields Too Large' };
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT': {
      const error = new XiheError('REQUEST_TIMEOUT', '请求太久没有发完', { hint: '重新发一次。' });
      return { error, line: '408 Request Timeout' };
    }
    default: {
      const error = new XiheError('REQUEST_INVALID', '这不是 HTTP 请求', { hint: '地址用 http:// 开头。' });
      return { error, line: '400 Bad Request' };
    }
  }
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const isTaken = errnoOf(cause) === 'EADDRINUSE';
      const why = isTaken ? '端口已被占用' : messageOf(cause);
      const hint = isTaken ? '用 --port 换一个端口，或先停掉占用它的程序。' : '检查 --host 和 --port。';
      reject(new XiheError('LISTEN_FAILED', `没能在 ${host}:${port} 上监听：${why}`, { hint, cause }));
    });
    server.listen(port, host.replace(/^\[|\]$/g, ''), resolve);
  });
}

/** How often idle connections are closed while the last requests run, in milliseconds. */
const IDLE_LOOK_MS = 50;

async function ended(site: Site, server: Server): Promise<void> {
  if (site.isEnding) return;
  site.isEnding = true;
  site.log.line({ level: 'info', msg: 'ending' });
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
  const late = setTimeout(() => server.closeAllConnections(), limits.DRAIN_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(late);
  await site.projects.close();
  site.metrics.close();
  site.log.line({ level: 'info', msg: 'ended' });
  site.log.flush();
}
