export { type GitOptions, type GitResult, runGit, SAFE_DIFF, throwIfCancelled, withoutFilters } from './git.js';
export { History, openHistory } from './history.js';
export { gitReason } from './read.js';
export { eachToken, evidenceTokens, identifierTokens, requestTokens } from './tokens.js';
export type { CoChange, Commit, HistoryOptions, HistoryVotes, ScoredPaths } from './types.js';
