/** Checking what a team wrote: `lintLayers` and its forms for machines. */
export { LINT_RULES, type LintResult, lintLayers } from './lint.js';
export type { LintOptions } from './model.js';
export { toSarif } from './sarif.js';
export type { Finding, Level, Page, Rule } from './types.js';
