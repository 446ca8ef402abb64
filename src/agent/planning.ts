import picomatch from 'picomatch';
import type { FileCandidate, PathContext } from '../paths/index.js';
import { dangerOf, makeScratch, type RunResult, runProcess } from '../sandbox/index.js';
import { fold } from '../text/index.js';
import {
  type CoreResult,
  type Hit,
  type Playbook,
  type RequiredCheck,
  shownSource,
  type Term,
  type Warning,
} from '../zhcore/index.js';
import type { NodeEnv } from './node.js';
import type { CheckState, Plan, PlanTerm, PlaybookRun } from './state.js';

/** Terms that a plan carries: more than this is a glossary, not a plan. */
const MAX_TERMS = 6;
/** Files in focus: what a careful colleague opens first (DESIGN: "opens three files instead of the whole tree"). */
const MAX_FOCUS = 4;
/** Candidates listed in a plan: more than five are not read. */
export const MAX_CANDIDATES = 5;

/**
 * Looks each term's symbols up in the code: a candidate stays one until the repository confirms it.
 *
 * @param hits as the core ranked them; that order stays
 * @returns at most {@link MAX_TERMS}: a project's own with the symbols that are gone (`file: null`), general ones only where
 *   the repository bears them out and the project has no meaning of its own for the word
 */
export async function planTerms(hits: Hit<Term>[], paths: PathContext): Promise<PlanTerm[]> {
  const terms: PlanTerm[] = [];
  const own = hits.filter((h) => h.provenance.layer === 'project');
  const ownWords = new Set(own.flatMap((h) => [h.entry.keyword_ch, ...h.entry.aliases].map(fold)));
  for (const hit of hits) {
    // The team's own meaning of a word stands; what the trade usually means by it would only confuse.
    if (hit.provenance.layer === 'general' && ownWords.has(fold(hit.entry.keyword_ch))) continue;
    if (terms.length === MAX_TERMS) break;
    const symbols = [];
    for (const name of hit.entry.code_symbols) {
      const place = (await paths.findSymbol(name))[0];
      symbols.push({ name, file: place?.path ?? null, line: place?.line ?? null });
    }
    const confirmed = symbols.some((s) => s.file !== null);
    // A general term that nothing in this repository bears out is a guess; a project's own is worth showing as gone.
    if (!confirmed && hit.provenance.layer === 'general') continue;
    // Of a general term only the names that exist here say something.
    const shown = hit.provenance.layer === 'general' ? symbols.filter((s) => s.file !== null) : symbols;
    terms.push({
      id: hit.entry.id,
      keyword_ch: hit.entry.keyword_ch,
      ...(hit.entry.module ? { module: hit.entry.module } : {}),
      ...(hit.entry.note ? { note: hit.entry.note } : {}),
      risk: hit.entry.risk,
      status: hit.provenance.status,
      confirmed,
      symbols: shown,
      why: hit.why,
      provenance: provenanceOf(hit),
    });
  }
  return terms;
}

/** The part of a hit's provenance that travels in the state. */
export function provenanceOf(hit: { provenance: Hit<unknown>['provenance'] }): PlanTerm['provenance'] {
  const { layer, version, status, confidence } = hit.provenance;
  return { source: shownSource(hit.provenance), layer, version, status, confidence };
}

/**
 * Runs a playbook's required checks now; commands only where they are harmless, in a scratch copy.
 *
 * @returns the playbook with the state of each check: `missing` and `failed` are what the plan asks about or stops at,
 *   `skipped` is a command that people must run themselves
 */
export async function runPlaybook(hit: Hit<Playbook>, paths: PathContext, env: NodeEnv): Promise<PlaybookRun> {
  const checks: CheckState[] = [];
  for (const check of hit.entry.required_checks) checks.push(await runCheck(check, paths, env));
  return {
    id: hit.entry.id,
    title: hit.entry.title,
    why: hit.why,
    steps: hit.entry.steps,
    checks,
    postChecks: hit.entry.post_checks,
    provenance: provenanceOf(hit),
  };
}

