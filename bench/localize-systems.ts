// What `bench:localize` compares: the product's look-up of files and peers, each on one tree.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { evidenceTokens, openHistory, requestTokens } from '../src/history/index.js';
import { type EvidenceKind, openPaths, type PathContext } from '../src/paths/index.js';
import { Bm25Index, contentWords, decodeText } from '../src/text/index.js';
import { openZhCore } from '../src/zhcore/index.js';

export interface FileFinder {
  /** @param without kinds of evidence to leave out, of systems that know such */
  search(request: string, depth: number, without?: readonly EvidenceKind[]): Promise<string[]>;
}

/** Everything that the product opens for a project, with its caches in `state`. */
async function product(tree: string, state: string, withHistory: boolean): Promise<FileFinder> {
  const core = await openZhCore({ projectDir: join(tree, '.xihe'), cacheDir: state });
  const history = withHistory ? await openHistory(tree, state) : undefined;
  const terms = core.termLookup();
  const paths = await openPaths({ root: tree, stateDir: state, terms, ...(history ? { history } : {}) });
  return {
    async search(request, depth, without = []) {
      const { candidates } = await paths.lookupFile(request, { topK: depth, without });
      return candidates.map(({ path }) => path);
    },
  };
}

/** Path and text of each file that the product would read too, so that peers choose among the same files. */
async function textsOf(tree: string, state: string): Promise<[string, string][]> {
  const paths: PathContext = await openPaths({ root: tree, stateDir: state });
  return paths.files.map((path) => {
    if (paths.version(path) === undefined) return [path, ''];
    try {
      return [path, decodeText(readFileSync(join(tree, path))).text];
    } catch {
      return [path, '']; // binary
    }
  });
}

/** Plain BM25 over path and text, Chinese cut into bigrams. */
async function bm25(tree: string, state: string): Promise<FileFinder> {
  const index = new Bm25Index<string>({ k1: 1.2, b: 0.75, fields: { path: 5, text: 1 } });
  for (const [path, text] of await textsOf(tree, state))
    index.add(path, { path: evidenceTokens(path), text: evidenceTokens(text) });
  index.finish();
  return {
    async search(request, depth) {
      return index.search(requestTokens(request), depth).map(({ id }) => id);
    },
  };
}

/** What a person or agent does with `rg`: looks for each word of the request; a file that holds more of the words, rarer ones, comes first. */
async function rgTerms(tree: string, state: string): Promise<FileFinder> {
  const texts = (await textsOf(tree, state)).map(
    ([path, text]) => [path, `${path}\n${text}`.toLowerCase()] as [string, string],
  );
  return {
    async search(request, depth) {
      const words = [...new Set(contentWords(request.toLowerCase()).filter((word) => word.length > 1))];
      const scores = new Map<string, number>();
      for (const word of words) {
        const holders = texts.filter(([, text]) => text.includes(word));
        const worth = Math.log(1 + texts.length / (holders.length + 1));
        for (const [path] of holders) scores.set(path, (scores.get(path) ?? 0) + worth);
      }
      const byScore = [...scores].sort((a, b) => b[1] - a[1] || a[0].length - b[0].length || (a[0] < b[0] ? -1 : 1));
      return byScore.slice(0, depth).map(([path]) => path);
    },
  };
}

/** `tree`: the checked-out repository; `state`: an empty or earlier folder for caches of this system. */
export const SYSTEMS: Record<string, (tree: string, state: string) => Promise<FileFinder>> = {
  xihe: (tree, state) => product(tree, state, true),
  'xihe-no-history': (tree, state) => product(tree, state, false),
  bm25,
  'rg-terms': rgTerms,
  fuse: async (tree, state) => (await import('./localize-fuse.js')).fuseFinder(await textsOf(tree, state)),
};
