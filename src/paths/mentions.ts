import { fold, similarity } from '../text/index.js';
import { nearest } from './nearest.js';
import { repairKey } from './repair.js';
import { baseOf, extensionOf, stemOf } from './rules.js';

/** What a name in a request is worth (measured): a path, a file name, a stem, a folder, a part of a stem. */
const SCORES = { path: 3, file: 2.5, stem: 2, folder: 1, part: 0.8 } as const;
/** A mistyped file name must be at least this like a real one. */
const MIN_TYPO_SIMILARITY = 0.75;
/** A name that stands for more files than this names none of them. */
const MAX_SHARED = 40;
const GENERIC_STEM =
  /^(?:index|main|app|types?|utils?|common|config|constants?|init|test|tests|api|service|model|file|page|view|data|list|info|base|core)$/;

const PATH = /[\w@.$-]*(?:[/\\][\w@.$[\]()\u3400-\u9FFF-]+)+/g;
const FILE = /[\w$@][\w.$@-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w(])/g;
const IDENTIFIER = /[A-Za-z_$][\w$]*(?:-[A-Za-z_$][\w$]*)*/g;
const CHINESE = /[\u3400-\u9FFF]/;

/** A file that a request names. */
export interface Mention {
  path: string;
  score: number;
  /** In Chinese, which name. */
  detail: string;
}

export interface Mentions {
  /** Best first. */
  files: Mention[];
  /** True when the request names a file outright, so that names count before meaning. */
  outright: boolean;
}

/** Finds the names of files and folders that a request holds. Built once per state of the index. */
export class NameIndex {
  readonly #byBase = new Map<string, string[]>();
  readonly #byStem = new Map<string, string[]>();
  readonly #byFolder = new Map<string, Set<string>>();
  readonly #chinese: { path: string; name: string; stem: string }[] = [];
  readonly #paths: readonly string[];

  constructor(paths: readonly string[]) {
    this.#paths = paths;
    for (const path of paths) {
      add(this.#byBase, baseOf(path).toLowerCase(), path);
      add(this.#byStem, squeezed(stemOf(path)), path);
      const folders = path.split('/').slice(0, -1);
      for (const folder of folders) {
        const key = squeezed(folder);
        const known = this.#byFolder.get(key) ?? new Set<string>();
        known.add(path);
        this.#byFolder.set(key, known);
      }
      if (CHINESE.test(baseOf(path)))
        this.#chinese.push({ path, name: fold(repairKey(baseOf(path))), stem: fold(repairKey(stemOf(path))) });
    }
  }

  /** The files that a request names, by path, file name, stem, folder, or nearly so. */
  find(request: string): Mentions {
    const collected = new Collected();
    const text = request.normalize('NFC');
    const rest = this.#namedPaths(text, collected);
    this.#identifiers(rest, collected);
    this.#chineseNames(text, collected);
    if (!CHINESE.test(text) && !/\s/.test(text.trim()) && collected.size === 0) this.#guess(text.trim(), collected);
    return collected.result();
  }

  /** Paths and file names; what is left goes on as identifiers. */
  #namedPaths(text: string, collected: Collected): string {
    const take = (token: string) => {
      const name = token
        .replace(/[.,:;)\]]+$/, '')
        .replace(/:\d+.*$/, '')
        .replaceAll('\\', '/')
        .replace(/^(?:\.?\/)+/, '')
        .toLowerCase();
      if (!this.#exactly(name, collected) && extensionOf(name) !== '') this.#typo(name, collected);
      return ' ';
    };
    return text.replace(PATH, take).replace(FILE, (token) => (this.#isFileName(token) ? take(token) : token));
  }

  /** `user.name` looks like a file too; only an extension that the project has makes it one. */
  #isFileName(token: string): boolean {
    const extension = extensionOf(token);
    return this.#byBase.has(token.toLowerCase()) || this.#extensions().has(extension);
  }

  #knownExtensions: Set<string> | undefined;
  #extensions(): Set<string> {
    this.#knownExtensions ??= new Set(this.#paths.map(extensionOf).filter(Boolean));
    return this.#knownExtensions;
  }

