import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { type Service, type ServiceRequest, startService } from '../../sandbox/index.js';

/** One message at most: a larger one is a fault of the server, and would only fill the memory. Bytes. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Lines that are no message after which a server is given up: some greet on their output, none talks there. */
const MAX_GARBAGE_LINES = 200;
/** Kept of what it says on its error output, for the reason why it ended. Characters. */
const STDERR_TAIL = 500;

/**
 * The SDK's own stdio transport ends one process and not what that has started (`npx` starts two), hands over its environment by a list,
 * and listens to garbage for ever. This one speaks the same protocol, one JSON message a line, over a service of the sandbox.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private service: Service | undefined;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private garbage = 0;
  private said = '';
  private why = '';

  constructor(private readonly request: ServiceRequest) {}

  /** In Chinese, why it is not there any more: how it ended, and the last that it said. */
  get reason(): string {
    const last = this.said.trim().split('\n').at(-1) ?? '';
    return [this.why, last].filter(Boolean).join('：');
  }

  async start(): Promise<void> {
    const service = await startService(this.request);
    this.service = service;
    service.stdout.on('data', (chunk: Buffer) => this.take(chunk));
    service.stderr.on('data', (chunk: Buffer) => {
      this.said = `${this.said}${chunk.toString('utf8')}`.slice(-STDERR_TAIL);
    });
    for (const stream of [service.stdout, service.stderr]) stream.on('error', () => {});
    void service.ended.then((how) => {
      this.why ||= `已经退出（${how}）`;
      void this.close();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.service?.stdin;
    if (stdin === undefined || !stdin.writable) throw new Error(this.reason || '没有连接');
    await new Promise<void>((resolve, reject) =>
      stdin.write(serializeMessage(message), (e) => (e ? reject(e) : resolve())),
    );
  }

  async close(): Promise<void> {
    const { service } = this;
    if (service === undefined) return;
    this.service = undefined;
    this.pending = [];
    await service.end();
    this.onclose?.();
  }

  private take(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(0x0a); end >= 0 && this.service !== undefined; end = rest.indexOf(0x0a)) {
      const line = Buffer.concat([...this.pending, rest.subarray(0, end)]).toString('utf8');
      this.pending = [];
      this.pendingBytes = 0;
      rest = rest.subarray(end + 1);
      this.read(line.trim());
    }
    if (rest.length === 0 || this.service === undefined) return;
    this.pending.push(Buffer.from(rest));
    this.pendingBytes += rest.length;
    if (this.pendingBytes > MAX_MESSAGE_BYTES) this.giveUp(`一条消息超过 ${MAX_MESSAGE_BYTES / 1024 / 1024} MB`);
  }

  private read(line: string): void {
    if (line === '') return;
    let message: JSONRPCMessage;
    try {
      message = deserializeMessage(line);
    } catch {
      if (++this.garbage > MAX_GARBAGE_LINES) this.giveUp('输出的不是 MCP 消息');
      return;
    }
    this.onmessage?.(message);
  }

  private giveUp(why: string): void {
    this.why = why;
    void this.close();
  }
}
