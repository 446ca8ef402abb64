import { join } from 'node:path';
import { packageRoot } from '../assets.js';
import {
  type Chunk,
  KnowledgeBase,
  type LoadProblem,
  type LookupOptions,
  type LookupResult,
  prepare,
  problemsOf,
} from '../knowledge/index.js';
import { addUserWords, estimateTokens, hasChinese, identifiersOf, stableHash } from '../text/index.js';
import { type AddedLines, warningsForDiff } from './diff.js';
import { knowledgeFor } from './knowledgeHits.js';
import { type LayerDir, type LayerEntries, loadLayer, shownRoot } from './load.js';
import { loadModules, type Merged, type Modules, mergeLayers } from './merge.js';
import { focusOf, moduleOfPath } from './modules.js';
import { renderEntry } from './render.js';
import { TermIndex } from './terms.js';
import { PlaybookIndex, type Request, type TriggerMatch, WarningIndex } from './triggers.js';
import type {
  CoreQuery,
  CoreResult,
  DiffWarning,
  EntryType,
  Hit,
  ModuleMap,
  Playbook,
  SymbolIndex,
  Term,
  Warning,
} from './types.js';

export interface ZhCoreOptions {
  /** The folder that holds the general `knowledge/` and `playbooks/`; default: what ships in the package. */
  generalDir?: string;
  /** The project's `.xihe/`; it need not exist. */
  projectDir?: string;
  /** Confirms terms: where their symbols stand in the repository. */
  symbolCheck?: SymbolIndex;
}

/** Entries of each type that a query brings, unless it says otherwise. */
const DEFAULT_MAX_RESULTS = 5;

/** Playbooks are injected whole, and following two at once is already hard. */
const PLAYBOOKS_MAX = 2;

/** A playbook this much worse than the best one was meant for something else. */
const PLAYBOOK_SHARE = 0.6;

/** Answers that are kept; a run asks the same again on every phase. */
const CACHE_SIZE = 200;

/** Token counts of hits are for the default chunk length (setting `core.chunkChars`). */
const COUNTED_CHARS = 800;

interface Loaded {
  entries: LayerEntries[];
  modules: ReturnType<typeof loadModules>;
}

/** What a team knows, loaded and ready to be asked. Made by {@link openZhCore}. */
export class ZhCore {
  private readonly layers: LayerDir[];
  private readonly knowledge: KnowledgeBase;
  private loaded: Loaded = { entries: [], modules: new Map() };
  private terms: Merged<Term> = { byId: new Map(), problems: [] };
  private warnings: Merged<Warning> = { byId: new Map(), problems: [] };
  private playbooks: Merged<Playbook> = { byId: new Map(), problems: [] };
  private moduleFile: Modules = { globs: {}, titles: {} };
  private index: { terms: TermIndex; playbooks: PlaybookIndex; warnings: WarningIndex } | undefined;
  private cache = new Map<string, CoreResult>();
  private version = '';

  constructor(private readonly options: ZhCoreOptions) {
    const general: LayerDir = { dir: options.generalDir ?? packageRoot(), layer: 'general' };
    const project: LayerDir[] = options.projectDir === undefined ? [] : [{ dir: options.projectDir, layer: 'project' }];
    this.layers = [general, ...project];
    this.knowledge = KnowledgeBase.open(this.layers.map(({ dir, layer }) => ({ dir: join(dir, 'knowledge'), layer })));
    this.load();
  }

  /** Content hash of everything in force; moves only when content does. */
  get dataVersion(): string {
    return this.version;
  }

  /** What could not be loaded, with file, line and reason in Chinese. */
  get problems(): LoadProblem[] {
    const own = [this.terms, this.warnings, this.playbooks].flatMap((merged) => merged.problems);
    return [...own, ...problemsOf(this.loaded.modules), ...this.knowledge.problems];
  }

  get modules(): ModuleMap {
    return this.moduleFile.globs;
  }

  /** How many entries are in force, by type. */
  counts(): Record<EntryType, number> & { documents: number } {
    return {
      term: this.terms.byId.size,
      warning: this.warnings.byId.size,
      playbook: this.playbooks.byId.size,
      knowledge: this.knowledge.chunks.length,
      documents: this.knowledge.documents.length,
    };
  }

