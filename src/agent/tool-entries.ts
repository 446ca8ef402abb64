import type { LookupResult } from '../knowledge/index.js';
import { estimateTokens } from '../text/index.js';
import { lookupKnowledge, RENDER_LIMITS, type ToolOutcome, zhCoreQuery } from '../tools/index.js';
import {
  type CoreResult,
  type InjectedEntry,
  type Phase,
  recordOf,
  recordOfLookup,
  renderHits,
} from '../zhcore/index.js';
import type { NodeEnv } from './node.js';

/** The passages of a look-up as ledger entries: the model or the user reads them, so they must be traceable. */
export function lookupEntries(found: LookupResult): InjectedEntry[] {
  return [found.primary, found.supplement].flatMap((part) =>
    part === null
      ? []
      : [
          {
            id: part.source,
            type: 'knowledge' as const,
            version: part.version ?? '',
            source:
              part.origin === undefined || part.origin === part.source
                ? part.source
                : `${part.source}，出自 ${part.origin}`,
            confidence: part.confidence ?? 0,
            tokens: estimateTokens(part.content),
            why: part.match_type === 'exact_L0' ? '关键词精确命中' : '意思相近',
          },
        ],
  );
}

/**
 * Entries of the core that a tool call of the model brought into the conversation, for the injection ledger; the query log
 * hears of them as well.
 */
export function answeredEntries(
  call: { name: string; args: unknown },
  outcome: ToolOutcome,
  phase: Phase,
  env: NodeEnv,
): InjectedEntry[] {
  if (!outcome.ok) return [];
  const { queryLog, core } = env.project;
  const asked = call.args as { query_text?: unknown; user_intent?: unknown };
  const context = { phase, thread: env.thread, dataVersion: core.dataVersion };
  if (call.name === lookupKnowledge.name) {
    const found = outcome.output as LookupResult;
    queryLog.append(recordOfLookup(found, { ...context, text: String(asked.query_text ?? '') }));
    return lookupEntries(found);
  }
  if (call.name !== zhCoreQuery.name) return [];
  const result = outcome.output as CoreResult;
  queryLog.append(recordOf(result, { ...context, text: String(asked.user_intent ?? '') }));
  return renderHits(result, 'answer', RENDER_LIMITS).injected;
}
