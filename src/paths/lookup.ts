import picomatch from 'picomatch';
import { type History, type HistoryVotes, requestTokens } from '../history/index.js';
import { WordEvidence, whyLine } from './evidence.js';
import type { FileIndex } from './fileIndex.js';
import type { Ground } from './ground.js';
import type { Mention, NameIndex } from './mentions.js';
import { ModelNames } from './modelNames.js';
import { type RankedFile, rank } from './ranking.js';
import { roleOf } from './roles.js';
import { type EvidenceKind, meantBy, signalsOf } from './signals.js';
import { findSymbol } from './symbols.js';
import type { Evidence, FileCandidate, IndexedFile, LookupMethod, RepoPath, TaskType, TermLookup } from './types.js';

/** Candidates unless more are asked for: more cost tokens and are rarely read. */
const DEFAULT_TOP_K = 5;
/** Candidates at most: whoever looks through fifty has asked the wrong question. */
export const MAX_TOP_K = 50;
/** A known word whose symbol is defined nowhere still points to the class before its dot, by half. */
const CLASS_ONLY = 0.5;

export interface LookupOptions {
  /** A folder or glob; only files in it are candidates. */
  scope?: string;
  /** 1 to {@link MAX_TOP_K}; default 5. */
  topK?: number;
  taskType?: TaskType;
  /** Identifiers that a model named for the request, as one more kind of evidence. */
  modelNames?: readonly string[];
  /** Kinds of evidence that are left out, for benches. */
  without?: readonly EvidenceKind[];
}

export interface LookupSources {
  index: FileIndex;
  ground: Ground;
  names: NameIndex;
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
  const { index, ground, history } = sources;
  const tokens = requestTokens(request);
  const mentions = sources.names.find(request);
  const votes = history?.available ? history.votes(tokens) : undefined;
  const meant = meantBy(sources.terms, request);
  const compound = tokens.filter(isCompound(request));
  const named = options.modelNames?.length ? new ModelNames(index, options.modelNames) : undefined;
  const signals = signalsOf(sources, { tokens, compound, meant, votes, mentions: mentions.files, modelNames: named });
  const terms = termRanking(sources, request);
  const best = rank(index, ground, {
    request,
    taskType: options.taskType,
    signals,
    outright: mentions.outright,
    terms: terms.map(({ path }) => path),
    inScope: isEverything(options.scope) ? undefined : scopeFilter(options.scope),
    topK: clampTopK(options.topK),
    without: options.without ?? [],
  });
  const reasons = new WordEvidence(index, request, tokens, meant);
  const byPath = new Map(best.map(({ position }) => [index.list[position]!.path, [] as Evidence[]]));
  for (const { path, evidence } of terms) byPath.get(path)?.push(evidence);
  for (const [position, evidence] of commitReasons(votes, ground, best))
    byPath.get(index.list[position]!.path)?.push(evidence);
  for (const mention of mentions.files) byPath.get(mention.path)?.push(nameReason(mention));
  const candidates = best.map(({ position, score }) => {
    const file = index.list[position]!;
    const guessed = named?.reason(position);
    const byWord = reasons.of(file, position);
    return candidate(file, score, byPath.get(file.path) ?? [], guessed ? [...byWord, guessed] : byWord);
  });
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

function isEverything(scope: string | undefined): boolean {
  return scope === undefined || ['', '.', './'].includes(scope.trim());
}

/** A folder, a file or a glob as a test of paths; everything passes without one. */
export function scopeFilter(scope: string | undefined): (path: string) => boolean {
  const wanted = scope?.trim().replace(/^\.\//, '').replace(/\/+$/, '');
  if (!wanted || wanted === '.') return () => true;
  if (/[*?{}[\]!]/.test(wanted)) return picomatch(wanted, { dot: true });
  return (path) => path === wanted || path.startsWith(`${wanted}/`);
}

function termRanking({ index, terms }: LookupSources, request: string): Ranked[] {
  const found = new Map<string, { score: number; best: number; evidence: Evidence }>();
  for (const { word, symbols } of terms?.symbolsFor(request) ?? []) {
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

/** The commit that speaks most for each of the found files. */
function commitReasons(
  votes: HistoryVotes | undefined,
  ground: Ground,
  best: readonly RankedFile[],
): Map<number, Evidence> {
  const reasons = new Map<number, Evidence>();
  if (votes === undefined) return reasons;
  const wanted = new Set(best.map(({ position }) => position));
  for (const [path, position] of ground.placesOf(votes.paths).entries()) {
    const commit = wanted.has(position) ? votes.commitOf(path) : undefined;
    if (commit === undefined) continue;
    const detail = `提交「${clip(commit.subject)}」改过它`;
    reasons.set(position, { kind: 'commit', detail, weight: votes.scores[path]! });
  }
  return reasons;
}

function nameReason({ detail, score }: Mention): Evidence {
  return { kind: 'name', detail, weight: score };
}

/** Characters of a commit's subject in a reason. */
const MAX_SUBJECT_CHARS = 24;

function clip(subject: string): string {
  const characters = [...subject];
  return characters.length > MAX_SUBJECT_CHARS ? `${characters.slice(0, MAX_SUBJECT_CHARS).join('')}…` : subject;
}

/** Terms first, then the kinds of reasons that people trust most. */
const KIND_ORDER: Evidence['kind'][] = [
  'term',
  'name',
  'comment',
  'commit',
  'symbol',
  'i18n',
  'glossary',
  'model',
  'content',
];

function candidate(file: IndexedFile, score: number, byRank: Evidence[], byWord: Evidence[]): FileCandidate {
  // A name that the request gives in full says all that the words in a path could add.
  const named = byRank.some(({ kind }) => kind === 'name');
  const found = [...byRank, ...byWord.filter(({ kind }) => !named || kind !== 'name')];
  const evidence =
    found.length > 0 ? found : [{ kind: 'commit' as const, detail: '改过它的提交合起来像这个请求', weight: 0 }];
  evidence.sort((a, b) => KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind) || b.weight - a.weight);
  return {
    path: file.path as RepoPath,
    score: Math.round(score * 1e4) / 1e4,
    evidence,
    why: whyLine(evidence),
    summary: file.summary,
  };
}