  /**
   * Reads what changed on disk; of what is broken now the last good version stays in force.
   *
   * @returns whether {@link dataVersion} moved
   */
  reload(): boolean {
    const before = this.version;
    this.knowledge.reload();
    this.load();
    return this.version !== before;
  }

  /**
   * `query_zh_core`: four lists, never mixed. Asks only when the trigger gate opens: Chinese in the request or in the comments of the
   * files in focus.
   */
  query(query: CoreQuery): CoreResult {
    const key = JSON.stringify([this.version, query]);
    const known = this.cache.get(key);
    if (known !== undefined) return known;
    const result = this.answer(query);
    this.cache.set(key, result);
    if (this.cache.size > CACHE_SIZE) this.cache.delete(this.cache.keys().next().value as string);
    return result;
  }

  /** `lookup_knowledge`, see {@link KnowledgeBase.lookup}. */
  lookup(query: string, section?: string, options?: LookupOptions): LookupResult {
    return this.knowledge.lookup(query, section, options);
  }

  /** The entry of this id (a chunk's id for knowledge), if it is in force. */
  entry(id: string): { type: EntryType; entry: Term | Warning | Playbook | Chunk } | undefined {
    const term = this.terms.byId.get(id);
    if (term) return { type: 'term', entry: term };
    const warning = this.warnings.byId.get(id);
    if (warning) return { type: 'warning', entry: warning };
    const playbook = this.playbooks.byId.get(id);
    if (playbook) return { type: 'playbook', entry: playbook };
    const chunk = id.includes('#') ? this.knowledge.chunks.find((candidate) => candidate.id === id) : undefined;
    return chunk && { type: 'knowledge', entry: chunk };
  }

  /** Warnings that fire on a diff. */
  warningsForDiff(diffs: readonly AddedLines[]): DiffWarning[] {
    return warningsForDiff(this.warnings.byId.values(), diffs);
  }

  /** The playbook that a request calls for, if there is one. */
  playbookFor(text: string): Playbook | undefined {
    const query: CoreQuery = { userIntent: text, codeSymbols: [], taskType: 'general', force: true };
    return this.query(query).playbooks[0]?.entry;
  }

  /** The module of a path (relative, POSIX). */
  moduleOfPath(path: string): string | undefined {
    return moduleOfPath(path, this.moduleFile);
  }

  /** Terms that stand behind symbols seen in code. */
  symbolsToTerms(symbols: readonly string[]): Term[] {
    return this.indexes().terms.bySymbols(symbols);
  }

  /** The small face that the path room asks (`TermLookup` there). */
  termLookup() {
    return {
      symbolsFor: (text: string): { word: string; symbols: string[]; module?: string }[] => {
        const prepared = prepare(text);
        const focus = { modules: focusOf({}, prepared, this.moduleFile) };
        return this.indexes()
          .terms.find(prepared, [], focus)
          .filter(({ term }) => term.code_symbols.length > 0)
          .map(({ term, word }) => ({
            word,
            symbols: term.code_symbols,
            ...(term.module ? { module: term.module } : {}),
          }));
      },
      moduleOf: (path: string): string | undefined => {
        const module = this.moduleOfPath(path);
        if (module === undefined) return undefined;
        return this.moduleFile.titles[module] ?? (hasChinese(module) ? module : undefined);
      },
    };
  }

  private answer(query: CoreQuery): CoreResult {
    const gate = gateOf(query);
    const empty = { dataVersion: this.version, gate, terms: [], knowledge: [], playbooks: [], warnings: [] };
    if (!gate.asked) return empty;
    const max = query.maxResults ?? DEFAULT_MAX_RESULTS;
    const text = prepare(query.userIntent);
    const symbols = [...new Set([...query.codeSymbols, ...identifiersOf(query.userIntent)])];
    const focus = { modules: focusOf(query, text, this.moduleFile) };
    const { terms, playbooks, warnings } = this.indexes();
    const termMatches = terms.find(text, symbols, focus);
    const request: Request = { text, symbols, files: query.files ?? [], focus, terms: termMatches };
    const books = playbooks.find(request, query.taskType);
    const top = books[0]?.score ?? 0;
    return {
      ...empty,
      terms: termMatches.slice(0, max).map(({ term, score, why }) => this.withPlaces(toHit('term', term, score, why))),
      knowledge: knowledgeFor(this.knowledge, query.userIntent, focus, max).map((m) => fromMatch('knowledge', m)),
      playbooks: books
        .filter((match) => match.score >= top * PLAYBOOK_SHARE)
        .slice(0, Math.min(max, PLAYBOOKS_MAX))
        .map((match) => fromMatch('playbook', match)),
      warnings: warnings
        .find(request)
        .slice(0, max)
        .map((match) => fromMatch('warning', match)),
    };
  }

