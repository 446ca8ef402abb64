import { prepare, WordMatcher } from '../knowledge/index.js';
import { LooseMatcher } from './loose.js';
import { byLength, compareSameWord, type Focus, moduleRank, RELEVANCE, scoreOf } from './ranking.js';
import { SymbolReverse } from './symbols.js';
import type { Term } from './types.js';

/** A term that a request means. */
export interface TermMatch {
  term: Term;
  relevance: number;
  score: number;
  /** In Chinese. */
  why: string;
  /** The word or symbol that led to it; terms with the same one belong together. */
  word: string;
  /** Found word for word, not by parts. */
  direct: boolean;
}

/** Finds terms by keyword, alias, parts of a phrase, and symbol. */
export class TermIndex {
  private readonly words = new WordMatcher<Term>();
  private readonly loose = new LooseMatcher<Term>();
  private readonly symbols = new SymbolReverse<Term>();
  /** Keywords as they are compared. */
  private readonly keywords = new Map<Term, string>();

  constructor(terms: Iterable<Term>) {
    for (const term of terms) {
      this.keywords.set(term, prepare(term.keyword_ch));
      for (const word of [term.keyword_ch, ...term.aliases]) {
        this.words.add(word, term);
        this.loose.add(prepare(word), word, term);
      }
      for (const symbol of term.code_symbols) this.symbols.add(symbol, term);
    }
  }

  /** Terms that stand behind symbols in code, best match first, each once. */
  bySymbols(symbols: readonly string[]): Term[] {
    const matches = symbols.flatMap((symbol) => this.symbols.find(symbol));
    return [...new Set(matches.sort((a, b) => Number(b.whole) - Number(a.whole)).map((match) => match.entry))];
  }

  /**
   * Terms for a request, best first; terms of the same word stay together, the project's and the focused module's first.
   *
   * @param text prepared
   * @param symbols of the request and of the files in focus
   */
  find(text: string, symbols: readonly string[], focus: Focus): TermMatch[] {
    const best = new Map<Term, TermMatch>();
    const offer = (term: Term, relevance: number, word: string, why: string, direct: boolean) => {
      const score = scoreOf(relevance, term, focus);
      const known = best.get(term);
      if (known === undefined || known.score < score) {
        best.set(term, { term, relevance, score, why: why + moduleNote(term, focus), word, direct });
      }
    };
    this.offerWords(text, offer);
    for (const { entry, symbol, asked, whole } of symbols.flatMap((s) => this.symbols.find(s))) {
      const relevance = whole ? RELEVANCE.symbol : RELEVANCE.lastName;
      offer(entry, relevance, symbol, `代码符号 ${asked} 对应「${entry.keyword_ch}」`, true);
    }
    return grouped([...best.values()], focus);
  }

  private offerWords(
    text: string,
    offer: (t: Term, relevance: number, word: string, why: string, direct: boolean) => void,
  ): void {
    for (const { word, ids, start, end } of this.words.find(text)) {
      for (const term of ids) {
        const isKeyword = this.keywords.get(term) === text.slice(start, end);
        const relevance = (isKeyword ? RELEVANCE.keyword : RELEVANCE.alias) * byLength(word);
        offer(
          term,
          relevance,
          word,
          isKeyword ? `请求里有「${word}」` : `「${word}」是「${term.keyword_ch}」的别名`,
          true,
        );
      }
    }
    for (const { word, ids, found, gap, reversed } of this.loose.find(text)) {
      for (const term of ids) {
        const relevance = RELEVANCE.loose - 0.04 * gap - (reversed ? 0.05 : 0);
        offer(term, relevance, word, `「${found}」说的像是「${word}」`, false);
      }
    }
  }
}

function moduleNote(term: Term, focus: Focus): string {
  return moduleRank(term.module, focus) === 'focused' ? `；属于当前模块 ${term.module}` : '';
}

/** Sorts groups of the same word by their best score, and each group by layer and module. */
function grouped(matches: TermMatch[], focus: Focus): TermMatch[] {
  const groups = new Map<string, TermMatch[]>();
  for (const match of matches) {
    const key = prepare(match.word);
    groups.set(key, [...(groups.get(key) ?? []), match]);
  }
  const topOf = (group: readonly TermMatch[]) => Math.max(...group.map((match) => match.score));
  const view = (match: TermMatch) => ({
    provenance: match.term.provenance,
    module: match.term.module,
    score: match.score,
  });
  return [...groups.values()]
    .sort((a, b) => topOf(b) - topOf(a))
    .flatMap((group) => withoutGuesses(group).sort((a, b) => compareSameWord(view(a), view(b), focus)));
}

/**
 * Where the project knows a word, what the trade usually means by it would only mislead; and where a person has settled what it
 * means in a module, a candidate for the same module says nothing more.
 */
function withoutGuesses(group: TermMatch[]): TermMatch[] {
  const own = group.filter(({ term }) => term.provenance.layer === 'project');
  if (own.length === 0) return group;
  const settled = own.filter(({ term }) => term.provenance.status === 'verified').map(({ term }) => term.module);
  return own.filter(
    ({ term }) =>
      term.provenance.status === 'verified' ||
      !settled.some((module) => module === undefined || term.module === undefined || module === term.module),
  );
}
