import { CallFailed, type DolphinHttp } from './http.js';

/**
 * What the server's versions call the same things. The 3.3 line renamed `process` to `workflow` everywhere; 3.1 and 3.2 differ only in
 * parameters that one of them ignores. Read in the controllers of 3.1.9, 3.2.2 and the 3.3 line.
 */
export interface Dialect {
  name: 'workflow' | 'process';
  /** Path of definitions below the project. */
  definitions: string;
  /** Path of runs below the project. */
  instances: string;
  start: string;
  /** Parameter that names a definition, when starting it and in schedules. */
  definitionCode: string;
  /** The same when listing runs. */
  instancesOf: string;
  /** Parameter that names a run. */
  instanceId: string;
  priority: string;
  /** Field of a definition in an answer that holds its tasks as well. */
  definition: string;
}

export const DIALECTS: readonly [Dialect, Dialect] = [
  {
    name: 'workflow',
    definitions: 'workflow-definition',
    instances: 'workflow-instances',
    start: 'start-workflow-instance',
    definitionCode: 'workflowDefinitionCode',
    instancesOf: 'workflowDefinitionCode',
    instanceId: 'workflowInstanceId',
    priority: 'workflowInstancePriority',
    definition: 'workflowDefinition',
  },
  {
    name: 'process',
    definitions: 'process-definition',
    instances: 'process-instances',
    start: 'start-process-instance',
    definitionCode: 'processDefinitionCode',
    instancesOf: 'processDefineCode',
    instanceId: 'processInstanceId',
    priority: 'processInstancePriority',
    definition: 'processDefinition',
  },
];

/**
 * Finds out what a server calls things, by one read that changes nothing: a version that does not know the path answers 404.
 *
 * @param project code of a project that is there
 * @throws XiheError DOLPHIN_BAD_REPLY when it knows neither; others as any read
 */
export async function detectDialect(http: DolphinHttp, project: string, signal?: AbortSignal): Promise<Dialect> {
  let last: unknown;
  for (const dialect of DIALECTS) {
    try {
      await http.read(`/projects/${project}/${dialect.definitions}`, { pageNo: 1, pageSize: 1 }, signal);
      return dialect;
    } catch (e) {
      const error = e instanceof CallFailed ? e.failure.error : e;
      if ((error as { details?: { status?: unknown } }).details?.status !== 404) throw error;
      last = error;
    }
  }
  throw last;
}
