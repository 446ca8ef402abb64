/** One line of the log: what happened, and facts about it. Never what somebody asked, and never a key. */
export interface LogLine {
  level: 'info' | 'warn' | 'error';
  msg: string;
  [fact: string]: unknown;
}

/** Lines wait this long for others, so that a busy server writes them together: each write to a pipe or file stops the process. In milliseconds. */
const GATHER_MS = 20;
/** Characters that are written at once at the latest. */
const GATHER_CHARS = 64_000;

/**
 * A log of JSON lines. pino would bring eleven packages and a worker thread for what is one `JSON.stringify` here: there is one kind of
 * line, one place to write to, and levels are a field.
 */
export class JsonLog {
  #waiting: string[] = [];
  #chars = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param write gets whole lines */
  constructor(private readonly write: (text: string) => void = (text) => void process.stderr.write(text)) {}

  line(line: LogLine): void {
    const text = `${JSON.stringify({ t: new Date().toISOString(), ...line })}\n`;
    this.#waiting.push(text);
    this.#chars += text.length;
    if (this.#chars >= GATHER_CHARS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  /** Writes what waits. To be called before the process ends. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#chars = 0;
    this.write(text);
  }
}
