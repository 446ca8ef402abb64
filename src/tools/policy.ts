import picomatch from 'picomatch';
import type { Danger } from '../sandbox/index.js';
import { fold } from '../text/index.js';
import {
  loadPolicyLayers,
  type PolicyLayer,
  type PolicyPlace,
  type PolicyProblem,
  type PolicyRule,
} from './policyFile.js';
import type { AnyContract } from './types.js';

export type PolicyDecision = 'allow' | 'ask' | 'deny';

/** What is to be decided on. */
export interface PolicyRequest {
  tool: string;
  danger: Danger;
  /** Parsed parameters. */
  args: Record<string, unknown>;
  /** Of the caller, by his identity. */
  roles: readonly string[];
  /** In Chinese: why it can't be undone; undefined when it can. */
  irreversible?: string | undefined;
  /** False where the user has not trusted whoever wrote the tool's definition. */
  trusted?: boolean | undefined;
  /** `--yes`: highest danger that the user wants not to be asked about. */
  autoApprove?: 'none' | 'low' | 'medium';
}

/** What was decided, and by what. */
export interface PolicyVerdict {
  decision: PolicyDecision;
  /** The rule that decided; none: what holds without rules. */
  rule?: PolicyRule;
  /** In Chinese: why. */
  why: string;
  /** In Chinese: rules that would have decided, and why they did not. */
  passedOver: string[];
}

const LEVEL = { none: 0, low: 1, medium: 2, high: 3 } as const;

/**
 * The rules of a project, as they count for this user.
 *
 * In each file the first rule that fits decides. A rule that denies in either file denies; else the user's own file is asked first,
 * then the project's. Where no rule decides, low runs and all else asks, unless `--yes` covers it.
 */
export class Policy {
  constructor(readonly layers: readonly PolicyLayer[]) {}

  /** The rules of a project as its files are now. */
  static load(place: PolicyPlace): Policy {
    return new Policy(loadPolicyLayers(place));
  }

  /** What is wrong with the files. */
  get problems(): PolicyProblem[] {
    return this.layers.flatMap(({ problems }) => problems);
  }

  decide(request: PolicyRequest): PolicyVerdict {
    const passedOver: string[] = [];
    const found = this.layers.map((layer) => ({ layer, rule: layer.rules.find((rule) => fits(rule, request)) }));
    const denies = found.find(({ rule }) => rule?.decision === 'deny')?.rule;
    if (denies) return { decision: 'deny', rule: denies, why: denies.reason, passedOver };
    for (const { layer, rule } of found) {
      if (rule === undefined) continue;
      const lost = rule.decision === 'allow' ? noAllow(layer, rule, request) : undefined;
      if (lost === undefined) return { decision: rule.decision, rule, why: rule.reason, passedOver };
      passedOver.push(`${rule.file}:${rule.line} 允许它，但${lost}`);
    }
    return { ...this.withoutRule(request), passedOver };
  }

  /** Whether some rule wants to allow this tool, in whichever case. */
  mentionsAllowed(tool: string): boolean {
    const names = (rule: PolicyRule) =>
      rule.tool === undefined || listOf(rule.tool).some((n) => likeText(n, tool, true));
    return this.layers.some(({ rules }) => rules.some((rule) => rule.decision === 'allow' && names(rule)));
  }

  /** What holds where no rule decides. */
  private withoutRule({ danger, irreversible: lasting, autoApprove = 'none' }: PolicyRequest): PolicyVerdict {
    const as = (decision: PolicyDecision, why: string) => ({ decision, why, passedOver: [] });
    if (lasting !== undefined) return as('ask', `${lasting}，要先问`);
    if (danger === 'low') return as('allow', '低危，不用问');
    const broken = this.layers.find((layer) => layer.broken);
    if (broken) return as('ask', `${broken.file} 写坏了，修好之前 --yes 不算`);
    if (LEVEL[danger] <= LEVEL[autoApprove]) return as('allow', `--yes ${autoApprove} 包括它`);
    return as('ask', '没有规则说到它，不是低危就先问');
  }
}

/** Why a call can't be taken back, in Chinese, as its contract says; undefined where it can. */
export function irreversible(contract: AnyContract, args: Record<string, unknown>): string | undefined {
  if (contract.effect !== 'outside') return undefined;
  return typeof contract.irreversible === 'function' ? contract.irreversible(args) : contract.irreversible;
}

