/** Numbers for tokens, so that a repository's million of words fits in typed arrays. */
export class Vocabulary {
  readonly #tokens: string[];
  #ids: Map<string, number> | undefined;

  constructor(tokens: string[] = []) {
    this.#tokens = tokens;
  }

  get size(): number {
    return this.#tokens.length;
  }

  /** The number of a token that is known. */
  find(token: string): number | undefined {
    return this.#map().get(token);
  }

  /** The number of a token; a new token gets the next one. */
  intern(token: string): number {
    const ids = this.#map();
    const known = ids.get(token);
    if (known !== undefined) return known;
    ids.set(token, this.#tokens.length);
    return this.#tokens.push(token) - 1;
  }

  token(id: number): string {
    return this.#tokens[id] ?? '';
  }

  /** Built on first use: a warm start that only shows the tree never needs it. */
  #map(): Map<string, number> {
    this.#ids ??= new Map(this.#tokens.map((token, id) => [token, id]));
    return this.#ids;
  }
}
