import { createHash } from 'node:crypto';
import type { Context, Hono } from 'hono';
import type * as z from 'zod';
import type { GraphEngine, RunUser } from '../../agent/deploy/index.js';
import { quoted, XiheError } from '../../errors.js';
import type { Bus } from './bus.js';
import type { SqlDatabase } from './sql.js';

/** What the routes stand on. */
export interface GraphService {
  sql: SqlDatabase;
  bus: Bus;
  engine: GraphEngine;
  /** Who makes a request. @throws XiheError KEY_REQUIRED, KEY_INVALID */
  authenticate(headers: Headers): Promise<RunUser>;
  log: (event: string, facts: Record<string, unknown>) => void;
  /** Only this machine can reach it. */
  isLoopback: boolean;
  /** Sites whose pages may ask; none unless they are named. */
  cors: readonly string[];
  /** Aborted when the process is told to stop: streams end, and their clients come back to another one. */
  closing: AbortSignal;
  /** Whether it was. */
  isClosing(): boolean;
}

export interface GraphEnv {
  Variables: { user: RunUser; requestId: string };
}

export type GraphApp = Hono<GraphEnv>;
export type GraphContext = Context<GraphEnv>;

/** Under which the protocol derives an assistant's id from the name of its graph: clients compute it too. */
const GRAPH_NAMESPACE = '6ba7b8219dad11d180b400c04fd430c8';

/** Id of the one assistant that a graph has: a UUID of version 5, as every LangGraph server makes it. */
export function assistantIdOf(graphId: string): string {
  const hash = createHash('sha1').update(Buffer.from(GRAPH_NAMESPACE, 'hex')).update(graphId).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex').slice(0, 32);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The graph that an assistant's id or a graph's name stands for. @throws XiheError GRAPH_NOT_FOUND */
export function graphIdOf(service: GraphService, assistant: string): string {
  const ids = service.engine.graphIds();
  const found = ids.find((id) => id === assistant || assistantIdOf(id) === assistant);
  if (found !== undefined) return found;
  throw new XiheError('GRAPH_NOT_FOUND', `没有助手 ${quoted(assistant)}`, { hint: `这个服务有：${ids.join('、')}。` });
}

/** The body of a request by a schema. @throws XiheError USAGE */
export async function bodyOf<S extends z.ZodType>(c: GraphContext, schema: S): Promise<z.output<S>> {
  // A type that no form of a web page can send by itself, so that browsers ask first whether they may.
  if (!/^application\/json\s*(?:;|$)/i.test(c.req.header('content-type') ?? ''))
    throw new XiheError('USAGE', '请求体要是 JSON', { hint: '加上请求头 Content-Type: application/json。' });
  let value: unknown;
  try {
    value = await c.req.json();
  } catch (cause) {
    throw new XiheError('USAGE', '请求体不是 JSON', {
      hint: '发 UTF-8 的 JSON，请求头写 Content-Type: application/json。',
      cause,
    });
  }
  return checked(value, schema);
}

/** The query string by a schema. @throws XiheError USAGE */
export function queryOf<S extends z.ZodType>(c: GraphContext, schema: S): z.output<S> {
  return checked(c.req.query(), schema);
}

function checked<S extends z.ZodType>(value: unknown, schema: S): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  const where = first?.path.length ? `「${first.path.join('.')}」` : '';
  throw new XiheError('USAGE', `请求不对：${where}${first?.message ?? ''}`, {
    hint: '对照 LangGraph API 的文档改这个字段。',
  });
}

/** Sends text that is JSON already. */
export function jsonText(c: GraphContext, text: string, status: 200 | 404 = 200): Response {
  return c.body(text, status, { 'content-type': 'application/json; charset=utf-8' });
}
