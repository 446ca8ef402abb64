import { resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolResultSchema,
  ErrorCode,
  ListToolsResultSchema,
  McpError,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { packageVersion } from '../../assets.js';
import { messageOf, XiheError } from '../../errors.js';
import { plainLine } from '../../text/index.js';
import type { McpServer, McpTarget } from './config.js';
import { replyOf, withoutSecrets } from './reply.js';
import { StdioTransport } from './stdio.js';
import type { McpPeer, McpReply, McpToolInfo } from './types.js';

/** Tools of one server that are looked at: with more, descriptions say nothing any more. */
const MAX_TOOLS = 128;
/** Pages of its list that are asked for. */
const MAX_PAGES = 10;
/** How long a server that let a call time out may take to say that it still lives. Milliseconds. */
const PING_MS = 2_000;
/** How long taking leave of an HTTP server may take. Milliseconds. */
const LEAVE_MS = 1_000;
/** One HTTP reply at most. Bytes. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Shown of an error of a server. Characters. */
const SHOWN_ERROR = 300;

/**
 * Starts or calls a server and asks for its tools. The caller has made sure that the user trusts it.
 *
 * @param root the project, absolute; a server's `cwd` is relative to it
 * @param timeoutMs for all of it, in ms
 * @throws XiheError MCP_UNAVAILABLE with the reason; nothing is left running then
 */
export async function openPeer(
  server: McpServer,
  target: McpTarget,
  root: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<McpPeer> {
  const limit = AbortSignal.timeout(timeoutMs);
  const options: RequestOptions = {
    timeout: timeoutMs,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  };
  const ways: (() => Transport)[] = {
    stdio: [() => stdioTo(target, root)],
    http: [() => httpTo(target)],
    sse: [() => sseTo(target)],
    // A server of the old kind answers the new protocol with a 4xx (specification, «Backwards Compatibility»).
    auto: [() => httpTo(target), () => sseTo(target)],
  }[server.kind];
  let failure: unknown;
  for (const way of ways) {
    const peer = new Peer(server, target.secrets);
    try {
      await peer.open(way(), options);
      return peer;
    } catch (e) {
      failure ??= peer.unavailable(limit.aborted ? new Error(`${timeoutMs / 1000} 秒没有准备好`) : e);
      await peer.close();
      if (options.signal?.aborted) break;
    }
  }
  throw failure;
}

class Peer implements McpPeer {
  tools: readonly McpToolInfo[] = [];
  isOpen = false;
  private transport: Transport | undefined;
  private readonly client = new Client(
    { name: 'xihe', version: packageVersion() },
    // The schemas of results are the server's own business: nothing is compiled from them.
    {
      capabilities: {},
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );

  constructor(
    private readonly server: McpServer,
    private readonly secrets: readonly string[],
  ) {}

  async open(transport: Transport, options: RequestOptions): Promise<void> {
    this.transport = transport;
    this.client.onclose = () => {
      this.isOpen = false;
    };
    // What is wrong shows in the call that it breaks; a listener keeps it from being thrown.
    this.client.onerror = () => {};
    await aborting(this.client.connect(transport, options), options.signal);
    this.isOpen = true;
    this.tools = await this.list(options);
    this.client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
      this.tools = await this.list({ timeout: options.timeout ?? PING_MS }).catch(() => this.tools);
    });
  }

  private async list(options: RequestOptions): Promise<McpToolInfo[]> {
    if (this.client.getServerCapabilities()?.tools === undefined) return [];
    const tools: McpToolInfo[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const reply = await this.client.request({ method: 'tools/list', params }, ListToolsResultSchema, options);
      tools.push(...(reply.tools as McpToolInfo[]));
      cursor = reply.nextCursor;
      if (cursor === undefined) break;
    }
    return tools.slice(0, MAX_TOOLS);
  }

  async call(
    name: string,
    args: Record<string, unknown>,
    { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<McpReply> {
    try {
      const options = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, ...(signal ? { signal } : {}) };
      const request = { method: 'tools/call' as const, params: { name, arguments: args } };
      return replyOf(await this.client.request(request, CallToolResultSchema, options), this.secrets);
    } catch (e) {
      if (isTimeout(e) || signal?.aborted) void this.dropIfDead();
      if (!this.isOpen) throw this.unavailable(e);
      if (isTimeout(e))
        throw new XiheError('COMMAND_TIMEOUT', `MCP 服务器 ${this.server.name} 超过 ${timeoutMs / 1000} 秒没有应答`, {
          hint: `缩小范围再试；确实要这么久，在 ${this.server.source} 里写 timeout（毫秒）。`,
          cause: e,
        });
      throw new XiheError('MCP_FAILED', `MCP 服务器 ${this.server.name} 说：${this.told(e)}`, {
        hint: '按它说的改参数再试；它可能已经做了一部分，重试前先核对。',
        cause: e,
      });
    }
  }

  /** A call that is given up is only told to the server; one that hangs altogether is ended, and started anew by the next call. */
  private async dropIfDead(): Promise<void> {
    await this.client.ping({ timeout: PING_MS }).catch(() => this.close());
  }

  async close(): Promise<void> {
    this.isOpen = false;
    if (this.transport instanceof StreamableHTTPClientTransport)
      await within(LEAVE_MS, this.transport.terminateSession()).catch(() => {});
    // Both: the client forgets its transport when it could not connect.
    await Promise.allSettled([this.client.close(), this.transport?.close()]);
  }

  /** Why there is no server to talk to. */
  unavailable(e: unknown): XiheError {
    const ended = this.transport instanceof StdioTransport ? this.transport.reason : '';
    const why = ended === '' ? this.told(e) : withoutSecrets(plainLine(ended).slice(0, SHOWN_ERROR), this.secrets);
    return new XiheError('MCP_UNAVAILABLE', `MCP 服务器 ${this.server.name} 用不了：${why}`, {
      hint: `检查 ${this.server.source} 写的命令或地址；xihe doctor 会再试一次。`,
      cause: e,
    });
  }

  private told(e: unknown): string {
    const text = messageOf(e).replace(/^MCP error -?\d+: /, '');
    return withoutSecrets(plainLine(text).slice(0, SHOWN_ERROR), this.secrets);
  }
}

/** The same, but for a caller who does not wait any longer: `connect` sends on while its transport hangs. */
function aborting<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop: () => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, stopped]).finally(() => signal.removeEventListener('abort', stop));
}

