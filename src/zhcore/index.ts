/** The public face of the zhcore room: what a team's Chinese words, warnings and playbooks are, and when they matter. */

export { openZhCore, ZhCore } from './core.js';
export type { ZhCoreOptions } from './coreOptions.js';
export type { AddedLines } from './diff.js';
export * from './feedback/index.js';
export * from './lint/index.js';
export { matchingLines, type SlowPattern, slowPatternText, tryPatterns } from './pattern.js';
export {
  ALL_PARTS,
  fileOf,
  type RenderLimits,
  renderChunk,
  renderHits,
  renderPlaybook,
  renderSource,
  renderTerm,
  renderWarning,
  shownSource,
  titleOf,
} from './render.js';
export { modulesSchema, playbookSchema, termSchema, warningSchema } from './schema.js';
export type {
  CodePlace,
  CoreEntry,
  CoreQuery,
  CoreResult,
  DiffWarning,
  EntryType,
  Hit,
  InjectedEntry,
  LoadProblem,
  ModuleMap,
  Phase,
  Playbook,
  PostCheck,
  RequiredCheck,
  SymbolIndex,
  TaskType,
  Term,
  Warning,
  WarningTrigger,
} from './types.js';
export * from './upkeep/index.js';
export type { ReloadEvent, Watching, WatchOptions } from './watch.js';
