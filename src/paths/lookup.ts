import picomatch from 'picomatch';
import { type History, type HistoryVote, requestTokens } from '../history/index.js';
import type { Companions } from './companions.js';
import { WordEvidence, whyLine } from './evidence.js';
import type { FileIndex } from './fileIndex.js';
import type { Mention, NameIndex } from './mentions.js';
import { priorOf } from './priors.js';
import { roleOf } from './roles.js';
import { isTeamLayer } from './rules.js';
import { MAX_VOTES, SIGNALS, type Signal, type SignalScores, signalsOf } from './signals.js';
import { findSymbol } from './symbols.js';
import type { Evidence, FileCandidate, IndexedFile, LookupMethod, RepoPath, TaskType, TermLookup } from './types.js';

/** Candidates unless more are asked for: more cost tokens and are rarely read. */
const DEFAULT_TOP_K = 5;
/** Candidates at most: whoever looks through fifty has asked the wrong question. */
export const MAX_TOP_K = 50;
/**
 * What each kind of evidence counts once its best file has 1. Fitted on requests made from later commits of seven Chinese repositories
 * (each left out in turn: Hit@5 .69 against .66 for reciprocal ranks) and rounded; half as much again of any one moves little.
 */
const WEIGHTS: Record<Signal, number> = {
  commits: 1,
  messages: 1.8,
  words: 1.5,
  strings: 0.4,
  identifiers: 1,
  names: 2.2,
  lexicon: 1.5,
  pathLexicon: 0.5,
  pathShare: 0.6,
  churn: 2,
};
/** A team's term is checked knowledge: the file that defines its symbol outweighs history and words together; later ones fall off slowly. */
const TERM_WEIGHT = 8;
const TERM_DECAY = 10;
/** Of a request that names a file outright: the name decides, everything else orders what it leaves open. */
const OUTRIGHT_NAMES = 8;
/** What kinds of files a request speaks of orders files, but less than what is in them. */
const PRIOR_POWER = 0.4;
/** Companions of the best files get this share of their score: enough to order equals, no more (measured: no gain alone). */
const COMPANION_SHARE = 0.03;
const COMPANIONS_OF = 3;
/** A known word whose symbol is defined nowhere still points to the class before its dot, by half. */
const CLASS_ONLY = 0.5;

export interface LookupOptions {
  /** A folder or glob; only files in it are candidates. */
  scope?: string;
  /** 1 to {@link MAX_TOP_K}; default 5. */
  topK?: number;
  taskType?: TaskType;
}

export interface LookupSources {
  index: FileIndex;
  names: NameIndex;
  companions: Companions;
  terms?: TermLookup | undefined;
  history?: History | undefined;
}

interface Ranked {
  path: string;
  evidence: Evidence;
}

/**
 * Finds the files that a request is about by fusing what the repository itself says: the team's terms, commit messages,
 * words in paths, symbols, comments and texts, and names in the request.
 */
export function lookupFiles(
  sources: LookupSources,
  request: string,
  options: LookupOptions,
): { candidates: FileCandidate[]; method: LookupMethod } {
  const { index } = sources;
  const admits = admission(index, options.scope);
  const tokens = requestTokens(request);
  const mentions = sources.names.find(request);
  const compound = tokens.filter(isCompound(request));
  const votes = sources.history?.available ? sources.history.vote(tokens, MAX_VOTES) : [];
  const signals = signalsOf(sources, { request, tokens, compound, votes, mentions: mentions.files });
  const terms = termRanking(sources, request);
  const weights = mentions.outright ? { ...WEIGHTS, names: OUTRIGHT_NAMES } : WEIGHTS;
  const scored = weigh(index, signals, weights, terms, admits);
  const prior = priorOf(request, options.taskType);
  for (const [path, score] of scored) scored.set(path, score * prior(path) ** PRIOR_POWER);
  addCompanions(scored, sources.companions, admits);
  const best = [...scored].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, clampTopK(options.topK));
  const ranked = new Map<string, Evidence[]>();
  for (const { path, evidence } of [...terms, ...commitReasons(votes), ...nameReasons(mentions.files)])
    ranked.set(path, [...(ranked.get(path) ?? []), evidence]);
  const reasons = new WordEvidence(index, request, tokens);
  const candidates = best.map(([path, score]) =>
    candidate(index.get(path)!, score, ranked.get(path) ?? [], reasons.of(index.get(path)!, index.positionOf(path))),
  );
  return { candidates, method: mentions.outright ? 'fuzzy-path' : 'fused' };
}

/** Whole compound identifiers that the request writes: their exact match says more than that of their parts. */
function isCompound(request: string): (token: string) => boolean {
  const written = new Set(
    (request.match(/[A-Za-z_$][\w$]*/g) ?? [])
      .filter((word) => /[a-z\d][A-Z]|\w_\w/.test(word))
      .map((word) => word.toLowerCase()),
  );
  return (token) => written.has(token);
}

function clampTopK(topK = DEFAULT_TOP_K): number {
  return Math.min(MAX_TOP_K, Math.max(1, Math.floor(topK)));
}

/** Files that may be candidates: in scope, and not the team's own layer, which speaks through its terms. */
function admission(index: FileIndex, scope: string | undefined): (path: string) => boolean {
  const inScope = scopeFilter(scope);
  return (path) => index.get(path) !== undefined && !isTeamLayer(path) && inScope(path);
}

