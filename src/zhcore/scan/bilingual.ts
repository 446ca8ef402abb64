import { splitIdentifier } from '../../text/index.js';
import type { Term } from '../types.js';

/** Gives the English words of a Chinese one, as `order`, or `refund_apply` for what is several words. */
export type Bilingual = (word: string) => readonly string[];

/**
 * A dictionary out of groups of words that mean the same (`[优惠券, coupon]`) and of terms that somebody has confirmed or that ship.
 * What an earlier scan wrote is left out: it would confirm itself.
 */
export function bilingualOf(groups: readonly { equal: readonly string[] }[], terms: readonly Term[]): Bilingual {
  const known = new Map<string, Set<string>>();
  const learn = (words: readonly string[], names: readonly string[]) => {
    const keys = names.map((name) => splitIdentifier(name.split('.').at(-1)!).join('_')).filter((key) => key !== '');
    for (const word of words) {
      const list = known.get(word) ?? new Set();
      known.set(word, list);
      for (const key of keys) list.add(key);
    }
  };
  const isHan = (word: string) => /\p{Script=Han}/u.test(word);
  for (const { equal } of groups)
    learn(
      equal.filter(isHan),
      equal.filter((word) => !isHan(word)),
    );
  for (const { keyword_ch, aliases, code_symbols, provenance } of terms) {
    if (provenance.layer === 'general' || provenance.status === 'verified')
      learn([keyword_ch, ...aliases], code_symbols);
  }
  return (word) => [...(known.get(word) ?? [])];
}
