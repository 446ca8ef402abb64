import { evidenceTokens, type History, type HistoryVote, requestTokens } from '../history/index.js';
import type { FileIndex } from './fileIndex.js';
import type { Mention } from './mentions.js';
import type { IndexedFile, TermLookup } from './types.js';

/** Votes of commits that are kept. */
export const MAX_VOTES = 150;
/** What a word of the lexicon counts that only comes near. */
const NEAR = 0.5;
/** Keeps a short name that holds one translated word from being all about it. */
const SHARE_DAMPER = 2;

/** Scores of all files by position in the index, one list for each kind of evidence. */
export const SIGNALS = [
  'commits',
  'messages',
  'words',
  'strings',
  'identifiers',
  'names',
  'lexicon',
  'pathLexicon',
  'pathShare',
  'churn',
] as const;
export type Signal = (typeof SIGNALS)[number];
export type SignalScores = Record<Signal, Float64Array>;

export interface SignalSources {
  index: FileIndex;
  history?: History | undefined;
  terms?: TermLookup | undefined;
}

/** A request as it is searched for. */
export interface Asked {
  request: string;
  /** The request, cut by `requestTokens`. */
  tokens: readonly string[];
  /** Whole compound identifiers in it. */
  compound: readonly string[];
  votes: readonly HistoryVote[];
  mentions: readonly Mention[];
}

/** What each kind of evidence says of each file. */
export function signalsOf({ index, history, terms }: SignalSources, asked: Asked): SignalScores {
  const { request, tokens, compound, votes, mentions } = asked;
  const { postings } = index;
  const own = weighted(
    index,
    tokens.map((token) => [token, 1] as const),
  );
  const words = related(terms, request);
  const meant = weighted(index, words);
  return {
    commits: byPosition(
      index,
      votes.map(({ path, score }) => [path, score] as const),
    ),
    messages: byPosition(index, history?.available ? history.fileScores(tokens) : []),
    words: postings.scores(own),
    strings: postings.scores(own, ['strings', 'i18n']),
    identifiers: postings.scores(
      weighted(
        index,
        compound.map((token) => [token, 1] as const),
      ),
    ),
    names: byPosition(
      index,
      mentions.map(({ path, score }) => [path, score] as const),
    ),
    lexicon: postings.scores(meant),
    pathLexicon: postings.scores(meant, ['path']),
    pathShare: pathShares(index, [...words, ...tokens.map((token) => [token, 1] as const)]),
    churn: churn(index, history),
  };
}

function weighted(index: FileIndex, tokens: Iterable<readonly [string, number]>): [number, number][] {
  const found: [number, number][] = [];
  for (const [token, weight] of tokens) {
    const id = index.vocabulary.find(token);
    if (id !== undefined) found.push([id, weight]);
  }
  return found;
}

function byPosition(index: FileIndex, scored: Iterable<readonly [string, number]>): Float64Array {
  const scores = new Float64Array(index.list.length);
  for (const [path, score] of scored) {
    const position = index.positionOf(path);
    if (position >= 0) scores[position] = score;
  }
  return scores;
}

/** Names in code that the lexicon knows for words of the request, each with what it counts; a name of several words counts less by each. */
function related(terms: TermLookup | undefined, request: string): [name: string, weight: number][] {
  const best = new Map<string, number>();
  for (const { word, relation } of terms?.related?.(request) ?? []) {
    const parts = requestTokens(word);
    const weight = (relation === 'equal' ? 1 : NEAR) / Math.sqrt(parts.length);
    for (const name of parts) best.set(name, Math.max(best.get(name) ?? 0, weight));
  }
  return [...best];
}

/** A file never changes its path; its object and the numbers of its tokens live as long as the index. */
const namesOfFile = new WeakMap<IndexedFile, number[]>();

/** Tokens of the last three names of a path: folders above say where a project keeps things, not what they are. */
function lastNames(index: FileIndex, position: number): number[] {
  const file = index.list[position]!;
  let ids = namesOfFile.get(file);
  if (ids === undefined) {
    const tokens = new Set(evidenceTokens(file.path.split('/').slice(-3).join('/')));
    ids = [...tokens].map((token) => index.vocabulary.find(token)).filter((id): id is number => id !== undefined);
    namesOfFile.set(file, ids);
  }
  return ids;
}

/** How much of a path's last names is spoken of. */
function pathShares(index: FileIndex, names: readonly (readonly [string, number])[]): Float64Array {
  const { postings, vocabulary } = index;
  const scores = new Float64Array(index.list.length);
  const worth = new Map<number, number>();
  const positions = new Set<number>();
  for (const [name, weight] of names) {
    const id = vocabulary.find(name);
    if (id === undefined) continue;
    worth.set(id, Math.max(weight, worth.get(id) ?? 0));
    for (const file of postings.filesWith(id, 'path')) positions.add(file);
  }
  for (const file of positions) {
    let [spoken, all] = [0, SHARE_DAMPER];
    for (const id of lastNames(index, file)) {
      const idf = postings.idf(id);
      all += idf;
      spoken += idf * (worth.get(id) ?? 0);
    }
    scores[file] = spoken / all;
  }
  return scores;
}

function churn(index: FileIndex, history: History | undefined): Float64Array {
  const scores = new Float64Array(index.list.length);
  if (history?.available)
    for (let file = 0; file < scores.length; file++) scores[file] = Math.log1p(history.churn(index.list[file]!.path));
  return scores;
}
