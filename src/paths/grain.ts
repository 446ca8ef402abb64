import { folderOf } from './rules.js';
import type { SkeletonOptions } from './skeleton.js';
import type { TaskType } from './types.js';

/**
 * How deep the decision at hand goes, and so how much of the tree is worth seeing: the whole in two or three levels where something is
 * to be redesigned, a coarse map for an ordinary change, one file with its neighbours where one function changes.
 */
export type Grain = 'redesign' | 'change' | 'function';

/** What the map shows at each grain; at the finest there is none but the file's own surroundings. */
export const GRAIN_MAP: Record<Exclude<Grain, 'function'>, Required<Pick<SkeletonOptions, 'depth' | 'maxTokens'>>> = {
  redesign: { depth: 3, maxTokens: 600 },
  change: { depth: 3, maxTokens: 300 },
};

/** Words of requests that are about the whole. */
const ABOUT_THE_WHOLE =
  /重构|改造|架构|整体|全面|迁移|拆分|抽取|统一|重新设计|redesign|refactor|migrat|restructur|rearchitect/i;

export interface GrainInput {
  request: string;
  taskType: TaskType;
  /** Files that the work starts from, best first. */
  focus: readonly string[];
  /** Whether a symbol that the request means was found in the first of them. */
  isPinned: boolean;
}

/** The grain of a task. */
export function grainOf({ request, taskType, focus, isPinned }: GrainInput): Grain {
  const folders = new Set(focus.map(folderOf));
  if (taskType === 'refactor' ? folders.size > 1 : ABOUT_THE_WHOLE.test(request) && !isPinned) return 'redesign';
  if (ABOUT_THE_WHOLE.test(request) && folders.size > 1) return 'redesign';
  return isPinned && focus.length > 0 ? 'function' : 'change';
}
