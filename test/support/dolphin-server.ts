import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A small DolphinScheduler over real HTTP. It answers as the real one was seen to: an envelope with HTTP 200 and `code` ≠ 0 for errors, an
 * empty 401 for a wrong token, Spring's 404 for paths of other versions, form-encoded acts, log lines that end in CR LF.
 */
export interface DolphinServer {
  address: string;
  /** `METHOD path`, in order. */
  asked: string[];
  /** Parameters of the last request to a path that ends so. */
  last(ending: string): Record<string, string>;
  /** Faults of the next requests whose line (`METHOD path`) matches, in order. */
  fault(line: RegExp, ...kinds: Fault[]): void;
  state: State;
  close(): Promise<void>;
}

/**
 * `lose`: it is carried out, then the connection breaks. `drop`: the connection breaks before. `hang`: no answer. The others are what
 * stands before a server: a login page, a redirect to one, a gateway's error. `pass` is none, to let a request by.
 */
export type Fault = 'pass' | 'lose' | 'drop' | 'hang' | 'lose-hang' | 'login' | 'redirect' | 'e502' | 'e10000';

export type Style = '3.1' | '3.2' | '3.3';

export const TOKEN = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
export const PROJECT_CODE = 191116707271136;

interface Row extends Record<string, unknown> {
  id: number;
}

interface State {
  workflows: (Row & { code: bigint; name: string; releaseState: string; tasks: Record<string, unknown>[] })[];
  instances: (Row & { of: bigint; state: string })[];
  schedules: (Row & { of: bigint; crontab: string; releaseState: string })[];
  log: string[];
}

type Answer = { code: number; msg: string; data?: unknown };
const ok = (data?: unknown): Answer => ({ code: 0, msg: 'success', data });
const no = (code: number, msg: string): Answer => ({ code, msg });

