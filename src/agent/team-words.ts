import { fold } from '../text/index.js';
import type { ToolRegistry } from '../tools/index.js';
import type { Intent } from './state.js';

/** Words that make a sentence with a tool's name in it something else than a request to use it. */
const NO_REQUEST = /不要|不用|别|先不|勿|吗|么|嘛|呢|为什么|怎么|如何|什么|哪|[?？]/;
/** Polite beginnings that say nothing about what is wanted. */
const POLITE = /^(请|麻烦|劳驾|帮我|给我|帮忙|替我|再|现在|马上|立即|调用|使用|用|[\s，,])+/;

/**
 * Requests in the words that a team gave its own tools (`keywords` in `.xihe/tools/*.yaml`): routing knows only what the trade
 * says, so 「踢候补 C1」 would be refused. Such a word turns a refusal into that act, and an edit only where the sentence begins
 * with it. What routing took for a question or a negation stays what it is.
 *
 * @param intents what routing decided
 * @param tools the tools of the project
 */
export function withTeamWords(intents: Intent[], tools: ToolRegistry): Intent[] {
  return intents.map((intent) => {
    const text = fold(intent.text).trim();
    const word = tools.teamWordIn(text);
    if (word === undefined || NO_REQUEST.test(text)) return intent;
    const refused = intent.kind === 'qa' && intent.layer === 'refused';
    const begins = intent.kind === 'edit' && text.replace(POLITE, '').startsWith(fold(word));
    if (!refused && !begins) return intent;
    return { kind: 'tool', text: intent.text, layer: 'rule', evidence: `规则：「${word}」是团队工具的叫法` };
  });
}
