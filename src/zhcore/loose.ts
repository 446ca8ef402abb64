import { isWholeWord } from '../knowledge/index.js';

/** A word whose parts stand near each other in a text. */
export interface LooseMatch<Id> {
  word: string;
  ids: readonly Id[];
  /** How it stands in the text, e.g. 「超时没付款」. */
  found: string;
  /** Characters of the text between the parts. */
  gap: number;
  /** The parts come the other way round: 扣减库存 for 库存扣减. */
  reversed: boolean;
}

/** Characters that may come or go inside a phrase without changing what it is about; none that words are made with (下单, 时间). */
const FILLERS = /[的了把被\s]/g;
/** Characters that turn a phrase into its opposite: both sides have them or none. */
const NEGATIONS = /[没未不]/g;
/** Nothing is matched across these. */
const CLAUSE_END = /[。！？；，、：!?;,:\n]/;

/** A part must be a word of its own: one character is found everywhere. */
const PART_MIN = 2;
const PARTS_MAX = 3;
/** Characters of other text between the parts; with more, the parts mostly belong to different things. */
const GAP_MAX = 4;
/** The other way round (verb before noun) only close together. */
const REVERSED_GAP_MAX = 2;

/** How far apart the two ends of a phrase are looked for, in characters; longer phrases are sentences. */
const REACH = 24;

interface Phrase<Id> {
  word: string;
  core: string;
  negated: boolean;
  ids: Id[];
}

/**
 * Finds phrases that people say a little differently than they were written down: 「超时没付款」 for 超时未付款, 「新增一个支付渠道」 for
 * 新增支付, 「扣减了库存」 for 库存扣减.
 *
 * A phrase matches when all of it but fillers stands in the text, cut into at most three parts of two characters or more, in order, with
 * little between, inside one clause, and with a negation on both sides or on none. Meant to be precise: a phrase below four
 * characters has no two parts and is never matched this way.
 */
export class LooseMatcher<Id> {
  private readonly phrases = new Map<string, Phrase<Id>>();
  /** By first two and last two characters: with thousands of phrases few have both in a text. */
  private readonly byEnds = new Map<string, Phrase<Id>[]>();

  /** Adds a prepared phrase (see `prepare`); too short ones are ignored. */
  add(prepared: string, word: string, id: Id): void {
    const known = this.phrases.get(prepared);
    if (known !== undefined) {
      if (!known.ids.includes(id)) known.ids.push(id);
      return;
    }
    const core = prepared.replace(NEGATIONS, '').replace(FILLERS, '');
    if (core.length < 2 * PART_MIN || !/\p{Script=Han}{2}/u.test(core)) return;
    const phrase: Phrase<Id> = { word, core, negated: prepared.search(NEGATIONS) >= 0, ids: [id] };
    this.phrases.set(prepared, phrase);
    const key = core.slice(0, 2) + core.slice(-2);
    const list = this.byEnds.get(key);
    if (list === undefined) this.byEnds.set(key, [phrase]);
    else list.push(phrase);
  }

  /** @param text prepared */
  find(text: string): LooseMatch<Id>[] {
    const seen = new Set<string>();
    const matches: LooseMatch<Id>[] = [];
    for (let start = 0; start + 1 < text.length; start++) {
      const head = text.slice(start, start + 2);
      const to = Math.min(start + REACH, text.length - 2);
      for (let end = Math.max(0, start - REACH); end <= to; end++) {
        const key = head + text.slice(end, end + 2);
        const phrases = this.byEnds.get(key);
        if (phrases === undefined || seen.has(key)) continue;
        seen.add(key);
        for (const phrase of phrases) {
          const match = matchPhrase(text, phrase);
          if (match !== undefined) matches.push({ word: phrase.word, ids: phrase.ids, ...match });
        }
      }
    }
    return matches;
  }
}

interface Part {
  start: number;
  end: number;
}

function matchPhrase(
  text: string,
  phrase: Phrase<unknown>,
): Pick<LooseMatch<unknown>, 'found' | 'gap' | 'reversed'> | undefined {
  const { core, negated } = phrase;
  for (let at = text.indexOf(core.slice(0, 2)); at >= 0; at = text.indexOf(core.slice(0, 2), at + 1)) {
    const parts = partsFrom(text, core, at);
    if (parts === undefined) continue;
    const start = Math.min(...parts.map((part) => part.start));
    const end = Math.max(...parts.map((part) => part.end));
    const found = text.slice(start, end);
    // A negation right before the phrase belongs to it: 「不要取消订单」.
    const span = text.slice(Math.max(0, start - 2), end);
    if (CLAUSE_END.test(found) || span.search(NEGATIONS) >= 0 !== negated) continue;
    if (!parts.every((part) => isWholeWord(text, part.start, part.end))) continue;
    const gap = end - start - core.length;
    return { found, gap, reversed: (parts[1] as Part).start < (parts[0] as Part).start };
  }
  return undefined;
}

/** Cuts `core` into parts that stand in `text`, the first one at `at`. */
function partsFrom(text: string, core: string, at: number): Part[] | undefined {
  const first = commonLength(text, at, core, 0);
  // The longest first part, unless it leaves a rest too short to be one.
  for (let length = Math.min(first, core.length - PART_MIN); length >= PART_MIN; length--) {
    const head = { start: at, end: at + length };
    const rest = restParts(text, core, length, head.end, PARTS_MAX - 1) ?? reversedPart(text, core.slice(length), at);
    if (rest !== undefined) return [head, ...rest];
  }
  return undefined;
}

function restParts(text: string, core: string, from: number, after: number, left: number): Part[] | undefined {
  if (from === core.length) return [];
  if (left === 0 || core.length - from < PART_MIN) return undefined;
  const start = text.indexOf(core.slice(from, from + PART_MIN), after);
  if (start < 0 || start - after > GAP_MAX) return undefined;
  const longest = commonLength(text, start, core, from);
  for (let length = longest; length >= PART_MIN; length--) {
    const rest = restParts(text, core, from + length, start + length, left - 1);
    if (rest !== undefined) return [{ start, end: start + length }, ...rest];
  }
  return undefined;
}

function reversedPart(text: string, part: string, before: number): Part[] | undefined {
  const start = text.lastIndexOf(part, before - part.length);
  if (start < 0 || before - start - part.length > REVERSED_GAP_MAX || start + part.length > before) return undefined;
  return [{ start, end: start + part.length }];
}

function commonLength(text: string, at: number, core: string, from: number): number {
  let n = 0;
  while (from + n < core.length && text[at + n] === core[from + n]) n++;
  return n;
}
