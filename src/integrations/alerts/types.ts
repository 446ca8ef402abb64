/** The chat platforms whose group robots are spoken to. */
export type Platform = 'wecom' | 'dingtalk' | 'feishu';

/** `text` is shown as it is; `markdown` has room for twice as much on WeCom. */
export type Format = 'text' | 'markdown';

/** Something that a group should hear of. */
export interface Alert {
  /** The same act is the same id, also after a restart: it is taken once. */
  id: string;
  /** What `xihe trace` finds; one message a trace in {@link TRACE_WINDOW_MS}. */
  trace: string;
  /** What was to be done, in the user's words. */
  task: string;
  /** Why it failed; of a notice what it says. */
  reason: string;
  /** A failure after all retries, or a message that somebody asked for. */
  kind: 'failure' | 'notice';
  /** Output; its last {@link LOG_LINES} lines are sent. */
  log?: string;
  /** How long the task took, in milliseconds. */
  durationMs?: number;
  /** When it failed, in milliseconds since 1970; now when it is missing. */
  at?: number;
}

/** One message for one trace id in so many milliseconds: a task that fails again and again is told once. */
export const TRACE_WINDOW_MS = 5 * 60_000;

/** Lines at the end of a log that are sent: the error and what led to it; more makes WeCom refuse the message. */
export const LOG_LINES = 20;

/** Where messages go. */
export interface Robot {
  platform: Platform;
  /** With its key: never shown. */
  address: string;
  /** Of the signature; DingTalk and Feishu have one. */
  secret?: string;
  format: Format;
  /** Longest time of one request, in milliseconds. */
  timeoutMs: number;
}

/** A message as it is put together, before a platform's JSON. */
export interface Message {
  /** For platforms that show one beside the text. */
  title: string;
  content: string;
}