/** What a call of a tool asks of the rules. */
export function policyRequest(
  contract: AnyContract,
  args: Record<string, unknown>,
  roles: readonly string[],
  autoApprove: PolicyRequest['autoApprove'] = 'none',
): PolicyRequest {
  const danger = contract.dangerOf?.(args).danger ?? contract.danger;
  const lasting = irreversible(contract, args);
  return { tool: contract.name, danger, args, roles, irreversible: lasting, trusted: contract.trusted, autoApprove };
}

/** Why a rule that allows does not count; undefined when it does. */
function noAllow(layer: PolicyLayer, rule: PolicyRule, request: PolicyRequest): string | undefined {
  if (layer.broken) return `${layer.file} 现在写坏了，放行的规则不算`;
  if (!layer.mayAllow) return '你还没有信任这份规则（xihe trust）';
  if (request.trusted === false) return '你还没有信任这个操作现在的写法（xihe trust）';
  if (request.irreversible !== undefined && !listOf(rule.tool).includes(request.tool))
    return `${request.irreversible}，要写出工具的全名才放行`;
  return undefined;
}

function listOf<T>(value: T | T[] | undefined): T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Whether all that a rule says holds. What a rule allows must fit to the letter; what it asks or denies fits more loosely. */
function fits(rule: PolicyRule, { tool, danger, args, roles }: PolicyRequest): boolean {
  const strict = rule.decision === 'allow';
  const tools = listOf(rule.tool);
  return (
    (tools.length === 0 || tools.some((pattern) => likeText(pattern, tool, strict))) &&
    (rule.danger === undefined || listOf(rule.danger).includes(danger)) &&
    (rule.roles === undefined || listOf(rule.roles).some((role) => roles.includes(role))) &&
    Object.entries(rule.args ?? {}).every(([name, wanted]) => fitsArg(listOf(wanted), args[name], strict)) &&
    (rule.paths === undefined || fitsPaths(listOf(rule.paths), args, strict))
  );
}

function fitsArg(wanted: readonly (string | number | boolean)[], given: unknown, strict: boolean): boolean {
  const values = Array.isArray(given) ? given : [given];
  const like = (value: unknown) =>
    ['string', 'number', 'boolean'].includes(typeof value) &&
    wanted.some((pattern) => likeText(String(pattern), String(value), strict));
  if (values.length === 0) return false;
  // Of a list, all must be allowed, and one is enough to be denied.
  return strict ? values.every(like) : values.some(like);
}

/** Whether a text fits a pattern in which `*` stands for any characters. Takes time in proportion to both. */
export function likeText(pattern: string, text: string, strict: boolean): boolean {
  const [p, t] = strict ? [pattern, text] : [fold(pattern), fold(text)];
  const [first = '', ...rest] = p.split('*');
  if (rest.length === 0) return p === t;
  const last = rest.pop() ?? '';
  if (!t.startsWith(first) || !t.endsWith(last) || t.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest) {
    const found = t.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= t.length - last.length;
}

/** Names under which tools take paths. */
const PATH_NAMES = /^(?:paths?|files?|dirs?|folder|scope|target|from|to|src|dest)$/i;

function fitsPaths(patterns: readonly string[], args: Record<string, unknown>, strict: boolean): boolean {
  const matches = picomatch([...patterns], { dot: true, nocase: !strict });
  const named = Object.entries(args).filter(([name]) => PATH_NAMES.test(name));
  // What is no path by its name may still be one: that is enough to ask or deny, never to allow.
  const texts = textsOf(strict ? named.map(([, value]) => value) : Object.values(args));
  const inside = (text: string) => {
    // An absolute path is none of the project, whatever it looks like.
    const path = strict && /^(?:[/\\]|[a-z]:)/i.test(text) ? undefined : plainPath(text);
    return path !== undefined && matches(path);
  };
  return strict ? texts.length > 0 && texts.every(inside) : texts.some(inside);
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** Longest text that may be a path, in characters: the content of a file is none. */
const PATH_MAX = 4_096;

/** A path relative to the project without `.` and `..`; undefined for one that leads out. */
function plainPath(text: string): string | undefined {
  if (text.length > PATH_MAX) return undefined;
  const parts: string[] = [];
  for (const part of text.normalize('NFC').replaceAll('\\', '/').split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}
