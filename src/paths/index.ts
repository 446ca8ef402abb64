export { type OpenPathsOptions, openPaths, type PathContext } from './context.js';
export { FADE_AFTER_TURNS, type FeedingDecision, FeedingLedger } from './feeding.js';
export type { IndexProgress } from './fileIndex.js';
export { GRAIN_MAP, type Grain, grainOf } from './grain.js';
export { type Hotspot, Hotspots, MAX_HOT } from './hotspots.js';
export type { Reference } from './imports.js';
export { type LookupOptions, MAX_TOP_K } from './lookup.js';
export type { RefreshReport } from './refreshReport.js';
export type { PathOverlay } from './repair.js';
export { PathResolver } from './resolver.js';
export { type Role, roleOf } from './roles.js';
export type { SearchOptions } from './search.js';
export type { EvidenceKind } from './signals.js';
export type { SkeletonOptions } from './skeleton.js';
export { relativeTargets, respelled } from './specifiers.js';
export type { StagedView } from './staged.js';
export type {
  Evidence,
  Expansion,
  FedPath,
  FileCandidate,
  LookupMethod,
  RepoPath,
  Resolution,
  SearchHit,
  Skeleton,
  SymbolPlace,
  TaskType,
  TermLookup,
  WriteTarget,
} from './types.js';
export { type Walk, type WalkedFile, walkProject } from './walk.js';
export { Workspace, type WorkspaceState } from './workspace.js';