export async function startDolphin(style: Style): Promise<DolphinServer> {
  const asked: string[] = [];
  const params = new Map<string, Record<string, string>>();
  const faults: { line: RegExp; kinds: Fault[] }[] = [];
  const state: State = { workflows: [], instances: [], schedules: [], log: [] };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const path = pathname.replace(/^\/dolphinscheduler/, '');
    const given = Object.fromEntries([...searchParams, ...new URLSearchParams(await bodyOf(request))]);
    const asking = `${request.method} ${path}`;
    asked.push(asking);
    params.set(path, given);
    const fault = faults.find(({ line, kinds }) => line.test(asking) && kinds.length > 0)?.kinds.shift();
    if (fault && !['pass', 'lose', 'lose-hang'].includes(fault)) return failed(fault, request, response);
    if (request.headers.token !== TOKEN) return void response.writeHead(401).end();
    const answer = answerTo(style, state, request.method ?? 'GET', path, given);
    if (fault === 'lose') return void request.socket.destroy();
    if (fault === 'lose-hang') return;
    send(response, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/dolphinscheduler`,
    asked,
    state,
    last: (ending) => [...params].reverse().find(([path]) => path.endsWith(ending))?.[1] ?? {},
    fault: (line, ...kinds) => void faults.push({ line, kinds }),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function failed(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
  if (fault === 'drop') request.socket.destroy();
  if (fault === 'login')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><html><title>统一登录</title></html>');
  if (fault === 'redirect') response.writeHead(302, { location: 'http://127.0.0.1:1/sso' }).end();
  if (fault === 'e502') response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>');
  if (fault === 'e10000') send(response, no(10_000, '服务端异常: null'));
}

/** Undefined stands for a path that this version does not know. Whole numbers are written out, however large. */
function send(response: ServerResponse, answer: Answer | undefined): void {
  const [status, body] = answer
    ? [200, { ...answer, success: answer.code === 0, failed: answer.code !== 0 }]
    : [404, { status: 404, error: 'Not Found' }];
  const text = JSON.stringify(body, (_key, value) => (typeof value === 'bigint' ? `big:${value}` : value));
  response.writeHead(status as number, { 'content-type': 'application/json' }).end(text.replace(/"big:(\d+)"/g, '$1'));
}

const page = (rows: unknown[], { pageNo = '1', pageSize = '10' }: Record<string, string>) => {
  const from = (Number(pageNo) - 1) * Number(pageSize);
  return ok({ totalList: rows.slice(from, from + Number(pageSize)), total: rows.length });
};

function answerTo(style: Style, state: State, method: string, path: string, given: Record<string, string>) {
  const word = style === '3.3' ? 'workflow' : 'process';
  if (method === 'GET' && path === '/projects') {
    const rows = [
      { code: PROJECT_CODE, name: '数仓' },
      { code: PROJECT_CODE + 1, name: '数仓-测试' },
    ];
    return page(
      rows.filter(({ name }) => name.includes(given.searchVal ?? '')),
      given,
    );
  }
  if (path === '/log/detail') return logOf(state, given);
  const [, project, rest = ''] = /^\/projects\/(\d+)\/(.*)$/.exec(path) ?? [];
  if (project === undefined) return undefined;
  if (Number(project) !== PROJECT_CODE) return no(30_002, '当前用户[u]没有[数仓]项目的操作权限');
  if (rest === 'task-definition/gen-task-codes') return ok([19_111_670_727_113_700 + state.workflows.length * 2]);
  if (rest.startsWith(`${word}-definition`)) return definitions(style, state, method, rest, given);
  if (rest.startsWith(`${word}-instances`)) return runs(style, state, rest, given);
  if (rest === 'task-instances') {
    const run = state.instances.find(({ id }) => String(id) === given[`${word}InstanceId`]);
    return page(run ? [{ id: run.id * 10, name: '任务', state: run.state, host: '127.0.0.1:1234' }] : [], given);
  }
  if (rest === `executors/start-${word}-instance`) return start(style, state, given);
  if (rest.startsWith('schedules')) return schedules(style, state, method, rest, given);
  return undefined;
}

function definitions(style: Style, state: State, method: string, rest: string, given: Record<string, string>) {
  const word = style === '3.3' ? 'workflow' : 'process';
  const shown = ({ tasks: _tasks, ...row }: State['workflows'][number]) => row;
  if (rest === `${word}-definition` && method === 'GET') return page(state.workflows.map(shown), given);
  if (rest === `${word}-definition`) {
    if (style === '3.1' && given.tenantCode === undefined)
      return no(10_105, "创建工作流错误:Required request parameter 'tenantCode'");
    if (state.workflows.some(({ name }) => name === given.name))
      return no(10_168, `工作流定义名称[${given.name}]已存在`);
    const id = state.workflows.length + 1;
    // Beyond 2^53: two of them would be one as numbers.
    const code = 9_007_199_254_740_993n + BigInt(id) * 2n;
    const tasks = JSON.parse(given.taskDefinitionJson ?? '[]') as Record<string, unknown>[];
    if (style !== '3.1' && tasks.some((task) => task.isCache !== 'NO')) return no(10_001, '请求参数[{0}]无效');
    state.workflows.push({ id, code, name: given.name ?? '', version: 1, releaseState: 'OFFLINE', tasks });
    return ok({ ...shown(state.workflows.at(-1)!), version: 0 });
  }
  if (rest.endsWith('/query-by-name')) {
    const found = state.workflows.find(({ name }) => name === given.name);
    if (!found) return no(50_003, `工作流定义[${given.name}]不存在`);
    return ok({ [`${word}Definition`]: shown(found), taskDefinitionList: found.tasks });
  }
  const [, code] = /\/(\d+)\/release$/.exec(rest) ?? [];
  const found = state.workflows.find((workflow) => String(workflow.code) === code);
  if (!found) return no(50_003, `工作流定义[${code}]不存在`);
  found.releaseState = given.releaseState ?? '';
  return ok(true);
}

function start(style: Style, state: State, given: Record<string, string>) {
  const code = given[style === '3.3' ? 'workflowDefinitionCode' : 'processDefinitionCode'];
  const found = state.workflows.find((workflow) => String(workflow.code) === code);
  if (!found) return no(50_003, `工作流定义[${code}]不存在`);
  if (found.releaseState !== 'ONLINE') return no(50_004, `工作流定义[${code}] 工作流版本[1]不是上线状态`);
  const id = state.instances.length + 1;
  state.instances.push({ id, of: found.code, name: `${found.name}-${id}`, state: 'RUNNING_EXECUTION' });
  return style === '3.3' ? ok([id]) : style === '3.2' ? ok(700_000 + id) : ok();
}

function runs(style: Style, state: State, rest: string, given: Record<string, string>) {
  const shown = ({ of: _of, ...row }: State['instances'][number]) => row;
  if (rest.endsWith('/trigger')) {
    if (style !== '3.2') return undefined;
    return ok(state.instances.filter(({ id }) => 700_000 + id === Number(given.triggerCode)).map(shown));
  }
  const [, id] = /\/(\d+)$/.exec(rest) ?? [];
  if (id === undefined) {
    const of = given[style === '3.3' ? 'workflowDefinitionCode' : 'processDefineCode'];
    return page(
      state.instances
        .filter((run) => String(run.of) === of)
        .map(shown)
        .reverse(),
      given,
    );
  }
  const found = state.instances.find((run) => String(run.id) === id);
  return found ? ok(shown(found)) : no(50_001, `工作流实例[${id}]不存在`);
}

function schedules(style: Style, state: State, method: string, rest: string, given: Record<string, string>) {
  const name = style === '3.3' ? 'workflowDefinitionCode' : 'processDefinitionCode';
  const shown = ({ of, ...row }: State['schedules'][number]) => ({ ...row, [name]: of });
  const [, id, act] = /^schedules\/(\d+)\/(online|offline)$/.exec(rest) ?? [];
  if (id !== undefined) {
    const found = state.schedules.find((schedule) => String(schedule.id) === id);
    if (!found) return no(10_203, `调度 id ${id} 不存在`);
    found.releaseState = act === 'online' ? 'ONLINE' : 'OFFLINE';
    return ok(true);
  }
  const mine = state.schedules.filter(({ of }) => String(of) === given[name]);
  if (method === 'GET') return page(mine.map(shown), given);
  if (mine[0]) return no(10_204, `工作流 ${given[name]} 的定时已经存在`);
  const { crontab, timezoneId, startTime, endTime } = JSON.parse(given.schedule ?? '{}') as Record<string, string>;
  const of = BigInt(given[name] ?? 0);
  const times = { timezoneId, startTime, endTime };
  state.schedules.push({
    id: state.schedules.length + 1,
    of,
    crontab: crontab ?? '',
    ...times,
    releaseState: 'OFFLINE',
  });
  return ok(style === '3.3' ? shown(state.schedules.at(-1)!) : undefined);
}

function logOf(state: State, { taskInstanceId, skipLineNum, limit }: Record<string, string>) {
  if (taskInstanceId === '404') return no(10_008, '任务实例不存在');
  if (taskInstanceId === '191') return no(10_191, '任务实例host为空');
  const skip = Number(skipLineNum);
  const head = skip === 0 ? '[LOG-PATH]: /opt/logs/1.log, [HOST]: 127.0.0.1:1234\n' : '';
  const lines = state.log.slice(skip, skip + Number(limit)).map((line) => `${line}\r\n`);
  return ok({ lineNum: lines.length, message: head + lines.join('') });
}
