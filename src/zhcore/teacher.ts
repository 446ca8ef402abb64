import { addUserWords } from '../text/index.js';
import type { Term } from './types.js';

/** Tells the cutter of a team's words, so that it keeps them whole: once for each load, as folding them all costs milliseconds. */
export class Teacher {
  private taught: ReadonlyMap<string, Term> | undefined;

  /** @param terms by id; the same map until they are loaded anew */
  teach(terms: ReadonlyMap<string, Term>): void {
    if (terms === this.taught) return;
    for (const term of terms.values()) addUserWords([term.keyword_ch, ...term.aliases]);
    this.taught = terms;
  }
}
