import { posix } from 'node:path';
import { baseOf, extensionOf, folderOf } from './rules.js';
import type { IndexedFile } from './types.js';

/** What a specifier without extension may stand for, in the order that bundlers try. */
const EXTENSIONS = [
  'ts',
  'tsx',
  'vue',
  'js',
  'jsx',
  'mts',
  'cts',
  'mjs',
  'cjs',
  'json',
  'uts',
  'nvue',
  'css',
  'scss',
  'less',
  'py',
  'php',
  'rs',
  'dart',
];
/** `./a.js` in TypeScript means `a.ts`. */
const WRITTEN_AS: Record<string, string[]> = { js: ['ts', 'tsx', 'jsx'], mjs: ['mts'], cjs: ['cts'], jsx: ['tsx'] };
/** Extensions of languages that import by package, never by relative path. */
const PACKAGED = new Set(['java', 'kt', 'kts', 'scala', 'groovy', 'go']);
const INDEX_NAMES = ['index', '__init__', 'mod'];
/** Files of a Go or Java package that one import stands for, at most. */
const MAX_PACKAGE_FILES = 30;

export interface Reference {
  path: string;
  /** 1-based line of the import, in the importing file. */
  line: number;
}

/** Who imports whom inside of the project, resolved from specifiers by name and place. */
export class ImportGraph {
  readonly #places: Places;
  readonly #out = new Map<string, Reference[]>();
  readonly #in = new Map<string, Reference[]>();

  constructor(files: readonly IndexedFile[]) {
    this.#places = new Places(files);
    for (const file of files) this.#add(file);
  }

  /** Files that `path` imports, in the order of their imports. */
  importsOf(path: string): readonly Reference[] {
    return this.#out.get(path) ?? [];
  }

  /** Files that import `path`, each with the line of its import, by path. */
  importersOf(path: string): readonly Reference[] {
    return this.#in.get(path) ?? [];
  }

