import { folderOf } from './rules.js';

/** Places that `back` remembers: a walk that is longer is another walk. */
const MAX_HISTORY = 20;
/** Of the way, places that say which part of the tree a run works in. */
const RECENT = 5;

/** Where a run looks now, and where it came from; JSON, to be kept in a run's state. */
export interface WorkspaceState {
  /** A file or folder, `.` for the root; null before anything was looked at. */
  focus: string | null;
  /** Places looked at before, the oldest first. */
  history: string[];
}

/** What is tied to a file, for {@link Workspace.isElsewhere}. */
export type Ties = (path: string) => readonly string[];

/**
 * The window on the tree: one place, with what is directly around it, narrowed and widened as the work goes. What it shows of a place is
 * its expansion; here is which place that is.
 */
export class Workspace {
  #focus: string | null;
  #history: string[];

  constructor(state: WorkspaceState = { focus: null, history: [] }) {
    this.#focus = state.focus;
    this.#history = [...state.history];
  }

  get focus(): string | null {
    return this.#focus;
  }

  /** Turns to a place; the one before is remembered. */
  focusOn(path: string): void {
    if (path === this.#focus) return;
    if (this.#focus !== null) this.#history = [...this.#history, this.#focus].slice(-MAX_HISTORY);
    this.#focus = path;
  }

  /** The folder around the focus, undefined at the root or where nothing is in focus; nothing moves yet. */
  parent(): string | undefined {
    if (this.#focus === null || this.#focus === '.') return undefined;
    return folderOf(this.#focus) || '.';
  }

  /** Turns back to the place before, skipping those that are gone. @returns undefined where there is none */
  back(isThere: (path: string) => boolean): string | undefined {
    for (let last = this.#history.pop(); last !== undefined; last = this.#history.pop()) {
      if (!isThere(last)) continue;
      this.#focus = last;
      return last;
    }
    return undefined;
  }

  /**
   * Tells whether a request has turned to another part of the tree: none of the files that it starts from lies in, beside or above
   * what was looked at lately, and nothing ties them.
   *
   * @param starts best first
   * @param ties files that import or are imported, and companions
   */
  isElsewhere(starts: readonly string[], ties: Ties): boolean {
    if (this.#focus === null || starts.length === 0) return false;
    const places = [...this.#history.slice(-RECENT), this.#focus].filter((place) => place !== '.');
    if (places.length === 0) return false;
    const tied = new Set(places.flatMap((place) => [place, ...ties(place)]));
    return !starts.some((start) => tied.has(start) || places.some((place) => areClose(start, place)));
  }

  toJSON(): WorkspaceState {
    return { focus: this.#focus, history: [...this.#history] };
  }
}

/** One folder holds both, or one of them holds the other. The root holds everything, which says nothing. */
function areClose(a: string, b: string): boolean {
  const [left, right] = [folderOf(a), folderOf(b)];
  return (left !== '' && left === right) || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
