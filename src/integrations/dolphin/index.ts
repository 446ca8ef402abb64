/** The public face of DolphinScheduler: scripts become workflows, which go online, run, and tell their state and logs. */
export { DolphinClient } from './client.js';
export type { CreateRequest, ScriptKind } from './create.js';
export { checkedCron, checkedTimezone } from './cron.js';
export type { LogRange } from './log.js';
export type { RunRequest } from './run.js';
export { checkedSchedule, type ScheduleRequest } from './schedule.js';
export { assertNeeds, type CheckedScript, checkScript, type ScriptNeed } from './script.js';
export type {
  CallOptions,
  Created,
  DolphinInstance,
  DolphinLog,
  DolphinProject,
  DolphinSchedule,
  DolphinSettings,
  DolphinTask,
  DolphinWorkflow,
  ReleaseState,
} from './types.js';
