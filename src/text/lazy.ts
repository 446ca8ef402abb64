import { createRequire } from 'node:module';

/**
 * Loads heavy CommonJS libraries on first use, in sync code.
 *
 * A cold `xihe lookup` has half a second, process start included: whoever folds one ASCII word must not pay for jieba's
 * dictionary (0.2 s) or the code-page tables (0.06 s).
 */
const load = createRequire(import.meta.url);

/** Makes a function that runs `make` at its first call and remembers the result. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The traditional → simplified half of OpenCC (110 KB of tables, about 17 ms). */
export const opencc = once(() => load('opencc-js/t2cn') as typeof import('opencc-js/t2cn'));

/** Code pages: only their tables are used, see codecs.ts. */
export const iconv = once(() => load('iconv-lite') as typeof import('iconv-lite'));

/** Jieba; with its dictionary it takes about 0.2 s. Ask segment.ts, which adds our words. */
export const jiebaModule = once(() => load('@node-rs/jieba') as typeof import('@node-rs/jieba'));

/** Jieba's dictionary as bytes (5 MB). */
export const jiebaDictionary = once(() => (load('@node-rs/jieba/dict') as { dict: Uint8Array }).dict);
