import { identifierTokens } from '../history/index.js';
import type { FileIndex } from './fileIndex.js';
import type { WeighedTokens } from './postings.js';
import type { Evidence } from './types.js';

/** Names given in one reason. */
const MAX_SHOWN = 2;
/** A name that is in the code as it stands counts more than its parts that stand apart. */
const PARTS = 0.5;

/** A name, as the tokens that the repository has of it. */
interface KnownName {
  name: string;
  /** The whole name; undefined where no file has it. */
  whole: number | undefined;
  parts: number[];
  /** How many parts it has, those included that no file has. */
  length: number;
}

/**
 * Identifiers that a model named for a request: it has not seen the repository, so they are guesses, which find files only by what these
 * hold.
 */
export class ModelNames {
  readonly #index: FileIndex;
  readonly #names: readonly KnownName[];

  constructor(index: FileIndex, names: readonly string[]) {
    this.#index = index;
    const find = (token: string) => index.vocabulary.find(token);
    this.#names = names.map((name) => {
      const tokens = identifierTokens(name);
      const parts = tokens.length > 1 ? tokens.slice(0, -1) : tokens;
      const known = parts.map(find).filter((id) => id !== undefined);
      return { name, whole: find(tokens.at(-1) ?? ''), parts: known, length: parts.length };
    });
  }

  /** What each file has of the names, by position. */
  scores(): Float64Array {
    const things = this.#names.map(({ whole, parts, length }): WeighedTokens[] => [
      whole === undefined ? [] : [[whole, 1]],
      parts.map((id) => [id, PARTS / Math.sqrt(length)] as const),
    ]);
    return this.#index.postings.scoresOfThings(things);
  }

  /** Which names a file has; of one that has parts only, which it is like. */
  reason(position: number): Evidence | undefined {
    const { postings } = this.#index;
    const has = (id: number) => postings.holds(id, position);
    const worth = ({ parts }: KnownName) => parts.reduce((sum, id) => sum + postings.idf(id), 0);
    const byWorth = (names: KnownName[]) => names.sort((a, b) => worth(b) - worth(a)).slice(0, MAX_SHOWN);
    const meant = this.#names.filter(
      ({ whole, parts, length }) =>
        (whole !== undefined && has(whole)) || (length > 0 && parts.length === length && parts.every(has)),
    );
    const shown = byWorth(meant.length > 0 ? meant : this.#names.filter(({ parts }) => parts.some(has)));
    if (shown.length === 0) return undefined;
    const detail = `${meant.length > 0 ? '' : '像'}模型点名 ${shown.map(({ name }) => name).join('、')}`;
    return { kind: 'model', detail, weight: shown.reduce((sum, name) => sum + worth(name), 0) };
  }
}
