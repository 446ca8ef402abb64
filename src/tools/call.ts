import { messageOf, XiheError } from '../errors.js';
import { truncateToTokens } from '../text/index.js';
import { toolCeilingMs } from './limits.js';
import { Policy, policyRequest } from './policy.js';
import type { AnyContract, Approval, ToolContext, ToolOutcome } from './types.js';

/**
 * Longest text of one tool result, in tokens. A result is sent again in every later turn, so its cost grows with the
 * square of the run's length; 1,500 tokens hold about 150 numbered lines of code.
 */
export const MAX_RESULT_TOKENS = 1_500;

/**
 * Calls a tool: role, input, time limit, audit, rendering. Faults become an outcome that the model can read, never a throw,
 * except for cancellation, which must stop the run.
 *
 * @param contract the tool
 * @param rawInput what the model or a client sent
 * @param ctx what the tool may touch; `ctx.signal` cancels
 * @throws XiheError CANCELLED when the run was cancelled
 */
export async function callTool(contract: AnyContract, rawInput: unknown, ctx: ToolContext): Promise<ToolOutcome> {
  const started = Date.now();
  const outcome = await attempt(contract, rawInput, ctx);
  ctx.audit({
    what: contract.name,
    args: rawInput,
    result: outcome.ok ? 'ok' : (outcome.code ?? 'failed'),
    durationMs: Date.now() - started,
  });
  const { text, truncated } = truncateToTokens(outcome.text, ctx.resultTokens ?? MAX_RESULT_TOKENS);
  return truncated ? { ...outcome, text: `${text}\n（结果过长，已截断。缩小范围再查一次。）` } : outcome;
}

async function attempt(contract: AnyContract, rawInput: unknown, ctx: ToolContext): Promise<ToolOutcome> {
  try {
    if (ctx.signal?.aborted) throw cancelled(ctx.signal.reason);
    assertRole(contract, ctx);
    const input = parseInput(contract, rawInput);
    assertPolicy(contract, input as Record<string, unknown>, ctx, isApproved(contract, rawInput, ctx));
    const output = await withTimeout(contract, ctx, (signal) => contract.run(input, { ...ctx, signal }));
    const faded = contract.faded?.(output);
    return { ok: true, text: contract.render(output), output, ...(faded ? { faded } : {}) };
  } catch (e) {
    if (ctx.signal?.aborted) throw cancelled(e);
    if (XiheError.is(e)) return { ok: false, text: `失败（${e.code}）：${e.message}。${e.hint}`, code: e.code };
    return { ok: false, text: `失败（INTERNAL）：${messageOf(e)}`, code: 'INTERNAL' };
  }
}

function assertRole(contract: AnyContract, ctx: ToolContext): void {
  if (ctx.caller.roles.includes(contract.aclRole)) return;
  throw new XiheError('COMMAND_DENIED', `${ctx.caller.name} 没有角色 ${contract.aclRole}，不能用 ${contract.name}`, {
    hint: '请有权限的同事来做，或让管理员给你这个角色。',
  });
}

/** Where a caller knows of no rules. */
const NO_RULES = new Policy([]);

/** The yes to a call with these arguments, as they will be given to {@link callTool}. To be made only of what somebody was shown. */
export function approvalOf(tool: string, rawInput: unknown): Approval {
  return { tool, args: JSON.stringify(rawInput ?? {}) };
}

function isApproved({ name }: AnyContract, rawInput: unknown, { approval }: ToolContext): boolean {
  return approval?.tool === name && approval.args === approvalOf(name, rawInput).args;
}

/**
 * What the rules deny is not done by anybody. What is to be asked about, because of a rule or because it acts on the world, is done
 * only with a yes to this very call, so no caller gets around it by leaving the question out. Staged edits are asked about when they
 * are to be written.
 */
function assertPolicy(
  contract: AnyContract,
  input: Record<string, unknown>,
  ctx: ToolContext,
  approved: boolean,
): void {
  const { decision, rule, why } = (ctx.policy ?? NO_RULES).decide(policyRequest(contract, input, ctx.caller.roles));
  const place = rule === undefined ? '' : `（${rule.file}:${rule.line}）`;
  if (decision === 'deny') {
    throw new XiheError('COMMAND_DENIED', `规则不许用 ${contract.name}：${why}${place}`, {
      hint: '换一种做法；规则不对就请团队改 .xihe/policy.yaml。',
    });
  }
  const asks = decision === 'ask' && (rule !== undefined || contract.effect === 'outside');
  if (!asks || approved || contract.effect === 'changeset') return;
  throw new XiheError('COMMAND_DENIED', `${contract.name} 要先由人同意：${why}${place}`, {
    hint: '请用户自己发起这个操作；这里不能代他同意。',
  });
}

/** Validates input strictly after undoing what models commonly do to it (JSON in a string, null for absent). */
export function parseInput(contract: AnyContract, rawInput: unknown): unknown {
  let value = rawInput ?? {};
  if (typeof value === 'string') {
    try {
      value = JSON.parse(value);
    } catch {
      value = {};
    }
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    value = Object.fromEntries(Object.entries(value).filter(([, v]) => v !== null));
  }
  const parsed = contract.input.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || '参数'}：${issue.message}`).join('；');
  throw new XiheError('TOOL_INPUT_INVALID', `${contract.name} 的参数不对：${faults}`, {
    hint: contract.examples[0] === undefined ? '按参数说明改。' : `示例：${JSON.stringify(contract.examples[0])}`,
  });
}

async function withTimeout<T>(
  contract: AnyContract,
  ctx: ToolContext,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limitMs = Math.min(contract.timeoutOf?.(ctx) ?? contract.timeoutMs, toolCeilingMs(ctx.modelSeconds));
  const limit = new AbortController();
  const signal = ctx.signal ? AbortSignal.any([ctx.signal, limit.signal]) : limit.signal;
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const seconds = Number((limitMs / 1000).toPrecision(2));
      reject(
        new XiheError('COMMAND_TIMEOUT', `${contract.name} 超过 ${seconds} 秒没有完成`, { hint: '缩小范围再试。' }),
      );
      limit.abort();
    }, limitMs);
  });
  let onAbort: (() => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    onAbort = () => reject(cancelled(ctx.signal?.reason));
    ctx.signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([run(signal), tooLong, stopped]);
  } finally {
    clearTimeout(timer);
    // One signal serves all calls of a run: listeners left behind would add up.
    if (onAbort) ctx.signal?.removeEventListener('abort', onAbort);
  }
}

function cancelled(cause: unknown): XiheError {
  if (XiheError.is(cause, 'CANCELLED')) return cause;
  return new XiheError('CANCELLED', '已取消', { hint: '用 xihe resume 接着跑。', cause });
}
