/**
 * The one error type of all rooms.
 *
 * A code is stable (scripts and clients match on it), the message says in Chinese what happened, and the hint says in
 * Chinese what to do next. Users never see a stack trace for a mistake of their own: the CLI prints message and hint.
 */

/** Every code that Xihe can raise. Codes are never renamed; a new meaning gets a new code. */
export type XiheErrorCode =
  | 'CONFIG_INVALID'
  | 'UNTRUSTED_ADDRESS'
  | 'USAGE'
  | 'PATH_OUTSIDE_PROJECT'
  | 'PATH_NOT_FOUND'
  | 'PATH_INVALID'
  | 'REPO_NOT_FOUND'
  | 'REPO_NOT_ALLOWED'
  | 'STATE_UNWRITABLE'
  | 'STATE_CORRUPT'
  | 'ENCODING_UNSUPPORTED'
  | 'ENCODING_UNMAPPABLE'
  | 'FILE_TOO_LARGE'
  | 'FILE_BINARY'
  | 'EDIT_NOT_FOUND'
  | 'EDIT_AMBIGUOUS'
  | 'EDIT_INVALID'
  | 'CHANGESET_NOT_FOUND'
  | 'CHANGESET_CONFLICT'
  | 'LOCK_BUSY'
  | 'APPLY_FAILED'
  | 'UNDO_CONFLICT'
  | 'RECEIPT_NOT_FOUND'
  | 'COMMAND_DENIED'
  | 'SPLIT_REFUSED'
  | 'COMMAND_TIMEOUT'
  | 'COMMAND_FAILED'
  | 'SIDE_EFFECT_OPEN'
  | 'ENTRY_INVALID'
  | 'FRONT_MATTER_INVALID'
  | 'TOOL_CONTRACT_INVALID'
  | 'TOOL_INPUT_INVALID'
  | 'MCP_UNAVAILABLE'
  | 'MCP_FAILED'
  | 'TOOL_UNKNOWN'
  | 'TOOL_CHANGED'
  | 'THREAD_NOT_FOUND'
  | 'PROPOSAL_NOT_FOUND'
  | 'THREAD_BUSY'
  | 'THREAD_NOT_WAITING'
  | 'RESUME_INVALID'
  | 'MODEL_NOT_CONFIGURED'
  | 'MODEL_UNREACHABLE'
  | 'MODEL_AUTH'
  | 'MODEL_RATE_LIMITED'
  | 'MODEL_STALLED'
  | 'MODEL_BAD_REPLY'
  | 'MODEL_REFUSED'
  | 'MODEL_CONTEXT_OVERFLOW'
  | 'EMBED_UNAVAILABLE'
  | 'EMBED_FAILED'
  | 'EMBED_TIMEOUT'
  | 'EMBED_UNREACHABLE'
  | 'EMBED_AUTH'
  | 'EMBED_RATE_LIMITED'
  | 'EMBED_REFUSED'
  | 'EMBED_BAD_REPLY'
  | 'EMBED_DIMENSION'
  | 'MILVUS_UNAVAILABLE'
  | 'MILVUS_TIMEOUT'
  | 'MILVUS_AUTH'
  | 'MILVUS_REFUSED'
  | 'MILVUS_SCHEMA'
  | 'MILVUS_PROBE_FAILED'
  | 'DOLPHIN_NOT_CONFIGURED'
  | 'DOLPHIN_UNREACHABLE'
  | 'DOLPHIN_TIMEOUT'
  | 'DOLPHIN_AUTH'
  | 'DOLPHIN_FORBIDDEN'
  | 'DOLPHIN_NOT_FOUND'
  | 'DOLPHIN_EXISTS'
  | 'DOLPHIN_NOT_ONLINE'
  | 'DOLPHIN_REFUSED'
  | 'DOLPHIN_BAD_REPLY'
  | 'DOLPHIN_OUTCOME_UNKNOWN'
  | 'SCRIPT_INVALID'
  | 'SCRIPT_DEPENDENCIES'
  | 'CRON_INVALID'
  | 'ALERT_NOT_CONFIGURED'
  | 'ALERT_INVALID'
  | 'ALERT_UNREACHABLE'
  | 'ALERT_RATE_LIMITED'
  | 'ALERT_AUTH'
  | 'ALERT_REFUSED'
  | 'ALERT_BAD_REPLY'
  | 'ALERT_UNCERTAIN'
  | 'GRAPH_NOT_FOUND'
  | 'RUN_NOT_FOUND'
  | 'LEASE_LOST'
  | 'STORE_FAILED'
  | 'NOT_SUPPORTED'
  | 'EVAL_TASK_INVALID'
  | 'BUDGET_EXCEEDED'
  | 'BODY_NOT_JSON'
  | 'BODY_NOT_UTF8'
  | 'BODY_TOO_LARGE'
  | 'BODY_TYPE'
  | 'REQUEST_INVALID'
  | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE'
  | 'HOST_NOT_ALLOWED'
  | 'ORIGIN_NOT_ALLOWED'
  | 'KEY_REQUIRED'
  | 'KEY_INVALID'
  | 'KEY_FORBIDDEN'
  | 'KEY_EXISTS'
  | 'KEY_NOT_FOUND'
  | 'KEYS_REQUIRED'
  | 'RATE_LIMITED'
  | 'PROJECT_REQUIRED'
  | 'PROJECT_UNKNOWN'
  | 'PROJECT_UNAVAILABLE'
  | 'PROJECT_BUSY'
  | 'ENTRY_NOT_FOUND'
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'SHUTTING_DOWN'
  | 'LISTEN_FAILED'
  | 'CANCELLED'
  | 'INTERNAL';

