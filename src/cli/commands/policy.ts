import pc from 'picocolors';
import type * as z from 'zod';
import { quoted, XiheError } from '../../errors.js';
import { openLayoutToRead } from '../../layout.js';
import {
  type PolicyRequest,
  type PolicyRule,
  type PolicyVerdict,
  parseInput,
  policyRequest,
} from '../../tools/index.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson, visible } from '../output.js';
import { loadRules, type ProjectRules } from '../rules.js';
import type { policyJson } from '../schemas/policy.js';
import type { CommonOptions } from './options.js';

interface PolicyOptions extends CommonOptions {
  role?: string[];
  yes?: 'low' | 'medium';
}

/** Roles of whoever sits at this machine, as `xihe run` gives them. */
const LOCAL_ROLES = ['reader', 'developer'];

const DECISIONS = { allow: pc.green('放行'), ask: pc.yellow('先问'), deny: pc.red('不许') } as const;
const DANGERS = { low: '低', medium: '中', high: '高' } as const;

/** `xihe policy`: the rules; with a tool and arguments, which of them decides on that call, and why. Nothing is done. */
export async function policy(tool: string | undefined, given: string[], options: PolicyOptions): Promise<number> {
  const found = loadRules(openLayoutToRead(options.repo));
  if (tool === undefined) return listed(found, options);
  const request = requestOf(found, tool, given, options);
  const verdict = found.policy.decide(request);
  if (options.json) printJson(toJson(found, request, verdict));
  else print(toText(request, verdict));
  return EXIT.done;
}

function requestOf({ tools }: ProjectRules, tool: string, given: string[], options: PolicyOptions): PolicyRequest {
  const contract = tools.get(tool);
  const input = parseInput(contract, Object.fromEntries(given.map((one) => pairOf(one, contract.input)))) as Record<
    string,
    unknown
  >;
  return policyRequest(contract, input, options.role ?? LOCAL_ROLES, options.yes ?? 'none');
}

/** `name=value`; a value that is JSON counts as what it says where the tool wants no text. */
function pairOf(raw: string, input: z.ZodType): [string, unknown] {
  const at = raw.indexOf('=');
  if (at < 1) {
    throw new XiheError('USAGE', `「${quoted(raw)}」不是 名=值`, {
      hint: '例如 xihe policy restart_service env=prod。',
    });
  }
  const name = raw.slice(0, at);
  const text = raw.slice(at + 1);
  const type = (input as unknown as { shape?: Record<string, z.ZodType> }).shape?.[name];
  if (type?.safeParse(text).success) return [name, text];
  try {
    return [name, JSON.parse(text)];
  } catch {
    return [name, text];
  }
}

function listed({ policy: { layers }, findings }: ProjectRules, { json }: PolicyOptions): number {
  const rules = layers.flatMap((layer) => layer.rules.map((rule) => ({ rule, counts: counts(layer, rule) })));
  if (json) {
    const doc: z.input<typeof policyJson> = {
      request: null,
      decision: null,
      rules: rules.map(({ rule, counts: now }) => ({ ...ruleJson(rule), counts: now })),
      problems: findings.map(({ file, line, message }) => ({ file, line, message })),
    };
    printJson(doc);
    return EXIT.done;
  }
  const lines = rules.map(({ rule, counts: now }) => {
    const mark = now ? '' : pc.dim('（现在不算）');
    return `${pc.dim(`${rule.file}:${rule.line}`)}  ${DECISIONS[rule.decision]}  ${conditionOf(rule)}${mark}\n    ${visible(rule.reason)}`;
  });
  const faults = findings.map(({ file, line, message }) => `${pc.yellow('!')} ${file}:${line}：${visible(message)}`);
  const none = '没有规则：低危的直接做，其余先问（--yes 包括的除外），不能撤销的总要先问。规则写在 .xihe/policy.yaml。';
  print([...(lines.length > 0 ? lines : [none]), ...faults].join('\n'));
  return EXIT.done;
}

function counts({ mayAllow }: ProjectRules['policy']['layers'][number], { decision }: PolicyRule): boolean {
  return decision !== 'allow' || mayAllow;
}

function conditionOf({ tool, danger, args, paths, roles }: PolicyRule): string {
  const parts = Object.entries({ tool, danger, args, paths, roles }).filter(([, value]) => value !== undefined);
  return visible(parts.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join('，') || '全部操作');
}

function ruleJson({ file, line, reason, decision }: PolicyRule) {
  return { file, line, decision, reason };
}

function toJson(
  { findings }: ProjectRules,
  request: PolicyRequest,
  verdict: PolicyVerdict,
): z.input<typeof policyJson> {
  const { tool, danger, args, roles, irreversible } = request;
  const { decision, why, rule, passedOver } = verdict;
  return {
    request: { tool, danger, args, roles: [...roles], irreversible: irreversible ?? null },
    decision: { decision, why, rule: rule ? ruleJson(rule) : null, passed_over: passedOver },
    rules: [],
    problems: findings.map(({ file, line, message }) => ({ file, line, message })),
  };
}

function toText(request: PolicyRequest, { decision, why, rule, passedOver }: PolicyVerdict): string {
  const from = rule === undefined ? '没有规则定它' : `${rule.file}:${rule.line}，${conditionOf(rule)}`;
  const lasting = request.irreversible ? `；${request.irreversible}` : '';
  return [
    `${DECISIONS[decision]}：${visible(why)}`,
    `  依据：${from}`,
    `  危险等级：${DANGERS[request.danger]}${visible(lasting)}；角色：${request.roles.join('、')}`,
    ...passedOver.map((one) => `  没有算：${visible(one)}`),
  ].join('\n');
}
