/** As much of the end of a text as is looked back at, in characters: an emphasised passage, a link, the row of a table. */
const KEPT = 4_096;

/**
 * A text that grows at its end, where now and then the last characters are taken back. Only a tail of bounded length is kept as one string:
 * looking at the end of all of it at every tag of a page would take time by the square of its length.
 */
export class TextBuffer {
  private readonly done: string[] = [];
  private doneLength = 0;
  private tail = '';

  /** In characters. */
  get length(): number {
    return this.doneLength + this.tail.length;
  }

  add(text: string): void {
    this.tail += text;
    if (this.tail.length <= 2 * KEPT) return;
    const cut = this.tail.length - KEPT;
    this.done.push(this.tail.slice(0, cut));
    this.doneLength += cut;
    this.tail = this.tail.slice(cut);
  }

  /** Nothing stands before the end but white space or nothing. */
  endsBlank(): boolean {
    return this.tail === '' ? this.length === 0 : /\s$/.test(this.tail.slice(-1));
  }

  endsWith(mark: string): boolean {
    return this.tail.endsWith(mark);
  }

  /** Takes white space off the end; `blanks` leaves line ends. */
  trimEnd(which: 'all' | 'blanks' = 'all'): this {
    let end = this.tail.length;
    const isTaken = which === 'all' ? /\s/ : /[ \t]/;
    while (end > 0 && isTaken.test(this.tail.charAt(end - 1))) end--;
    this.tail = this.tail.slice(0, end);
    return this;
  }

  /** The line that is not ended yet, as far as it is kept. */
  lastLine(): string {
    return this.tail.slice(this.tail.lastIndexOf('\n') + 1);
  }

  /** What was added since the text had a length; undefined when that is too long ago. */
  since(length: number): string | undefined {
    return length < this.doneLength ? undefined : this.tail.slice(length - this.doneLength);
  }

  /** Takes back what was added since the text had a length; see {@link since}. */
  cutTo(length: number): void {
    if (length >= this.doneLength) this.tail = this.tail.slice(0, length - this.doneLength);
  }

  toString(): string {
    return this.done.join('') + this.tail;
  }
}
