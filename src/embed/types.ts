/** What a text is to the search: models are trained to put a question near the passages that answer it. */
export type EmbedKind = 'query' | 'passage';

export interface EmbedOptions {
  kind: EmbedKind;
  signal?: AbortSignal;
  /** Called as texts are finished, not in their order. */
  onProgress?: (done: number, total: number) => void;
  /** Each vector as it is finished: what an interrupted run has made so far is not lost. */
  onVector?: (index: number, vector: Float32Array) => void;
}

/** Text → vector, whoever computes it. */
export interface Embedder {
  /** Model name, revision and dimension: vectors of different ids must never be compared or mixed in one index. */
  readonly id: string;
  readonly dimension: number;
  /**
   * @param texts as they are; prefixes that the model wants are put on here
   * @returns one vector of length 1 a text, in the order of `texts`
   * @throws XiheError `EMBED_…`, or CANCELLED when `signal` fires. A call gives all vectors or throws.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
  /** Frees workers and connections; calls under way fail with CANCELLED. A closed embedder can't be used again. */
  close(): Promise<void>;
}

/** How to reach an OpenAI-compatible `/v1/embeddings`. */
export interface EndpointSettings {
  /** Up to and including `/v1`. */
  baseUrl: string;
  apiKey?: string;
  /** Model name as the endpoint knows it. */
  name: string;
  /** Length of its vectors; asked from the endpoint when it is not set. */
  dimension?: number;
  /** Text put before a query (`query: ` for E5, an instruction for Qwen3-Embedding); nothing by default. */
  queryPrefix?: string;
  passagePrefix?: string;
  /** Sends `input_type: query | passage`, for servers that put the prefix on themselves. */
  inputType?: boolean;
  /** Asks for `dimension` numbers (`dimensions` in the request), where a model can give several lengths. */
  sendDimensions?: boolean;
  /** Texts in one request at most. */
  batchSize?: number;
  /** Longest time for one request, in seconds. */
  timeoutSeconds?: number;
  /** Further attempts after a failure that may pass. */
  maxRetries?: number;
}