const XIHE_ERROR = Symbol.for('xihe.error');

/** What an error carries beside its code and message. */
export interface XiheErrorOptions {
  /** What the user can do next, in Chinese, one sentence. */
  hint: string;
  cause?: unknown;
  /** Facts for logs and JSON output (paths, lines, limits); never secrets. */
  details?: Record<string, unknown>;
}

/**
 * An error that Xihe raises on purpose.
 *
 * @example throw new XiheError('PATH_NOT_FOUND', '找不到 src/a.ts', { hint: '用 xihe find 按意思找文件' });
 */
export class XiheError extends Error {
  readonly [XIHE_ERROR] = true as const;
  override readonly name = 'XiheError';
  readonly code: XiheErrorCode;
  readonly hint: string;
  readonly details: Record<string, unknown>;

  constructor(code: XiheErrorCode, message: string, options: XiheErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }

  /**
   * Tells whether `e` is a XiheError (of that code), also when it comes from a second copy of this package.
   *
   * @param e anything that was caught
   * @param code the code to ask for; without it any XiheError matches
   */
  static is(e: unknown, code?: XiheErrorCode): e is XiheError {
    if (typeof e !== 'object' || e === null) return false;
    const marked = (e as Record<symbol, unknown>)[XIHE_ERROR] === true;
    return marked && (code === undefined || (e as XiheError).code === code);
  }

  /** The JSON form that `--json`, HTTP and MCP show. */
  toJSON(): { code: XiheErrorCode; message: string; hint: string; details: Record<string, unknown> } {
    return { code: this.code, message: this.message, hint: this.hint, details: this.details };
  }
}

/** Characters of what a user gave that a message says back: enough to know it again. */
const QUOTED_CHARS = 60;
/** The same of a path, whose end tells the file. */
export const QUOTED_PATH_CHARS = 400;

/** What a user gave, as a message says it back: its beginning, and how long it was. A whole file may stand there by mistake. */
export function quoted(text: string, max = QUOTED_CHARS): string {
  if (text.length <= max) return text;
  const start = text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
  return `${start}…（共 ${text.length} 字）`;
}

/** The message of anything that was thrown, without a stack. */
export function messageOf(e: unknown): string {
  return e instanceof Error ? e.message : String(e);
}

/** The Node error code (`ENOENT`, `EACCES`, …) of a caught error, or undefined. */
export function errnoOf(e: unknown): string | undefined {
  const code = (e as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
