/** Numbers for tokens, so that a repository's million of words fits in typed arrays. */
export class Vocabulary {
  readonly #tokens: string[];
  #ids: Map<string, number> | undefined;

  /** @param sorted tokens in the order of their UTF-16 units, each once; their numbers are their places */
  constructor(sorted: string[] = []) {
    this.#tokens = sorted;
  }

  get size(): number {
    return this.#tokens.length;
  }

  /** The number of a token that is known. */
  find(token: string): number | undefined {
    if (this.#ids) return this.#ids.get(token);
    // As long as nothing was added the tokens are sorted: a request has a dozen words, a map of 150,000 would cost more.
    let low = 0;
    let high = this.#tokens.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#tokens[middle]! < token) low = middle + 1;
      else high = middle;
    }
    return this.#tokens[low] === token ? low : undefined;
  }

  /** The number of a token; a new token gets the next one. */
  intern(token: string): number {
    this.#ids ??= new Map(this.#tokens.map((known, id) => [known, id]));
    const known = this.#ids.get(token);
    if (known !== undefined) return known;
    this.#ids.set(token, this.#tokens.length);
    return this.#tokens.push(token) - 1;
  }

  token(id: number): string {
    return this.#tokens[id] ?? '';
  }
}
