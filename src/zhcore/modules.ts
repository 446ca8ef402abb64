import picomatch from 'picomatch';
import { prepare } from '../knowledge/index.js';
import type { Modules } from './merge.js';

const compiled = new Map<string, (path: string) => boolean>();

/** Whether a path (POSIX, relative) matches a glob; hidden files count. A glob that can't be read matches nothing. */
export function globMatches(path: string, glob: string): boolean {
  let match = compiled.get(glob);
  if (match === undefined) {
    try {
      match = picomatch(glob, { dot: true });
    } catch {
      match = () => false;
    }
    compiled.set(glob, match);
  }
  return match(path);
}

/** Characters of a glob before its first wildcard: the longer, the more it says. */
function fixedPart(glob: string): number {
  const wild = glob.search(/[*?[{(!]/);
  return wild < 0 ? glob.length : wild;
}

/** The module that a path belongs to; the most specific glob decides. */
export function moduleOfPath(path: string, modules: Modules): string | undefined {
  let best: { module: string; fixed: number } | undefined;
  for (const [module, globs] of Object.entries(modules.globs)) {
    for (const glob of globs) {
      if (!globMatches(path, glob) && !isFolderOf(path, glob)) continue;
      const fixed = fixedPart(glob);
      if (best === undefined || fixed > best.fixed) best = { module, fixed };
    }
  }
  return best?.module;
}

/** `src/order` is the folder of `src/order/**`. */
function isFolderOf(path: string, glob: string): boolean {
  return glob.endsWith('/**') && glob.slice(0, -3) === path.replace(/\/$/, '');
}

/** Modules that a request is about: named by the caller, by the files in focus, or by their Chinese name in the text. */
export function focusOf(
  query: { module?: string | undefined; files?: readonly string[] | undefined },
  text: string,
  modules: Modules,
): Set<string> {
  const focus = new Set<string>();
  if (query.module) focus.add(query.module);
  for (const file of query.files ?? []) {
    const module = moduleOfPath(file, modules);
    if (module !== undefined) focus.add(module);
  }
  for (const [module, title] of Object.entries(modules.titles)) {
    if (text.includes(prepare(title))) focus.add(module);
  }
  return focus;
}