/** A folder, a file or a glob as a test of paths; everything passes without one. */
export function scopeFilter(scope: string | undefined): (path: string) => boolean {
  const wanted = scope?.trim().replace(/^\.\//, '').replace(/\/+$/, '');
  if (!wanted || wanted === '.') return () => true;
  if (/[*?{}[\]!]/.test(wanted)) return picomatch(wanted, { dot: true });
  return (path) => path === wanted || path.startsWith(`${wanted}/`);
}

/** Adds up what the signals say of each file that any of them, but how often it changes, speaks of. */
function weigh(
  index: FileIndex,
  signals: SignalScores,
  weights: Record<Signal, number>,
  terms: readonly Ranked[],
  admits: (path: string) => boolean,
): Map<string, number> {
  const sums = new Float64Array(index.list.length);
  for (const signal of SIGNALS) {
    const scores = signals[signal];
    const isPrior = signal === 'churn';
    const best = largest(scores);
    if (best === 0) continue;
    for (let file = 0; file < sums.length; file++)
      if (scores[file]! > 0 && !(isPrior && sums[file] === 0)) sums[file]! += (weights[signal] * scores[file]!) / best;
  }
  terms.forEach(({ path }, rank) => {
    sums[index.positionOf(path)]! += (TERM_WEIGHT * TERM_DECAY) / (TERM_DECAY + rank);
  });
  const scored = new Map<string, number>();
  for (const [file, sum] of sums.entries()) {
    const { path } = index.list[file]!;
    if (sum > 0 && admits(path)) scored.set(path, sum);
  }
  return scored;
}

function largest(scores: Float64Array): number {
  let best = 0;
  for (const score of scores) if (score > best) best = score;
  return best;
}

function termRanking({ index, terms }: LookupSources, request: string): Ranked[] {
  const found = new Map<string, { score: number; best: number; evidence: Evidence }>();
  for (const { word, symbols, general } of terms?.symbolsFor(request) ?? []) {
    // What is general is a guess about this repository, and the lexicon has it too.
    if (general) continue;
    symbols.forEach((symbol, i) => {
      // A longer word is the more special one; the first symbols of a term are its main ones.
      const share = word.length / (1 + i / 2);
      for (const { path, line, weight } of definitions(index, symbol)) {
        const score = share * weight;
        const known = found.get(path);
        const evidence: Evidence = {
          kind: 'term',
          detail: `术语「${word}」→ ${symbol}（第 ${line} 行）`,
          weight: score,
        };
        if (!known) found.set(path, { score, best: score, evidence });
        else {
          known.score += score;
          if (score > known.best) Object.assign(known, { best: score, evidence });
        }
      }
    });
  }
  return [...found]
    .sort((a, b) => b[1].score - a[1].score || (a[0] < b[0] ? -1 : 1))
    .map(([path, { evidence }]) => ({ path, evidence }));
}

function definitions(index: FileIndex, symbol: string): { path: string; line: number; weight: number }[] {
  let places = findSymbol(index, symbol);
  let weight = 1;
  if (places.length === 0 && /[.#]/.test(symbol)) {
    places = findSymbol(index, symbol.split(/[.#]/)[0] ?? '');
    weight = CLASS_ONLY;
  }
  const files = new Map<string, number>();
  for (const { path, line } of places) if (!files.has(path)) files.set(path, line);
  const source = [...files].filter(([path]) => roleOf(path) !== 'test');
  return (source.length > 0 ? source : [...files]).map(([path, line]) => ({
    path,
    line,
    weight: weight / Math.sqrt(files.size),
  }));
}

function commitReasons(votes: readonly HistoryVote[]): Ranked[] {
  return votes.map(({ path, commit, score }) => ({
    path,
    evidence: { kind: 'commit', detail: `提交「${clip(commit.subject)}」改过它`, weight: score },
  }));
}

function nameReasons(mentions: readonly Mention[]): Ranked[] {
  return mentions.map(({ path, detail, score }) => ({ path, evidence: { kind: 'name', detail, weight: score } }));
}

/** Characters of a commit's subject in a reason. */
const MAX_SUBJECT_CHARS = 24;

function clip(subject: string): string {
  const characters = [...subject];
  return characters.length > MAX_SUBJECT_CHARS ? `${characters.slice(0, MAX_SUBJECT_CHARS).join('')}…` : subject;
}

function addCompanions(scores: Map<string, number>, companions: Companions, admits: (path: string) => boolean): void {
  const best = [...scores].sort((a, b) => b[1] - a[1]).slice(0, COMPANIONS_OF);
  for (const [path, score] of best) {
    for (const companion of companions.of(path)) {
      if (admits(companion.path))
        scores.set(companion.path, (scores.get(companion.path) ?? 0) + COMPANION_SHARE * score);
    }
  }
}

/** Terms first, then the kinds of reasons that people trust most. */
const KIND_ORDER: Evidence['kind'][] = [
  'term',
  'name',
  'comment',
  'commit',
  'symbol',
  'i18n',
  'content',
  'glossary',
  'companion',
];

function candidate(file: IndexedFile, score: number, byRank: Evidence[], byWord: Evidence[]): FileCandidate {
  // A name that the request gives in full says all that the words in a path could add.
  const named = byRank.some(({ kind }) => kind === 'name');
  const found = [...byRank, ...byWord.filter(({ kind }) => !named || kind !== 'name')];
  const evidence =
    found.length > 0 ? found : [{ kind: 'companion' as const, detail: '排在前面的文件的伴生文件', weight: 0 }];
  evidence.sort((a, b) => KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind) || b.weight - a.weight);
  return {
    path: file.path as RepoPath,
    score: Math.round(score * 1e4) / 1e4,
    evidence,
    why: whyLine(evidence),
    summary: file.summary,
  };
}
