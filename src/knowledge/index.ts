/** The public face of the knowledge room: documents in, the exact answer and the nearest passages out. */
export { DIMENSION_FILE, type EmbeddingConfig } from '../embed/index.js';
export { COVERAGE_MIN } from './answering.js';
export {
  type IndexCache,
  KnowledgeBase,
  type KnowledgeLayer,
  type KnowledgeOptions,
  type LookupOptions,
} from './base.js';
export { chunkDocument } from './chunk.js';
export {
  type ChunkIndex,
  type IndexFacts,
  type IndexFilter,
  type IndexHit,
  type IndexRow,
  type RowSource,
  rowHash,
  type SyncOptions,
  syncIndex,
} from './chunkIndex.js';
export type { ChunkSearchOptions, SearchHit } from './chunkSearch.js';
export type { ExactHit } from './exact.js';
export { isExpired, today } from './expiry.js';
export { type FileKind, type LoadedFiles, loadFiles, type ParsedFile, problemsOf } from './files.js';
export { type FrontMatter, parseFrontMatter } from './frontMatter.js';
export { type LastGood, LastGoodFolder } from './lastGood.js';
export {
  Lexicon,
  type LexiconGroup,
  type LoadedLexicon,
  loadLexicon,
  type RelatedWord,
} from './lexicon.js';
export { dropUndefined, type Layer, type LoadedKnowledge, loadKnowledge, toProblems } from './load.js';
export { LocalIndex } from './localIndex.js';
export { type Asked, type Meaning, textsOf, type VectorState } from './meaning.js';
export { MilvusIndex, type MilvusOptions, openMilvusIndex } from './milvus/milvusIndex.js';
export { openReadyLexicon } from './readyLexicon.js';
export type { OpenRemote } from './remoteVectors.js';
export { RERANK_TOP, type Reranker, Reranking } from './rerank.js';
export type { RelatedTerm, RetrieverHit } from './retriever.js';
export * as fields from './schema.js';
export { cutSection } from './sections.js';
export { ships } from './shipped.js';
export { wholeWords } from './subject.js';
export type { Chunk, KnowledgeDocument, LoadProblem, LookupPart, LookupResult, Provenance } from './types.js';
export { CHUNK_MAX, CHUNK_MIN } from './units.js';
export { type Fault, type Validated, validate } from './validate.js';
export { VectorArm } from './vectorArm.js';
export type { AskOptions, BuildOptions, VectorArmOptions } from './vectorArmOptions.js';
export { readyVectorsFile } from './vectorStock.js';
export { isWholeWord, prepare, type WordMatch, WordMatcher } from './wordMatcher.js';
export { readYaml, type YamlFault, type YamlFile } from './yaml.js';
