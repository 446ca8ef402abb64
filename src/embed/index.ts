/** The public face of the embed room: text → vector, a cache of vectors, and the nearest of many. */
export { openVectorCache, VectorCache, type VectorCacheOptions, withCache } from './cache.js';
export type { Encoding } from './cacheRecord.js';
export { EMBEDDED_ID, type EmbeddedEmbedder, type EmbeddedOptions, openEmbedded } from './embedded.js';
export { openEndpoint } from './endpoint.js';
export { type LangChainSettings, openLangChain } from './langchain.js';
export {
  DIMENSION_FILE,
  type EmbedderPlaces,
  type EmbeddingConfig,
  openEmbedder,
  type Provider,
  providerOf,
} from './provider.js';
export type { RuntimeKind } from './runtime.js';
export type { Embedder, EmbedKind, EmbedOptions, EndpointSettings } from './types.js';
export {
  type TopOptions,
  type VectorHit,
  VectorIndex,
  type VectorIndexOptions,
  VectorScores,
} from './vectorIndex.js';
