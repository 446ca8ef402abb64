import { quoted, XiheError } from '../../errors.js';
import { unknownOutcome } from './failures.js';
import { CallFailed } from './http.js';
import { listOf, textOf } from './json.js';
import { workflowOf } from './replies.js';
import { findWorkflow, pathOf, type Site } from './site.js';
import type { CallOptions, Created, DolphinWorkflow } from './types.js';

/** What the server runs a script with. */
export type ScriptKind = 'shell' | 'python';

export interface CreateRequest {
  name: string;
  kind: ScriptKind;
  /** The script's text, line ends LF. */
  script: string;
  description?: string;
  /** Times that the server starts a failed task again. */
  retries?: number;
}

/** Longest name, in characters: the server's column. */
const NAME_CHARS = 255;
/** The settings' words for "the server's own choice". */
const DEFAULT = 'default';

/** What the name and the defaults of a request mean, as texts and numbers of the server. */
export const groupOf = ({ settings }: Site) => settings.workerGroup || DEFAULT;
export const tenantOf = ({ settings }: Site) => settings.tenant || DEFAULT;

/** See `DolphinClient.create`. A creation that may have gone through is looked up by name before it is sent again, once. */
export async function createWorkflow(
  site: Site,
  request: CreateRequest,
  { signal }: CallOptions,
): Promise<Created<DolphinWorkflow>> {
  const name = checkedName(request.name);
  if (await findWorkflow(site, name, { signal })) throw exists(name);
  const codes = await site.http.read(pathOf(site, 'task-definition/gen-task-codes'), { genNum: 1 }, signal);
  const code = textOf(listOf(codes)[0]);
  if (code === undefined)
    throw new XiheError('DOLPHIN_BAD_REPLY', 'DolphinScheduler 没有给任务编号', { hint: '再试一次。' });
  const params = paramsOf(site, { ...request, name }, code);
  const send = () => site.http.send({ method: 'POST', path: pathOf(site, site.dialect.definitions), params, signal });
  for (let attempt = 0; ; attempt++) {
    try {
      const made = workflowOf(await send(), site.dialect, site.http.where);
      return { made: { ...made, taskCodes: [code] }, recovered: false };
    } catch (e) {
      const found = await aftermath(site, name, code, e, attempt > 0);
      if (found) return { made: found, recovered: true };
      if (attempt > 0) throw lost(site, name, (e as CallFailed).failure.error);
    }
  }
}

/**
 * What became of a creation that failed: the workflow when it is there after all and ours (our task is in it), undefined when it is not
 * there and may be sent again.
 *
 * @param again whether an earlier try may have made it: the name being taken may then be our own doing
 * @throws what the creation met, where that is certain; DOLPHIN_OUTCOME_UNKNOWN where nothing can be learnt
 */
async function aftermath(
  site: Site,
  name: string,
  code: string,
  e: unknown,
  again: boolean,
): Promise<DolphinWorkflow | undefined> {
  // An answer without a code: it was carried out, and the look-up tells.
  const isStrange = XiheError.is(e, 'DOLPHIN_BAD_REPLY');
  if (!isStrange && !(e instanceof CallFailed)) throw e;
  const error = e instanceof CallFailed ? e.failure.error : (e as XiheError);
  const mayBeOurs = again && error.code === 'DOLPHIN_EXISTS';
  if (e instanceof CallFailed && !e.failure.unsure && !mayBeOurs) throw error;
  const found = await findWorkflow(site, name, {}).catch((cause) => {
    throw lost(site, name, XiheError.is(cause) ? cause : error);
  });
  if (found?.taskCodes.includes(code)) return found;
  if (found) throw exists(name);
  if (isStrange) throw error;
  return undefined;
}

function paramsOf(site: Site, request: CreateRequest, code: string) {
  const { dialect } = site;
  const number = numberOf(code);
  const task = {
    code: number,
    name: request.name,
    description: '',
    taskType: request.kind === 'python' ? 'PYTHON' : 'SHELL',
    taskParams: { localParams: [], rawScript: request.script, resourceList: [] },
    flag: 'YES',
    taskPriority: 'MEDIUM',
    workerGroup: groupOf(site),
    failRetryTimes: request.retries ?? 0,
    failRetryInterval: 1,
    timeoutFlag: 'CLOSE',
    timeoutNotifyStrategy: '',
    timeout: 0,
    delayTime: 0,
    environmentCode: -1,
    taskExecuteType: 'BATCH',
    // Without it 3.3 ends in a null pointer, told as 10001.
    isCache: 'NO',
    cpuQuota: -1,
    memoryMax: -1,
  };
  const first = { name: '', preTaskCode: 0, preTaskVersion: 0, postTaskCode: number, postTaskVersion: 0 };
  return {
    name: request.name,
    description: request.description ?? '',
    globalParams: '[]',
    locations: JSON.stringify([{ taskCode: number, x: 100, y: 100 }]),
    timeout: 0,
    taskRelationJson: JSON.stringify([{ ...first, conditionType: 'NONE', conditionParams: {} }]),
    taskDefinitionJson: JSON.stringify([task]),
    executionType: 'PARALLEL',
    // 3.1 wants it here, later versions when a run starts.
    ...(dialect.name === 'process' ? { tenantCode: tenantOf(site) } : {}),
  };
}

/** The web interface compares codes as numbers; one that a number can't hold goes as text, which the server reads too. */
function numberOf(code: string): number | string {
  return Number.isSafeInteger(Number(code)) ? Number(code) : code;
}

/** @throws XiheError USAGE */
function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== '' && [...trimmed].length <= NAME_CHARS && !/[\p{Cc}\p{Cf}]/u.test(trimmed)) return trimmed;
  throw new XiheError('USAGE', `工作流的名字不对：${quoted(name)}`, {
    hint: `写 1 到 ${NAME_CHARS} 个字，不带换行和控制字符。`,
  });
}

function exists(name: string): XiheError {
  return new XiheError('DOLPHIN_EXISTS', `项目里已经有工作流 ${name}，没有覆盖它`, {
    hint: '换一个名字；要改已有的工作流，请在 DolphinScheduler 里改。',
  });
}

function lost(site: Site, name: string, cause: XiheError): XiheError {
  return unknownOutcome(
    `建工作流 ${name} `,
    '过一会儿到「工作流定义」里按名字看，没有再重新建。',
    cause,
    site.http.where,
  );
}
