import { join } from 'node:path';
import type { History } from '../history/index.js';
import { Derived } from './derived.js';
import { type ExpandSources, expandFile, expandFolder } from './expand.js';
import { FileIndex, type IndexProgress, type RefreshOptions } from './fileIndex.js';
import { Freshness } from './freshness.js';
import type { FactSource, FileFact } from './hotspots.js';
import type { Reference } from './imports.js';
import { type LookupOptions, lookupFiles } from './lookup.js';
import type { RefreshReport } from './refreshReport.js';
import { Renames } from './renames.js';
import type { PathOverlay } from './repair.js';
import { PathResolver } from './resolver.js';
import { type SearchOptions, searchFiles } from './search.js';
import { type SkeletonOptions, skeletonOf } from './skeleton.js';
import { StagedFiles, type StagedView } from './staged.js';
import { findSymbol } from './symbols.js';
import type {
  Expansion,
  FileCandidate,
  LookupMethod,
  Resolution,
  SearchHit,
  Skeleton,
  SymbolPlace,
  TermLookup,
  WriteTarget,
} from './types.js';
import { statOf } from './walk.js';

export interface OpenPathsOptions {
  /** Absolute path of the project, symlinks resolved (see openLayout). */
  root: string;
  /** Where the index is cached; where it can't be written every start reads all files. */
  stateDir: string;
  /** The team's words. */
  terms?: TermLookup;
  /** The repository's own commits as evidence. */
  history?: History;
  signal?: AbortSignal;
  /** Called every few files while the index is built. */
  onProgress?: (progress: IndexProgress) => void;
}

/** What a model sees of a repository: a small map, three tools, and one door for paths. */
export class PathContext {
  readonly #root: string;
  readonly #index: FileIndex;
  readonly #resolver: PathResolver;
  readonly #terms: TermLookup | undefined;
  readonly #history: History | undefined;
  readonly #derived: Derived;
  readonly #freshness: Freshness;

