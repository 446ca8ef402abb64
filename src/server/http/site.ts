import type { Projects } from '../projects/index.js';
import type { Reply } from './answer.js';
import { AnswerCache } from './cache.js';
import type { KeyRing } from './keys.js';
import type { RateLimiter } from './limits.js';
import type { JsonLog } from './log.js';
import type { Metrics } from './metrics.js';

export interface SiteParts {
  projects: Projects;
  keys: KeyRing;
  limiter: RateLimiter;
  log: JsonLog;
  metrics: Metrics;
  /** Whether it listens where only this machine can ask. */
  isLoopback: boolean;
  /** Sites whose pages may ask, as browsers write them: `https://wiki.example`. */
  cors: readonly string[];
  /** Answers of each project that are kept; 0 keeps none. */
  cacheAnswers?: number | undefined;
}

/** What all requests of one service share. */
export class Site {
  readonly projects: Projects;
  readonly keys: KeyRing;
  readonly limiter: RateLimiter;
  readonly log: JsonLog;
  readonly metrics: Metrics;
  readonly isLoopback: boolean;
  readonly cors: readonly string[];
  /** It was told to end: what runs is finished, new requests are asked to come back. */
  isEnding = false;
  readonly #caches = new Map<string, AnswerCache>();
  readonly #making = new Map<string, Promise<Reply>>();

  constructor(private readonly parts: SiteParts) {
    this.projects = parts.projects;
    this.keys = parts.keys;
    this.limiter = parts.limiter;
    this.log = parts.log;
    this.metrics = parts.metrics;
    this.isLoopback = parts.isLoopback;
    this.cors = parts.cors;
  }

  /** The answers of a project that are kept. */
  cacheOf(project: string): AnswerCache {
    const known = this.#caches.get(project) ?? new AnswerCache(this.parts.cacheAnswers);
    this.#caches.set(project, known);
    return known;
  }

  /** What a project had is let go with it. */
  forget(project: string): void {
    this.#caches.delete(project);
  }

  /** Makes an answer once for all who ask for it at the same time. */
  once(key: string, make: () => Promise<Reply>): Promise<Reply> {
    const running = this.#making.get(key);
    if (running !== undefined) return running;
    const making = make().finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }
}