  private withPlaces(hit: Hit<Term>): Hit<Term> {
    const { symbolCheck } = this.options;
    if (symbolCheck === undefined) return hit;
    const places = hit.entry.code_symbols.flatMap((symbol) =>
      symbolCheck.places(symbol).map((place) => ({ symbol, ...place })),
    );
    return { ...hit, places };
  }

  private indexes() {
    this.index ??= {
      terms: new TermIndex(this.terms.byId.values()),
      playbooks: new PlaybookIndex(this.playbooks.byId.values()),
      warnings: new WarningIndex(this.warnings.byId.values()),
    };
    return this.index;
  }

  private load(): void {
    const entries = this.layers.map((layer, i) => loadLayer(layer, this.loaded.entries[i]));
    const project = this.layers.find(({ layer }) => layer === 'project');
    this.loaded = { entries, modules: project ? loadModules(project, this.loaded.modules) : new Map() };
    const over = <K extends keyof LayerEntries>(key: K, folder: string) =>
      this.layers.map((layer, i) => ({ layer, files: (entries[i] as LayerEntries)[key], folder }));
    this.terms = mergeLayers<Term>(over('terms', 'knowledge/terms'));
    this.warnings = mergeLayers<Warning>(over('warnings', 'knowledge/warnings'));
    this.playbooks = mergeLayers<Playbook>(over('playbooks', 'playbooks'));
    this.moduleFile = [...this.loaded.modules.values()][0]?.entries[0]?.value ?? { globs: {}, titles: {} };
    const version = this.contentVersion();
    if (version === this.version) return;
    this.version = version;
    this.index = undefined;
    this.cache.clear();
    // So that the cutter keeps the team's words whole; costs nothing until something is cut.
    for (const term of this.terms.byId.values()) addUserWords([term.keyword_ch, ...term.aliases]);
  }

  private contentVersion(): string {
    const lines: string[] = [];
    for (const [type, { byId }] of Object.entries({
      term: this.terms,
      warning: this.warnings,
      playbook: this.playbooks,
    })) {
      for (const { id, provenance } of byId.values())
        lines.push(`${type} ${provenance.layer} ${id} ${provenance.version}`);
    }
    return stableHash([...lines.sort(), this.knowledge.version, JSON.stringify(this.moduleFile)].join('\n'));
  }
}

function gateOf(query: CoreQuery): CoreResult['gate'] {
  if (query.force) return { asked: true, why: '明确要求查询' };
  if (hasChinese(query.userIntent)) return { asked: true, why: '请求里有中文' };
  if (query.focusHasChinese) return { asked: true, why: '焦点文件的注释里有中文' };
  return { asked: false, why: '请求和焦点文件的注释里都没有中文，没有查询' };
}

function fromMatch<E extends Chunk | Playbook | Warning>(
  type: EntryType,
  { entry, score, why }: TriggerMatch<E>,
): Hit<E> {
  return toHit(type, entry, score, why);
}

function toHit<E extends Term | Chunk | Playbook | Warning>(
  type: EntryType,
  entry: E,
  score: number,
  why: string,
): Hit<E> {
  const hit: Hit<E> = {
    type,
    entry,
    provenance: entry.provenance,
    score: Math.round(score * 1000) / 1000,
    why,
    tokens: 0,
  };
  return { ...hit, tokens: estimateTokens(renderEntry(hit, COUNTED_CHARS)) };
}

/**
 * Opens the core: loads both layers. Never throws for what is wrong in a file: see `problems`.
 */
export function openZhCore(options: ZhCoreOptions = {}): ZhCore {
  return new ZhCore(options);
}
