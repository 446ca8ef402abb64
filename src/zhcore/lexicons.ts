import { join } from 'node:path';
import { Lexicon, type LexiconGroup, type LoadedLexicon, loadLexicon, openReadyLexicon } from '../knowledge/index.js';
import type { LayerDir } from './load.js';
import type { LoadProblem } from './types.js';

/** The lexicons of all layers. Opened on first use: an exact look-up needs none of its thousands of words. */
export class Lexicons {
  /** By layer, those that were asked for. */
  private loaded: (LoadedLexicon | undefined)[] = [];
  private words: Lexicon | undefined;

  /** @param layers general first */
  constructor(private readonly layers: readonly LayerDir[]) {}

  get lexicon(): Lexicon {
    this.words ??= this.open();
    return this.words;
  }

  /** Every group of all layers, as the files have them. */
  get groups(): LexiconGroup[] {
    return this.layers.flatMap((_, i) => this.of(i).groups);
  }

  get problems(): LoadProblem[] {
    return this.loaded.flatMap((one) => one?.problems ?? []);
  }

  /** Reads again what changed on disk. */
  reload(): void {
    this.loaded = this.loaded.map((one, i) => one && loadLexicon(this.folderOf(i), one));
    this.words = undefined;
  }

  private open(): Lexicon {
    const ready = this.layers.map(({ layer }, i) =>
      layer === 'general' ? openReadyLexicon(this.folderOf(i)) : undefined,
    );
    const others = this.layers.flatMap((_, i) => (ready[i] === undefined ? this.of(i).groups : []));
    return new Lexicon(
      others,
      ready.find((one) => one !== undefined),
    );
  }

  private of(layer: number): LoadedLexicon {
    const loaded = this.loaded[layer] ?? loadLexicon(this.folderOf(layer));
    this.loaded[layer] = loaded;
    return loaded;
  }

  private folderOf(layer: number): string {
    return join((this.layers[layer] as LayerDir).dir, 'knowledge');
  }
}
