/** Learning from use: how runs ended, what people said of them, and what that would teach the core. */
export { type AcceptOptions, type AcceptPlan, planAccept, writeAccepted } from './accept.js';
export {
  ERROR_KINDS,
  type ErrorExample,
  type ErrorKind,
  type ErrorReport,
  errorsByWeek,
  type WeekOfErrors,
} from './errors.js';
export { type KeptProposal, type ProposalState, Proposals, proposedEntrySchema } from './proposals.js';
export { type Proposal, type ProposedEntry, proposalsFrom, type RemarkContext } from './propose.js';
export {
  aboutOf,
  FEEDBACK_ABOUT,
  type FeedbackAbout,
  type Judgement,
  RunLog,
  type RunOutcome,
  type RunRecord,
} from './runLog.js';
