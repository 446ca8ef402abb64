/** Codes of what went wrong before any server answered; all others are the server's. */
export type ClientErrorCode = 'NETWORK' | 'TIMEOUT' | 'BAD_REPLY';

export interface XiheHttpErrorFacts {
  /** Stable; of the server (`PROJECT_UNAVAILABLE`, …) or {@link ClientErrorCode}. */
  code: string;
  /** HTTP status; 0 where there was no answer. */
  status: number;
  /** In Chinese: what to do next. */
  hint: string;
  requestId?: string | undefined;
  details?: Record<string, unknown> | undefined;
  /** Seconds after which the server wants to be asked again. */
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** Everything that a {@link XiheClient} throws, but an abort by the caller's own signal. */
export class XiheHttpError extends Error {
  override readonly name = 'XiheHttpError';
  readonly code: string;
  readonly status: number;
  readonly hint: string;
  readonly requestId: string | undefined;
  readonly details: Record<string, unknown>;
  readonly retryAfter: number | undefined;

  constructor(message: string, facts: XiheHttpErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status;
    this.hint = facts.hint;
    this.requestId = facts.requestId;
    this.details = facts.details ?? {};
    this.retryAfter = facts.retryAfter;
  }

  /** Whether the same request may succeed later, unchanged. */
  get isTransient(): boolean {
    return TRANSIENT_STATUSES.has(this.status) || this.code === 'NETWORK' || this.code === 'TIMEOUT';
  }
}

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);
