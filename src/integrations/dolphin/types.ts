import type { Untrusted } from '../../trust.js';

/** Where the server is and as whom to speak to it. */
export interface DolphinSettings {
  /** `http://host:12345/dolphinscheduler`. */
  address?: string | undefined;
  /** The project to use where none is named. */
  project?: string | undefined;
  /** From the environment only. */
  token?: string | undefined;
  /** Who runs tasks on the worker; the server's `default` when not set. */
  tenant?: string | undefined;
  workerGroup?: string | undefined;
  /** Longest time for one request, in seconds. */
  timeoutSeconds?: number | undefined;
  /** Destinations that only the repository has chosen: nothing is sent there. */
  untrusted?: readonly Untrusted[] | undefined;
}

/** What every call takes. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Codes and ids are texts: codes may pass 2^53, and nobody counts with them. */
export interface DolphinProject {
  code: string;
  name: string;
}

export type ReleaseState = 'ONLINE' | 'OFFLINE';

export interface DolphinWorkflow {
  code: string;
  name: string;
  version: number;
  releaseState: ReleaseState;
  /** Codes of its tasks, where the server told them. */
  taskCodes: string[];
}

export interface DolphinInstance {
  id: string;
  name: string;
  /** As the server says it: `SUCCESS`, `FAILURE`, `RUNNING_EXECUTION`, … */
  state: string;
  /** Whether it will not change by itself any more. */
  ended: boolean;
  startTime?: string;
  endTime?: string;
}

export interface DolphinTask {
  /** Of the task's run, for its log. */
  id: string;
  name: string;
  state: string;
  startTime?: string;
  endTime?: string;
  host?: string;
}

export interface DolphinLog {
  lines: string[];
  /** 0-based number of the first line given. */
  from: number;
  /** Where to go on reading; absent at the end of what is written so far. */
  next?: number;
}

export interface DolphinSchedule {
  id: string;
  workflowCode: string;
  crontab: string;
  timezone: string;
  releaseState: ReleaseState;
  startTime?: string;
  endTime?: string;
}

/** A new thing on the server, or one that an earlier try of the same call had made. */
export interface Created<T> {
  made: T;
  /** The answer got lost, and the thing was found by a look-up instead. */
  recovered: boolean;
}
