import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';

/** One message at most: requests are sentences; what is longer is a file by mistake. Bytes. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;
/** How long answers under way may take once the client has closed its end. Milliseconds. */
const LAST_ANSWERS_MS = 1_000;

/**
 * JSON-RPC over two streams, a message a line. The SDK's own transport says nothing to a line that is no message and ends over one that is too
 * long; this one answers both with an error and goes on.
 */
export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private skipping = false;
  private readonly unanswered = new Set<string | number>();
  private closed = false;
  private ended = false;

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
  ) {}

  async start(): Promise<void> {
    this.input.on('data', (chunk: Buffer) => this.take(chunk));
    this.input.on('end', () => this.end());
    this.input.on('close', () => this.end());
    this.input.on('error', () => this.end());
    // The reader is gone: there is nobody to tell.
    this.output.on('error', () => void this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('id' in message && message.id !== undefined && !('method' in message)) this.unanswered.delete(message.id);
    await this.write(message);
    if (this.ended && this.unanswered.size === 0) await this.close();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.pending = [];
    this.onclose?.();
  }

  /** The client closed its end: what it asked before that is still answered, if that is soon. */
  private end(): void {
    if (this.ended) return;
    this.ended = true;
    if (this.unanswered.size === 0) void this.close();
    else setTimeout(() => void this.close(), LAST_ANSWERS_MS);
  }

  private write(message: unknown): Promise<void> {
    return new Promise((resolve) => {
      if (this.closed || !this.output.writable) resolve();
      else this.output.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }

  private take(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      this.pending.push(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const line = this.skipping ? '' : Buffer.concat(this.pending).toString('utf8');
      this.pending = [];
      this.pendingBytes = 0;
      this.skipping = false;
      this.read(line.replace(/^\ufeff/, '').trim());
    }
    if (rest.length === 0 || this.skipping) return;
    this.pending.push(rest);
    this.pendingBytes += rest.length;
    if (this.pendingBytes <= MAX_LINE_BYTES) return;
    this.pending = [];
    this.skipping = true;
    this.refuse(null, ErrorCode.InvalidRequest, `一条消息超过 ${MAX_LINE_BYTES / 1024 / 1024} MB，没有读。`);
  }

  private read(line: string): void {
    if (line === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.refuse(null, ErrorCode.ParseError, '这一行不是 JSON；一行一条 JSON-RPC 消息。');
      return;
    }
    const parsed = JSONRPCMessageSchema.safeParse(value);
    if (!parsed.success) {
      const why = Array.isArray(value) ? '不支持一次发多条，一行一条。' : '不是 JSON-RPC 2.0 消息。';
      this.refuse(idOf(value), ErrorCode.InvalidRequest, why);
      return;
    }
    const message = parsed.data;
    if ('method' in message && 'id' in message) this.unanswered.add(message.id);
    if ('method' in message && message.method === 'notifications/cancelled') this.forget(message.params);
    this.onmessage?.(message);
  }

  /** A call that was cancelled gets no answer. */
  private forget(params: Record<string, unknown> | undefined): void {
    const id = params?.requestId;
    if (typeof id === 'string' || typeof id === 'number') this.unanswered.delete(id);
  }

  private refuse(id: string | number | null, code: number, message: string): void {
    void this.write({ jsonrpc: '2.0', id, error: { code, message } });
  }
}

function idOf(value: unknown): string | number | null {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}