/** @throws when the time (ms) is over first */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  await aborting(work, AbortSignal.timeout(ms));
}

function isTimeout(e: unknown): boolean {
  return e instanceof McpError && e.code === ErrorCode.RequestTimeout;
}

function stdioTo(target: McpTarget, root: string): Transport {
  const argv = [target.command ?? '', ...target.args];
  return new StdioTransport({ argv, cwd: resolve(root, target.cwd ?? '.'), env: target.env });
}

function httpTo({ url, headers }: McpTarget): Transport {
  // The SDK's types say `sessionId: string | undefined` where its interface says `sessionId?: string`.
  return new StreamableHTTPClientTransport(urlOf(url), {
    requestInit: { headers },
    fetch: boundedFetch,
  }) as unknown as Transport;
}

function sseTo({ url, headers }: McpTarget): Transport {
  return new SSEClientTransport(urlOf(url), { requestInit: { headers }, fetch: boundedFetch });
}

function urlOf(text: string | undefined): URL {
  const url = URL.canParse(text ?? '') ? new URL(text ?? '') : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error('url 要以 http:// 或 https:// 开头');
}

/** `fetch` that reads no reply without end. Streams of events go on as long as a call does, and have the same limit. */
async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const reply = await fetch(url, init);
  if (reply.body === null) return reply;
  let bytes = 0;
  const counted = reply.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > MAX_BODY_BYTES) controller.error(new Error(`应答超过 ${MAX_BODY_BYTES / 1024 / 1024} MB`));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, { status: reply.status, statusText: reply.statusText, headers: reply.headers });
}
