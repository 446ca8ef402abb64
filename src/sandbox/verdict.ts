import { constants } from 'node:os';
import { errnoOf, messageOf } from '../errors.js';
import type { RunResult } from './types.js';

/** Why a run was ended by us. */
export type Ended = { kind: 'timeout' | 'cancelled' } | { kind: 'limit'; why: string };

/** How the command itself ended. */
export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * What the end of a command means. Only one thing is success: it ended by itself, with status 0, and left nothing behind.
 *
 * @param facts.exit null when we ended it; `timeoutMs` in milliseconds
 */
export function verdictOf(facts: {
  exit: Exit | null;
  ended: Ended | undefined;
  leftovers: number;
  timeoutMs: number;
}): Pick<RunResult, 'outcome' | 'exitCode' | 'signal' | 'note'> {
  const { exit, ended, leftovers } = facts;
  const none = { exitCode: null, signal: null };
  if (ended?.kind === 'timeout') {
    return { ...none, outcome: 'timeout', note: `超过时限 ${facts.timeoutMs / 1000} 秒，已终止` };
  }
  if (ended?.kind === 'cancelled') return { ...none, outcome: 'cancelled', note: '已取消' };
  if (ended?.kind === 'limit') return { ...none, outcome: 'failed', note: ended.why };
  const code = exit?.code ?? null;
  // Shells report a program that died of signal n as 128 + n (POSIX 2.8.2); the bwrap wrapper is such a shell.
  const signal = exit?.signal ?? (code === null ? null : signalNamed(code - 128));
  if (signal !== null) return { outcome: 'signal', exitCode: code, signal, note: `被信号 ${signal} 终止` };
  if (code === 127) return { outcome: 'not-found', exitCode: code, signal };
  if (code === 0 && leftovers > 0) {
    const note = `命令的退出码是 0，但留下了 ${leftovers} 个后台进程，已终止；不算成功。不要把服务放到后台`;
    return { outcome: 'failed', exitCode: 0, signal, note };
  }
  return { outcome: code === 0 ? 'ok' : 'failed', exitCode: code, signal };
}

/** The result of a command that could not be started; `e` is what `spawn` said. */
export function startFailure(e: unknown): Omit<RunResult, 'confinement' | 'keeper' | 'durationMs'> {
  const outcome = errnoOf(e) === 'ENOENT' ? 'not-found' : 'failed';
  const why = errnoOf(e) === 'E2BIG' ? '参数太长' : errnoOf(e) === 'EACCES' ? '没有执行权限' : messageOf(e);
  const note = `命令没能启动：${why}`;
  return { outcome, exitCode: null, signal: null, stdout: '', stderr: note, truncated: false, leftovers: 0, note };
}

function signalNamed(n: number): NodeJS.Signals | null {
  const entry = Object.entries(constants.signals).find(([, value]) => value === n);
  return entry ? (entry[0] as NodeJS.Signals) : null;
}
