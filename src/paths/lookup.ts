import picomatch from 'picomatch';
import { type History, requestTokens } from '../history/index.js';
import type { Companions } from './companions.js';
import { WordEvidence, whyLine } from './evidence.js';
import type { FileIndex } from './fileIndex.js';
import type { NameIndex } from './mentions.js';
import { type Role, roleOf } from './roles.js';
import { isTeamLayer } from './rules.js';
import { findSymbol } from './symbols.js';
import type { Evidence, FileCandidate, IndexedFile, LookupMethod, RepoPath, TaskType, TermLookup } from './types.js';

/** Candidates at most: more cost tokens and are rarely read. */
export const MAX_TOP_K = 5;
/** Files that one signal may bring into the fusion. */
const PER_SIGNAL = 150;
/**
 * Reciprocal rank fusion: a file at rank r of a signal gets weight / (K + r). K and the weights of history, words, names and
 * identifiers are measured on real requests. A team's term is checked knowledge, so its best file (2.6 / 11) outweighs the
 * first place of words and of history together (2 / 11).
 */
const RRF_K = 10;
const WEIGHTS = { term: 2.6, history: 1, words: 1, names: 1, identifiers: 1 } as const;
/** Of a request that names a file outright: the name decides, everything else orders what it leaves open. */
const OUTRIGHT_NAMES = 8;
/** Companions of the best files get this share of their score: enough to order equals, no more (measured: no gain alone). */
const COMPANION_SHARE = 0.1;
const COMPANIONS_OF = 3;
/** A known word whose symbol is defined nowhere still points to the class before its dot, by half. */
const CLASS_ONLY = 0.5;

/** What a file of this part is worth beside source code when the request does not speak of such files. */
const ROLE_PRIOR: Partial<Record<Role, number>> = {
  test: 0.75,
  mock: 0.5,
  doc: 0.5,
  i18n: 0.7,
  asset: 0.4,
  ci: 0.5,
  example: 0.7,
  config: 0.9,
};
/** Words of a request that ask for files of a part. */
const ASKED_ROLES: ReadonlyArray<readonly [RegExp, readonly Role[]]> = [
  [/测试|用例|单测|\btests?\b|\bspec\b/i, ['test', 'mock']],
  [/文档|说明|指南|手册|readme|changelog|更新日志/i, ['doc']],
  [/文案|翻译|国际化|多语言|i18n|词条/i, ['i18n']],
  [/图标|图片|logo|字体/i, ['asset']],
  [/流水线|\bci\b|github ?actions/i, ['ci']],
  [/样式|主题|颜色|字号|间距|\bcss\b/i, ['style']],
  [/配置|参数项|\bconfig\b/i, ['config']],
  [/mapper|\bsql\b|\bdao\b|数据表|建表|字段/i, ['mapper', 'sql', 'model']],
  [/页面|菜单|路由/, ['page', 'route']],
  [/接口|\bapi\b/i, ['controller', 'data-layer', 'types']],
  [/定时任务|\bjob\b|调度/i, ['job']],
  [/示例|例子|\bdemo\b/i, ['example']],
];
/** What an asked-for part is raised by, over its neutral 1: files that are no source are asked for on purpose. */
const ASKED_BOOST = { source: 1.25, other: 2 } as const;
/** A bug is fixed in source; a refactoring touches neither documents nor assets. */
const TASK_PRIOR: Partial<Record<TaskType, Partial<Record<Role, number>>>> = {
  bugfix: { doc: 0.5, example: 0.7 },
  refactor: { doc: 0.6, asset: 0.5 },
  feature: { route: 1.1, config: 1.05 },
};

