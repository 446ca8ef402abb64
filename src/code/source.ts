/** A file's text with its line table. Lines are 1-based and end with LF, CRLF or CR, as in editors. */
export class SourceText {
  private readonly starts: number[] = [0];

  constructor(readonly text: string) {
    for (const match of text.matchAll(/\r\n|\r|\n/g)) this.starts.push(match.index + match[0].length);
  }

  get lineCount(): number {
    return this.starts.length;
  }

  /** The line that holds the character at `index` (UTF-16 offset). */
  lineAt(index: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= index) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** Text of a line up to `index`, which stands in it. */
  lineBefore(index: number): string {
    return this.text.slice(this.starts[this.lineAt(index) - 1], index);
  }

  /** Offset of a line's first character; the end of the text for a line beyond it. */
  startOf(line: number): number {
    return this.starts[line - 1] ?? this.text.length;
  }
}

/** A stretch of a file; offsets are UTF-16, lines 1-based. */
export interface Span {
  start: number;
  end: number;
  line: number;
  endLine: number;
}

/** The stretch between two offsets with its lines. */
export function spanOf(source: SourceText, start: number, end: number): Span {
  return { start, end, line: source.lineAt(start), endLine: source.lineAt(Math.max(start, end - 1)) };
}

/** White space collapsed to single blanks, cut at `max` characters. */
export function oneLine(text: string, max: number): string {
  // A constant may hold half a file; its beginning is enough.
  const line = text
    .slice(0, 8 * max)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}
