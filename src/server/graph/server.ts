import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, XiheError } from '../../errors.js';
import { isLoopbackHost } from '../http/guards.js';
import type { GraphApp, GraphService } from './context.js';
import type { Store } from './store.js';
import { Worker } from './worker.js';

/** How a server is started. */
export interface ServerOptions {
  host: string;
  /** 0: any that is free. */
  port: number;
  /** Runs that this process works on at once; 0: it only answers requests, others work. */
  concurrency: number;
  /** Only the queue is worked on; of the routes those of health are there. */
  workerOnly: boolean;
  leaseMs: number;
  /** Sites whose pages may ask. */
  cors?: readonly string[];
  authenticate: GraphService['authenticate'];
  log: GraphService['log'];
}

/** A server that runs. */
export interface GraphServer {
  url: string;
  /** Takes no more, finishes or gives back what it works on, and closes. */
  close(): Promise<void>;
}

/** Runs get so long to end when the process is told to stop, in milliseconds; with what follows it stays under ten seconds. */
const GRACE_MS = 6_000;
/** How long answers may take to get out after that, in milliseconds. */
const DRAIN_MS = 1_500;

/**
 * Starts a server on an open store.
 *
 * @throws XiheError USAGE when the address can't be listened on
 */
export async function startGraphServer(store: Store, options: ServerOptions): Promise<GraphServer> {
  const [{ graphApp, healthApp }, { getRequestListener }] = await Promise.all([
    import('./app.js'),
    import('@hono/node-server'),
  ]);
  const closing = new AbortController();
  const { sql, bus, engine } = store;
  const { authenticate, log, cors = [] } = options;
  const isLoopback = isLoopbackHost(options.host);
  const service: GraphService = {
    sql,
    bus,
    engine,
    authenticate,
    log,
    cors,
    isLoopback,
    closing: closing.signal,
    isClosing: () => closing.signal.aborted,
  };
  const app: GraphApp = options.workerOnly ? healthApp(service) : graphApp(service);
  const http = createServer(getRequestListener(app.fetch));
  const url = await listen(http, options.host, options.port);
  const worker = new Worker(sql, bus, engine, { concurrency: options.concurrency, leaseMs: options.leaseMs, log });
  if (options.concurrency > 0) worker.start();
  log('server.started', { url, worker: worker.name, concurrency: options.concurrency, store: sql.dialect });
  let closed: Promise<void> | undefined;
  const close = async () => {
    closing.abort();
    log('server.stopping', { running: worker.busy });
    await worker.stop(GRACE_MS);
    await stopListening(http);
    await store.close();
    log('server.stopped', {});
  };
  return { url, close: () => (closed ??= close()) };
}

function listen(http: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? '端口已被占用' : messageOf(cause);
      reject(new XiheError('USAGE', `不能在 ${host}:${port} 上监听：${why}`, { hint: '换一个：--port 8124。', cause }));
    });
    http.listen(port, host, () => {
      const { port: real } = http.address() as AddressInfo;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${real}`);
    });
  });
}

function stopListening(http: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => http.closeAllConnections(), DRAIN_MS);
    http.close(() => {
      clearTimeout(timer);
      resolve();
    });
    http.closeIdleConnections();
  });
}
