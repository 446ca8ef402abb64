import type { FedPath } from './types.js';

/** What is given of a path that was given in this form in an earlier turn and has not changed. Text is given again: it is asked for to be edited. */
const LATER: Record<FedPath['form'], FedPath['form']> = {
  path: 'path',
  skeleton: 'path',
  summary: 'path',
  expand: 'summary',
  read: 'read',
};
/**
 * Turns after which what was told of the tree has faded: the conversation keeps one line of it (see the agent's context window), and
 * whoever asks again is told in full again.
 */
export const FADE_AFTER_TURNS = 6;

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
  #fed: FedPath[];

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
      (fed) =>
        fed.path === path &&
        turn - fed.turn <= FADE_AFTER_TURNS &&
        (version === undefined || fed.version === undefined || fed.version === version),
    );
    const enough = same.filter((fed) => covers(fed.form, form));
    if (enough.some((fed) => fed.turn === turn)) return { form: undefined, note: `${path} 本轮已经给过，见上文` };
    const earlier = enough.filter((fed) => fed.turn < turn).at(-1);
    const shorter = earlier ? LATER[form] : form;
    if (earlier === undefined || shorter === form) return { form };
    return { form: shorter, note: `${path} 前面给过详情，没有变化，这里只给简写` };
  }

  /**
   * The turn in which these lines of a text were given, where the conversation still holds them as they are: not changed since, not cut
   * out of it, not so long ago that they have faded.
   *
   * @param lines first and last, 1-based
   * @param version content hash of the file now
   */
  turnOfLines(path: string, lines: readonly [number, number], turn: number, version: string): number | undefined {
    return this.#fed.findLast(
      (fed) =>
        fed.path === path &&
        fed.version === version &&
        fed.lines !== undefined &&
        fed.lines[0] <= lines[0] &&
        fed.lines[1] >= lines[1] &&
        turn - fed.turn <= FADE_AFTER_TURNS,
    )?.turn;
  }

  /** Writes down what was given. */
  record(fed: FedPath): void {
    this.#fed.push({ ...fed });
  }

  /** What these calls gave is no longer in the conversation: it counts as never given. */
  forget(calls: ReadonlySet<string>): void {
    this.#fed = this.#fed.filter(({ call }) => call === undefined || !calls.has(call));
  }

  /** A new task starts with nothing shown. */
  reset(): void {
    this.#fed = [];
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

/** Whether what was given says what is asked for. A text does not say who imports it, so it is no expansion. */
function covers(given: FedPath['form'], asked: FedPath['form']): boolean {
  return given === asked || asked === 'path' || (given === 'expand' && asked === 'summary');
}
