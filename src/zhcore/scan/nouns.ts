import { isStopWord, segment } from '../../text/index.js';
import type { Group, TypeIndex } from './groups.js';
import { coreOf, partsOf, shown } from './names.js';
import { hanCount, isTermLike } from './phrase.js';
import { isPlumbingWord } from './plumbing.js';
import type { Evidence, Mention } from './types.js';

/** A word must stand beside so many symbols, in so many files, to be one by itself. */
const MIN_SYMBOLS = 3;
const MIN_FILES = 2;
/** This share of its symbols must hold the same piece of a name, */
const MIN_COVERAGE = 0.6;
/** and this share of the names with that piece must be said with the word, */
const MIN_SHARE = 0.1;
/** which is this many times more than names in general. */
const MIN_LIFT = 5;
/** A piece that goes with the word so much more is what it is about. */
const CLEARLY = 1.25;
/** Share of names that makes a service's word sure. */
const SURE_SHARE = 0.5;
/** From this share of its phrases on a word stands beside another word for the piece, not in its place. */
const BESIDE = 0.25;
/** Han characters of a bare noun. */
const MAX_HAN = 4;
/** Pieces of a name that are looked at: one to three neighbouring parts. */
const MAX_PIECE = 3;
/** Each symbol more leaves this share of the doubt, up to so many: what no text says alone is never as sure as what one does. */
const WEIGHT_LEFT = 0.82;
const MAX_COUNTED = 6;
const MAX_EVIDENCE = 5;

/** Where a word stands. */
interface Seen {
  symbols: Set<string>;
  files: Set<string>;
  /** What it stands in, once for each symbol. */
  words: string[];
  pieces: Map<string, number>;
  evidence: Evidence[];
}

/**
 * Words that stand in many others and go with one class: 秒杀 in 秒杀价格, 秒杀场次, 秒杀商品 is said of names with `flash_promotion`, so
 * `SmsFlashPromotion` is called so, though no comment says that alone.
 */
export function nounGroups(mentions: readonly Mention[], groups: readonly Group[], types: TypeIndex): Group[] {
  const named = new Map<string, string[]>();
  for (const { word, nameKey } of groups) named.set(nameKey, [...(named.get(nameKey) ?? []), word]);
  const ofTypes = new Set(groups.flatMap(({ word, nameKey }) => (nameKey.startsWith('t:') ? [word] : [])));
  const { seen, pieces, total } = countWords(mentions);
  return [...seen].flatMap(([word, found]) => {
    if (
      found.symbols.size < MIN_SYMBOLS ||
      found.files.size < MIN_FILES ||
      ofTypes.has(word) ||
      !found.words.some((whole) => whole.startsWith(word))
    )
      return [];
    const best = coreOfWord(found, pieces, total, types);
    if (best === undefined) return [];
    const { core } = best;
    const mains = named.get(`t:${core}`) ?? [];
    if (isBesideOther(word, found, mains, topWord(best.piece, seen))) return [];
    if (mains.some((main) => main.includes(word))) return [];
    const symbols = types.about(core).filter(({ role }) => role !== 'layer');
    // One helper class of that name is no group of symbols; a service alone is one where most of its names say the word.
    const isStored = symbols.some(({ role }) => role === 'table' || (role === 'entity' && symbols.length > 1));
    if (symbols.length === 0 || (!isStored && best.share < SURE_SHARE)) return [];
    const weight = 1 - WEIGHT_LEFT ** Math.min(found.symbols.size, MAX_COUNTED);
    const spoken = symbols.map(shown);
    return [{ word, nameKey: `n:${core}`, symbols: [...symbols], evidence: found.evidence, spoken, weight }];
  });
}

