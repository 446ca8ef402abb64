import type { Outline } from '../code/index.js';
import { eachToken, evidenceTokens } from '../history/index.js';
import { estimateTokens, fold, truncateToTokens } from '../text/index.js';
import type { FileIndex } from './fileIndex.js';
import type { Field } from './postings.js';
import type { Meant } from './signals.js';
import type { Evidence, IndexedFile } from './types.js';

/** Tokens of the reasons of one file, on one line: more reasons are given up to the first, and one reason alone is cut at the second. */
const WHY_TOKENS = 20;
const MAX_WHY_TOKENS = 30;
/** Words named from one source. */
const MAX_WORDS = 3;
/** Words of the lexicon named. */
const MAX_MEANT = 2;
const CHINESE_RUN = /[\u3400-\u9FFF]+/g;
const CHINESE = /[\u3400-\u9FFF]/;

/** A word of a request that some file has, and what it is worth. */
interface KnownToken {
  token: string;
  id: number;
  idf: number;
}

/** Where it stands in one file. */
interface TokenPlace extends KnownToken {
  fields: Field[];
}

/** A word of the lexicon that some file may have, as the tokens of its names. */
interface KnownWord {
  from: string;
  word: string;
  ids: number[];
  worth: number;
}

/** Explains why the words of a request led to a file, from its outline: which comment, symbol, text. */
export class WordEvidence {
  readonly #index: FileIndex;
  readonly #tokens: readonly KnownToken[];
  /** Most telling ones first. */
  readonly #meant: readonly KnownWord[];
  readonly #request: string;

  /**
   * @param tokens the request as it was searched for
   * @param meant what the lexicon makes of it
   */
  constructor(index: FileIndex, request: string, tokens: readonly string[], meant: readonly Meant[]) {
    this.#index = index;
    const { vocabulary, postings } = index;
    this.#tokens = tokens.flatMap((token) => {
      const id = vocabulary.find(token);
      return id === undefined ? [] : { token, id, idf: postings.idf(id) };
    });
    // Of 「修改会员升级」 nobody looks for 修改, whatever else it may be called.
    const wanted = meant.filter(({ from }) => evidenceTokens(from).some((token) => tokens.includes(token)));
    this.#meant = knownWords(index, wanted);
    this.#request = fold(request);
  }

  /** Reasons by source, strongest first; [] when no word of the request is in the file. */
  of(file: IndexedFile, position: number): Evidence[] {
    const places = this.#places(position);
    const found: Evidence[] = this.#lexicon(position);
    if (places.length === 0) return found;
    const { outline } = file.detail();
    const add = (kind: Evidence['kind'], detail: string | undefined, fields: Field[]) => {
      if (detail === undefined) return;
      const weight = sum(
        places.filter((place) => place.fields.some((field) => fields.includes(field))).map(({ idf }) => idf),
      );
      found.push({ kind, detail, weight });
    };
    add('comment', this.#comment(outline, places), ['comments']);
    add('symbol', this.#symbols(outline, places), ['symbols']);
    add('i18n', this.#interfaceText(file, places), ['i18n']);
    add('name', this.#words('路径有', places, 'path'), ['path']);
    add('content', this.#words('文案有', places, 'strings'), ['strings']);
    add('content', this.#words('正文有', places, 'rest'), ['rest']);
    return found.sort((a, b) => b.weight - a.weight);
  }

  /**
   * The words of the request that the file says in other words, the most telling ones: 「脱敏≈desensitize」. A word of several names is
   * only given where the file has all of them.
   */
  #lexicon(position: number): Evidence[] {
    const { postings } = this.#index;
    const found = new Map<string, KnownWord>();
    for (const one of this.#meant) {
      if (found.size === MAX_MEANT) break;
      if (!found.has(one.from) && one.ids.every((id) => postings.holds(id, position))) found.set(one.from, one);
    }
    if (found.size === 0) return [];
    const best = [...found.values()];
    const detail = best.map(({ from, word }) => `「${from}≈${word}」`).join('');
    return [{ kind: 'glossary', detail, weight: sum(best.map(({ worth }) => worth)) }];
  }

  #places(position: number): TokenPlace[] {
    const { postings } = this.#index;
    const places = this.#tokens.map((known) => ({ ...known, fields: postings.fieldsOf(known.id, position) }));
    return places.filter(({ fields }) => fields.length > 0);
  }

  /** The comment that holds most of the request, by line. */
  #comment(outline: Outline | undefined, places: TokenPlace[]): string | undefined {
    const wanted = weights(places, 'comments');
    if (wanted.size === 0) return undefined;
    let best: { line: number; text: string; score: number } | undefined;
    for (const { line, text } of likely(outline?.comments ?? [], ({ text }) => text, wanted)) {
      const score = scoreOf(text, wanted);
      if (score > 0 && (best === undefined || score > best.score)) best = { line, text, score };
    }
    return best && `第 ${best.line} 行注释有${quoted(this.#wordsIn(wanted, fold(best.text)))}`;
  }

  #symbols(outline: Outline | undefined, places: TokenPlace[]): string | undefined {
    const wanted = weights(places, 'symbols');
    if (wanted.size === 0) return undefined;
    let best: { name: string; score: number } | undefined;
    for (const { name } of likely(outline?.symbols ?? [], ({ name }) => name, wanted)) {
      const score = scoreOf(name, wanted);
      if (score > 0 && (best === undefined || score > best.score)) best = { name, score };
    }
    return best && `符号 ${best.name}`;
  }

  #interfaceText(file: IndexedFile, places: TokenPlace[]): string | undefined {
    const wanted = weights(places, 'i18n');
    if (wanted.size === 0) return undefined;
    const table = this.#index.localeTable();
    let best: { key: string; text: string; score: number } | undefined;
    const texts = this.#index.usedKeys(file).map((key) => ({ key, text: table.valueOf(key) ?? '' }));
    for (const { key, text } of likely(texts, ({ text }) => text, wanted)) {
      const score = scoreOf(text, wanted) / Math.sqrt(1 + text.length / 10);
      if (score > 0 && (best === undefined || score > best.score)) best = { key, text, score };
    }
    return best && `用到文案 ${best.key}「${truncateToTokens(best.text, 12).text}」`;
  }

  #words(lead: string, places: TokenPlace[], field: Field): string | undefined {
    const wanted = weights(places, field);
    return wanted.size === 0 ? undefined : `${lead}${quoted(this.#wordsIn(wanted))}`;
  }

  /**
   * Bigrams that follow each other in the request joined to words again, when the text has them so joined (or no text is
   * given); the rarest first.
   */
  #wordsIn(wanted: Map<string, number>, text?: string): string[] {
    const words = new Map<string, number>();
    for (const [run] of this.#request.matchAll(CHINESE_RUN)) {
      for (const word of stretches(run, wanted)) {
        const parts = text === undefined ? [word] : piecesIn(text, word);
        for (const part of parts) words.set(part, scoreOf(part, wanted));
      }
    }
    for (const [token, idf] of wanted) if (!CHINESE.test(token)) words.set(token, idf);
    const ordered = [...words].sort((a, b) => b[1] - a[1]).map(([word]) => word);
    const telling = ordered.filter((word) => !FRAGMENT.test(word));
    return (telling.length > 0 ? telling : ordered).slice(0, MAX_WORDS);
  }
}

