import { closest, fold } from '../../text/index.js';
import { loadLayer } from '../load.js';
import { loadModules } from '../merge.js';
import { isWrittenByScan } from '../scanned.js';
import type { Term } from '../types.js';

/** What makes two terms one: the word, within a module. */
export const wordKey = (word: string, module: string | undefined) => `${fold(word)}\n${module ?? ''}`;

/** Terms that the project has, by id and by word. */
export class KnownTerms {
  /** Those that count: a person's, and what was imported. */
  readonly byId = new Map<string, Term>();
  readonly byWord = new Map<string, Term>();
  /** Candidates that `xihe scan` wrote and nobody has confirmed: a person's table goes before them. */
  readonly scannedById = new Map<string, Term>();
  private readonly scannedByWord = new Map<string, Term[]>();

  constructor(layerDir: string) {
    const files = [...loadLayer({ dir: layerDir, layer: 'project' }).terms.values()];
    const terms = files.flatMap((file) => file.entries.map(({ value }) => value));
    const scanFiles = new Set(
      [...new Set(terms.map(({ provenance }) => provenance.file))].filter((file) => isWrittenByScan(layerDir, file)),
    );
    for (const term of terms) {
      if (term.provenance.status === 'candidate' && scanFiles.has(term.provenance.file)) {
        this.scannedById.set(term.id, term);
        const key = fold(term.keyword_ch);
        this.scannedByWord.set(key, [...(this.scannedByWord.get(key) ?? []), term]);
      } else {
        this.byId.set(term.id, term);
        this.byWord.set(wordKey(term.keyword_ch, term.module), term);
      }
    }
  }

  /** Scanned candidates of a word, whatever their module. */
  scanned(word: string): readonly Term[] {
    return this.scannedByWord.get(fold(word)) ?? [];
  }
}

/** The modules of a project. */
export class ModuleNames {
  /** The team's name of a module, folded (订单), or its own → the module (order). */
  readonly byName: ReadonlyMap<string, string>;
  private readonly modules: readonly string[];

  constructor(layerDir: string) {
    const modules = loadModules({ dir: layerDir, layer: 'project' }).get('modules.yaml')?.entries[0]?.value;
    this.modules = Object.keys(modules?.globs ?? {});
    const titles = Object.entries(modules?.titles ?? {}).map(([module, title]) => [fold(title), module] as const);
    this.byName = new Map([...titles, ...this.modules.map((module) => [fold(module), module] as const)]);
  }

  /** What to do about a module that `modules.yaml` does not have, in Chinese; undefined for one that it has. */
  advice(module: string): string | undefined {
    if (this.modules.includes(module)) return undefined;
    const [near] = closest(module, this.modules, 1);
    const guess = near === undefined ? '' : `是不是 ${near}？否则`;
    return `${guess}在里面加上「${module}: [它的目录/**]」，或给已有的模块写上 title: ${module} 再导入`;
  }
}
