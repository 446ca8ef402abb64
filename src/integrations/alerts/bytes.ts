/** How many bytes a text takes in UTF-8, which is what the platforms count. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

const MORE = '…';
/** Characters on both sides of a cut that are looked at: the longest emoji of several parts has about 20. */
const AROUND = 40;

/**
 * A text cut to a number of bytes in UTF-8, on the boundary of what people see as one character (a family of emoji is one), with `…` at
 * the end of what was cut.
 *
 * @param max bytes, `…` (3 bytes) counted
 * @returns the text itself where it fits; '' where not even `…` would
 */
export function cutToBytes(text: string, max: number): string {
  if (bytesOf(text) <= max) return text;
  const room = max - bytesOf(MORE);
  return room < 0 ? '' : `${text.slice(0, boundaryBefore(text, room))}${MORE}`;
}

/** The same from the other side: the end stays. */
export function cutStartToBytes(text: string, max: number): string {
  if (bytesOf(text) <= max) return text;
  const room = max - bytesOf(MORE);
  if (room < 0) return '';
  let from = text.length;
  for (let left = room; from > 0; ) {
    const before = from > 1 && isLow(text, from - 1) ? from - 2 : from - 1;
    left -= bytesOf(text.slice(before, from));
    if (left < 0) break;
    from = before;
  }
  return `${MORE}${text.slice(seenBoundary(text, from, 'after'))}`;
}

/** The last place, in UTF-16 units, before which there are at most `room` bytes. */
function boundaryBefore(text: string, room: number): number {
  let to = 0;
  for (let left = room; to < text.length; ) {
    const next = to + 1 < text.length && isLow(text, to + 1) ? to + 2 : to + 1;
    left -= bytesOf(text.slice(to, next));
    if (left < 0) break;
    to = next;
  }
  return seenBoundary(text, to, 'before');
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The nearest boundary between characters as people see them, on that side of a place. */
function seenBoundary(text: string, at: number, side: 'before' | 'after'): number {
  const start = Math.max(0, at - AROUND);
  let found = start;
  for (const { index, segment } of new Intl.Segmenter().segment(text.slice(start, at + AROUND))) {
    const from = start + index;
    const to = from + segment.length;
    if (from === at || to === at) return at;
    if (from < at && at < to) return side === 'before' ? from : to;
    found = to;
  }
  return side === 'before' ? Math.min(found, at) : at;
}
