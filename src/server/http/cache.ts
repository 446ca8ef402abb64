import { createHash } from 'node:crypto';
import { CACHE_ANSWERS, CACHE_BYTES } from './limits.js';

/** An answer as it is sent. */
export interface KeptAnswer {
  etag: string;
  body: string;
  dataVersion: string;
}

/**
 * The tag of an answer: the same for the same question about the same content, whether or not the answer was ever made. So a client that
 * has it is told so without asking anything.
 *
 * @param parts everything that the answer follows from
 */
export function etagOf(parts: readonly unknown[]): string {
  return `"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}"`;
}

/** Whether an `If-None-Match` names the tag. */
export function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag || one.trim() === '*');
}

/** The answers of one project that were given last, by tag. What content has replaced is never asked for again, and so goes first. */
export class AnswerCache {
  readonly #kept = new Map<string, KeptAnswer>();
  #chars = 0;

  /** @param answers at most; 0 keeps none */
  constructor(
    private readonly answers = CACHE_ANSWERS,
    private readonly bytes = CACHE_BYTES,
  ) {}

  get(etag: string): KeptAnswer | undefined {
    const found = this.#kept.get(etag);
    if (found === undefined) return undefined;
    this.#kept.delete(etag);
    this.#kept.set(etag, found);
    return found;
  }

  /** Keeps an answer, and lets go those that were not asked for longest. */
  keep(answer: KeptAnswer): void {
    if (this.answers === 0) return;
    this.#drop(answer.etag);
    this.#kept.set(answer.etag, answer);
    this.#chars += answer.body.length;
    // A string takes up to two bytes a character.
    while (this.#kept.size > this.answers || 2 * this.#chars > this.bytes)
      this.#drop(this.#kept.keys().next().value as string);
  }

  get size(): number {
    return this.#kept.size;
  }

  #drop(etag: string): void {
    const old = this.#kept.get(etag);
    if (old === undefined) return;
    this.#kept.delete(etag);
    this.#chars -= old.body.length;
  }
}
