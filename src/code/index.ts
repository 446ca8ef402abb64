/** The public face of the code room: what a source file defines, imports and says, and where it does not parse. */
export { firstSentence, stripDocMarkers } from './comments.js';
export { isLocalePath } from './data.js';
export { languageOf } from './language.js';
export { MAX_PARSED_LENGTH, outline } from './outline.js';
export { parsersAreRegistered, registerParsers } from './parsers.js';
export { newSyntaxProblems, syntaxProblems } from './problems.js';
export type { CodeSymbol, ImportRef, Language, Outline, SymbolKind, SyntaxProblem } from './types.js';