/** Words of the lexicon all of whose names some file has, most telling ones first. */
function knownWords({ vocabulary, postings }: FileIndex, meant: readonly Meant[]): KnownWord[] {
  const byWord = new Map<string, Meant[]>();
  for (const one of meant) byWord.set(one.word, [...(byWord.get(one.word) ?? []), one]);
  const known: KnownWord[] = [];
  for (const [word, names] of byWord) {
    const ids = names.map(({ name }) => vocabulary.find(name)).filter((id) => id !== undefined);
    if (ids.length < names.length) continue;
    const { from, weight } = names[0]!;
    known.push({ from, word, ids, worth: weight * sum(ids.map((id) => postings.idf(id))) });
  }
  return known.sort((a, b) => b.worth - a.worth);
}

/** Two characters, one of them a function word, are the seam between two words (「关单时」 → 「单时」): true, but no reason to show. */
const FRAGMENT = /^([时的了后前中被把给在和与或再][\u4e00-\u9fff]|[\u4e00-\u9fff][时的了后前中被把给在和与或再])$/;

/** Longest stretches of a run all of whose bigrams are wanted. */
function stretches(run: string, wanted: Map<string, number>): string[] {
  const found: string[] = [];
  let start = -1;
  for (let i = 0; i < run.length; i++) {
    const hit = i + 1 < run.length && wanted.has(run.slice(i, i + 2));
    if (hit && start < 0) start = i;
    if (!hit && start >= 0) {
      found.push(run.slice(start, i + 1));
      start = -1;
    }
  }
  return found;
}

/** The longest pieces of a word that a text holds, left to right. */
function piecesIn(text: string, word: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start + 1 < word.length; ) {
    let end = word.length;
    while (end > start + 1 && !text.includes(word.slice(start, end))) end -= 1;
    if (end > start + 1) pieces.push(word.slice(start, end));
    start = Math.max(start + 1, end - 1);
  }
  return pieces;
}

function weights(places: TokenPlace[], field: Field): Map<string, number> {
  return new Map(places.filter(({ fields }) => fields.includes(field)).map(({ token, idf }) => [token, idf]));
}

/**
 * Those of many texts that hold a wanted token as it stands: of a hundred comments two are worth cutting. All of them where none does,
 * because a token is folded and cut (缓存 for 快取, `item` of `Items`).
 */
function likely<T>(all: readonly T[], textOf: (one: T) => string, wanted: ReadonlyMap<string, number>): readonly T[] {
  const tokens = [...wanted.keys()];
  const found = all.filter((one) => {
    const text = textOf(one).toLowerCase();
    return tokens.some((token) => text.includes(token));
  });
  return found.length > 0 ? found : all;
}

/** Sum of the weights of the wanted tokens in a text, each once. */
function scoreOf(text: string, wanted: Map<string, number>): number {
  const seen = new Set<string>();
  eachToken(text, (token) => {
    if (wanted.has(token)) seen.add(token);
  });
  return sum([...seen].map((token) => wanted.get(token)!));
}

function quoted(words: string[]): string {
  return words.map((word) => `「${word}」`).join('');
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

/** The strongest reasons on one line, as many as fit. */
export function whyLine(evidence: readonly Evidence[]): string {
  let line = '';
  for (const { detail } of evidence) {
    const longer = line === '' ? detail : `${line}；${detail}`;
    if (line !== '' && estimateTokens(longer) > WHY_TOKENS) continue;
    line = longer;
  }
  return truncateToTokens(line, MAX_WHY_TOKENS).text;
}
