import { posix } from 'node:path';

/** What an import without an ending may mean: what TypeScript, Node and the bundlers try. */
const ENDINGS = ['', '.ts', '.tsx', '.d.ts', '.js', '.jsx', '.mjs', '.cjs', '.mts', '.cts', '.vue', '.json', '.node'];
/** What a folder may mean. */
const INDEXES = ['ts', 'tsx', 'd.ts', 'js', 'jsx', 'mjs', 'cjs', 'mts', 'cts', 'vue', 'json'].map((e) => `/index.${e}`);
const TRIED = [...ENDINGS, ...INDEXES, '/package.json'];
/** The ending of a compiled script, which TypeScript writes for its source. */
const COMPILED = /\.([cm]?)jsx?$/;
/** `@/x`, `~/x`: the folder that a bundler's setting names, by custom `src`. */
const ALIAS = /^(@\/|~\/|#\/)/;

/** The files that a relative import of a script may mean. `./a.js` may be `./a.ts`: TypeScript writes the ending of its output. */
export function relativeTargets(from: string, source: string): string[] {
  const base = posix.join(posix.dirname(from), source.replace(/[?#].*$/, '')).replace(/\/$/, '');
  return stemsOf(base).flatMap((stem) => TRIED.map((ending) => stem + ending));
}

function stemsOf(base: string): string[] {
  const stem = base.replace(COMPILED, '');
  return stem === base ? [base] : [base, stem];
}

/**
 * How an import is written when its file, or the file that it leads to, has moved: in the same style (ending or none, `@/` or relative).
 *
 * @param source as it is written now
 * @param was importer and target before
 * @param is importer and target now
 * @returns undefined where `source` does not lead to `was.target` by its own words
 */
export function respelled(
  source: string,
  was: { from: string; target: string },
  is: { from: string; target: string },
): string | undefined {
  const [clean, query] = [source.replace(/[?#].*$/, ''), /[?#].*$/.exec(source)?.[0] ?? ''];
  const alias = ALIAS.exec(clean)?.[0];
  const base = alias ? clean.slice(alias.length) : posix.join(posix.dirname(was.from), clean);
  const root = alias ? rootOf(base, was.target) : '';
  if (root === undefined || !is.target.startsWith(root) || (!alias && !clean.startsWith('.'))) return undefined;
  const written = writtenAs(base.replace(/\/$/, ''), was.target.slice(root.length), is.target.slice(root.length));
  if (written === undefined) return undefined;
  return (alias ? alias + written : relative(posix.dirname(is.from), written)) + query;
}

/** The folder that an alias stands for, with a slash at its end, by where the import leads. */
function rootOf(base: string, target: string): string | undefined {
  for (const stem of stemsOf(base))
    for (const ending of TRIED)
      if (target === stem + ending || target.endsWith(`/${stem}${ending}`))
        return target.slice(0, target.length - stem.length - ending.length);
  return undefined;
}

/** The new target in the way that `base` writes the old one. */
function writtenAs(base: string, old: string, now: string): string | undefined {
  if (base === old) return now;
  const [stem] = stemsOf(base).filter((s) => TRIED.some((ending) => old === s + ending));
  if (stem === undefined) return undefined;
  const ending = old.slice(stem.length);
  const bare = now.endsWith(ending) ? now.slice(0, now.length - ending.length) : now.replace(/\.\w+$/, '');
  return bare + base.slice(stem.length);
}

function relative(folder: string, path: string): string {
  const written = posix.relative(folder, path) || '.';
  return written.startsWith('.') ? written : `./${written}`;
}
