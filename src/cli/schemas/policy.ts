import * as z from 'zod';

const rule = z.object({
  file: z.string(),
  line: z.number(),
  decision: z.enum(['allow', 'ask', 'deny']),
  reason: z.string().describe('写这条规则的理由'),
});

/** `xihe policy --json`. */
export const policyJson = z.object({
  request: z
    .object({
      tool: z.string(),
      danger: z.enum(['low', 'medium', 'high']),
      args: z.record(z.string(), z.unknown()),
      roles: z.array(z.string()),
      irreversible: z.string().nullable().describe('为什么不能撤销；能撤销时是 null'),
    })
    .nullable()
    .describe('问的是哪个操作；只列规则时是 null'),
  decision: z
    .object({
      decision: z.enum(['allow', 'ask', 'deny']),
      why: z.string(),
      rule: rule.nullable().describe('哪条规则定的；没有规则定它时是 null'),
      passed_over: z.array(z.string()).describe('本来放行它、但现在不算的规则，和为什么不算'),
    })
    .nullable(),
  rules: z.array(rule.extend({ counts: z.boolean().describe('现在算不算') })).describe('只列规则时有'),
  problems: z.array(z.object({ file: z.string(), line: z.number(), message: z.string() })).describe('写错的地方'),
});
