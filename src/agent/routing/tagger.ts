import { loadGrammar, loadLexicon } from './data.js';
import type { Token } from './types.js';

const LATIN_RUN = /[a-z0-9_][a-z0-9_./@:+#-]*/y;

/**
 * Cuts a folded clause by the longest word that the lexicon knows; anything else is a Latin run or a single character.
 * Longest match is what keeps 改动, 触发 and 下拉 from being read as 改, 发 and 拉.
 */
export function tag(folded: string): Token[] {
  const { verbs, byFirst, coverbs } = loadLexicon();
  const tokens: Token[] = [];
  for (let i = 0; i < folded.length; ) {
    LATIN_RUN.lastIndex = i;
    const latin = LATIN_RUN.exec(folded)?.[0];
    const text = latin ?? byFirst.get(folded.charAt(i))?.find((word) => folded.startsWith(word, i)) ?? folded.charAt(i);
    const verb = verbs.get(text);
    tokens.push({
      text,
      start: i,
      end: i + text.length,
      ...(verb ? { verb } : {}),
      ...(coverbs.has(text) ? { coverb: true } : {}),
    });
    i += text.length;
  }
  return tokens.filter((token) => token.text.trim() !== '');
}

/** What stands in front of the request proper, and what it says about it. */
export interface Opening {
  /** The clause without its opening. */
  rest: string;
  asked: boolean;
  polite: boolean;
  wish: boolean;
  /** 你 / 您 stands in front. */
  you: boolean;
  /** 每天, 明天上午九点: a time stands in front. */
  time: string;
}

function stripOnce(state: Opening): boolean {
  const g = loadGrammar();
  const rest = state.rest.replace(/^[\s,]+/, '');
  const take = (pattern: RegExp): string | undefined => {
    const hit = pattern.exec(rest)?.[0];
    if (hit === undefined || hit === '') return undefined;
    state.rest = rest.slice(hit.length);
    return hit;
  };
  // A verb of the lexicon wins over a shorter opening word: 要求, 快照, 先 … must not be cut in two.
  const first = tag(rest.slice(0, 8))[0];
  const opens = (pattern: RegExp) => (pattern.exec(rest)?.[0].length ?? 0) >= (first?.text.length ?? 0);
  if (opens(g.ask) && take(g.ask)) state.asked = true;
  else if (opens(g.polite) && g.polite.test(rest)) {
    // can you … is a request by itself; 可以 … needs another mark.
    if (/[a-z]/.test(take(g.polite) ?? '')) state.asked = true;
    else state.polite = true;
  } else if (/^[你您]们?(?!好)/.test(rest) && take(/^[你您]们?/)) state.you = true;
  else if (opens(g.wish) && take(g.wish)) state.wish = true;
  else if (opens(g.timeLead) && g.timeLead.test(rest)) state.time += take(g.timeLead) ?? '';
  else if (opens(g.lead) && take(g.lead)) return true;
  else return false;
  return true;
}

/** Takes greetings, adverbs, times and marks of a request off the start of a clause. */
export function openingOf(folded: string): Opening {
  const state: Opening = { rest: folded, asked: false, polite: false, wish: false, you: false, time: '' };
  // Each step removes at least one character, so this ends.
  while (state.rest !== '' && stripOnce(state));
  state.rest = state.rest.trim();
  return state;
}

/** Tells whether `folded` begins as a request or a question does, so that a connective in front of it splits the clause. */
export function startsLikeRequest(folded: string): boolean {
  const g = loadGrammar();
  const opening = openingOf(folded);
  if (opening.asked || opening.polite) return true;
  const first = tag(opening.rest)[0];
  if (first === undefined) return false;
  return first.verb !== undefined || g.disposal.has(first.text) || first.text === '给';
}
