import { messageOf } from '../../errors.js';
import type { GraphContext } from './context.js';
import type { StoredEvent } from './events.js';

/** Nothing said for so long, in milliseconds, and a proxy may close the connection; the SDKs measure by it whether the line is dead. */
const ALIVE_MS = 10_000;

const encoder = new TextEncoder();

/**
 * A stream of server-sent events. The next event is read when the client has taken the one before, so a slow reader costs nothing.
 *
 * @param onGone called when the client leaves before the end
 */
export function sse(c: GraphContext, events: AsyncGenerator<StoredEvent>, onGone: () => void): Response {
  c.header('content-type', 'text/event-stream; charset=utf-8');
  c.header('cache-control', 'no-store');
  c.header('x-accel-buffering', 'no');
  return c.body(aliveStream(events, eventText, ': alive\n\n', onGone));
}

function eventText({ seq, event, data }: StoredEvent): string {
  return `id: ${seq}\nevent: ${event}\ndata: ${data}\n\n`;
}

/**
 * A JSON document that takes long: until it is there, line breaks keep the connection open.
 *
 * @param onGone called when the client leaves before the end
 */
export function jsonLater(c: GraphContext, text: Promise<string>, onGone: () => void): Response {
  c.header('content-type', 'application/json; charset=utf-8');
  return c.body(aliveStream(once(text), (json) => json, '\n', onGone));
}

async function* once(text: Promise<string>): AsyncGenerator<string> {
  yield await text;
}

function aliveStream<T>(
  items: AsyncGenerator<T>,
  textOf: (item: T) => string,
  alive: string,
  onGone: () => void,
): ReadableStream<Uint8Array> {
  let next: Promise<IteratorResult<T>> | undefined;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      next ??= items.next();
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<'alive'>((resolve) => {
        timer = setTimeout(resolve, ALIVE_MS, 'alive');
      });
      try {
        const result = await Promise.race([next, patience]);
        if (result === 'alive') return controller.enqueue(encoder.encode(alive));
        next = undefined;
        if (result.done) controller.close();
        else controller.enqueue(encoder.encode(textOf(result.value)));
      } catch (e) {
        // The headers are out: what is left to do is to end, and the client asks again.
        controller.error(new Error(messageOf(e)));
      } finally {
        clearTimeout(timer);
      }
    },
    cancel() {
      onGone();
    },
  });
}
