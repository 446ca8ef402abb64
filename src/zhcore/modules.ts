import picomatch from 'picomatch';
import { prepare } from '../knowledge/index.js';
import type { Modules } from './merge.js';
import type { Focus } from './ranking.js';

interface Glob {
  /** What a path must start with to match at all: a cheap test before the costly one. */
  fixed: string;
  matches: (path: string) => boolean;
}

const compiled = new Map<string, Glob>();

/** Characters of a glob before its first wildcard: the longer, the more it says. */
function fixedPart(glob: string): string {
  const wild = glob.search(/[*?[{(!+@\\]/);
  return wild < 0 ? glob : glob.slice(0, wild);
}

function compile(glob: string): Glob {
  const plain = glob.replace(/^\.?\//, '');
  try {
    return { fixed: fixedPart(plain), matches: picomatch(plain, { dot: true }) };
  } catch {
    return { fixed: plain, matches: () => false };
  }
}

/** Whether a path (POSIX, relative) matches a glob; hidden files count. A glob that can't be read matches nothing. */
export function globMatches(path: string, glob: string): boolean {
  let known = compiled.get(glob);
  if (known === undefined) {
    known = compile(glob);
    compiled.set(glob, known);
  }
  return path.startsWith(known.fixed) && known.matches(path);
}

/** The module that a path belongs to; the most specific glob decides. */
export function moduleOfPath(path: string, modules: Modules): string | undefined {
  let best: { module: string; fixed: number } | undefined;
  for (const [module, globs] of Object.entries(modules.globs)) {
    for (const glob of globs) {
      if (!globMatches(path, glob) && !isFolderOf(path, glob)) continue;
      const fixed = fixedPart(glob).length;
      if (best === undefined || fixed > best.fixed) best = { module, fixed };
    }
  }
  return best?.module;
}

/** `src/order` is the folder of `src/order/**`. */
function isFolderOf(path: string, glob: string): boolean {
  return glob.endsWith('/**') && glob.slice(0, -3) === path.replace(/\/$/, '');
}

/** Modules that a request is about: named by the caller, by the files in focus, or by their Chinese name in the text (prepared). */
export function focusOf(
  query: { module?: string | undefined; files?: readonly string[] | undefined },
  text: string,
  modules: Modules,
  today: string,
): Focus {
  const explicit = new Set<string>();
  if (query.module) explicit.add(query.module);
  for (const file of query.files ?? []) {
    const module = moduleOfPath(file, modules);
    if (module !== undefined) explicit.add(module);
  }
  const named = Object.entries(modules.titles).filter(([, title]) => text.includes(prepare(title)));
  return { today, explicit, modules: new Set([...explicit, ...named.map(([module]) => module)]) };
}
