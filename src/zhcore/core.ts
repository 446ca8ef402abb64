import { join } from 'node:path';
import { packageRoot } from '../assets.js';
import {
  type Asked,
  type AskOptions,
  isExpired,
  type Lexicon,
  type LexiconGroup,
  type LoadProblem,
  type LookupOptions,
  type LookupResult,
  RERANK_TOP,
  Reranking,
  today,
  type VectorArm,
} from '../knowledge/index.js';
import { answerQuery } from './answer.js';
import type { ZhCoreOptions } from './coreOptions.js';
import { type AddedLines, placeWarnings, warningsForDiff } from './diff.js';
import { countsOf, entriesOf, entryOf } from './entries.js';
import { gateOf, toHit } from './hits.js';
import type { LayerDir } from './load.js';
import { moduleOfPath } from './modules.js';
import type { SlowPattern } from './pattern.js';
import { EntryStore } from './store.js';
import { Teacher } from './teacher.js';
import { type TermLookup, termLookupOf } from './termLookup.js';
import { TermIndex } from './terms.js';
import { PlaybookIndex, WarningIndex } from './triggers.js';
import type {
  CoreEntry,
  CoreQuery,
  CoreResult,
  DiffWarning,
  Hit,
  ModuleMap,
  Playbook,
  Term,
  Warning,
} from './types.js';
import type { Watching, WatchOptions } from './watch.js';

/** Characters of a request that are looked at: longer ones hold whole files, and cutting a megabyte of them takes ten seconds. */
const QUERY_MAX = 4_000;

/** Answers that are kept; a run asks the same again on every phase. */
const CACHE_SIZE = 200;

interface Indexes {
  /** The content that they were made from. */
  version: string;
  terms: TermIndex;
  playbooks: PlaybookIndex;
  warnings: WarningIndex;
  /** Answers by query. */
  answers: Map<string, CoreResult>;
}

/** What a team knows, loaded and ready to be asked. Made by {@link openZhCore}. */
export class ZhCore {
  private readonly store: EntryStore;
  private readonly reranking: Reranking | undefined;
  private readonly layerDirs: string[];
  private made: Indexes | undefined;
  private readonly teacher = new Teacher();

  constructor(private readonly options: ZhCoreOptions) {
    const general: LayerDir = { dir: options.generalDir ?? packageRoot(), layer: 'general' };
    const { projectDir, cacheDir } = options;
    const kept = (name: string) => (cacheDir === undefined ? undefined : join(cacheDir, name));
    const places = { lastGoodDir: kept('last-good'), chunksFile: kept('knowledge-chunks.json') };
    const layers: LayerDir[] =
      projectDir === undefined ? [general] : [general, { dir: projectDir, layer: 'project', ...places }];
    this.layerDirs = layers.map(({ dir }) => dir);
    this.store = new EntryStore(layers, cacheDir, options.vectors);
    this.reranking = options.rerank && new Reranking(options.rerank);
  }

  /** Content hash of everything in force; moves only when content does. */
  get dataVersion(): string {
    return this.store.version;
  }

  /** What could not be loaded, with file, line and reason in Chinese. */
  get problems(): LoadProblem[] {
    return this.store.problems;
  }

  get modules(): ModuleMap {
    return this.store.modules.globs;
  }

  /** How many entries are in force, by type. */
  counts(): ReturnType<typeof countsOf> {
    return countsOf(this.store);
  }

  /**
   * Reads what changed on disk; of what is broken now the last good version stays in force.
   *
   * @returns whether {@link dataVersion} moved
   */
  reload(): boolean {
    const before = this.dataVersion;
    this.store.reload();
    return this.dataVersion !== before;
  }

  /**
   * Reloads by itself from now on, whenever an entry's file changes: hot reload for whatever stays running.
   *
   * @throws nothing; where files can't be watched, their time stamps are polled
   */
  async watch(options: WatchOptions): Promise<Watching> {
    const { watchLayers } = await import('./watch.js');
    return watchLayers(this, this.layerDirs, options);
  }

