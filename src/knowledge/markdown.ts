/** A piece of a Markdown text. Lines are 1-based in the file. */
export interface Block {
  kind: 'heading' | 'paragraph' | 'item' | 'table' | 'code';
  /** As written; of a heading the title alone, of code with its fences. */
  text: string;
  line: number;
  endLine: number;
  /** 1–6, of a heading. */
  level: number;
}

/** A fence of code. Behind one of backticks stands no other backtick: that would be code inside a line. */
const FENCE = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
/** `## 标题`; with two hashes or more the blank before a Chinese title may be missing. */
const HEADING = /^ {0,3}(?:(#{1,6})[ \t]+|(#{2,6})(?=\p{Script=Han}))/u;
const UNDERLINE = /^ {0,3}(?:(=+)|(-{3,}))[ \t]*$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^\s*(?:[-*+]|\d{1,3}[.)、．])(?:[ \t]+|(?<=[、．]))\S/;
const ROW = /^\s*\|/;

/**
 * Takes a Markdown text apart into headings, paragraphs, list items, tables and code. Front matter must be cut off before.
 * Only what chunking needs: emphasis, links and quotes stay as they are written.
 *
 * @param body the text
 * @param firstLine 1-based line of its first line in the file
 */
export function parseBlocks(body: string, firstLine: number): Block[] {
  return new Blocks(body.split(/\r\n|\n|\r/), firstLine).parse();
}

/** A heading line taken apart; closing hashes are no part of the title. Loops, since a pattern would try every blank of a long line. */
function headingOf(line: string): { title: string; level: number } | undefined {
  const start = HEADING.exec(line);
  if (start === null) return undefined;
  const from = start[0].length;
  const end = endBefore(line, from, ' \t');
  const hashes = endBefore(line.slice(0, end), from, '#');
  const blank = endBefore(line.slice(0, hashes), from, ' \t');
  const closed = hashes < end && blank < hashes;
  return { title: line.slice(from, closed ? blank : end), level: (start[1] ?? start[2] ?? '#').length };
}

/** Where a text ends without the marks at its end, not before `from`. */
function endBefore(text: string, from: number, marks: string): number {
  let end = text.length;
  while (end > from && marks.includes(text.charAt(end - 1))) end--;
  return end;
}

class Blocks {
  private readonly out: Block[] = [];
  private open: Block | undefined;
  private at = 0;

  constructor(
    private readonly lines: readonly string[],
    private readonly firstLine: number,
  ) {}

  parse(): Block[] {
    for (; this.at < this.lines.length; this.at++) this.line(this.lines[this.at] as string);
    this.close();
    return this.out;
  }

  private line(line: string): void {
    const fence = FENCE.exec(line)?.[1];
    const heading = headingOf(line);
    const underline = this.isTitleLike() ? UNDERLINE.exec(line) : null;
    if (line.trim() === '') this.close();
    else if (fence !== undefined) this.code(fence);
    else if (heading) this.heading(heading.title, heading.level);
    else if (underline) this.underlined(underline[1] === undefined ? 2 : 1);
    else if (RULE.test(line)) this.close();
    else if (ITEM.test(line)) this.start('item', line);
    else this.continueOr(ROW.test(line) ? 'table' : 'paragraph', line);
  }

  /** A paragraph of one line so far may turn out to be a title, when `===` or `---` follows. */
  private isTitleLike(): boolean {
    return this.open?.kind === 'paragraph' && this.open.line === this.open.endLine;
  }

  /** Goes on with the open block, or starts one. A line below a list item belongs to it. */
  private continueOr(kind: 'paragraph' | 'table', line: string): void {
    const open = this.open;
    if (open?.kind === kind || (kind === 'paragraph' && open?.kind === 'item')) {
      open.text += `\n${line}`;
      open.endLine = this.firstLine + this.at;
    } else this.start(kind, line);
  }

  private start(kind: Block['kind'], text: string): void {
    this.close();
    const line = this.firstLine + this.at;
    this.open = { kind, text, line, endLine: line, level: 0 };
  }

  private close(): void {
    if (this.open) this.out.push(this.open);
    this.open = undefined;
  }

  private heading(text: string, level: number): void {
    this.close();
    const line = this.firstLine + this.at;
    this.out.push({ kind: 'heading', text: text.trim(), line, endLine: line, level });
  }

  private underlined(level: number): void {
    const title = this.open as Block;
    this.open = undefined;
    this.out.push({ ...title, kind: 'heading', text: title.text.trim(), level, endLine: this.firstLine + this.at });
  }

  /** Takes everything up to the closing fence; a fence that never closes runs to the end, as in CommonMark. */
  private code(fence: string): void {
    this.close();
    const from = this.at;
    const closing = new RegExp(`^\\s*${fence.charAt(0)}{${fence.length},}\\s*$`);
    this.at += 1;
    while (this.at < this.lines.length && !closing.test(this.lines[this.at] as string)) this.at++;
    const to = Math.min(this.at, this.lines.length - 1);
    this.out.push({
      kind: 'code',
      text: this.lines.slice(from, to + 1).join('\n'),
      line: this.firstLine + from,
      endLine: this.firstLine + to,
      level: 0,
    });
  }
}
