import type { EventStore } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/** Messages that one session keeps for a client that lost its stream, and their size. */
const MAX_EVENTS = 200;
const MAX_BYTES = 1024 * 1024;

interface Kept {
  id: string;
  stream: string;
  message: JSONRPCMessage;
  bytes: number;
}

/** The last messages of a session: a client that comes back with `Last-Event-ID` gets what it missed. Gone with the process. */
export class RecentEvents implements EventStore {
  private readonly events: Kept[] = [];
  private bytes = 0;
  private count = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${++this.count}`;
    const bytes = JSON.stringify(message).length;
    this.events.push({ id, stream, message, bytes });
    this.bytes += bytes;
    while (this.events.length > MAX_EVENTS || (this.bytes > MAX_BYTES && this.events.length > 1))
      this.bytes -= this.events.shift()?.bytes ?? 0;
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.events.find((event) => event.id === id)?.stream;
  }

  async replayEventsAfter(
    lastId: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const last = this.events.findIndex(({ id }) => id === lastId);
    const stream = this.events[last]?.stream ?? '';
    for (const event of this.events.slice(last + 1)) {
      // What only opens a stream (an empty object) is no message.
      if (event.stream === stream && 'jsonrpc' in event.message) await send(event.id, event.message);
    }
    return stream;
  }
}
