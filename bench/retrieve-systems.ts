// The systems that `bench:retrieve` compares. Each gets the same chunks; none sees the questions before they are asked.
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { assetPath } from '../src/assets.js';
import { ChunkSearch } from '../src/knowledge/chunkSearch.js';
import { type Chunk, type EmbeddingConfig, Lexicon, loadLexicon, VectorArm } from '../src/knowledge/index.js';
import type { Meaning } from '../src/knowledge/meaning.js';
import { fold, isStopWord } from '../src/text/index.js';
import { jiebaDictionary, jiebaModule } from '../src/text/lazy.js';

export interface System {
  /** Ids of the best, best first. */
  search(query: string, k: number): Promise<string[]>;
  close?(): Promise<void>;
  /** Further figures for the report. */
  more?(): Record<string, unknown>;
}

export interface SystemOptions {
  /** Folder for vectors. */
  cache: string;
  embedding: EmbeddingConfig;
  say(text: string): void;
}

type Opener = (chunks: readonly Chunk[], options: SystemOptions) => Promise<System>;

/** The vector arm over the chunks, its vectors made (or found in the cache). */
async function openArm(chunks: readonly Chunk[], { cache, embedding, say }: SystemOptions): Promise<VectorArm> {
  const arm = new VectorArm({ embedding, dir: join(cache, 'vectors') });
  arm.take(chunks);
  let said = 0;
  await arm.build({
    onProgress(done, total) {
      if (done - said < 250 && done !== total) return;
      said = done;
      say(`向量 ${done}/${total}`);
    },
  });
  return arm;
}

/** @throws Error where the vectors don't answer: a figure without them would be another system's */
async function meaningOf(arm: VectorArm, query: string): Promise<Meaning> {
  const { meaning, degraded } = await arm.ask(query, { budgetMs: 60_000 });
  if (meaning === undefined) throw new Error(degraded);
  return meaning;
}

/** What the product does by default: words and vectors, fused. */
const xihe: Opener = async (chunks, options) => {
  const arm = await openArm(chunks, options);
  const search = new ChunkSearch(chunks, undefined);
  return {
    async search(query, k) {
      const meaning = await meaningOf(arm, query);
      return search.search(query, k, { meaning }).map(({ chunk }) => chunk.id);
    },
    close: () => arm.close(),
  };
};

/** Vectors alone. */
const vectors: Opener = async (chunks, options) => {
  const arm = await openArm(chunks, options);
  return {
    search: async (query, k) => (await meaningOf(arm, query)).nearest(k).map((place) => (chunks[place] as Chunk).id),
    close: () => arm.close(),
  };
};

/** Both arms by reciprocal ranks, k = 60, the fusion that needs no scores. */
const reciprocal: Opener = async (chunks, options) => {
  const arm = await openArm(chunks, options);
  const search = new ChunkSearch(chunks, undefined);
  return {
    async search(query, k) {
      const near = (await meaningOf(arm, query)).nearest(100).map((place) => (chunks[place] as Chunk).id);
      const words = search.search(query, 100).map(({ chunk }) => chunk.id);
      const scores = new Map<string, number>();
      for (const list of [near, words])
        for (const [rank, id] of list.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (61 + rank));
      return [...scores]
        .sort((a, b) => b[1] - a[1])
        .map(([id]) => id)
        .slice(0, k);
    },
    close: () => arm.close(),
  };
};

/** The lexical arm without the lexicon. */
const plainWords: Opener = async (chunks) => {
  const search = new ChunkSearch(chunks, undefined);
  search.search('预热', 1);
  return { search: async (query, k) => search.search(query, k).map(({ chunk }) => chunk.id) };
};

/** The lexical arm alone, with the lexicon: what answers with `embedding.provider: none`, or when the model is not there yet. */
const words: Opener = async (chunks) => {
  const lexicon = new Lexicon(loadLexicon(assetPath('knowledge')).groups);
  const search = new ChunkSearch(chunks, undefined, (query) =>
    lexicon
      .expand(query)
      .filter(({ relation }) => relation === 'equal')
      .map(({ word }) => ({ word, weight: 0.3 })),
  );
  search.search('预热', 1);
  return { search: async (query, k) => search.search(query, k).map(({ chunk }) => chunk.id) };
};

/** Jieba in search mode on both sides, as most Chinese retrieval does; lower case, runs of letters and digits as words. */
function jiebaWords(): (text: string) => string[] {
  const jieba = jiebaModule().Jieba.withDict(jiebaDictionary());
  return (text) =>
    (
      text
        .normalize('NFKC')
        .toLowerCase()
        .match(/[\u3400-\u4dbf\u4e00-\u9fff]+|[a-z0-9]+/g) ?? []
    ).flatMap((run) => (/[a-z0-9]/.test(run) ? [run] : jieba.cutForSearch(run, true)));
}

/** Plain BM25 over jieba words, the textbook formula: the peer to beat. */
const bm25: Opener = async (chunks) => {
  const cut = jiebaWords();
  const postings = new Map<string, Map<number, number>>();
  const lengths = chunks.map(({ title, content }, doc) => {
    const tokens = cut(`${title}\n${content}`);
    for (const token of tokens) {
      const list = postings.get(token) ?? new Map<number, number>();
      list.set(doc, (list.get(doc) ?? 0) + 1);
      postings.set(token, list);
    }
    return tokens.length;
  });
  const average = lengths.reduce((sum, n) => sum + n, 0) / Math.max(1, lengths.length);
  return {
    async search(query, k) {
      const scores = new Map<number, number>();
      for (const token of cut(query)) {
        const list = postings.get(token);
        if (list === undefined) continue;
        const idf = Math.log(1 + (chunks.length - list.size + 0.5) / (list.size + 0.5));
        for (const [doc, n] of list) {
          const norm = 1.2 * (0.25 + (0.75 * (lengths[doc] as number)) / average);
          scores.set(doc, (scores.get(doc) ?? 0) + (idf * n * 2.2) / (n + norm));
        }
      }
      const best = [...scores].sort((a, b) => b[1] - a[1]).slice(0, k);
      return best.map(([doc]) => (chunks[doc] as Chunk).id);
    },
  };
};

/** MiniSearch with our words, as a user of it would set it up for Chinese. */
const miniSearch: Opener = async (chunks) => {
  const cut = jiebaWords();
  const mini = new MiniSearch({
    fields: ['title', 'content'],
    tokenize: (text) => cut(fold(text)).filter((word) => !isStopWord(word)),
    processTerm: (term) => term,
  });
  mini.addAll(chunks.map(({ title, content }, id) => ({ id, title, content })));
  return {
    search: async (query, k) =>
      mini
        .search(query)
        .slice(0, k)
        .map(({ id }) => (chunks[id as number] as Chunk).id),
  };
};

export const SYSTEMS: Record<string, Opener> = {
  xihe,
  'xihe-words': words,
  'xihe-words-no-lexicon': plainWords,
  'xihe-vectors': vectors,
  'xihe-reciprocal': reciprocal,
  'bm25-jieba': bm25,
  'minisearch-jieba': miniSearch,
};

/** @throws Error for a name that no system has */
export async function openSystem(name: string, chunks: readonly Chunk[], options: SystemOptions): Promise<System> {
  const open = SYSTEMS[name];
  if (open === undefined) throw new Error(`unknown system ${name}: one of ${Object.keys(SYSTEMS).join(', ')}`);
  return open(chunks, options);
}
