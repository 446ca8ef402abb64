import { EventEmitter } from 'node:events';

/** What is said between the parts of a process, and on Postgres between processes: that something is worth a look. */
export type Topic = 'work' | 'cancel' | `run:${string}`;

/**
 * Wakes whoever waits for a run or for work. Nothing depends on a call arriving: who waits looks by himself after a while, so a lost
 * one costs time and nothing else.
 */
export class Bus {
  readonly #here = new EventEmitter().setMaxListeners(0);
  readonly #pollMs: number;
  readonly #tellOthers: ((topic: Topic) => void) | undefined;

  /**
   * @param pollMs after how long who waits looks by himself
   * @param tellOthers passes a call on to other processes, which give it to their {@link Bus.hear}
   */
  constructor(pollMs: number, tellOthers?: (topic: Topic) => void) {
    this.#pollMs = pollMs;
    this.#tellOthers = tellOthers;
  }

  /** Something happened here. */
  tell(topic: Topic): void {
    this.hear(topic);
    this.#tellOthers?.(topic);
  }

  /** Something happened, here or elsewhere. */
  hear(topic: Topic): void {
    this.#here.emit(topic);
  }

  /**
   * Begins to wait at once, so that what is told between this call and its `await` is not missed.
   *
   * @returns resolved when the topic is told, when it is time to look, or when `signal` is aborted
   */
  wait(topic: Topic, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#here.off(topic, done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, this.#pollMs);
      this.#here.on(topic, done);
      signal?.addEventListener('abort', done);
      if (signal?.aborted) done();
    });
  }
}
