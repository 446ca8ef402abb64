import { type History, type HistoryVotes, requestTokens } from '../history/index.js';
import type { FileIndex } from './fileIndex.js';
import type { Ground } from './ground.js';
import type { Mention } from './mentions.js';
import type { ModelNames } from './modelNames.js';
import type { WeighedTokens } from './postings.js';
import type { TermLookup } from './types.js';

/** What a word of the lexicon counts that only comes near. */
const NEAR = 0.5;
/** Keeps a short name that holds one translated word from being all about it. */
const SHARE_DAMPER = 2;

/** Scores of all files by position in the index, one list for each kind of evidence. */
export const SIGNALS = [
  'commits',
  'messages',
  'words',
  'identifiers',
  'names',
  'lexicon',
  'symbolLexicon',
  'pathShare',
  'modelNames',
  'churn',
] as const;
export type Signal = (typeof SIGNALS)[number];
export type SignalScores = Record<Signal, Float64Array>;
/** What a look-up can do without, so that a bench may say what each is worth. */
export type EvidenceKind = Signal | 'priors';

export interface SignalSources {
  index: FileIndex;
  ground: Ground;
  history?: History | undefined;
}

/** A word that the request also means, as the lexicon says, cut into the names that code would have for it. */
export interface Meant {
  name: string;
  weight: number;
  /** The word of the request. */
  from: string;
  /** The whole word of the lexicon. */
  word: string;
}

/** A request as it is searched for. */
export interface Asked {
  /** The request, cut by `requestTokens`. */
  tokens: readonly string[];
  /** Whole compound identifiers in it. */
  compound: readonly string[];
  meant: readonly Meant[];
  votes: HistoryVotes | undefined;
  /** Identifiers that a model named; undefined where none was asked. */
  modelNames: ModelNames | undefined;
  mentions: readonly Mention[];
}

/** What each kind of evidence says of each file. */
export function signalsOf({ index, ground, history }: SignalSources, asked: Asked): SignalScores {
  const { postings } = index;
  const tokens = weighted(index, asked.tokens.map(once));
  const names = weighted(
    index,
    asked.meant.map(({ name, weight }) => [name, weight] as const),
  );
  const things = meantThings(index, asked.meant);
  return {
    commits: asked.votes ? ground.placed(asked.votes) : new Float64Array(ground.size),
    messages: history?.available ? ground.placed(history.fileScores(asked.tokens)) : new Float64Array(ground.size),
    words: postings.scores(tokens),
    identifiers: postings.scores(weighted(index, asked.compound.map(once))),
    names: byPosition(index, asked.mentions),
    lexicon: postings.scoresOfThings(things),
    symbolLexicon: postings.scoresOfThings(things, ['symbols']),
    pathShare: pathShares(index, ground, [...names, ...tokens]),
    modelNames: asked.modelNames?.scores() ?? new Float64Array(ground.size),
    churn: ground.churn,
  };
}

function once(token: string): readonly [string, number] {
  return [token, 1];
}

function weighted(index: FileIndex, tokens: Iterable<readonly [string, number]>): [number, number][] {
  const found: [number, number][] = [];
  for (const [token, weight] of tokens) {
    const id = index.vocabulary.find(token);
    if (id !== undefined) found.push([id, weight]);
  }
  return found;
}

function byPosition(index: FileIndex, scored: Iterable<{ path: string; score: number }>): Float64Array {
  const scores = new Float64Array(index.list.length);
  for (const { path, score } of scored) {
    const position = index.positionOf(path);
    if (position >= 0) scores[position] = score;
  }
  return scores;
}

/** Names in code that the lexicon knows for words of the request, each with what it counts; a name of several words counts less by each. */
export function meantBy(terms: TermLookup | undefined, request: string): Meant[] {
  const best = new Map<string, Meant>();
  for (const { word, relation, from } of terms?.related?.(request) ?? []) {
    const parts = requestTokens(word);
    const weight = (relation === 'equal' ? 1 : NEAR) / Math.sqrt(parts.length);
    for (const name of parts) if (weight > (best.get(name)?.weight ?? 0)) best.set(name, { name, weight, from, word });
  }
  return [...best.values()];
}

/** What each word of the request also means: its words in the lexicon, and the names that each of those takes in code. */
function meantThings(index: FileIndex, meant: readonly Meant[]): WeighedTokens[][] {
  const things = new Map<string, Map<string, [number, number][]>>();
  for (const { name, weight, from, word } of meant) {
    const id = index.vocabulary.find(name);
    if (id === undefined) continue;
    const ways = things.get(from) ?? new Map<string, [number, number][]>();
    things.set(from, ways);
    ways.set(word, [...(ways.get(word) ?? []), [id, weight]]);
  }
  return [...things.values()].map((ways) => [...ways.values()]);
}

/** How much of a path's last names is spoken of. */
function pathShares(
  { postings, list }: FileIndex,
  ground: Ground,
  names: readonly (readonly [number, number])[],
): Float64Array {
  const scores = new Float64Array(list.length);
  const worth = new Map<number, number>();
  for (const [id, weight] of names) worth.set(id, Math.max(weight, worth.get(id) ?? 0));
  for (const id of worth.keys()) {
    for (const file of postings.filesWith(id, 'path')) {
      if (scores[file]! > 0) continue;
      let [spoken, all] = [0, SHARE_DAMPER];
      for (const name of ground.lastNames(file)) {
        const idf = postings.idf(name);
        all += idf;
        spoken += idf * (worth.get(name) ?? 0);
      }
      scores[file] = spoken / all;
    }
  }
  return scores;
}
