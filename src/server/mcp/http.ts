import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Caller } from '../../tools/types.js';
import { RecentEvents } from './event-store.js';
import { McpSession, type ProjectSource } from './session.js';

/** Clients at once; the one that was silent longest goes first. */
const MAX_SESSIONS = 64;
/** A client that is silent for so long is gone; it may begin anew. Milliseconds. */
const IDLE_MS = 30 * 60_000;
/** How often that is looked at. Milliseconds. */
const SWEEP_MS = 60_000;
/** A request is a sentence or two. Bytes. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Who sends a request, where the host knows: a session belongs to whom it began with. */
export interface McpVisitor {
  /** Tells owners of sessions apart: project and key. */
  owner?: string;
  source?: ProjectSource;
  caller?: Caller;
}

export interface McpHandlerOptions {
  /** The project of visitors who bring none. */
  source: ProjectSource;
  /**
   * Names under which this server may be called (`127.0.0.1:8722`), against pages that have their own name point here (DNS rebinding). Absent where the
   * host checks that itself.
   */
  hosts?: readonly string[];
  /** Pages that may call it (`http://127.0.0.1:8722`); requests without an origin come from no page. Absent: none. */
  origins?: readonly string[];
  /** Tokens of a tool's result by default. */
  maxTokens?: number;
  log: (text: string) => void;
}

/** An MCP endpoint for any server that speaks `Request` and `Response`. */
export interface McpHandler {
  /** Answers GET, POST and DELETE of the one endpoint. Never throws for what a client does. */
  fetch(request: Request, visitor?: McpVisitor): Promise<Response>;
  /** Sessions that are open. */
  readonly size: number;
  /** Ends all sessions. */
  close(): Promise<void>;
}

/** Streamable HTTP with sessions, each of them resumable while this process lives. */
export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  return new Handler(options);
}

interface Held {
  session: McpSession;
  transport: WebStandardStreamableHTTPServerTransport;
  owner: string;
  usedAt: number;
}

class Handler implements McpHandler {
  private readonly held = new Map<string, Held>();
  private readonly sweep: NodeJS.Timeout;

  constructor(private readonly options: McpHandlerOptions) {
    this.sweep = setInterval(() => this.dropIdle(), SWEEP_MS);
    this.sweep.unref();
  }

  get size(): number {
    return this.held.size;
  }

  async fetch(request: Request, visitor: McpVisitor = {}): Promise<Response> {
    const refused = this.refused(request);
    if (refused) return refused;
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.begin(request, visitor);
    const held = this.held.get(id);
    // Somebody else's session looks like none.
    if (held === undefined || held.owner !== (visitor.owner ?? ''))
      return fault(404, -32_001, '没有这个会话，或已经结束；重新 initialize。');
    held.usedAt = Date.now();
    return held.transport.handleRequest(request);
  }

  async close(): Promise<void> {
    clearInterval(this.sweep);
    await Promise.allSettled([...this.held.values()].map(({ session }) => session.close()));
    this.held.clear();
  }

  private refused({ headers }: Request): Response | undefined {
    const { hosts, origins = [] } = this.options;
    const host = headers.get('host')?.toLowerCase() ?? '';
    if (hosts && !hosts.includes(host))
      return fault(403, -32_000, `不接受发给 ${host.slice(0, 100) || '（空）'} 的请求。`);
    const origin = headers.get('origin');
    if (hosts && origin !== null && !origins.includes(origin.toLowerCase()))
      return fault(403, -32_000, `不接受来自 ${origin.slice(0, 100)} 的网页请求；信得过就用 --allow-origin 写上。`);
    return undefined;
  }

  /** A request without a session: the first one of a client, or one that the transport refuses. */
  private async begin(request: Request, visitor: McpVisitor): Promise<Response> {
    const { options } = this;
    const session = new McpSession({
      source: visitor.source ?? options.source,
      log: options.log,
      ...(visitor.caller ? { caller: visitor.caller } : {}),
      ...(options.maxTokens ? { maxTokens: options.maxTokens } : {}),
    });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => {
        this.makeRoom();
        this.held.set(id, { session, transport, owner: visitor.owner ?? '', usedAt: Date.now() });
      },
      onsessionclosed: (id) => {
        this.held.delete(id);
      },
      eventStore: new RecentEvents(),
      maxRequestBodySize: MAX_BODY_BYTES,
    });
    // The SDK's types say `sessionId?: string | undefined` where its interface says `sessionId?: string`.
    await session.connect(transport as unknown as Transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await session.close();
    return response;
  }

  private makeRoom(): void {
    if (this.held.size < MAX_SESSIONS) return;
    const [oldest] = [...this.held].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest) this.drop(...oldest);
  }

  private dropIdle(): void {
    const before = Date.now() - IDLE_MS;
    for (const [id, held] of this.held) if (held.usedAt < before) this.drop(id, held);
  }

  private drop(id: string, { session }: Held): void {
    this.held.delete(id);
    void session.close().catch(() => undefined);
  }
}

function fault(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
