/** The public face of the sandbox room: staged edits, scratch copies, commands that leave nothing behind, and their records. */

export { maskSecrets, maskText } from '../text/index.js';
export { undo } from './apply.js';
export { AuditLog, type AuditQuery } from './audit.js';
export type { AuditCheck, ChainEnd } from './auditCheck.js';
export { Changeset } from './changeset.js';
export { copyChangeset, movedFiles, stagedBytes } from './changesetCopy.js';
export { type FileVersion, fileHistory } from './changesetHistory.js';
export { type ConfinementStatus, confinementStatus, howItRan } from './confinement.js';
export { type DangerVerdict, dangerOf, dangerOfProgram } from './danger.js';
export { diffFile } from './diff.js';
export { changedInFork, forkChangeset, noteFile, stagedVersion, type Version, versionOf } from './fork.js';
export { lockPath, withAsyncFileLock, withFileLock } from './lock.js';
export {
  type ConflictSide,
  conflictFiles,
  type Fork,
  type ForkConflict,
  type ForksMerged,
  mergeForks,
  takeSolutions,
} from './mergeForks.js';
export { hasMarks } from './mergeLines.js';
export { pruneSandboxState } from './prune.js';
export { listReceipts } from './receipts.js';
export { runProcess } from './runner.js';
export { commandsEnded } from './running.js';
export { makeScratch, type Scratch, type ScratchOptions } from './scratch.js';
export { type Service, type ServiceRequest, startService } from './service.js';
export { splitShell } from './shellSplit.js';
export { type SideEffect, type SideEffectEntry, SideEffectLedger } from './sideEffects.js';
export { detectTestCommand, nearestTestCommand, type TestCommand } from './testCommand.js';
export { focused, type TestFocus } from './testFocus.js';
export type { AuditEntry, Danger, FileDiff, Receipt, RunRequest, RunResult, StagedEdit, StagedFile } from './types.js';
