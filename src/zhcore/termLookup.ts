import { isExpired, type Lexicon, prepare } from '../knowledge/index.js';
import { hasChinese } from '../text/index.js';
import type { Modules } from './merge.js';
import { focusOf, moduleOfPath } from './modules.js';
import { TermIndex } from './terms.js';
import type { Term } from './types.js';

/** What a look-up for files asks of the core. */
export interface Words {
  /** By id; the same map until they are loaded anew. */
  readonly terms: ReadonlyMap<string, Term>;
  readonly modules: Modules;
  readonly lexicon: Lexicon;
}

/** The small face that the path room asks (`TermLookup` there). */
export interface TermLookup {
  symbolsFor(text: string): { word: string; symbols: string[] }[];
  related(text: string): { word: string; relation: 'equal' | 'near'; from: string }[];
  moduleOf(path: string): string | undefined;
}

/**
 * Makes that face. Only the project's own terms lead to symbols: what ships is a guess about this repository, and the lexicon has it too.
 *
 * @param words asked at each look-up, since a reload brings others
 * @param teach called before terms are looked for, see `Teacher`
 * @param today the day by which terms may be over
 */
export function termLookupOf(
  words: () => Words,
  teach: (terms: Words['terms']) => void,
  today: () => string,
): TermLookup {
  let made: { of: Words['terms']; index: TermIndex } | undefined;
  const indexOf = (terms: Words['terms']): TermIndex => {
    if (made?.of === terms) return made.index;
    teach(terms);
    const own = [...terms.values()].filter(({ provenance }) => provenance.layer === 'project');
    made = { of: terms, index: new TermIndex(own) };
    return made.index;
  };
  return {
    symbolsFor(text) {
      const { terms, modules } = words();
      const prepared = prepare(text);
      const day = today();
      return indexOf(terms)
        .find(prepared, [], focusOf({}, prepared, modules, day))
        .filter(({ term }) => term.code_symbols.length > 0 && !isExpired(term.provenance, day))
        .map(({ term, word }) => ({ word, symbols: term.code_symbols }));
    },
    // Files are found as well with any edges (measured), and a cold look-up needs no jieba for them.
    related: (text) => words().lexicon.expand(text, undefined, true),
    moduleOf(path) {
      const { modules } = words();
      const module = moduleOfPath(path, modules);
      if (module === undefined) return undefined;
      return modules.titles[module] ?? (hasChinese(module) ? module : undefined);
    },
  };
}
