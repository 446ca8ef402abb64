import { randomBytes } from 'node:crypto';
import { loadConfig, type XiheConfig } from '../../config.js';
import { openLayoutToRead, type ProjectLayout } from '../../layout.js';
import type { PathContext } from '../../paths/index.js';
import { openZhCore, Proposals, QueryLog, type ReloadEvent, RunLog, type ZhCore } from '../../zhcore/index.js';

/** How often notices of changed files are looked through: between two looks nothing is asked of the system, and of git nothing is started. In milliseconds. */
const LOOK_EVERY_MS = 100;
/** How often the tree is walked where the system gives no notices of changed files, in milliseconds: a walk of 20,000 files takes a second. */
const WALK_EVERY_MS = 2_000;

/** One project that a server has open. Made by {@link openServed}. */
export class ServedProject {
  #paths: Promise<PathContext> | undefined;
  #refreshing: Promise<unknown> | undefined;
  #lookedAt = 0;
  #seesChanges = false;
  #building = false;
  #buildAgain = false;
  #reloadListeners = new Set<(event: ReloadEvent) => void>();
  readonly #ending = new AbortController();
  readonly #opening = randomBytes(4).toString('hex');
  readonly queryLog: QueryLog;
  readonly runLog: RunLog;
  readonly proposals: Proposals;

  constructor(
    readonly name: string,
    readonly layout: ProjectLayout,
    readonly config: XiheConfig,
    readonly core: ZhCore,
  ) {
    this.queryLog = new QueryLog(layout.stateDir);
    this.runLog = new RunLog(layout.stateDir);
    this.proposals = new Proposals(layout.stateDir);
  }

  /** Follows the files of the layer from now on, and makes vectors that are missing. */
  async start(): Promise<void> {
    const { signal } = this.#ending;
    await this.core.watch({ onReload: (event) => this.#reloaded(event), signal });
    this.core.vectors?.warm();
    this.#buildVectors();
  }

  /** Content hash of everything that the core has in force. */
  get dataVersion(): string {
    return this.core.dataVersion;
  }

  /** Whether an answer stays the same as long as {@link dataVersion} does: not while vectors are being made. */
  get isSettled(): boolean {
    return !this.#building;
  }

  /** What answers about files can be kept by; another one after each opening, since counting starts anew. */
  treeVersionOf(paths: PathContext): string {
    return `${this.#opening}.${paths.treeVersion}`;
  }

  /** Told of every hot reload. @returns ends it */
  onReload(listener: (event: ReloadEvent) => void): () => void {
    this.#reloadListeners.add(listener);
    return () => this.#reloadListeners.delete(listener);
  }

  /** The path context, as fresh as a tenth of a second ago; opened at the first call. @throws XiheError CANCELLED when the project is closed */
  async paths(): Promise<PathContext> {
    if (this.#paths === undefined) {
      const opening = this.#openPaths();
      this.#paths = opening;
      // What failed (git not to be started, say) is tried afresh.
      opening.catch(() => {
        if (this.#paths === opening) this.#paths = undefined;
      });
      return opening;
    }
    const paths = await this.#paths;
    const every = this.#seesChanges ? LOOK_EVERY_MS : WALK_EVERY_MS;
    if (this.#refreshing === undefined && Date.now() - this.#lookedAt < every) return paths;
    // Whoever comes while a look is under way waits for it; two at once would only find the same.
    this.#refreshing ??= paths.refresh().finally(() => {
      this.#refreshing = undefined;
      this.#lookedAt = Date.now();
    });
    await this.#refreshing;
    return paths;
  }

  /** Ends watches and workers; the index of files is written for the next time. */
  async close(): Promise<void> {
    this.#ending.abort();
    const paths = await this.#paths?.catch(() => undefined);
    paths?.save();
    paths?.close();
    await this.core.close();
  }

  async #openPaths(): Promise<PathContext> {
    const { layout, core } = this;
    const [{ openPaths }, { openHistory }] = await Promise.all([
      import('../../paths/index.js'),
      import('../../history/index.js'),
    ]);
    const history = await openHistory(layout.root, layout.stateDir, this.config.history);
    const paths = await openPaths({
      root: layout.root,
      stateDir: layout.stateDir,
      terms: core.termLookup(),
      history,
      signal: this.#ending.signal,
    });
    this.#seesChanges = paths.watch();
    this.#lookedAt = Date.now();
    return paths;
  }

  #reloaded(event: ReloadEvent): void {
    this.#buildVectors();
    for (const listener of this.#reloadListeners) listener(event);
  }

  #buildVectors(): void {
    const { vectors } = this.core;
    if (vectors === undefined || !vectors.wanted) return;
    this.#buildAgain = this.#building;
    if (this.#building) return;
    this.#building = true;
    vectors
      .build()
      // Why it failed stands in the answers, as what they had to do without.
      .catch(() => undefined)
      .finally(() => {
        this.#building = false;
        if (this.#buildAgain && !this.#ending.signal.aborted) this.#buildVectors();
      });
  }
}

/**
 * Opens a project to be served: its layer over the general one, followed as files change.
 *
 * @param root its folder
 * @throws XiheError REPO_NOT_FOUND, CONFIG_INVALID
 */
export async function openServed(
  name: string,
  root: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServedProject> {
  const layout = openLayoutToRead(root, env);
  const config = loadConfig(layout.layerDir, env);
  const core = openZhCore({ projectDir: layout.layerDir, cacheDir: layout.stateDir, vectors: config });
  const project = new ServedProject(name, layout, config, core);
  await project.start();
  return project;
}