  private constructor(options: OpenPathsOptions, index: FileIndex, report: RefreshReport) {
    this.#root = options.root;
    this.#index = index;
    this.#terms = options.terms;
    this.#history = options.history;
    this.#derived = new Derived(index, options.history);
    const renames = new Renames();
    this.#freshness = new Freshness(
      { root: this.#root, index, derived: this.#derived, renames, history: options.history },
      report,
    );
    this.#resolver = new PathResolver(
      options.root,
      () => this.#derived.known(),
      (path) => renames.of(path),
    );
  }

  /** @see openPaths */
  static async open(options: OpenPathsOptions): Promise<PathContext> {
    const { index, report } = await FileIndex.open(options.root, options.stateDir, {
      ...(options.signal ? { signal: options.signal } : {}),
      ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    });
    return new PathContext(options, index, report);
  }

  /** Paths of all listed files, sorted. */
  get files(): string[] {
    return this.#index.list.map(({ path }) => path);
  }

  /** What the last refresh found; the first one is that of opening. */
  get lastRefresh(): RefreshReport {
    return this.#freshness.lastRefresh;
  }

  /** Another number whenever a look found other files, or other commits, than before: what answers can be kept by. */
  get treeVersion(): string {
    return `${this.#freshness.version}.${this.#history?.version ?? 0}`;
  }

  /** @see Freshness.refresh */
  refresh(options: RefreshOptions = {}): Promise<RefreshReport> {
    return this.#freshness.refresh(options);
  }

  /** @see Freshness.watch */
  watch(): boolean {
    return this.#freshness.watch();
  }

  /** Ends {@link watch}. */
  close(): void {
    this.#freshness.close();
  }

  /** Writes the index for the next process, however little changed. */
  save(): void {
    this.#index.save();
  }

  /** The map of the project: at most 200 nodes and 1,000 tokens. */
  loadContext(options: SkeletonOptions = {}): Skeleton {
    return skeletonOf(
      {
        paths: this.files,
        graph: this.#derived.graph(),
        churn: (path) => this.#history?.churn(path) ?? 0,
        moduleOf: (path) => this.#terms?.moduleOf(path),
      },
      options,
    );
  }

  /**
   * One path in 100–300 tokens: a folder's direct children, or a file's purpose, symbols, references and companions.
   *
   * @param options.reader who reads it, and so how it says to find more
   * @param options.staged the edits of a run: what it wrote is shown as written, what it deleted is gone
   * @throws XiheError as {@link resolve}
   */
  async expandPath(
    raw: string,
    options: { reader?: 'model' | 'person'; staged?: StagedView } = {},
  ): Promise<Expansion> {
    const resolution = this.resolve(raw, options.staged);
    const path = resolution.path as string;
    await this.#freshness.ensure([path]);
    const files = new StagedFiles(this.#index, options.staged);
    const file = await files.get(path);
    const sources = {
      files,
      graph: this.#derived.graph(),
      companions: this.#derived.companions(),
      moduleOf: (p: string) => this.#terms?.moduleOf(p),
    };
    const expansion = file ? expandFile(sources, file) : await this.#expandUnindexed(sources, path, options.reader);
    return resolution.repaired
      ? { ...expansion, note: resolution.note, text: `${resolution.note}\n${expansion.text}` }
      : expansion;
  }

  async #expandUnindexed(sources: ExpandSources, path: string, reader?: 'model' | 'person'): Promise<Expansion> {
    const isFolder = path === '.' || (statOf(join(this.#root, path))?.isDirectory() ?? sources.files.hasBelow(path));
    if (isFolder) return expandFolder(sources, path === '.' ? '' : path, reader);
    const text = `${path}：在，但被忽略规则排除，没有建索引；需要内容时直接读取。`;
    return { text, tokens: text.length, path, importsOut: [], importersIn: [], companions: [] };
  }

  /**
   * The files that a request is about, at most five, each with the reason and one line about it.
   *
   * @param query a request in Chinese or English, a file's name, or a part of one
   */
  async lookupFile(
    query: string,
    options: LookupOptions = {},
  ): Promise<{ candidates: FileCandidate[]; method: LookupMethod }> {
    const look = () =>
      lookupFiles(
        {
          index: this.#index,
          ground: this.#derived.ground(),
          names: this.#derived.names(),
          terms: this.#terms,
          history: this.#history,
        },
        query,
        options,
      );
    return this.#freshness.settled(look, ({ candidates }) => candidates.map(({ path }) => path));
  }

  /**
   * Where a symbol is defined: `OrderService.cancelExpired`, `cancelExpired`, `gmt_create`, an enum's member.
   *
   * @returns [] when it is defined nowhere
   */
  async findSymbol(name: string): Promise<SymbolPlace[]> {
    return this.#freshness.settled(
      () => findSymbol(this.#index, name),
      (found) => found.map(({ path }) => path),
    );
  }

  /** {@link findSymbol} without waiting, from the last look: what the core asks when it checks its terms. */
  places(symbol: string): { path: string; line: number }[] {
    return findSymbol(this.#index, symbol).map(({ path, line }) => ({ path, line }));
  }

  /** Files of the tree that import a file, each with the line of its import. */
  async importersOf(path: string): Promise<readonly Reference[]> {
    await this.#freshness.ensure([path]);
    return this.#derived.graph().importersOf(path);
  }

  /** Files that import a file or are imported by it, and its companions; none of a folder. */
  async tiesOf(path: string): Promise<string[]> {
    const importers = await this.importersOf(path);
    const ties = [...this.#derived.graph().importsOf(path), ...importers, ...this.#derived.companions().of(path)];
    return [...new Set(ties.map((tie) => tie.path))];
  }

  /** One line about a file, 10–20 tokens; undefined for what is not listed. */
  summary(path: string): string | undefined {
    return this.#index.get(path)?.summary;
  }

  /** Content hash of a file as the index knows it; undefined for what was never read. */
  version(path: string): string | undefined {
    return this.#index.get(path)?.hash || undefined;
  }

  /** What files are now, by their bytes; a change since the last look is seen. What is gone or not listed is left out. */
  async facts(paths: readonly string[]): Promise<Map<string, FileFact>> {
    await this.#freshness.ensure(paths);
    const known = paths.flatMap((path) => this.#index.get(path) ?? []);
    return new Map(
      known.map(({ path, hash, size, mtimeMs, summary }) => [path, { version: hash || `${size}:${mtimeMs}`, summary }]),
    );
  }

  /** {@link facts} as a run sees them: of a file that it has staged those of the staged text. */
  factsWith(view: StagedView): FactSource {
    const staged = new Set([...(view.added ?? []), ...(view.changed ?? []), ...(view.deleted ?? [])]);
    const isStaged = (path: string) => staged.has(path);
    const files = new StagedFiles(this.#index, view);
    const facts = async (paths: readonly string[]) => {
      const known = await this.facts(paths.filter((path) => !isStaged(path)));
      for (const path of paths.filter(isStaged)) {
        const file = await files.get(path);
        if (file) known.set(path, { version: file.hash, summary: file.summary });
      }
      return known;
    };
    return { facts, isStaged };
  }

  /** Lines that hold a text or match a regular expression, GBK files included. @throws XiheError USAGE, CANCELLED */
  searchCode(pattern: string, options: SearchOptions = {}): Promise<SearchHit[]> {
    return searchFiles(this.#root, this.#index, pattern, options);
  }

  /** @see PathResolver.resolve */
  resolve(raw: string, overlay?: PathOverlay): Resolution {
    return this.#resolver.resolve(raw, overlay);
  }

  /** @see PathResolver.resolveNew */
  resolveNew(raw: string, overlay?: PathOverlay): string {
    return this.#resolver.resolveNew(raw, overlay);
  }

  /** @see PathResolver.resolveForWrite */
  resolveForWrite(raw: string, overlay?: PathOverlay): WriteTarget {
    return this.#resolver.resolveForWrite(raw, overlay);
  }
}

/**
 * Opens the path context of a project: lists its files (through git where there is git), reads what the cache does not know,
 * and stays exact by {@link PathContext.refresh}.
 *
 * @throws XiheError CANCELLED when `options.signal` is aborted
 */
export function openPaths(options: OpenPathsOptions): Promise<PathContext> {
  return PathContext.open(options);
}
