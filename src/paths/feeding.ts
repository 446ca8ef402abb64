import type { FedPath } from './types.js';

/** Forms from the shortest to the longest. */
const FORMS: readonly FedPath['form'][] = ['skeleton', 'summary', 'expand', 'read'];
/** What is given of a path that was given in this form in an earlier turn and has not changed. Text is given again: it is asked for to be edited. */
const LATER: Record<FedPath['form'], FedPath['form']> = {
  skeleton: 'skeleton',
  summary: 'skeleton',
  expand: 'summary',
  read: 'read',
};

export interface FeedingDecision {
  /** What to give; undefined when this turn has it already. */
  form: FedPath['form'] | undefined;
  /** In Chinese, for the model, when less is given than was asked for. */
  note?: string;
}

/**
 * Remembers what the model was shown, so that no path is fed twice in one turn and later turns get the shorter form. JSON in
 * and out, to be kept in a run's state.
 */
export class FeedingLedger {
  readonly #fed: FedPath[];

  constructor(fed: readonly FedPath[] = []) {
    this.#fed = [...fed];
  }

  /**
   * What to give when a path is asked for.
   *
   * @param form the form that is asked for
   * @param turn number of the model turn
   * @param version content hash, when known: a path that changed is given in full
   */
  decide(path: string, form: FedPath['form'], turn: number, version?: string): FeedingDecision {
    const same = this.#fed.filter(
      (fed) => fed.path === path && (version === undefined || fed.version === undefined || fed.version === version),
    );
    const longest = (list: FedPath[]) => Math.max(-1, ...list.map((fed) => FORMS.indexOf(fed.form)));
    const wanted = FORMS.indexOf(form);
    if (longest(same.filter((fed) => fed.turn === turn)) >= wanted)
      return { form: undefined, note: `${path} 本轮已经给过，见上文` };
    if (longest(same.filter((fed) => fed.turn < turn)) < wanted) return { form };
    const shorter = LATER[form];
    return shorter === form ? { form } : { form: shorter, note: `${path} 前面给过详情，这里只给简写` };
  }

  /** Writes down what was given. */
  record(fed: FedPath): void {
    this.#fed.push({ ...fed });
  }

  /** A new task starts with nothing shown. */
  reset(): void {
    this.#fed.length = 0;
  }

  /** Tokens given so far, of one turn or of all. */
  tokens(turn?: number): number {
    return this.#fed.filter((fed) => turn === undefined || fed.turn === turn).reduce((sum, fed) => sum + fed.tokens, 0);
  }

  /** Paths that were given, last ones first, each once. */
  recent(n: number): string[] {
    return [...new Set(this.#fed.map(({ path }) => path).reverse())].slice(0, n);
  }

  toJSON(): FedPath[] {
    return this.#fed.map((fed) => ({ ...fed }));
  }
}
