/** The public face of the embed room: text → vector, and the nearest of many. */
export { EMBEDDED_ID, type EmbeddedEmbedder, type EmbeddedOptions, openEmbedded } from './embedded.js';
export type { RuntimeKind } from './runtime.js';
export type { Embedder, EmbedKind, EmbedOptions, EmbedProvider, EndpointSettings } from './types.js';
