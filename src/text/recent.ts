/** Texts whose results are kept: one request is folded and cut by half a dozen lookups in a row, and rarely again. */
const KEPT = 32;

/** Longest text that is kept, in characters: what is asked again and again is a request, not a file. */
const LONGEST = 1000;

/**
 * Remembers the results of a pure function for the texts it was given last.
 *
 * @returns the function, and `clear` for when its answers change
 */
export function recent<T>(work: (text: string) => T): ((text: string) => T) & { clear(): void } {
  const kept = new Map<string, T>();
  const remembered = (text: string): T => {
    if (text.length > LONGEST) return work(text);
    if (kept.has(text)) return kept.get(text) as T;
    const result = work(text);
    kept.set(text, result);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value as string);
    return result;
  };
  return Object.assign(remembered, { clear: () => kept.clear() });
}
