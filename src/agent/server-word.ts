import { quoted, XiheError } from '../errors.js';
import type { Caller } from '../tools/index.js';
import type { NodeRuntime } from './node.js';
import type { RunOptions, RunState } from './state.js';

/** What a server itself says about a request, whatever the request says of itself. */
export interface ServerWord {
  caller(configurable: NodeRuntime['configurable']): Caller;
  /** The most that a client may have waved through without a question. */
  autoApprove: RunOptions['autoApprove'];
}

/** Roles of callers where the server names none: those of whoever sits at a machine of his own. */
const DEFAULT_ROLES = 'reader,developer';
const LEVELS = ['none', 'low', 'medium'] as const;

/**
 * Reads what a server says of its callers. Nothing of it comes from a request.
 *
 * - `XIHE_ROLES`: roles of every caller, then after a `;` those of single ones: `reader;lilei=reader,developer,ops`.
 * - `XIHE_AUTH=1`: the server authenticates (`auth` in `langgraph.json`), so the user that it found is the caller. Without it the name
 *   of a user is not believed: where nothing authenticates, `langgraph_auth_user` comes through from the client as it was sent.
 * - `XIHE_AUTO_APPROVE`: `none` (default), `low` or `medium`: the most that a client's `autoApprove` may ask for.
 *
 * @throws XiheError CONFIG_INVALID
 */
export function serverWord(env: NodeJS.ProcessEnv): ServerWord {
  const { everyone, single } = rolesOf(env.XIHE_ROLES || DEFAULT_ROLES);
  const level = env.XIHE_AUTO_APPROVE || 'none';
  const autoApprove = LEVELS.find((one) => one === level);
  if (autoApprove === undefined)
    throw invalid(`XIHE_AUTO_APPROVE 不能是 ${quoted(level)}`, `只能是 ${LEVELS.join('、')}；不设置就是 none。`);
  const isAuthenticated = env.XIHE_AUTH === '1';
  if (single.size > 0 && !isAuthenticated)
    throw invalid(
      'XIHE_ROLES 里有单个人的角色，但没有设置 XIHE_AUTH=1',
      '没有认证的服务不知道谁是谁；配好认证再设置它。',
    );
  return {
    autoApprove,
    caller(configurable) {
      const name = isAuthenticated ? identityOf(configurable?.langgraph_auth_user) : undefined;
      return { name: name ?? 'server', roles: (name === undefined ? undefined : single.get(name)) ?? everyone };
    },
  };
}

/** A request as the server lets it be. */
export function asServed(state: RunState, word: ServerWord, configurable: NodeRuntime['configurable']): RunState {
  const { request } = state;
  if (!request) return state;
  const asked = LEVELS.indexOf(request.options?.autoApprove ?? 'none');
  const autoApprove = LEVELS[Math.min(asked, LEVELS.indexOf(word.autoApprove))] ?? 'none';
  // A client does not switch off the team's warnings.
  const { without: _without, context: _context, ...options } = request.options ?? {};
  return {
    ...state,
    request: { ...request, caller: word.caller(configurable), options: { ...options, autoApprove } as RunOptions },
  };
}

function rolesOf(text: string): { everyone: string[]; single: Map<string, string[]> } {
  const list = (roles: string) => roles.split(/[,\s]+/).filter(Boolean);
  const single = new Map<string, string[]>();
  const everyone: string[] = [];
  for (const part of text.split(';')) {
    const [, name, roles] = /^\s*([^=]+?)\s*=(.*)$/s.exec(part) ?? [];
    if (name === undefined) everyone.push(...list(part));
    else single.set(name, list(roles ?? ''));
  }
  return { everyone, single };
}

function identityOf(user: unknown): string | undefined {
  const identity = (user as { identity?: unknown } | undefined)?.identity;
  return typeof identity === 'string' && identity !== '' ? identity : undefined;
}

function invalid(message: string, hint: string): XiheError {
  return new XiheError('CONFIG_INVALID', message, { hint });
}
