import type { GetPromptResult } from '@modelcontextprotocol/sdk/types.js';
import { ALL_PARTS, type Playbook, renderHits, renderPlaybook, type ZhCore } from '../../zhcore/index.js';
import { catalogueOf } from './catalogue.js';
import { invalidParams } from './faults.js';
import { uriOf } from './uris.js';

/** Terms and warnings beside a playbook, of each. */
const TOP = 4;
/** A request is a sentence; a whole file may stand there by mistake. Characters. */
const MAX_REQUEST = 2_000;

/**
 * A playbook for a request: its checks and steps whole, and the terms and warnings that the request touches.
 *
 * @throws ProtocolFault for an unknown name or a missing request
 */
export async function getPrompt(
  core: ZhCore,
  name: string,
  args: Record<string, string> | undefined,
  signal: AbortSignal,
): Promise<GetPromptResult> {
  const found = catalogueOf(core).entry(uriOf('playbook', name));
  if (found?.type !== 'playbook')
    throw invalidParams(`没有这个提示模板：${name.slice(0, 100)}。用 prompts/list 看有哪些。`);
  const request = args?.request?.trim() ?? '';
  if (request === '')
    throw invalidParams(
      `缺少参数 request：写要做的事，例如「${found.entry.trigger_keywords[0] ?? found.entry.title}」。`,
    );
  const text = await promptText(core, found.entry, request.slice(0, MAX_REQUEST), signal);
  return { description: found.entry.title, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

async function promptText(core: ZhCore, playbook: Playbook, request: string, signal: AbortSignal): Promise<string> {
  const [taskType = 'general'] = playbook.task_types;
  const query = { userIntent: request, codeSymbols: [], taskType, force: true, maxResults: TOP };
  const result = await core.ask(playbook.module ? { ...query, module: playbook.module } : query, { signal });
  const parts = ALL_PARTS.filter((part) => part === 'term' || part === 'warning');
  const { text: beside } = renderHits(result, 'plan', { chunkChars: 0, topK: TOP, parts });
  return [
    `按这份流程模板做：${request}`,
    renderPlaybook(playbook),
    ...(beside ? [beside] : []),
    '先做前面的检查，缺什么先问用户；步骤一步不少；做完逐条核对「改完查」，说明每条的结果。',
    `（数据版本 ${core.dataVersion}）`,
  ].join('\n\n');
}
