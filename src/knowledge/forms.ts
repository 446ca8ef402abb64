import { fold, hasChinese, splitIdentifier } from '../text/index.js';
import { prepare, singleSpaced } from './wordMatcher.js';

/** A Latin word or identifier: `verifyCode`, `order_status`, `k8s`. */
const LATIN_RUN = /[A-Za-z][A-Za-z0-9_$-]*/g;

/** One form for `verifyCode`, `verify_code`, `VerifyCode` and `verify code`; Chinese as words are compared everywhere. */
function formOf(text: string): string {
  return prepare(withParts(text));
}

/**
 * A text with every Latin run cut into its words.
 *
 * @param choose between the parts apart (`i os`) and together (`ios`), asked for every run of several; apart without it
 */
export function withParts(text: string, choose?: (apart: string, together: string) => string): string {
  return text.replace(LATIN_RUN, (run) => {
    const parts = splitIdentifier(run);
    const apart = parts.join(' ');
    return (choose !== undefined && parts.length > 1 ? choose(apart, parts.join('')) : apart) || run;
  });
}

/** A word that is its own form. */
const PLAIN = /^[a-z]+$/;

/** A word of a group, and the form in which it is compared. */
export interface Formed {
  word: string;
  form: string;
  /** Written as in Taiwan or Hong Kong: other spellings of the group come first. */
  regional: boolean;
}

/**
 * Every word of some groups with its form. They are folded in one go, a line each, since the tables behind folding cost more to
 * enter than to walk through.
 */
export function formsOf(groups: Iterable<{ equal: readonly string[]; near: readonly string[] }>): Map<string, Formed> {
  const known = new Map<string, Formed>();
  const lines: string[] = [];
  const rest: Formed[] = [];
  const add = (word: string) => {
    if (known.has(word)) return;
    const formed: Formed = { word, form: word, regional: false };
    known.set(word, formed);
    if (PLAIN.test(word)) return;
    if (/[\r\n]/.test(word)) formed.form = formOf(word);
    else {
      rest.push(formed);
      lines.push(withParts(word));
    }
  };
  for (const { equal, near } of groups) {
    equal.forEach(add);
    near.forEach(add);
  }
  const folded = fold(lines.join('\n')).split('\n');
  for (const [i, formed] of rest.entries()) {
    formed.form = singleSpaced(folded[i] as string);
    formed.regional = formed.form !== formed.word.toLowerCase() && hasChinese(formed.word);
  }
  return known;
}
