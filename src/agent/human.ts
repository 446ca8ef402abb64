import * as z from 'zod';
import { XiheError } from '../errors.js';
import type { Decision } from './state.js';

/**
 * What people are asked, and how their answers are read.
 *
 * The shape is the one of LangChain's human-in-the-loop middleware (`actionRequests` + `reviewConfigs`, answered by
 * `{decisions: [{type: "approve" | "edit" | "reject", …}]}`), so that Studio and agent inboxes understand it; `kind` and the
 * rest are ours, beside it.
 */
export interface HumanRequest {
  actionRequests: { name: string; args: Record<string, unknown>; description: string }[];
  reviewConfigs: { actionName: string; allowedDecisions: ('approve' | 'edit' | 'reject')[] }[];
  /** In Chinese: why the answer before was not used. */
  problem?: string;
}

/** Danger levels as people read them. */
export const DANGER_NAMES = { low: '低', medium: '中', high: '高' } as const;

export interface AskRequest extends HumanRequest {
  kind: 'ask';
  questions: string[];
}

export interface FillRequest extends HumanRequest {
  kind: 'fill';
  tool: string;
  missing: { name: string; explain: string; choices: string[] }[];
}

export interface ApproveRequest extends HumanRequest {
  kind: 'approve';
  tool: string;
  danger: string;
  preview: string;
}

/** A file of a change that is to be written. */
export interface ConfirmFile {
  path: string;
  change: string;
  /** Lines. */
  added: number;
  removed: number;
  /** In Chinese: size and age of what stands there now and is overwritten or deleted; absent of a new file. */
  now?: string;
}

/** A file of a change in one line. */
export function confirmLine({ path, change, added, removed, now }: ConfirmFile): string {
  const act = { added: '新建', deleted: '删除' }[change] ?? '改写';
  return `${act} ${path}（+${added} −${removed}${now === undefined ? '' : `；现在 ${now}`}）`;
}

/** A file about which sub-agents differ and that is not written. */
export interface ConfirmConflict {
  path: string;
  /** In Chinese: what the conflict is, and whose. */
  text: string;
  versions: { title: string; diff: string }[];
}

export interface ConfirmRequest extends HumanRequest {
  kind: 'confirm';
  changesetId: string;
  danger: string;
  files: ConfirmFile[];
  /** Unified diff, cut where it is long; the whole lies in the changeset. */
  diff: string;
  findings: { severity: string; text: string; source?: string | undefined }[];
  /** Absent where nothing is open. */
  conflicts?: ConfirmConflict[];
  tests: { command: string; ok: boolean; summary: string; sandbox?: string | undefined } | null;
  /** Commands that the playbook wants and that Xihe does not run by itself. */
  commands: { command: string; danger: string; purpose: string }[];
}

export type PendingRequest = AskRequest | FillRequest | ApproveRequest | ConfirmRequest;

const oneDecision = z.object({
  type: z.enum(['approve', 'accept', 'edit', 'reject', 'ignore', 'response', 'respond']),
  message: z.string().optional(),
  comment: z.string().optional(),
  args: z.unknown().optional(),
  editedAction: z.object({ name: z.string(), args: z.record(z.string(), z.unknown()) }).optional(),
});

type OneDecision = z.infer<typeof oneDecision>;

const YES = /^(y|yes|ok|true|approve|accept|好|好的|行|可以|同意|确认|是|是的|继续|直接继续|批准)[。.!！]?$/i;
const NO = /^(n|no|false|reject|不|不行|不要|不用|拒绝|否|取消|停|先不|算了)[。.!！]?$/i;

/**
 * Reads any common form of a decision: LangChain's `{decisions: […]}`, the older list of human responses, one decision,
 * `true`, or a word such as 「同意」.
 *
 * @throws XiheError RESUME_INVALID when it says neither yes nor no
 */
export function parseDecision(value: unknown): OneDecision {
  const wrapped = (value as { decisions?: unknown[] } | null)?.decisions;
  const first = Array.isArray(wrapped) ? wrapped[0] : Array.isArray(value) ? value[0] : value;
  if (typeof first === 'boolean') return { type: first ? 'approve' : 'reject' };
  if (typeof first === 'string') {
    if (YES.test(first.trim())) return { type: 'approve' };
    if (NO.test(first.trim())) return { type: 'reject' };
    return { type: 'response', message: first };
  }
  const parsed = oneDecision.safeParse(first);
  if (parsed.success) return parsed.data;
  throw new XiheError('RESUME_INVALID', '看不懂这个答复', {
    hint: '答复 {"decisions":[{"type":"approve"}]}，type 可以是 approve、edit 或 reject；命令行用 xihe resume --approve / --reject / --comment。',
  });
}

/** Words of a decision: a message, a comment, or an older client's string argument. */
export function commentOf(d: OneDecision): string | undefined {
  const words = d.message ?? d.comment ?? (typeof d.args === 'string' ? d.args : undefined);
  return words?.trim() ? words.trim() : undefined;
}

/** The answer to a plan's open questions: anything but a refusal goes on, with the words as guidance. */
export function readAnswer(value: unknown): { proceed: boolean; text: string } {
  const d = parseDecision(value);
  const words = commentOf(d) ?? '';
  const refused = d.type === 'reject' || d.type === 'ignore';
  return { proceed: !refused, text: words || (refused ? '先不做' : '直接继续') };
}

/** The verdict on a changeset. A comment without a refusal asks for changes. */
export function readVerdict(value: unknown): Decision {
  const d = parseDecision(value);
  const comment = commentOf(d);
  const by = 'user' as const;
  if (d.type === 'approve' || d.type === 'accept') return { verdict: 'approve', by, ...(comment ? { comment } : {}) };
  if (d.type === 'reject' || d.type === 'ignore') return { verdict: 'reject', by, ...(comment ? { comment } : {}) };
  return { verdict: 'edit', by, ...(comment ? { comment } : {}) };
}

const editedFiles = z.array(z.object({ path: z.string().min(1), text: z.string() }));

/** Files whose content the user wrote anew at confirm (`editedAction.args.files`). */
export function readEditedFiles(value: unknown): { path: string; text: string }[] {
  const d = parseDecision(value);
  const args =
    d.editedAction?.args ?? (typeof d.args === 'object' && d.args !== null ? (d.args as Record<string, unknown>) : {});
  const nested = (args as { args?: Record<string, unknown> }).args ?? args;
  const parsed = editedFiles.safeParse((nested as { files?: unknown }).files ?? []);
  return parsed.success ? parsed.data.filter((f) => typeof f.text === 'string') : [];
}

/** Parameters that the user filled in (`editedAction.args`, or a plain object). */
export function readParameters(value: unknown): Record<string, unknown> {
  if (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !('decisions' in value) &&
    !('type' in value)
  ) {
    return value as Record<string, unknown>;
  }
  const d = parseDecision(value);
  if (d.editedAction) return d.editedAction.args;
  return typeof d.args === 'object' && d.args !== null ? (d.args as Record<string, unknown>) : {};
}
