import { HumanMessage } from '@langchain/core/messages';
import * as z from 'zod';
import { XiheError } from '../../errors.js';
import type { FileDiff } from '../../sandbox/index.js';
import { truncateToTokens } from '../../text/index.js';
import { type CoreResult, renderHits } from '../../zhcore/index.js';
import { parseJsonReply } from '../json.js';
import { intentOf, type NodeEnv, textOf } from '../node.js';
import { prompt } from '../prompts.js';
import type { Finding, RunState, RunUpdate } from '../state.js';

/** Tokens of diff that the reviewer reads: a change of some 400 lines. More is cut, and said so. */
const REVIEW_DIFF_TOKENS = 6_000;

const replySchema = z.object({
  findings: z.array(
    z.object({
      severity: z.enum(['block', 'warn']).catch('warn'),
      path: z.string().optional(),
      line: z.number().int().optional(),
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
  const retrieved = state.retrieved as CoreResult;
  const warnings = renderHits(
    { ...retrieved, terms: [], knowledge: [], playbooks: [] },
    'postcheck',
    env.project.config.core,
  );
  const diff = truncateToTokens(diffs.map((d) => d.patch).join('\n'), REVIEW_DIFF_TOKENS);
  const started = Date.now();
  try {
    const reply = await env.model.invoke({
      system: prompt('review'),
      messages: [
        new HumanMessage(
          prompt('review-task', {
            request: intentOf(state).text,
            warnings: warnings.text || '（没有）',
            diff: diff.truncated ? `${diff.text}\n（后面的改动过长，未列出）` : diff.text,
          }),
        ),
      ],
      tools: [],
      jsonSchema: z.toJSONSchema(replySchema, { io: 'input' }) as Record<string, unknown>,
      signal: env.signal,
    });
    const usage = {
      input: reply.usage.input,
      output: reply.usage.output,
      calls: 1,
      estimated: reply.usage.source === 'estimate',
      ms: Date.now() - started,
    };
    const parsed = parseJsonReply(textOf(reply.message), replySchema);
    if (!parsed.ok)
      return {
        findings: [{ from: 'review', severity: 'warn', text: '模型的自查没有给出可用的结果，请人工看一遍改动' }],
        usage,
      };
    return { findings: parsed.value.findings.map((f) => ({ from: 'review' as const, ...f })), usage };
  } catch (e) {
    if (env.signal?.aborted || !XiheError.is(e) || e.code === 'CANCELLED') throw e;
    return {
      findings: [{ from: 'review', severity: 'warn', text: `模型没有完成自查（${e.message}），请人工看一遍改动` }],
    };
  }
}
