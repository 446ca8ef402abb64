import { once, opencc } from './lazy.js';
import { recent } from './recent.js';
import { REGIONAL_ANY_SCRIPT, REGIONAL_GUARDS, REGIONAL_TRADITIONAL } from './regional.js';
import { REGIONAL_SIMPLIFIED, TRADITIONAL } from './traditional.js';

const HAN = /\p{Script=Han}/u;

/** Zero-width characters, soft hyphens and BOMs that come along when people paste from chat and office programs. */
const INVISIBLE = /[\u00AD\u200B-\u200D\u2060\uFEFF]/g;

/** Tells whether `s` holds at least one Han character. */
export function hasChinese(s: string): boolean {
  return HAN.test(s);
}

const converter = once(() => opencc().Converter({ from: 't', to: 'cn' }));

/** By UTF-16 unit: 1 where OpenCC may change something. */
const mayChange = once(() => {
  const marks = new Uint8Array(0x1_0000).fill(1, 0xd800, 0xe000);
  for (let i = 0; i < TRADITIONAL.length; i++) marks[TRADITIONAL.charCodeAt(i)] = 1;
  return marks;
});

/** OpenCC's tables are loaded only for text that they change: most is simplified already. */
function toSimplified(s: string): string {
  const marks = mayChange();
  for (let i = 0; i < s.length; i++) if (marks[s.charCodeAt(i)] === 1) return converter()(s);
  return s;
}

interface RegionalRule {
  from: string;
  to: string;
}

/** Rules by first character, longest first, so that 資料庫 wins over 資料. */
const regionalRules = once(() => {
  const rules = new Map<string, RegionalRule[]>();
  const add = (from: string, to: string) => {
    const first = from.charAt(0);
    const list = rules.get(first) ?? [];
    if (!list.some((rule) => rule.from === from)) list.push({ from, to });
    rules.set(first, list);
  };
  for (const [from, to] of REGIONAL_TRADITIONAL) add(from, to);
  const known = new Map(
    REGIONAL_SIMPLIFIED.trim()
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );
  const simplified = (word: string) => known.get(word) ?? word;
  const guards = REGIONAL_GUARDS.map((word) => [word, simplified(word)] as const);
  for (const [from, to] of [...REGIONAL_ANY_SCRIPT, ...guards]) {
    add(from, to);
    add(simplified(from), to);
  }
  for (const list of rules.values()) list.sort((a, b) => b.from.length - a.from.length);
  return rules;
});

/** Puts the mainland word for every Taiwan and Hong Kong developer word, left to right, longest match first. */
function toMainlandWords(s: string): string {
  const rules = regionalRules();
  let out = '';
  let copied = 0;
  for (let i = 0; i < s.length; ) {
    const rule = rules.get(s.charAt(i))?.find((candidate) => s.startsWith(candidate.from, i));
    if (rule === undefined) {
      i += 1;
      continue;
    }
    out += s.slice(copied, i) + rule.to;
    i += rule.from.length;
    copied = i;
  }
  return out + s.slice(copied);
}

/**
 * NFKC and simplified characters and mainland words, with letter case kept (identifiers need it).
 *
 * @param s any text
 */
export const foldKeepingCase = recent((s: string): string => {
  const compat = s.normalize('NFKC').replace(INVISIBLE, '');
  if (!HAN.test(compat)) return compat;
  return toSimplified(toMainlandWords(compat));
});

/**
 * The form in which Xihe compares text: NFKC (full-width → half-width), lower case, simplified characters, and mainland
 * words for Taiwan and Hong Kong developer words (伺服器 → 服务器). Folding twice changes nothing more (OpenCC's
 * table needs two steps for one rare character, 薴).
 *
 * Offsets do not survive: show the original, compare the folded.
 */
export function fold(s: string): string {
  return foldKeepingCase(s).toLowerCase();
}
