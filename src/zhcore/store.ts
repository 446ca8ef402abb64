import { join } from 'node:path';
import {
  KnowledgeBase,
  Lexicon,
  type LoadedLexicon,
  type LoadProblem,
  loadLexicon,
  problemsOf,
} from '../knowledge/index.js';
import { stableHash } from '../text/index.js';
import { type LayerDir, type LayerEntries, loadLayer } from './load.js';
import { loadModules, type Merged, type Modules, mergeLayers } from './merge.js';
import type { Playbook, Term, Warning } from './types.js';

const NO_MODULES: Modules = { globs: {}, titles: {} };

const nothing = <T>(): Merged<T> => ({ byId: new Map(), problems: [] });

/** Everything of all layers that is in force, and what could not be loaded. */
export class EntryStore {
  readonly knowledge: KnowledgeBase;
  terms: Merged<Term> = nothing();
  warnings: Merged<Warning> = nothing();
  playbooks: Merged<Playbook> = nothing();
  modules: Modules = NO_MODULES;
  /** Content hash of all entries in force; comments and layout of the files don't count. */
  version = '';
  private entries: LayerEntries[] = [];
  private lexicons: LoadedLexicon[] | undefined;
  private words: Lexicon | undefined;
  private moduleFiles: ReturnType<typeof loadModules> = new Map();

  /**
   * @param layers general first
   * @param cacheDir where the lexical index is kept between processes
   */
  constructor(
    private readonly layers: readonly LayerDir[],
    cacheDir?: string,
  ) {
    this.knowledge = KnowledgeBase.open(
      layers.map(({ dir, layer, lastGoodDir }) => ({ dir: join(dir, 'knowledge'), layer, lastGoodDir })),
      cacheDir === undefined ? undefined : { file: join(cacheDir, 'knowledge-index.bin'), salt: () => this.version },
    );
    this.load();
  }

  get problems(): LoadProblem[] {
    const own = [this.terms, this.warnings, this.playbooks].flatMap((merged) => merged.problems);
    const words = this.lexicons?.flatMap((one) => one.problems) ?? [];
    return [...own, ...problemsOf(this.moduleFiles), ...this.knowledge.problems, ...words];
  }

  /** The lexicons of all layers. Loaded on first use: an exact look-up needs none of its thousands of words. */
  get lexicon(): Lexicon {
    this.lexicons ??= this.layers.map(({ dir }) => loadLexicon(join(dir, 'knowledge')));
    this.words ??= new Lexicon(this.lexicons.flatMap((one) => one.groups));
    return this.words;
  }

  /** Reads again what changed on disk. */
  reload(): void {
    this.knowledge.reload();
    if (this.lexicons !== undefined) {
      this.lexicons = this.layers.map(({ dir }, i) => loadLexicon(join(dir, 'knowledge'), this.lexicons?.[i]));
      this.words = undefined;
    }
    this.load();
  }

  private load(): void {
    this.entries = this.layers.map((layer, i) => loadLayer(layer, this.entries[i]));
    const over = <K extends keyof LayerEntries>(key: K, folder: string) =>
      this.layers.map((layer, i) => ({ layer, files: (this.entries[i] as LayerEntries)[key], folder }));
    this.terms = mergeLayers<Term>(over('terms', 'knowledge/terms'));
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
