import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { errnoOf, XiheError } from '../../errors.js';
import { createMcpHandler, type McpHandlerOptions } from './http.js';

/** Only this machine: whoever serves others needs keys, which `xihe serve` has. */
const LOOPBACK = '127.0.0.1';
/** The one endpoint. */
const ENDPOINT = '/mcp';

/** A server that listens. */
export interface Listening {
  /** `http://127.0.0.1:8722/mcp` */
  url: string;
  close(): Promise<void>;
}

/**
 * Serves MCP over HTTP on the loopback interface, with the checks of host and origin.
 *
 * @param port 0: any free one
 * @throws XiheError USAGE when the port can't be had
 */
export async function listen(port: number, options: McpHandlerOptions): Promise<Listening> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  }).catch((e) => {
    throw new XiheError('USAGE', `端口 ${port} 用不了（${errnoOf(e) ?? e.message}）`, {
      hint: '换一个 --port，或写 0 自动选。',
    });
  });
  const { port: given } = server.address() as AddressInfo;
  const names = [LOOPBACK, 'localhost', '[::1]'].map((name) => `${name}:${given}`);
  const handler = createMcpHandler({
    ...options,
    hosts: names,
    origins: [...names.map((name) => `http://${name}`), ...(options.origins ?? [])],
  });
  const answer = (request: Request) =>
    new URL(request.url).pathname === ENDPOINT
      ? handler.fetch(request)
      : Promise.resolve(new Response(`这里只有 ${ENDPOINT}（MCP streamable HTTP）。\n`, { status: 404 }));
  server.on('request', getRequestListener(answer, { overrideGlobalObjects: false }));
  return {
    url: `http://${LOOPBACK}:${given}${ENDPOINT}`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
