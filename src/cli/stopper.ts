import { EXIT } from './exit-codes.js';
import { log, printJson } from './output.js';

/** What ends a run from outside. SIGTERM asks for the same; SIGHUP is the terminal that was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ctrl-C during a run: once stops it at the next safe point and keeps what is done; twice quits at once. What runs in child processes
 * ends in both cases: cancelled by the first, killed as this process exits by the second.
 */
export class Stopper {
  readonly #stop = new AbortController();
  readonly #press = () => this.press();

  /**
   * @param thread what is kept under
   * @param json whether stdout gets a document
   */
  constructor(
    private readonly thread: string,
    private readonly json: boolean,
  ) {
    for (const signal of SIGNALS) process.on(signal, this.#press);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** As if Ctrl-C was pressed: where the terminal is in raw mode, it makes no signal. */
  press(): void {
    if (!this.signal.aborted) {
      log('\n正在停下…（再按一次立即退出）');
      this.#stop.abort();
      return;
    }
    const hint = `用 xihe resume ${this.thread} 接着跑。`;
    if (this.json)
      printJson({
        error: { code: 'CANCELLED', message: `没等停好就退出了，会话是 ${this.thread}`, hint, details: {} },
      });
    else log(`没等停好就退出了。${hint}`);
    process.exit(EXIT.interrupted);
  }

  /** From now on signals do what they do by default. */
  dispose(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.#press);
  }
}