async function runCheck(check: RequiredCheck, paths: PathContext, env: NodeEnv): Promise<CheckState> {
  const base = {
    type: check.type,
    target: check.path ?? check.command ?? '',
    purpose: check.purpose,
    onMissing: check.on_missing,
  };
  if (check.type !== 'command') {
    const found = fileOf(paths, check.path ?? '');
    return found
      ? { ...base, state: 'ok', detail: found }
      : { ...base, state: 'missing', detail: `没有 ${check.path}` };
  }
  const command = check.command ?? '';
  const { danger, why } = dangerOf(command);
  if (danger !== 'low') return { ...base, state: 'skipped', detail: `没有自动运行（${why}），请人工执行` };
  const run = await runHarmless(command, env);
  return run.outcome === 'ok'
    ? { ...base, state: 'ok', detail: '退出码 0' }
    : { ...base, state: 'failed', detail: `${run.outcome}，退出码 ${run.exitCode ?? '无'}` };
}

/** One git command and nothing behind it: `git status && npm test` would run the tests in the user's tree. */
const ONLY_GIT = /^git\s[^;&|<>`$(){}\n\\]*$/;

/**
 * Runs a low-danger command: in a scratch copy, which has no `.git`, or, when it only asks git, in the project itself, where
 * git is told to write nothing (GIT_OPTIONAL_LOCKS, see git(1)).
 */
async function runHarmless(command: string, env: NodeEnv): Promise<RunResult> {
  const { root } = env.project.layout;
  const limits = {
    shell: command,
    timeoutMs: env.project.config.sandbox.timeoutSeconds * 1000,
    ...(env.signal ? { signal: env.signal } : {}),
  };
  if (ONLY_GIT.test(command)) return runProcess({ ...limits, cwd: root, env: { GIT_OPTIONAL_LOCKS: '0' } });
  const scratch = await makeScratch(root, undefined, env.signal ? { signal: env.signal } : {});
  try {
    return await runProcess({ ...limits, cwd: scratch.dir });
  } finally {
    await scratch.dispose();
  }
}

/** The file that a check names; a glob is met by its first match. */
function fileOf(paths: PathContext, path: string): string | undefined {
  if (/[*{?]/.test(path)) {
    const matches = picomatch(path, { dot: true });
    return paths.files.find((file) => matches(file));
  }
  try {
    return paths.resolve(path).path;
  } catch {
    return undefined;
  }
}

/**
 * Puts terms, playbook and candidates together into a structured plan.
 *
 * @param playbook the matched one with its checks run; its steps are the plan's, else there are generic ones
 * @param candidates best first; the plan lists {@link MAX_CANDIDATES}
 * @returns with `openQuestions` for checks that ask first, and `stopped` for one that must not fail
 */
export function assemblePlan(
  taskType: Plan['taskType'],
  terms: PlanTerm[],
  playbook: PlaybookRun | null,
  candidates: FileCandidate[],
): Plan {
  const files = candidates
    .slice(0, MAX_CANDIDATES)
    .map((c) => ({ path: c.path as string, why: c.why, summary: c.summary, score: c.score }));
  const focus = focusFiles(
    terms,
    files.map((f) => f.path),
  );
  const failed = playbook?.checks.filter((c) => c.state === 'missing' || c.state === 'failed') ?? [];
  const stop = failed.find((c) => c.onMissing === 'stop');
  return {
    taskType,
    steps: playbook ? playbook.steps : genericSteps(taskType, terms, focus),
    focus,
    candidates: files,
    terms,
    playbook,
    openQuestions: failed.filter((c) => c.onMissing === 'ask_user_first').map(questionFor),
    placeWarnings: [],
    stopped: stop ? `${stop.detail}：${stop.purpose}` : null,
  };
}

function questionFor(check: CheckState): string {
  const what =
    check.state === 'missing' ? `找不到 ${check.target}` : `检查没有通过：${check.target}（${check.detail}）`;
  return `${what}（用途：${check.purpose}）。要先补上它，还是直接继续？`;
}

/** Where the search and the team's words agree comes first; then the two best of each, then the other candidates. */
function focusFiles(terms: PlanTerm[], candidates: string[]): string[] {
  const verified = terms.filter((t) => t.status === 'verified');
  const named = verified.flatMap((t) => t.symbols.map((s) => s.file)).filter((f): f is string => f !== null);
  const both = candidates.filter((c) => named.includes(c));
  return [...new Set([...both, ...candidates.slice(0, 2), ...named.slice(0, 2), ...candidates])].slice(0, MAX_FOCUS);
}

/** Steps for a task that no playbook covers: what the team's words and the files say, in the order of careful work. */
function genericSteps(taskType: Plan['taskType'], terms: PlanTerm[], focus: string[]): string[] {
  const where = focus[0] ?? '相关文件';
  const symbol = terms.flatMap((t) =>
    t.symbols.filter((s) => s.file !== null).map((s) => `${s.name}（${s.file}:${s.line}，${t.keyword_ch}）`),
  )[0];
  const read = symbol ? `读 ${symbol}，确认现在的行为` : `读 ${where}，确认现在的行为`;
  const change = {
    bugfix: '先写一个能重现问题的测试，再改到它通过',
    feature: `在 ${where} 实现，沿用已有的写法和命名`,
    refactor: '小步改，每一步后测试都要通过，行为不变',
    general: `改 ${where}，只动需要动的行`,
  }[taskType];
  const test = taskType === 'bugfix' ? '跑全部测试，确认没有带坏别处' : '补上或更新测试，再跑全部测试';
  return [read, change, test, '对照警示检查改动，再确认'];
}

/** Modules that the files in focus belong to. */
export function focusModules(files: string[], moduleOf: (path: string) => string | undefined): Set<string> {
  return new Set(files.map(moduleOf).filter((m): m is string => m !== undefined));
}

/** The retrieved lists, terms with the file and line where their symbols were found in the code. */
export function addPlaces(retrieved: CoreResult, planned: PlanTerm[]): CoreResult {
  const found = new Map(planned.map((term) => [term.id, term.symbols]));
  const terms = retrieved.terms.map((hit) => {
    const places = (found.get(hit.entry.id) ?? []).flatMap(({ name, file, line }) =>
      file === null || line === null ? [] : [{ symbol: name, path: file, line }],
    );
    return { ...hit, places };
  });
  return { ...retrieved, terms };
}

/** The warnings of a run: those of its files first, then what the request brought. */
export function warningsOf(retrieved: CoreResult | null, plan: Plan | null): Hit<Warning>[] {
  const ofFiles = (plan?.placeWarnings ?? []) as Hit<Warning>[];
  const known = new Set(ofFiles.map((hit) => hit.entry.id));
  return [...ofFiles, ...(retrieved?.warnings ?? []).filter((hit) => !known.has(hit.entry.id))];
}

/** The same for work on the code: without the terms that the plan dropped because nothing in the repository bears them out. */
export function withPlaces(retrieved: CoreResult, planned: PlanTerm[]): CoreResult {
  const kept = new Set(planned.map((term) => term.id));
  return addPlaces({ ...retrieved, terms: retrieved.terms.filter((hit) => kept.has(hit.entry.id)) }, planned);
}

/**
 * The retrieved lists, cut to what concerns the modules in focus: entries of other modules stay out of the prompt. A warning that names
 * paths concerns the files that it names: what holds everywhere lies in a module of its own (money, time), and was lost by it.
 *
 * @param focus files that the work starts from
 */
export function scopeToFocus(retrieved: CoreResult, modules: Set<string>, focus: readonly string[] = []): CoreResult {
  const concerns = <T extends { entry: { module?: string } }>(hit: T) =>
    hit.entry.module === undefined || modules.size === 0 || modules.has(hit.entry.module);
  return {
    ...retrieved,
    terms: retrieved.terms.filter(concerns),
    knowledge: retrieved.knowledge.filter(concerns),
    warnings: retrieved.warnings.filter((hit) => concerns(hit) || covers(hit.entry.when.paths, focus)),
  };
}

function covers(globs: readonly string[], files: readonly string[]): boolean {
  if (globs.length === 0) return false;
  const matches = picomatch([...globs], { dot: true });
  return files.some((file) => matches(file));
}
