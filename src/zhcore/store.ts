import { dirname, join } from 'node:path';
import type { XiheConfig } from '../config.js';
import {
  DIMENSION_FILE,
  type IndexCache,
  KnowledgeBase,
  type Lexicon,
  type LexiconGroup,
  type LoadProblem,
  type OpenRemote,
  problemsOf,
  type RelatedTerm,
  readyVectorsFile,
  VectorArm,
} from '../knowledge/index.js';
import { stableHash } from '../text/index.js';
import { assertTrusted, projectOf } from '../trust.js';
import { Lexicons } from './lexicons.js';
import { type LayerDir, type LayerEntries, loadLayer, TERMS_FOLDER } from './load.js';
import { loadModules, type Merged, type Modules, mergeLayers, NO_MODULES } from './merge.js';
import type { Playbook, Term, Warning } from './types.js';

/**
 * What a word of the lexicon that means the same counts beside a word of the query: .3 and .4 measure best (MRR .602 → .612 over 276
 * questions, words alone); words that are merely near take more than they bring.
 */
const RELATED_WEIGHT = 0.3;

const nothing = <T>(): Merged<T> => ({ byId: new Map(), problems: [] });

/** Where vectors come from and lie, as the settings say. */
export interface VectorSettings {
  embedding: XiheConfig['embedding'];
  /** Without an address vectors lie in memory. */
  milvus?: XiheConfig['milvus'];
}

/** @param root of the project, absolute; decides its name on the server unless the settings have one */
function remoteOf(milvus: XiheConfig['milvus'], root: string): OpenRemote | undefined {
  const { address, timeoutSeconds, project, untrusted, ...rest } = milvus;
  if (address === undefined) return undefined;
  return async ({ id, dimension }, signal) => {
    assertTrusted(untrusted, 'milvus.address');
    const [{ openMilvusIndex }, { serverNameOf }] = await Promise.all([
      import('../knowledge/milvus/milvusIndex.js'),
      import('./serverName.js'),
    ]);
    const name = project ?? (await serverNameOf(root, signal));
    const timeoutMs = timeoutSeconds * 1000;
    return openMilvusIndex({ ...rest, address, project: name, embedderId: id, dimension, timeoutMs, signal });
  };
}

/** Everything of all layers that is in force, and what could not be loaded. */
export class EntryStore {
  readonly knowledge: KnowledgeBase;
  /** Undefined: nobody asked for vectors. */
  readonly vectors: VectorArm | undefined;
  terms: Merged<Term> = nothing();
  warnings: Merged<Warning> = nothing();
  playbooks: Merged<Playbook> = nothing();
  modules: Modules = NO_MODULES;
  /** Content hash of all entries in force; comments and layout of the files don't count. */
  version = '';
  private entries: LayerEntries[] = [];
  private readonly lexicons: Lexicons;
  private moduleFiles: ReturnType<typeof loadModules> = new Map();

  /**
   * @param layers general first
   * @param cacheDir where indexes are kept between processes
   * @param vectors who makes vectors and where they lie; without it words decide alone
   */
  constructor(
    private readonly layers: readonly LayerDir[],
    cacheDir?: string,
    vectors?: VectorSettings,
  ) {
    this.lexicons = new Lexicons(layers);
    this.vectors = vectors && this.openVectors(vectors, cacheDir);
    this.knowledge = KnowledgeBase.open(
      layers.map(({ dir, ...rest }) => ({ ...rest, dir: join(dir, 'knowledge') })),
      {
        cache: cacheDir === undefined ? undefined : this.lexicalCache(cacheDir),
        vectors: this.vectors,
        related: (query) => this.related(query),
      },
    );
    this.load();
  }

  get problems(): LoadProblem[] {
    const own = [this.terms, this.warnings, this.playbooks].flatMap((merged) => merged.problems);
    return [...own, ...problemsOf(this.moduleFiles), ...this.knowledge.problems, ...this.lexicons.problems];
  }

  /** @see Lexicons.lexicon */
  get lexicon(): Lexicon {
    return this.lexicons.lexicon;
  }

  /** Every group of all layers, as the files have them. */
  get lexiconGroups(): LexiconGroup[] {
    return this.lexicons.groups;
  }

  private lexicalCache(cacheDir: string): IndexCache {
    return { file: join(cacheDir, 'knowledge-index.bin'), salt: () => this.version };
  }

  private openVectors({ embedding, milvus }: VectorSettings, cacheDir: string | undefined): VectorArm {
    const general = this.layers.find(({ layer }) => layer === 'general');
    const project = this.layers.find(({ layer }) => layer === 'project');
    return new VectorArm({
      embedding,
      dir: cacheDir && join(cacheDir, 'vectors'),
      places: {
        ...(project ? { projectRoot: dirname(project.dir) } : {}),
        ...(cacheDir ? { dimensionFile: join(cacheDir, DIMENSION_FILE) } : {}),
      },
      readyFile: general && readyVectorsFile(general.dir),
      remote: project && milvus && remoteOf(milvus, projectOf(project.dir)),
    });
  }

  private related(query: string): RelatedTerm[] {
    return this.lexicon
      .expand(query)
      .filter(({ relation }) => relation === 'equal')
      .map(({ word }) => ({ word, weight: RELATED_WEIGHT }));
  }

  /** Reads again what changed on disk. */
  reload(): void {
    this.knowledge.reload();
    this.lexicons.reload();
    this.load();
  }

  private load(): void {
    this.entries = this.layers.map((layer, i) => loadLayer(layer, this.entries[i]));
    const over = <K extends keyof LayerEntries>(key: K, folder: string) =>
      this.layers.map((layer, i) => ({ layer, files: (this.entries[i] as LayerEntries)[key], folder }));
    this.terms = mergeLayers<Term>(over('terms', TERMS_FOLDER));
    this.warnings = mergeLayers<Warning>(over('warnings', 'knowledge/warnings'));
    this.playbooks = mergeLayers<Playbook>(over('playbooks', 'playbooks'));
    const project = this.layers.find(({ layer }) => layer === 'project');
    this.moduleFiles = project ? loadModules(project, this.moduleFiles) : new Map();
    this.modules = this.moduleFiles.get('modules.yaml')?.entries[0]?.value ?? NO_MODULES;
    this.version = this.contentHash();
  }

  private contentHash(): string {
    const lines: string[] = [];
    for (const [type, { byId }] of Object.entries({
      term: this.terms,
      warning: this.warnings,
      playbook: this.playbooks,
    })) {
      for (const { id, provenance } of byId.values())
        lines.push(`${type} ${provenance.layer} ${id} ${provenance.version}`);
    }
    return stableHash([...lines.sort(), this.knowledge.version, JSON.stringify(this.modules)].join('\n'));
  }
}