  #exactly(name: string, collected: Collected): boolean {
    const base = baseOf(name);
    const found = this.#byBase.get(base) ?? this.#byStem.get(squeezed(base)) ?? [];
    const whole = found.filter(
      (path) =>
        path.toLowerCase() === name || path.toLowerCase().endsWith(`/${name}`) || withoutExtension(path).endsWith(name),
    );
    for (const path of whole)
      collected.add(path, name.includes('/') ? SCORES.path : SCORES.file, `点名 ${baseOf(path)}`, true);
    if (whole.length > 0) return true;
    for (const path of found.slice(0, MAX_SHARED))
      collected.add(path, SCORES.file * sharedEnd(path.toLowerCase(), name), `同名文件 ${baseOf(path)}`, true);
    if (found.length > 0) return true;
    return this.#folder(name, collected);
  }

  #folder(name: string, collected: Collected): boolean {
    const inside = this.#paths.filter((path) => `/${path.toLowerCase()}`.includes(`/${name}/`));
    for (const path of inside.slice(0, MAX_SHARED)) collected.add(path, SCORES.folder, `目录 ${name}`, false);
    return inside.length > 0;
  }

  #typo(name: string, collected: Collected): void {
    for (const path of nearest(name, this.#paths, 3)) {
      const likeness = similarity(baseOf(name), baseOf(path).toLowerCase());
      if (likeness >= MIN_TYPO_SIMILARITY)
        collected.add(path, SCORES.stem * likeness, `名字接近 ${baseOf(path)}`, true);
    }
  }

  #identifiers(text: string, collected: Collected): void {
    for (const identifier of new Set(text.match(IDENTIFIER) ?? [])) {
      const key = squeezed(identifier);
      if (key.length < 3) continue;
      const compound = /[a-z\d][A-Z]|[_-]/.test(identifier);
      const stems = this.#byStem.get(key) ?? [];
      const share = GENERIC_STEM.test(key) || stems.length > MAX_SHARED ? 0.25 : 1;
      for (const path of stems.slice(0, MAX_SHARED))
        collected.add(path, SCORES.stem * share, `文件名 ${baseOf(path)}`, compound && share === 1);
      const inFolder = this.#byFolder.get(key);
      if (inFolder && inFolder.size <= 5 * MAX_SHARED)
        for (const path of inFolder) collected.add(path, SCORES.folder, `目录 ${identifier}`, false);
      if (key.length >= 4) this.#parts(key, collected);
    }
  }

  #parts(key: string, collected: Collected): void {
    for (const [stem, paths] of this.#byStem) {
      if (stem === key || !stem.includes(key) || paths.length > MAX_SHARED) continue;
      for (const path of paths) collected.add(path, (SCORES.part * key.length) / stem.length, `文件名含 ${key}`, false);
    }
  }

  #chineseNames(text: string, collected: Collected): void {
    if (this.#chinese.length === 0) return;
    const key = fold(repairKey(text));
    for (const { path, name, stem } of this.#chinese) {
      if (key.includes(name)) collected.add(path, SCORES.file, `点名 ${baseOf(path)}`, true);
      else if (stem.length >= 2 && key.includes(stem))
        collected.add(path, SCORES.stem, `文件名 ${baseOf(path)}`, stem.length >= 4);
    }
  }

  /** The whole request is one Latin word that names nothing: letters in order, as people type into a file picker. */
  #guess(word: string, collected: Collected): void {
    const letters = word.toLowerCase().replace(/[\s]+/g, '');
    if (letters.length < 3) return;
    for (const path of this.#paths) {
      const score = inOrder(letters, path.toLowerCase());
      if (score > 0) collected.add(path, score, `路径按字母吻合 ${word}`, true);
    }
    if (collected.size === 0) this.#typo(letters, collected);
  }
}

class Collected {
  readonly #found = new Map<string, Mention & { best: number }>();
  #outright = false;

  get size(): number {
    return this.#found.size;
  }

  add(path: string, score: number, detail: string, outright: boolean): void {
    const known = this.#found.get(path);
    if (outright) this.#outright = true;
    if (!known) {
      this.#found.set(path, { path, score, detail, best: score });
      return;
    }
    known.score += score;
    if (score > known.best) Object.assign(known, { detail, best: score });
  }

  result(): Mentions {
    const files = [...this.#found.values()].sort(
      (a, b) => b.score - a.score || a.path.length - b.path.length || (a.path < b.path ? -1 : 1),
    );
    return { files: files.map(({ path, score, detail }) => ({ path, score, detail })), outright: this.#outright };
  }
}

/** 0–1: all letters in order, the more so the closer together and the nearer to the file's name. */
function inOrder(letters: string, path: string): number {
  // From the back, because the name says more than the folders.
  let at = path.length;
  let last = -1;
  for (let i = letters.length - 1; i >= 0; i--) {
    at = path.lastIndexOf(letters[i]!, at - 1);
    if (at < 0) return 0;
    if (last < 0) last = at;
  }
  const span = last - at + 1;
  const closeness = letters.length / span;
  return closeness < 0.4 ? 0 : closeness * (at > path.lastIndexOf('/') ? 1 : 0.7);
}

/** How many of the wanted last segments a path shares, as a share. */
function sharedEnd(path: string, wanted: string): number {
  const a = path.split('/').reverse();
  const b = wanted.split('/').reverse();
  let same = 0;
  while (same < b.length && a[same] === b[same]) same += 1;
  return Math.max(1, same) / b.length;
}

/** `order-service`, `OrderService` and `order_service` are one name. */
function squeezed(name: string): string {
  return name.replace(/[^A-Za-z0-9\u3400-\u9FFF]/g, '').toLowerCase();
}

function withoutExtension(path: string): string {
  return path.replace(/\.\w+$/, '').toLowerCase();
}

function add(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
