import type { GraphEvent } from '../../agent/deploy/index.js';
import type { Bus } from './bus.js';
import { isActive } from './rows.js';
import { findRun } from './runs.js';
import type { Sql } from './sql.js';

/** Events read at once: what a slow reader holds in memory. */
const PAGE = 200;
/** Events written at once. SQLite takes 32766 values a statement, Postgres 65535. */
const BATCH = 500;
/** Events that may wait for the store before the run itself has to wait. */
const MAX_WAITING = 2000;

export interface StoredEvent extends GraphEvent {
  seq: number;
}

/** Writes a run's events in the order in which they come; while one write is under way, the next events gather. */
export class EventWriter {
  readonly #sql: Sql;
  readonly #bus: Bus;
  readonly #runId: string;
  #seq: number;
  #waiting: GraphEvent[] = [];
  #writing: Promise<void> | undefined;

  private constructor(sql: Sql, bus: Bus, runId: string, seq: number) {
    this.#sql = sql;
    this.#bus = bus;
    this.#runId = runId;
    this.#seq = seq;
  }

  /** Goes on after the events that are there: a run that was taken over has some. */
  static async open(sql: Sql, bus: Bus, runId: string): Promise<EventWriter> {
    const [row] = await sql.all<{ seq: number | null }>(
      'SELECT MAX(seq) AS seq FROM run_events WHERE run_id = ?',
      runId,
    );
    return new EventWriter(sql, bus, runId, Number(row?.seq ?? 0));
  }

  /** @throws what the store throws; also that of an earlier write, at the latest from {@link flush} */
  async write(event: GraphEvent): Promise<void> {
    this.#waiting.push(event);
    if (this.#waiting.length > MAX_WAITING) await this.#writing;
    if (this.#writing) return;
    this.#writing = this.#writeAll();
    // Thrown again by whoever awaits it next.
    this.#writing.catch(() => undefined);
  }

  /** All that was given is in the store. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#waiting.length > 0) await this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      const rows = batch.map(({ event, data }) => [this.#runId, ++this.#seq, event, data]);
      await this.#sql.run(
        `INSERT INTO run_events (run_id, seq, event, data) VALUES ${rows.map(() => '(?, ?, ?, ?)').join(', ')}`,
        ...rows.flat(),
      );
      this.#bus.tell(`run:${this.#runId}`);
    }
    this.#writing = undefined;
  }
}

/**
 * A run's events as they come, until it is over; from any process.
 *
 * @param after number of the last event that the reader has
 */
export async function* followEvents(
  sql: Sql,
  bus: Bus,
  runId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent> {
  let seen = after;
  while (!signal.aborted) {
    const woken = new AbortController();
    const news = bus.wait(`run:${runId}`, AbortSignal.any([signal, woken.signal]));
    try {
      // Asked before the events are read: what an ended run wrote is all there then.
      const run = await findRun(sql, runId);
      const events = await sql.all<StoredEvent>(
        'SELECT seq, event, data FROM run_events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?',
        runId,
        seen,
        PAGE,
      );
      for (const event of events) {
        yield event;
        seen = event.seq;
      }
      if (events.length === PAGE) continue;
      if (!run || !isActive(run)) return;
      await news;
    } finally {
      woken.abort();
    }
  }
}

/** Resolves when a run is over or gone, or when `signal` is aborted. */
export async function untilOver(sql: Sql, bus: Bus, runId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const news = bus.wait(`run:${runId}`, signal);
    const run = await findRun(sql, runId);
    if (!run || !isActive(run)) return;
    await news;
  }
}