  /** What these imports of a file lead to, whether the file is in the graph or not: of a text that is not written yet. */
  targetsOf(path: string, imports: IndexedFile['imports']): Reference[] {
    const found = new Map<string, Reference>();
    for (const [specifier, line] of imports)
      for (const target of this.#places.resolve(path, specifier))
        if (target !== path && !found.has(target)) found.set(target, { path: target, line });
    return [...found.values()];
  }

  /** Takes a file's new imports in. Only for a file that is in the graph: a new path may change what others mean. */
  replace(file: IndexedFile): void {
    for (const { path } of this.importsOf(file.path)) {
      const left = this.importersOf(path).filter((importer) => importer.path !== file.path);
      this.#in.set(path, left);
    }
    this.#out.delete(file.path);
    for (const target of this.#add(file)) this.#in.get(target)!.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  #add(file: IndexedFile): string[] {
    const targets = this.targetsOf(file.path, file.imports);
    if (targets.length > 0) this.#out.set(file.path, targets);
    for (const { path, line } of targets) push(this.#in, path, { path: file.path, line });
    return targets.map(({ path }) => path);
  }
}

function push(map: Map<string, Reference[]>, key: string, reference: Reference): void {
  const list = map.get(key);
  if (list) list.push(reference);
  else map.set(key, [reference]);
}

/** Finds files by what import statements of several languages call them. */
class Places {
  readonly #paths: Set<string>;
  /** Last two segments without extension → paths: `order/OrderService` → src/main/java/com/mall/order/OrderService.java. */
  readonly #bySuffix = new Map<string, string[]>();
  readonly #byFolder = new Map<string, string[]>();
  /** Path without extension → paths: `src/a` → src/a.ts, src/a.css. */
  readonly #byBare = new Map<string, string[]>();
  /** Files of one folder import the same things. */
  readonly #memo = new Map<string, string[]>();

  constructor(files: readonly IndexedFile[]) {
    this.#paths = new Set(files.map(({ path }) => path));
    for (const { path } of files) {
      add(this.#bySuffix, lastSegments(withoutExtension(path), 2), path);
      add(this.#byFolder, folderOf(path), path);
      add(this.#byBare, withoutExtension(path), path);
    }
  }

  resolve(from: string, specifier: string): string[] {
    const extension = extensionOf(from);
    // Packages mean the same from everywhere, relative names only from one folder.
    const key = `${PACKAGED.has(extension) ? '' : folderOf(from)}\0${extension}\0${specifier}`;
    let found = this.#memo.get(key);
    if (found === undefined) {
      found = this.#resolve(from, specifier);
      this.#memo.set(key, found);
    }
    return found;
  }

  #resolve(from: string, specifier: string): string[] {
    const extension = extensionOf(from);
    if (extension === 'py') return this.#python(from, specifier);
    if (extension === 'go') return this.#goPackage(specifier);
    if (PACKAGED.has(extension)) return this.#javaClass(specifier);
    if (extension === 'php' || extension === 'rs') return this.#bySeparators(from, specifier);
    return this.#relative(from, specifier);
  }

  #relative(from: string, specifier: string): string[] {
    const clean = specifier.replace(/[?#].*$/, '');
    if (clean.startsWith('.')) return this.#file(posix.join(folderOf(from) || '.', clean));
    const alias = /^(?:@\/|~@?\/|src\/|@src\/|#\/)(.*)$/.exec(clean);
    if (alias) return this.#aliased(from, alias[1] ?? '');
    if (clean.startsWith('/')) return this.#file(clean.slice(1));
    // C's `#include "order/order.h"`, CSS's `url(a.css)`: beside the file first, then anywhere.
    if (!/\.\w+$/.test(clean)) return [];
    const beside = this.#file(posix.join(folderOf(from) || '.', clean));
    return beside.length > 0 ? beside : this.#suffix(withoutExtension(clean), extensionOf(clean));
  }

  /** `@/x` is `src/x` of the nearest package around the importing file, as every scaffold sets it up. */
  #aliased(from: string, rest: string): string[] {
    for (let folder = folderOf(from); ; folder = folderOf(folder)) {
      const base = folder === '' ? '' : `${folder}/`;
      for (const source of baseOf(folder) === 'src' ? [base] : [`${base}src/`, base]) {
        const found = this.#file(`${source}${rest}`);
        if (found.length > 0) return found;
      }
      if (folder === '') return [];
    }
  }

  /** The file that a path with or without extension means, or the index of a folder. */
  #file(path: string): string[] {
    const tidy = posix.normalize(path);
    if (this.#paths.has(tidy)) return [tidy];
    const written = WRITTEN_AS[extensionOf(tidy)];
    const found =
      (written && this.#withExtension(withoutExtension(tidy), written)) ??
      this.#withExtension(tidy, EXTENSIONS) ??
      INDEX_NAMES.map((name) => this.#withExtension(`${tidy}/${name}`, EXTENSIONS)).find((file) => file !== undefined);
    return found === undefined ? [] : [found];
  }

  /** The file of this name whose extension comes first in the list. */
  #withExtension(bare: string, extensions: readonly string[]): string | undefined {
    const files = this.#byBare.get(bare);
    if (files === undefined) return undefined;
    const ranked = files.filter((file) => extensions.includes(extensionOf(file)));
    return ranked.sort((a, b) => extensions.indexOf(extensionOf(a)) - extensions.indexOf(extensionOf(b)))[0];
  }

  #javaClass(specifier: string): string[] {
    const name = specifier
      .replace(/^static\s+/, '')
      .replace(/;$/, '')
      .trim();
    const path = name.replace(/\.\*$/, '').replaceAll('.', '/');
    if (name.endsWith('.*')) return this.#folderEndingWith(path);
    const direct = this.#suffix(path);
    // `import static a.b.Order.MAX` and nested classes name a member of the file.
    return direct.length > 0 ? direct : this.#suffix(folderOf(path));
  }

  #goPackage(specifier: string): string[] {
    return this.#folderEndingWith(specifier).filter((path) => path.endsWith('.go') && !path.endsWith('_test.go'));
  }

  #folderEndingWith(path: string): string[] {
    // The module's own name stands before the folder: github.com/org/mall/internal/order → internal/order.
    for (let rest = path; rest !== ''; rest = rest.includes('/') ? rest.slice(rest.indexOf('/') + 1) : '') {
      const direct = this.#byFolder.get(rest);
      if (direct) return direct.slice(0, MAX_PACKAGE_FILES);
      const ending = `/${rest}`;
      if (!rest.includes('/')) break;
      for (const [folder, files] of this.#byFolder)
        if (folder.endsWith(ending)) return files.slice(0, MAX_PACKAGE_FILES);
    }
    return [];
  }

  #python(from: string, specifier: string): string[] {
    const dots = /^\.*/.exec(specifier)?.[0].length ?? 0;
    const rest = specifier.slice(dots).replaceAll('.', '/');
    if (dots === 0) {
      const direct = this.#file(rest);
      return direct.length > 0 ? direct : this.#suffix(rest, 'py');
    }
    let folder = folderOf(from);
    for (let up = 1; up < dots; up++) folder = folderOf(folder);
    return this.#file(posix.join(folder || '.', rest));
  }

  #bySeparators(from: string, specifier: string): string[] {
    const path = specifier
      .replace(/^(?:crate|self|super)::/, '')
      .replaceAll('::', '/')
      .replaceAll('\\', '/')
      .replace(/^\//, '');
    const direct = this.#file(posix.join(folderOf(from) || '.', path));
    if (direct.length > 0) return direct;
    const whole = this.#suffix(path);
    return whole.length > 0 ? whole : this.#suffix(folderOf(path));
  }

  /** The one file whose path ends with these segments; several are no answer. */
  #suffix(path: string, extension?: string): string[] {
    if (!path.includes('/') && extension === undefined) return [];
    const key = lastSegments(path, 2);
    const found = (this.#bySuffix.get(key) ?? (path.includes('/') ? [] : this.#anyWithBase(path))).filter(
      (candidate) => {
        if (extension !== undefined && extensionOf(candidate) !== extension) return false;
        const bare = withoutExtension(candidate);
        return bare === path || bare.endsWith(`/${path}`) || path.endsWith(`/${bare}`);
      },
    );
    return found.length === 1 ? found : [];
  }

  #anyWithBase(base: string): string[] {
    const found: string[] = [];
    for (const [key, paths] of this.#bySuffix) if (baseOf(key) === base) found.push(...paths);
    return found;
  }
}

function add(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function withoutExtension(path: string): string {
  const extension = extensionOf(path);
  return extension === '' ? path : path.slice(0, -extension.length - 1);
}

function lastSegments(path: string, n: number): string {
  return path.split('/').slice(-n).join('/');
}
