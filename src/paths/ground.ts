import { evidenceTokens, type History, type ScoredPaths } from '../history/index.js';
import type { FileIndex } from './fileIndex.js';
import type { Role } from './roles.js';
import { isTeamLayer } from './rules.js';
import type { IndexedFile } from './types.js';

/** Measured beside ln(1 + commits), which falls off later. */
const CHURN_POWER = 0.3;

/** A file never changes its path; its object and the numbers of its tokens live as long as the index. */
const namesOfFile = new WeakMap<IndexedFile, number[]>();

/**
 * What every look-up asks of all files and what changes with them only, by position in the index. Made anew whenever the index
 * changed; each part is worked out at its first use.
 */
export class Ground {
  readonly #index: FileIndex;
  readonly #history: History | undefined;
  #roles: Role[] | undefined;
  #teamLayer: Uint8Array | undefined;
  #churn: { version: number; values: Float64Array } | undefined;
  readonly #places = new WeakMap<readonly string[], Int32Array>();

  constructor(index: FileIndex, history: History | undefined) {
    this.#index = index;
    this.#history = history?.available ? history : undefined;
  }

  /** How many files there are. */
  get size(): number {
    return this.#index.list.length;
  }

  /** The part that each file plays. */
  get roles(): readonly Role[] {
    this.#roles ??= this.#index.list.map(({ role }) => role);
    return this.#roles;
  }

  /** 1 for files of a team's own layer, which speaks through its terms and is never a candidate. */
  get teamLayer(): Uint8Array {
    this.#teamLayer ??= Uint8Array.from(this.#index.list, ({ path }) => Number(isTeamLayer(path)));
    return this.#teamLayer;
  }

  /** How often commits changed each file, to a power: the tenth change says less than the first. */
  get churn(): Float64Array {
    const history = this.#history;
    if (history === undefined) return new Float64Array(this.size);
    if (this.#churn?.version !== history.version) {
      const values = this.placed(history.churns()).map((commits) => commits ** CHURN_POWER);
      this.#churn = { version: history.version, values };
    }
    return this.#churn.values;
  }

  /** Where in the index the files are that the history names; -1 for those that are gone. */
  placesOf(paths: readonly string[]): Int32Array {
    let places = this.#places.get(paths);
    if (places === undefined) {
      places = Int32Array.from(paths, (path) => this.#index.positionOf(path));
      this.#places.set(paths, places);
    }
    return places;
  }

  /** Scores of files that the history names, by position in the index; files that are gone are left out. */
  placed({ paths, scores }: ScoredPaths): Float64Array {
    const places = this.placesOf(paths);
    const placed = new Float64Array(this.size);
    for (let i = 0; i < scores.length; i++) {
      const position = places[i]!;
      if (position >= 0 && scores[i]! > 0) placed[position] = scores[i]!;
    }
    return placed;
  }

  /** Tokens of the last three names of a path: folders above say where a project keeps things, not what they are. */
  lastNames(position: number): readonly number[] {
    const file = this.#index.list[position]!;
    let ids = namesOfFile.get(file);
    if (ids === undefined) {
      const tokens = new Set(evidenceTokens(file.path.split('/').slice(-3).join('/')));
      ids = [...tokens].map((token) => this.#index.vocabulary.find(token)).filter((id) => id !== undefined);
      namesOfFile.set(file, ids);
    }
    return ids;
  }
}