  /**
   * `query_zh_core`: four lists, never mixed. Asks only when the trigger gate opens: Chinese in the request or in the comments of the
   * files in focus.
   *
   * @param asked what vectors say about the request, from {@link meaningOf}; without it words decide alone
   */
  query(query: CoreQuery, asked: Asked = {}): CoreResult {
    const { meaning, degraded, order } = asked;
    const { answers } = this.indexes();
    const day = this.today();
    const vectors = meaning === undefined ? '' : ` ${meaning.missing} ${order ?? ''}`;
    const key = `${day}${vectors} ${JSON.stringify(query)}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const found = this.answer(query, day, asked);
    const result = degraded === undefined ? found : { ...found, degraded };
    // What was missing may be there at the next question.
    if (degraded !== undefined) return result;
    answers.set(key, result);
    if (answers.size > CACHE_SIZE) answers.delete(answers.keys().next().value as string);
    return result;
  }

  /**
   * {@link query} with what vectors say about the request, where the gate opens. Takes about 30 ms more once the model is loaded; when
   * vectors can't answer in time, words answer alone and `degraded` says why.
   *
   * @throws XiheError CANCELLED when `options.signal` fires
   */
  async ask(query: CoreQuery, options?: AskOptions): Promise<CoreResult> {
    const asked = gateOf(query).asked ? await this.meaningOf(query.userIntent, options) : {};
    return this.query(query, asked);
  }

  /** {@link lookup} with what vectors say about the query, see {@link ask}. */
  async askLookup(query: string, section?: string, options?: AskOptions): Promise<LookupResult> {
    const asked = await this.meaningOf(this.store.knowledge.questionOf(query.slice(0, QUERY_MAX)), options);
    return this.lookup(query, section, { asked });
  }

  /**
   * What vectors say about a text, for {@link query} and {@link lookup}.
   *
   * @throws XiheError CANCELLED when `options.signal` fires
   */
  async meaningOf(query: string, options?: AskOptions): Promise<Asked> {
    const text = query.slice(0, QUERY_MAX);
    const { knowledge } = this.store;
    // Before anything is cut: what is cut with other words would be cut again.
    this.teachWords();
    const asked = await knowledge.ask(text, options);
    if (this.reranking === undefined) return asked;
    const hits = knowledge.search(text, RERANK_TOP, { filter: knowledge.stillValid(this.today()), ...asked });
    const order = await this.reranking.order(text, hits, options?.signal);
    return order === undefined ? asked : { ...asked, order };
  }

  /** The vectors of the passages: to be made, watched, closed. Undefined where nobody asked for vectors. */
  get vectors(): VectorArm | undefined {
    this.store.vectors?.take(this.store.knowledge.chunks);
    return this.store.vectors;
  }

  /** Ends what is under way and frees the embedder; a core without vectors needs no closing. */
  async close(): Promise<void> {
    await this.store.vectors?.close();
  }

  /** `lookup_knowledge`, see {@link KnowledgeBase.lookup}. */
  lookup(text: string, section?: string, options?: LookupOptions): LookupResult {
    const query = text.slice(0, QUERY_MAX);
    if (options?.exactOnly !== true) this.teachWords();
    return this.store.knowledge.lookup(query, section, { today: this.today(), ...options });
  }

  /** The entry of this id (a chunk's id for knowledge), if it is in force. */
  entry(id: string): ReturnType<typeof entryOf> {
    return entryOf(this.store, id);
  }

  /**
   * Warnings that fire on a diff.
   *
   * @param onSlow gets the patterns that took too long and were left out
   */
  warningsForDiff(diffs: readonly AddedLines[], onSlow?: (slow: SlowPattern) => void): DiffWarning[] {
    return warningsForDiff(this.warningsInForce(), diffs, onSlow);
  }

  /** The team's warnings about these files, by path alone: what to know before they are touched (generated code, GBK). */
  warningsForFiles(files: readonly string[]): Hit<Warning>[] {
    const day = this.today();
    return placeWarnings(this.warningsInForce(), files).map(({ entry, score, why }) =>
      toHit('warning', entry, score, why, day),
    );
  }

  /** The playbook that a request calls for, if there is one. */
  playbookFor(text: string): Playbook | undefined {
    return this.query({ userIntent: text, codeSymbols: [], taskType: 'general', force: true }).playbooks[0]?.entry;
  }

  /** Everything in force, documents of knowledge whole. */
  entries(): CoreEntry[] {
    return entriesOf(this.store);
  }

  /** The module of a path (relative, POSIX). */
  moduleOfPath(path: string): string | undefined {
    return moduleOfPath(path, this.store.modules);
  }

  /** Words that mean the same to a developer, of all layers; loaded on first use. */
  get lexicon(): Lexicon {
    return this.store.lexicon;
  }

  /** Every group of the lexicons of all layers, as the files have them. */
  get lexiconGroups(): LexiconGroup[] {
    return this.store.lexiconGroups;
  }

  /** Terms that stand behind symbols seen in code. */
  symbolsToTerms(symbols: readonly string[]): Term[] {
    const day = this.today();
    return this.indexes()
      .terms.bySymbols(symbols)
      .filter(({ provenance }) => !isExpired(provenance, day));
  }

  /** The small face that the path room asks (`TermLookup` there). */
  termLookup(): TermLookup {
    const { store } = this;
    const words = () => ({ terms: store.terms.byId, modules: store.modules, lexicon: store.lexicon });
    return termLookupOf(
      words,
      () => this.teachWords(),
      () => this.today(),
    );
  }

  private warningsInForce(): Warning[] {
    const day = this.today();
    return [...this.store.warnings.byId.values()].filter(({ provenance }) => !isExpired(provenance, day));
  }

  private today(): string {
    return today(this.options.now?.());
  }

  private answer(asking: CoreQuery, day: string, asked: Asked): CoreResult {
    const query = { ...asking, userIntent: asking.userIntent.slice(0, QUERY_MAX) };
    const result = answerQuery(query, day, this.store, this.indexes(), asked);
    return { ...result, terms: result.terms.map((hit) => this.withPlaces(hit)) };
  }

  private withPlaces(hit: Hit<Term>): Hit<Term> {
    const { symbolCheck } = this.options;
    if (symbolCheck === undefined) return hit;
    const placesOf = (symbol: string) => symbolCheck.places(symbol).map((place) => ({ symbol, ...place }));
    return { ...hit, places: hit.entry.code_symbols.flatMap(placesOf) };
  }

  private indexes(): Indexes {
    const { version, terms, playbooks, warnings } = this.store;
    if (this.made?.version === version) return this.made;
    this.teachWords();
    this.made = {
      version,
      terms: new TermIndex(terms.byId.values()),
      playbooks: new PlaybookIndex(playbooks.byId.values()),
      warnings: new WarningIndex(warnings.byId.values()),
      answers: new Map(),
    };
    return this.made;
  }

  /** Only once something is going to be cut: a start that cuts nothing does not pay for it. */
  private teachWords(): void {
    this.teacher.teach(this.store.terms.byId);
  }
}

/**
 * Opens the core: loads both layers. Never throws for what is wrong in a file: see `problems`.
 */
export function openZhCore(options: ZhCoreOptions = {}): ZhCore {
  return new ZhCore(options);
}
