import { isExpired, prepare } from '../knowledge/index.js';
import { hasChinese } from '../text/index.js';
import { focusOf, moduleOfPath } from './modules.js';
import type { EntryStore } from './store.js';
import type { TermIndex } from './terms.js';

/**
 * The small face that the path room asks (`TermLookup` there).
 *
 * @param terms asked at each look-up, since a reload makes another
 * @param today the day by which terms may be over
 */
export function termLookupOf(store: EntryStore, terms: () => TermIndex, today: () => string) {
  return {
    symbolsFor: (text: string): { word: string; symbols: string[]; module?: string; general?: boolean }[] => {
      const prepared = prepare(text);
      const day = today();
      return terms()
        .find(prepared, [], focusOf({}, prepared, store.modules, day))
        .filter(({ term }) => term.code_symbols.length > 0 && !isExpired(term.provenance, day))
        .map(({ term, word }) => ({
          word,
          symbols: term.code_symbols,
          ...(term.module ? { module: term.module } : {}),
          ...(term.provenance.layer === 'general' ? { general: true } : {}),
        }));
    },
    // Files are found as well with any edges (measured), and a cold look-up needs no jieba for them.
    related: (text: string) => store.lexicon.expand(text, undefined, true),
    moduleOf: (path: string): string | undefined => {
      const module = moduleOfPath(path, store.modules);
      if (module === undefined) return undefined;
      return store.modules.titles[module] ?? (hasChinese(module) ? module : undefined);
    },
  };
}
