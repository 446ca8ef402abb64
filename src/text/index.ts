/** The public face of the text room: how Xihe normalises, cuts, counts, compares, reads and writes text. */
export { type Bm25Hit, Bm25Index, type Bm25Options, type Bm25Query, Bm25Scores } from './bm25.js';
export {
  applyTextEdits,
  decodeText,
  encodeText,
  eolOf,
  isBinary,
  MAX_TEXT_BYTES,
  readFileText,
  withEol,
} from './filetext.js';
export { fold, foldKeepingCase, hasChinese } from './fold.js';
export { stableHash } from './hash.js';
export { identifiersOf, splitIdentifier } from './identifiers.js';
export { isSecretName, maskPersonal, maskSecrets, maskText } from './mask.js';
export { plainBlock, plainLine } from './plainText.js';
export { indexTokens, queryTokens, type WeightedToken } from './searchTokens.js';
export {
  holdsPrivateKey,
  holdsSecretValues,
  isHiddenFromCommands,
  isKeyFileName,
  isPrivateKeyFile,
} from './secretFiles.js';
export { looksRandom, type SecretFound, secretIn, secretsIn, withoutSecrets } from './secretValues.js';
export { addUserWords, bigrams, contentWords, cutWords, normalise, segment, taughtWords } from './segment.js';
export { closest, similarity } from './similarity.js';
export { isStopWord } from './stopwords.js';
export { compilePattern, PATTERN_TIMEOUT_MS, type PatternHit, SlowPatternError, searchLines } from './timedPattern.js';
export { estimateTokens, truncateToTokens } from './tokens.js';
export type { Encoding, Eol, FileText, Normalised, TextEdit } from './types.js';
export { soundVocabulary, Vocabulary } from './vocabulary.js';
