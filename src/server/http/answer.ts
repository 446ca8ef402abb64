import type { IncomingMessage } from 'node:http';
import { packageVersion } from '../../assets.js';
import { quoted, XiheError } from '../../errors.js';
import { today } from '../../knowledge/expiry.js';
import type { ServedProject } from '../projects/index.js';
import { checked, readBody } from './body.js';
import { type AnswerCache, etagOf, type KeptAnswer, matches } from './cache.js';
import { assertRole, callerBy, type HttpCaller, projectFor } from './caller.js';
import { ANSWER_MS } from './limits.js';
import type { AnswerKind } from './metrics.js';
import type { Asking, Made, ProjectRoute } from './routes.js';
import type { Site } from './site.js';

/** What is known of a request while it is answered, for headers, log and metrics. */
export interface Visit {
  readonly requestId: string;
  readonly incoming: IncomingMessage;
  /** Values in the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** What stands behind the ?, decoded. */
  readonly search: Readonly<Record<string, string>>;
  caller?: HttpCaller;
  project?: string;
  kind?: AnswerKind;
}

/** An answer before it is sent. */
export interface Reply {
  status: number;
  body: string | null;
  headers: Record<string, string>;
}

/** Clients keep an answer, and ask each time whether it is still so: only they know who else reads their cache. */
const REVALIDATE = 'private, no-cache';

/**
 * Who asks, by his key, and whether he may go on.
 *
 * @throws XiheError KEY_REQUIRED, KEY_INVALID, RATE_LIMITED, KEY_FORBIDDEN
 */
export function admit(site: Site, visit: Visit, role: string): HttpCaller {
  const caller = callerBy(visit.incoming.headers.authorization, site.keys);
  visit.caller = caller;
  const wait = site.limiter.take(caller.name);
  if (wait > 0)
    throw new XiheError('RATE_LIMITED', '请求太快了', {
      hint: '稍等再试；一次问得多，就少问几次。',
      details: { retryAfter: Math.ceil(wait) },
    });
  assertRole(caller, role);
  return caller;
}

/**
 * Answers a request about a project: unchanged, kept or made.
 *
 * @throws XiheError
 */
export async function answerProject(site: Site, route: ProjectRoute, visit: Visit): Promise<Reply> {
  const caller = admit(site, visit, route.role);
  const name = projectFor(caller, projectNamed(visit.search), site.projects.names);
  visit.project = name;
  const isGet = route.method === 'GET';
  const input = isGet ? checked(visit.params, route.input) : await readBody(visit.incoming, route.input);
  return site.projects.use(name, (project) => {
    const asking = { project, caller, requestId: visit.requestId };
    return inTime(
      route.madeOf === 'nothing' ? makeAnew(route, input, asking) : keptOrMade(site, route, input, asking, visit),
    );
  });
}

/** @throws XiheError REQUEST_INVALID for anything but `project` */
function projectNamed(search: Readonly<Record<string, string>>): string | undefined {
  const { project, ...others } = search;
  const [unknown] = Object.keys(others);
  if (unknown === undefined) return project;
  throw new XiheError('REQUEST_INVALID', `不认识的地址参数 ${quoted(unknown)}`, {
    hint: '地址里只能写 ?project=名字，其余写在请求体里。',
  });
}

async function makeAnew(route: ProjectRoute, input: unknown, asking: Asking): Promise<Reply> {
  const { answer } = await route.run(input, asking);
  return jsonReply(200, answer, { 'x-xihe-data-version': answer.data_version, 'cache-control': 'no-store' });
}

/** The tag is worked out of the question and the content, so that neither a 304 nor a kept answer asks the core anything. */
async function keptOrMade(
  site: Site,
  route: ProjectRoute,
  input: unknown,
  asking: Asking,
  visit: Visit,
): Promise<Reply> {
  const { project } = asking;
  const etag = await tagOf(route, input, project);
  const tell = (kind: AnswerKind) => {
    visit.kind = kind;
    site.metrics.answer(project.name, kind);
  };
  const { isSettled } = project;
  if (isSettled && matches(visit.incoming.headers['if-none-match'], etag)) {
    tell('unchanged');
    return { status: 304, body: null, headers: tagged(etag, project.dataVersion) };
  }
  const cache = site.cacheOf(project.name);
  const kept = isSettled ? cache.get(etag) : undefined;
  if (kept !== undefined) {
    tell('kept');
    return sent(kept);
  }
  tell('made');
  return site.once(`${project.name} ${etag}`, () => make(route, input, asking, etag, cache));
}

async function make(
  route: ProjectRoute,
  input: unknown,
  asking: Asking,
  etag: string,
  cache: AnswerCache,
): Promise<Reply> {
  const made = await route.run(input, asking);
  const answer = { etag, body: JSON.stringify(made.answer), dataVersion: made.answer.data_version };
  if (await holds(route, input, asking, etag, made)) {
    cache.keep(answer);
    return sent(answer);
  }
  // Made while something changed, or without a part: good for this once.
  const headers = { ...JSON_TYPE, 'x-xihe-data-version': answer.dataVersion, 'cache-control': 'no-store' };
  return { status: 200, body: answer.body, headers };
}

async function holds(
  route: ProjectRoute,
  input: unknown,
  { project }: Asking,
  etag: string,
  { isWhole, answer }: Made<{ data_version: string }>,
): Promise<boolean> {
  if (!isWhole || !project.isSettled || answer.data_version !== project.dataVersion) return false;
  return (await tagOf(route, input, project)) === etag;
}

/** Everything that an answer follows from: the program, the day (entries end), the question, the content. */
async function tagOf(route: ProjectRoute, input: unknown, project: ServedProject): Promise<string> {
  const tree = route.madeOf === 'tree' ? project.treeVersionOf(await project.paths()) : '';
  return etagOf([packageVersion(), project.name, route.id, today(), project.dataVersion, tree, input]);
}

function sent({ etag, body, dataVersion }: KeptAnswer): Reply {
  return { status: 200, body, headers: { ...JSON_TYPE, ...tagged(etag, dataVersion) } };
}

function tagged(etag: string, dataVersion: string): Record<string, string> {
  return { etag, 'x-xihe-data-version': dataVersion, 'cache-control': REVALIDATE };
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' } as const;

/** A document as an answer. */
export function jsonReply(status: number, document: unknown, headers: Record<string, string> = {}): Reply {
  return { status, body: JSON.stringify(document), headers: { ...JSON_TYPE, ...headers } };
}

/** @throws XiheError REQUEST_TIMEOUT */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new XiheError('REQUEST_TIMEOUT', `${ANSWER_MS / 1000} 秒还没有答出来`, {
        hint: '过一会再问：项目第一次打开要建索引。',
        details: { retryAfter: 5 },
      });
      reject(error);
    }, ANSWER_MS);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
