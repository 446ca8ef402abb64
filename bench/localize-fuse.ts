// fuse.js as a peer of `bench:localize`: fuzzy search over path and text, as its users set it up for files.
import Fuse from 'fuse.js';
import type { FileFinder } from './localize-systems.js';

/** Characters of a text that it gets: its time grows with them, a request over whole files takes minutes. */
const MAX_CHARS = 2_000;

export function fuseFinder(texts: readonly [string, string][]): FileFinder {
  const docs = texts.map(([path, text]) => ({ path, text: text.slice(0, MAX_CHARS) }));
  const fuse = new Fuse(docs, {
    keys: [
      { name: 'path', weight: 2 },
      { name: 'text', weight: 1 },
    ],
    ignoreLocation: true,
    threshold: 0.6,
  });
  return {
    async search(request, depth) {
      return fuse.search(request, { limit: depth }).map(({ item }) => item.path);
    },
  };
}