export interface LookupOptions {
  /** A folder or glob; only files in it are candidates. */
  scope?: string;
  /** 1 to {@link MAX_TOP_K}. */
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
  evidence?: Evidence;
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
  const fusion = new Fusion(admits);
  fusion.add(termRanking(sources, request), WEIGHTS.term);
  fusion.add(historyRanking(sources, tokens, admits), WEIGHTS.history);
  fusion.add(wordRanking(index, tokens, admits), WEIGHTS.words);
  fusion.add(wordRanking(index, tokens.filter(isCompound(request)), admits), WEIGHTS.identifiers);
  fusion.add(
    mentions.files.map(({ path, detail, score }) => ({ path, evidence: { kind: 'name', detail, weight: score } })),
    mentions.outright ? OUTRIGHT_NAMES : WEIGHTS.names,
  );
  const prior = priorOf(request, options.taskType);
  const scored = fusion.scores(prior);
  addCompanions(scored, sources.companions, admits);
  const best = [...scored].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, clampTopK(options.topK));
  const words = new WordEvidence(index, request, tokens);
  const candidates = best.map(([path, score]) =>
    candidate(index.get(path)!, score, fusion.evidenceOf(path), words.of(index.get(path)!, index.positionOf(path))),
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

function clampTopK(topK = MAX_TOP_K): number {
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

/** Adds up what the signals say of each file. */
class Fusion {
  readonly #admits: (path: string) => boolean;
  readonly #scores = new Map<string, number>();
  readonly #evidence = new Map<string, Evidence[]>();

  constructor(admits: (path: string) => boolean) {
    this.#admits = admits;
  }

  add(ranking: Ranked[], weight: number): void {
    let rank = 0;
    for (const { path, evidence } of ranking) {
      if (!this.#admits(path)) continue;
      if (++rank > PER_SIGNAL) break;
      this.#scores.set(path, (this.#scores.get(path) ?? 0) + weight / (RRF_K + rank));
      if (evidence) this.#evidence.set(path, [...(this.#evidence.get(path) ?? []), evidence]);
    }
  }

  scores(prior: (path: string) => number): Map<string, number> {
    return new Map([...this.#scores].map(([path, score]) => [path, score * prior(path)]));
  }

  evidenceOf(path: string): Evidence[] {
    return this.#evidence.get(path) ?? [];
  }
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

function historyRanking({ history }: LookupSources, tokens: string[], admits: (path: string) => boolean): Ranked[] {
  const votes = history?.available ? history.vote(tokens, PER_SIGNAL, admits) : [];
  return votes.map(({ path, commit, score }) => ({
    path,
    evidence: { kind: 'commit', detail: `提交「${clip(commit.subject)}」改过它`, weight: score },
  }));
}

/** Characters of a commit's subject in a reason. */
const MAX_SUBJECT_CHARS = 24;

function clip(subject: string): string {
  const characters = [...subject];
  return characters.length > MAX_SUBJECT_CHARS ? `${characters.slice(0, MAX_SUBJECT_CHARS).join('')}…` : subject;
}

function wordRanking(index: FileIndex, tokens: string[], admits: (path: string) => boolean): Ranked[] {
  const ids = tokens.map((token) => index.vocabulary.find(token)).filter((id): id is number => id !== undefined);
  if (ids.length === 0) return [];
  return index.postings
    .search(ids, PER_SIGNAL, (file) => admits(index.list[file]!.path))
    .map(({ file }) => ({ path: index.list[file]!.path }));
}

/** What kinds of files the request speaks of, as a factor by path. */
function priorOf(request: string, taskType: TaskType | undefined): (path: string) => number {
  const asked = new Set(ASKED_ROLES.filter(([pattern]) => pattern.test(request)).flatMap(([, roles]) => roles));
  const byTask = taskType ? TASK_PRIOR[taskType] : undefined;
  return (path) => {
    const role = roleOf(path);
    if (asked.has(role)) return role in ROLE_PRIOR ? ASKED_BOOST.other : ASKED_BOOST.source;
    return (ROLE_PRIOR[role] ?? 1) * (byTask?.[role] ?? 1);
  };
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
