import { HumanMessage } from '@langchain/core/messages';
import * as z from 'zod';
import type { FileDiff } from '../../sandbox/index.js';
import { truncateToTokens } from '../../text/index.js';
import { maskPatch } from '../../tools/index.js';
import { type CoreResult, renderHits } from '../../zhcore/index.js';
import { askJson } from '../ask-json.js';
import { modelFailure } from '../ask-model.js';
import { overBudget } from '../budget.js';
import { asData } from '../data-mark.js';
import { intentOf, type NodeEnv } from '../node.js';
import { prompt } from '../prompts.js';
import type { Finding, RunState, RunUpdate } from '../state.js';

/** Tokens of diff that the reviewer reads: a change of some 400 lines. More is cut, and said so. */
const REVIEW_DIFF_TOKENS = 6_000;

const replySchema = z.object({
  findings: z.array(
    z.object({
      severity: z.enum(['block', 'warn']).catch('warn'),
      // Models write null, or a number in quotes: a finding is worth more than its place.
      path: z.string().optional().catch(undefined),
      line: z.coerce.number().int().positive().optional().catch(undefined),
      text: z.string().min(1),
    }),
  ),
});

/**
 * The model reads its own diff against the warnings. A reviewer that can't be reached or answers nonsense never blocks a
 * change: the deterministic checks have already spoken.
 */
export async function reviewFindings(
  state: RunState,
  env: NodeEnv,
  diffs: FileDiff[],
): Promise<{ findings: Finding[]; usage?: RunUpdate['usage'] }> {
  if (!env.model) return { findings: [] };
  const over = overBudget(state, env);
  if (over !== undefined) return { findings: [notReviewed(`${over}，模型没有自查`)] };
  const retrieved = state.retrieved as CoreResult;
  const warnings = renderHits(
    { ...retrieved, terms: [], knowledge: [], playbooks: [] },
    'postcheck',
    env.project.config.core,
  );
  const diff = truncateToTokens(diffs.map((d) => maskPatch(d.patch)).join('\n'), REVIEW_DIFF_TOKENS);
  try {
    const task = prompt('review-task', {
      request: intentOf(state).text,
      warnings: warnings.text || '（没有）',
      diff: asData(state, env, '改动', diff.truncated ? `${diff.text}\n（后面的改动过长，未列出）` : diff.text),
    });
    const jsonSchema = z.toJSONSchema(replySchema, { io: 'input' }) as Record<string, unknown>;
    const question = { system: prompt('review'), messages: [new HumanMessage(task)], jsonSchema };
    const { parsed, usage } = await askJson(env, question, replySchema);
    if (!parsed.ok) return { findings: [notReviewed('模型的自查没有给出可用的结果')], usage };
    return { findings: parsed.value.findings.map((f) => ({ from: 'review' as const, ...f })), usage };
  } catch (e) {
    return { findings: [notReviewed(`模型没有完成自查（${modelFailure(e, env).message}）`)] };
  }
}

function notReviewed(why: string): Finding {
  return { from: 'review', severity: 'warn', text: `${why}，请人工看一遍改动` };
}