function countWords(mentions: readonly Mention[]) {
  const seen = new Map<string, Seen>();
  const pieces = new Map<string, number>();
  const names = new Set<string>();
  for (const { word, symbol, evidence } of mentions) {
    if (symbol.role === 'key' || symbol.role === 'route') continue;
    const name = `${symbol.container === undefined ? '' : coreOf(symbol.container)} ${partsOf(symbol.name).join('_')}`;
    const own = piecesOf(name);
    if (!names.has(name)) for (const piece of own) pieces.set(piece, (pieces.get(piece) ?? 0) + 1);
    names.add(name);
    for (const noun of nounsOf(word)) {
      const known: Seen = seen.get(noun) ?? {
        symbols: new Set(),
        files: new Set(),
        words: [],
        pieces: new Map(),
        evidence: [],
      };
      seen.set(noun, known);
      if (known.symbols.has(name)) continue;
      known.symbols.add(name);
      known.files.add(symbol.file);
      known.words.push(word);
      for (const piece of own) known.pieces.set(piece, (known.pieces.get(piece) ?? 0) + 1);
      if (known.evidence.length < MAX_EVIDENCE) known.evidence.push(evidence);
    }
  }
  return { seen, pieces, total: names.size };
}

/** The class that most symbols of a word are named after; the longest piece of a name first. */
function coreOfWord(
  { symbols, pieces: own }: Seen,
  all: ReadonlyMap<string, number>,
  total: number,
  types: TypeIndex,
): { core: string; piece: string; share: number } | undefined {
  const fitting = [...own].flatMap(([piece, both]) => {
    const share = both / all.get(piece)!;
    const lift = share / (symbols.size / total);
    if (both / symbols.size < MIN_COVERAGE || both < MIN_SYMBOLS || share < MIN_SHARE || lift < MIN_LIFT) return [];
    return [{ piece, core: types.coreFor(piece), both, share, size: piece.split('_').length }];
  });
  const order = (a: (typeof fitting)[number], b: (typeof fitting)[number]) =>
    b.size - a.size || b.both - a.both || (a.piece < b.piece ? -1 : 1);
  const best = fitting.filter(({ core }) => core !== undefined).sort(order)[0];
  // 退货 goes with `return` more than with `order`: then it is no word for the class that is called order.
  const rival = fitting.some(
    ({ piece, share }) =>
      best !== undefined && share > CLEARLY * best.share && !`_${best.piece}_`.includes(`_${piece}_`),
  );
  return best?.core === undefined || rival ? undefined : { core: best.core, piece: best.piece, share: best.share };
}

/** The word that most names with a piece are said with. */
function topWord(piece: string, seen: ReadonlyMap<string, Seen>): string {
  let top = '';
  let most = 0;
  for (const [word, { pieces }] of seen) {
    const count = pieces.get(piece) ?? 0;
    if (count > most || (count === most && word < top)) [top, most] = [word, count];
  }
  return top;
}

/**
 * 分配 stands in 给角色分配菜单 with 角色, which is what `role` means: a word that means the piece itself (秒杀 for 限时购) stands in its place.
 */
function isBesideOther(self: string, { words }: Seen, mains: readonly string[], top: string): boolean {
  const others = new Set([top, ...mains, ...mains.flatMap(nounsOf)].filter((other) => other !== '' && other !== self));
  return [...others].some((other) => words.filter((word) => word.includes(other)).length > BESIDE * words.length);
}

/** Neighbouring parts of a container and of a name: flash, promotion, flash_promotion. */
function piecesOf(name: string): Set<string> {
  const found = new Set<string>();
  for (const half of name.split(' ')) {
    const parts = half.split('_').filter((part) => part !== '');
    for (let size = 1; size <= MAX_PIECE; size++)
      for (let i = 0; i + size <= parts.length; i++) found.add(parts.slice(i, i + size).join('_'));
  }
  return found;
}

function nounsOf(word: string): string[] {
  return [...new Set(segment(word))].filter(
    (part) =>
      part !== word &&
      hanCount(part) === part.length &&
      part.length >= 2 &&
      part.length <= MAX_HAN &&
      !isStopWord(part) &&
      isTermLike(part) &&
      !isPlumbingWord(part),
  );
}
