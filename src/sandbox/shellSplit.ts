/**
 * A shell line → its simple commands. Not a shell: it knows quotes, escapes, separators, redirections and command
 * substitution, and says so (`strange`) where it meets what it does not know.
 */

/** One simple command of a line. */
export interface SimpleCommand {
  /** Program and arguments, quotes removed. Variables stay as written (`$X`). */
  words: string[];
  /** Files that output is redirected to. */
  writes: string[];
  /** Files that input comes from. */
  reads: string[];
  /** It reads what another command prints. */
  piped: boolean;
}

export interface SplitLine {
  commands: SimpleCommand[];
  /** Quotes or brackets that do not close, here-documents, and the like. */
  strange: boolean;
}

/** Substitutions inside substitutions deeper than this are not followed. */
const MAX_DEPTH = 8;

const KEYWORDS = new Set([
  'if',
  'then',
  'else',
  'elif',
  'fi',
  'for',
  'while',
  'until',
  'do',
  'done',
  'case',
  'esac',
  'in',
  '!',
  '{',
  '}',
  'time',
  'function',
  'select',
]);

/** Keywords that are followed by words, not by a command. */
const LISTS = new Set(['for', 'case', 'select', 'function']);

/** Splits a line; commands inside `$(…)`, backquotes, brackets and control structures are listed too. */
export function splitShell(line: string, depth = 0): SplitLine {
  if (depth > MAX_DEPTH) return { commands: [], strange: true };
  return new Splitter(line, depth).run();
}

class Splitter {
  private at = 0;
  private word: string | null = null;
  private quoted = false;
  private current: SimpleCommand = emptyCommand();
  private readonly out: SplitLine = { commands: [], strange: false };
  /** `for x in a b`, `case $x in`: words up to the next separator run nothing. */
  private listing = false;
  /** The next word is the target of a redirection: of output, of input, or none. */
  private redirect: 'write' | 'read' | null = null;

  constructor(
    private readonly s: string,
    private readonly depth: number,
  ) {}

  run(): SplitLine {
    while (this.at < this.s.length) this.step();
    this.endCommand(false);
    return this.out;
  }

  private step(): void {
    const c = this.s[this.at]!;
    if (c === '\\') this.escape();
    else if (c === "'") this.single();
    else if (c === '"') this.double();
    else if (c === '`') this.backquote();
    else if (c === '$' && this.s[this.at + 1] === '(') this.substitution();
    else if ((c === '<' || c === '>') && this.s[this.at + 1] === '(') this.substitution();
    else if (c === '<' || c === '>') this.redirection(c);
    else if (c === '&' && this.s[this.at + 1] === '>') this.redirection('>', 1);
    else if (';&|\n()'.includes(c)) this.separator(c);
    else if (c === '#' && this.word === null) this.comment();
    else if (/\s/.test(c)) {
      this.endWord();
      this.at++;
    } else this.take(c);
  }

  private take(c: string): void {
    this.word = (this.word ?? '') + c;
    this.at++;
  }

  private escape(): void {
    const next = this.s[this.at + 1] ?? '';
    this.at += 2;
    if (next !== '\n') this.word = (this.word ?? '') + next;
  }

  private single(): void {
    const end = this.s.indexOf("'", this.at + 1);
    if (end < 0) this.out.strange = true;
    const stop = end < 0 ? this.s.length : end;
    this.word = (this.word ?? '') + this.s.slice(this.at + 1, stop);
    this.quoted = true;
    this.at = stop + 1;
  }

  private double(): void {
    this.at++;
    this.word ??= '';
    this.quoted = true;
    while (this.at < this.s.length && this.s[this.at] !== '"') {
      const c = this.s[this.at]!;
      if (c === '\\') this.escape();
      else if (c === '`') this.backquote();
      else if (c === '$' && this.s[this.at + 1] === '(') this.substitution();
      else this.take(c);
    }
    if (this.at >= this.s.length) this.out.strange = true;
    this.at++;
  }

  private backquote(): void {
    const end = this.s.indexOf('`', this.at + 1);
    if (end < 0) this.out.strange = true;
    const stop = end < 0 ? this.s.length : end;
    this.inner(this.s.slice(this.at + 1, stop));
    this.at = stop + 1;
  }

  private substitution(): void {
    let open = 0;
    let end = this.at + 1;
    for (; end < this.s.length; end++) {
      if (this.s[end] === '(') open++;
      if (this.s[end] === ')' && --open === 0) break;
    }
    if (end >= this.s.length) this.out.strange = true;
    this.inner(this.s.slice(this.at + 2, end));
    this.at = end + 1;
  }

  /** What a substitution prints is unknown: it stands in the word as `$()`. */
  private inner(text: string): void {
    const found = splitShell(text, this.depth + 1);
    this.out.commands.push(...found.commands);
    this.out.strange ||= found.strange;
    this.word = `${this.word ?? ''}$()`;
  }

  private redirection(c: string, skip = 0): void {
    // A number right before is a descriptor, not an argument.
    if (this.word !== null && /^\d+$/.test(this.word) && !this.quoted) this.word = null;
    this.endWord();
    this.at += 1 + skip;
    const readWrite = c === '<' && this.s[this.at] === '>';
    if (c === '<' && this.s[this.at] === '<') this.out.strange ||= this.s[this.at + 1] !== '<';
    while (this.at < this.s.length && '<>|'.includes(this.s[this.at]!)) this.at++;
    if (this.s[this.at] === '&') {
      const copy = /^&(\d+|-)/.exec(this.s.slice(this.at));
      this.at += copy ? copy[0].length : 1;
      if (copy) return; // 2>&1 writes to no file
    }
    this.redirect = c === '>' || readWrite ? 'write' : 'read';
  }

  private separator(c: string): void {
    const twice = this.s[this.at + 1] === c && c !== '(' && c !== ')';
    const pipe = c === '|' && !twice;
    this.endCommand(pipe);
    this.at += twice || (pipe && this.s[this.at + 1] === '&') ? 2 : 1;
  }

  private comment(): void {
    const end = this.s.indexOf('\n', this.at);
    this.at = end < 0 ? this.s.length : end;
  }

  private endWord(): void {
    const { word, quoted, redirect } = this;
    this.word = null;
    this.quoted = false;
    if (word === null) return;
    if (redirect !== null) {
      (redirect === 'write' ? this.current.writes : this.current.reads).push(word);
      this.redirect = null;
    } else if (this.current.words.length > 0 || quoted || !KEYWORDS.has(word)) {
      if (!this.listing) this.current.words.push(word);
    } else this.listing ||= LISTS.has(word);
  }

  private endCommand(pipe: boolean): void {
    this.endWord();
    const { words, writes, reads } = this.current;
    if (words.length + writes.length + reads.length > 0) this.out.commands.push(this.current);
    this.current = { ...emptyCommand(), piped: pipe };
    this.listing = false;
  }
}

function emptyCommand(): SimpleCommand {
  return { words: [], writes: [], reads: [], piped: false };
}
