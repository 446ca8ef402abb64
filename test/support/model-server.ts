/**
 * A scripted model server: real HTTP, the OpenAI chat-completions protocol, answers from a scenario.
 * Start it in a test ({@link startModelServer}) or as a process ({@link spawnModelServer}).
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChatRequest,
  type Fault,
  objection,
  type Reply,
  type Scenario,
  Script,
  type StreamStyle,
} from './model-script.js';
import { chunksOf, completionOf } from './model-wire.js';

export * from './model-script.js';
export { type SpawnedModelServer, spawnModelServer } from './model-server-process.js';

/** One request as it arrived, and what became of it. */
export interface RequestRecord {
  index: number;
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** The chat-completions body; null for other routes. */
  body: ChatRequest | null;
  /** The rule that answered; null while none has, or when none did. */
  rule: string | null;
  /** The client went away before the answer was complete. */
  aborted: boolean;
  /** HTTP status sent, 0 when the answer never began. */
  status: number;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT/v1`: what goes into `model.baseUrl`. */
  baseUrl: string;
  port: number;
  /** Every request, oldest first. Grows while the server runs. */
  requests: RequestRecord[];
  /** The chat-completions bodies among them. */
  chats(): ChatRequest[];
  /** Chat requests that no rule answered: a test's last line asserts that there are none. */
  unmatched(): RequestRecord[];
  /** Resolves once `n` chat requests have arrived. */
  arrived(n: number): Promise<void>;
  /** Ends open streams and closes the port. */
  close(): Promise<void>;
}

/** Events sent before a mid-stream fault when the script does not say. */
const DEFAULT_AFTER_CHUNKS = 2;

/**
 * Starts a server in this process on 127.0.0.1.
 *
 * @param scenario rules, tried in order for each request
 * @param port 0 for any free one
 */
export async function startModelServer(scenario: Scenario, port = 0): Promise<ModelServer> {
  const requests: RequestRecord[] = [];
  const waiting: Array<{ n: number; resolve: () => void }> = [];
  const script = new Script(scenario.rules);
  const chatRecords = () => requests.filter((r) => r.body !== null);
  const onRecord = (record: RequestRecord) => {
    requests.push(record);
    const n = chatRecords().length;
    for (const w of waiting.filter((one) => one.n <= n)) w.resolve();
  };
  const server = createServer((req, res) => {
    // A client that is killed leaves a broken socket: that is what the tests do, and no fault of the server.
    res.on('error', () => {});
    handle(req, res, scenario, script, onRecord, requests).catch((e: unknown) => {
      if (!res.headersSent) sendError(res, 500, `scripted server: ${e instanceof Error ? e.message : String(e)}`);
      else res.destroy();
    });
  });
  await listen(server, port);
  const bound = (server.address() as AddressInfo).port;
  return {
    baseUrl: `http://127.0.0.1:${bound}/v1`,
    port: bound,
    requests,
    chats: () => chatRecords().map((r) => r.body!),
    unmatched: () => chatRecords().filter((r) => r.rule === null),
    arrived: (n) =>
      chatRecords().length >= n ? Promise.resolve() : new Promise((resolve) => waiting.push({ n, resolve })),
    close: () => close(server),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function handle(
  req: IncomingMessage,
  res: ServerResponse,
  scenario: Scenario,
  script: Script,
  onRecord: (record: RequestRecord) => void,
  requests: RequestRecord[],
): Promise<void> {
  const path = (req.url ?? '/').split('?')[0]!;
  // The records of a server in another process are read here; it is no part of the protocol and records nothing.
  if (path === '/__requests') return sendJson(res, 200, requests);
  const raw = await readBody(req);
  const isChat = req.method === 'POST' && path === '/v1/chat/completions';
  const record: RequestRecord = {
    index: requests.length,
    method: req.method ?? 'GET',
    path,
    headers: req.headers,
    body: isChat ? parseBody(raw) : null,
    rule: null,
    aborted: false,
    status: 0,
  };
  res.on('close', () => {
    record.aborted = !res.writableFinished;
    record.status = res.headersSent ? res.statusCode : 0;
  });
  onRecord(record);
  if (scenario.apiKey !== undefined && req.headers.authorization !== `Bearer ${scenario.apiKey}`) {
    return sendError(res, 401, 'Incorrect API key provided', 'invalid_api_key');
  }
  if (req.method === 'GET' && path === '/v1/models') return sendModels(res, scenario);
  if (!isChat) return sendError(res, 404, `Invalid URL (${req.method} ${path})`);
  if (record.body === null) return sendError(res, 400, 'could not parse the JSON body of your request');
  const wrong = scenario.strict === false ? null : objection(record.body);
  if (wrong) return sendError(res, 400, wrong, 'invalid_request_error');
  const chosen = await script.choose(record.body);
  if (!chosen) return sendError(res, 400, 'scripted server: no rule answers this request', 'no_rule');
  record.rule = chosen.rule;
  await answer(res, record.body, chosen.reply);
}

async function readBody(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function parseBody(raw: string): ChatRequest | null {
  try {
    return JSON.parse(raw) as ChatRequest;
  } catch {
    return null;
  }
}

function sendJson(res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
  res.end(JSON.stringify(body));
}

function sendError(res: ServerResponse, status: number, message: string, code: string | null = null): void {
  sendJson(res, status, { error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', code } });
}

function sendModels(res: ServerResponse, scenario: Scenario): void {
  const data = (scenario.models ?? ['scripted-model']).map((id) => ({
    id,
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'scripted',
  }));
  sendJson(res, 200, { object: 'list', data });
}

async function answer(res: ServerResponse, req: ChatRequest, reply: Reply): Promise<void> {
  if (reply.delayMs && !(await pause(res, reply.delayMs))) return;
  const fault = reply.fault;
  if (fault?.kind === 'status') return sendStatus(res, fault);
  if (fault?.kind === 'html') {
    res.writeHead(fault.status ?? 200, { 'content-type': 'text/html' });
    res.end('<!doctype html><title>Gateway</title><p>please log in</p>');
    return;
  }
  if (req.stream && !reply.stream?.whole) return stream(res, req, reply);
  const body = JSON.stringify(completionOf(req, reply));
  res.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
  if (fault?.kind === 'stall') return void res.write(body.slice(0, 10));
  if (fault?.kind === 'cut') return void res.write(body.slice(0, 10), () => res.destroy());
  res.end(fault?.kind === 'garbage' ? body.slice(0, -3) : body);
}

/** Waits, but not for a client that has gone. @returns false when it has */
async function pause(res: ServerResponse, ms: number): Promise<boolean> {
  const gone = new AbortController();
  const onClose = () => gone.abort();
  res.once('close', onClose);
  await sleep(ms, undefined, { signal: gone.signal }).catch(() => {});
  res.off('close', onClose);
  return !res.destroyed;
}

function sendStatus(res: ServerResponse, fault: Extract<Fault, { kind: 'status' }>): void {
  const message = fault.message ?? `scripted status ${fault.status}`;
  const wait = fault.retryAfter ?? fault.retryAfterSeconds;
  const headers: Record<string, string> = wait === undefined ? {} : { 'retry-after': String(wait) };
  sendJson(res, fault.status, { error: { message, type: 'scripted', code: fault.code ?? null } }, headers);
}

async function stream(res: ServerResponse, req: ChatRequest, reply: Reply): Promise<void> {
  const fault = reply.fault;
  const after = fault && 'afterChunks' in fault ? (fault.afterChunks ?? DEFAULT_AFTER_CHUNKS) : DEFAULT_AFTER_CHUNKS;
  const style = reply.stream ?? {};
  const type = style.contentType ?? 'text/event-stream; charset=utf-8';
  res.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
  res.socket?.setNoDelay(true);
  res.flushHeaders();
  for (const [i, chunk] of chunksOf(req, reply).entries()) {
    if (res.destroyed) return;
    if (i === after) {
      if (fault?.kind === 'stall') return;
      if (fault?.kind === 'cut') return void res.destroy();
      if (fault?.kind === 'garbage') await writeEvent(res, '{"id": "chatcmpl-0", "choi', style);
      if (fault?.kind === 'error-event') {
        await writeEvent(
          res,
          JSON.stringify({ error: { message: fault.message ?? 'overloaded', code: 'server_error' } }),
          style,
        );
        return void res.end();
      }
    }
    if (i > 0 && reply.chunkDelayMs && !(await pause(res, reply.chunkDelayMs))) return;
    await writeEvent(res, JSON.stringify(chunk), style);
  }
  // A stream shorter than the fault's place still fails: otherwise a test would pass without its fault.
  if (fault?.kind === 'stall') return;
  if (fault?.kind === 'cut') return void res.destroy();
  if (fault?.kind !== 'no-finish' && !style.noDone) await writeEvent(res, '[DONE]', style);
  res.end();
}

/** Writes one event in parts, cut at any byte, also inside a Chinese character, as networks do: two when nothing else is said. */
async function writeEvent(res: ServerResponse, data: string, style: StreamStyle): Promise<void> {
  const eol = style.crlf ? '\r\n' : '\n';
  const comment = style.comments ? `: keep-alive${eol}${eol}` : '';
  const bytes = Buffer.from(`${comment}data: ${data}${eol}${eol}`, 'utf8');
  const size = style.bytes ?? Math.ceil(bytes.length / 2);
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    await new Promise<void>((resolve) => res.write(part, () => resolve()));
  }
}
