import type * as z from 'zod';
import { quoted, XiheError } from '../../errors.js';
import { lookupKnowledge, zhCoreQuery } from '../../tools/builtin/core-tools.js';
import { expandPath, lookupFile } from '../../tools/builtin/path-tools.js';
import type { Caller } from '../../tools/types.js';
import { aboutOf, type CoreQuery, proposalsFrom, recordOf, recordOfLookup } from '../../zhcore/index.js';
import {
  entryAnswerOf,
  expandAnswerOf,
  findAnswerOf,
  lookupAnswerOf,
  queryAnswerOf,
  type Versions,
} from '../answers.js';
import type { ServedProject } from '../projects/index.js';
import * as schemas from '../schemas.js';
import { lookingContext } from '../toolContext.js';

/** What an answer is made of, and so what it is kept by; `nothing`: it is made each time. */
export type MadeOf = 'core' | 'tree' | 'nothing';

/** Everything that a route needs of a request. */
export interface Asking {
  project: ServedProject;
  caller: Caller;
  requestId: string;
}

/** An answer, and whether the next one to ask the same may have it too: not where a part of it was missing this time. */
export interface Made<A> {
  answer: A;
  isWhole: boolean;
}

/** A route about one project. Written once: the service, `/openapi.json`, its page and the tests are made of this table. */
export interface ProjectRoute<I = unknown, A extends { data_version: string } = { data_version: string }> {
  method: 'GET' | 'POST';
  /** As OpenAPI writes it: `/entries/{id}`. */
  path: string;
  id: string;
  /** In Chinese: what it does. */
  summary: string;
  /** The role that the caller needs. */
  role: string;
  /** Of the body; of a GET the parameters in the path. */
  input: z.ZodType<I>;
  answer: z.ZodType;
  madeOf: MadeOf;
  example: I;
  run(input: I, asking: Asking): Promise<Made<A>>;
}

/** Checks that a route fits together, and forgets which input it takes. */
function route<I, A extends { data_version: string }>(of: ProjectRoute<I, A>): ProjectRoute {
  return of as unknown as ProjectRoute;
}

type Query = z.output<typeof schemas.queryBody>;

function coreQuery(q: Query): CoreQuery {
  return {
    userIntent: q.user_intent,
    codeSymbols: q.code_symbols,
    taskType: q.task_type,
    maxResults: q.max_results,
    force: true,
    ...(q.module ? { module: q.module } : {}),
    ...(q.files ? { files: q.files } : {}),
  };
}

/** @param byMeaning whether the part that is asked for has anything from vectors */
async function ask(q: Query, { project }: Asking, byMeaning: boolean) {
  const started = performance.now();
  const query = coreQuery(q);
  const result = byMeaning ? await project.core.ask(query) : project.core.query(query);
  project.queryLog.append(recordOf(result, { text: q.user_intent, ms: performance.now() - started }));
  return { answer: queryAnswerOf(result), isWhole: result.degraded === undefined };
}

const QUERY_EXAMPLE: Query = { user_intent: '超时关单加重试', code_symbols: [], task_type: 'feature', max_results: 5 };

const query = {
  method: 'POST',
  role: zhCoreQuery.aclRole,
  input: schemas.queryBody as z.ZodType<Query>,
  madeOf: 'core',
  example: QUERY_EXAMPLE,
} as const;

function versionsOf(asking: Asking, treeVersion: string): Versions {
  return { data_version: asking.project.dataVersion, tree_version: treeVersion };
}

/** All routes about a project. */
export const PROJECT_ROUTES: readonly ProjectRoute[] = [
  route({
    ...query,
    path: '/query',
    id: 'query',
    summary: '查中文数据核心，四张表：术语、知识、流程模板、警示',
    answer: schemas.queryAnswer,
    run: (q, asking) => ask(q, asking, true),
  }),
  route({
    ...query,
    path: '/query/term',
    id: 'queryTerms',
    summary: '只要术语：中文词对应的代码符号',
    answer: schemas.termsAnswer,
    async run(q, asking) {
      const { answer, isWhole } = await ask(q, asking, false);
      const { data_version, gate, terms } = answer;
      return { answer: { data_version, gate, terms }, isWhole };
    },
  }),
  route({
    ...query,
    path: '/query/knowledge',
    id: 'queryKnowledge',
    summary: '只要知识片段',
    answer: schemas.knowledgeAnswer,
    async run(q, asking) {
      const { answer, isWhole } = await ask(q, asking, true);
      const { terms: _, playbooks: __, warnings: ___, ...rest } = answer;
      return { answer: rest, isWhole };
    },
  }),
  route({
    ...query,
    path: '/query/playbook',
    id: 'queryPlaybooks',
    summary: '只要流程模板',
    answer: schemas.playbooksAnswer,
    async run(q, asking) {
      const { answer, isWhole } = await ask(q, asking, false);
      const { data_version, gate, playbooks } = answer;
      return { answer: { data_version, gate, playbooks }, isWhole };
    },
  }),
  route({
    method: 'POST',
    path: '/lookup',
    id: 'lookup',
    summary: lookupKnowledge.description,
    role: lookupKnowledge.aclRole,
    input: schemas.lookupBody,
    answer: schemas.lookupAnswer,
    madeOf: 'core',
    example: { query_text: 'ERR_TIMEOUT' },
    async run({ query_text, section_title }, { project }) {
      const started = performance.now();
      const { dataVersion } = project;
      const found = await project.core.askLookup(query_text, section_title);
      const ms = performance.now() - started;
      project.queryLog.append(recordOfLookup(found, { text: query_text, ms, dataVersion }));
      const isWhole = found.degraded === undefined && found.pending === undefined;
      return { answer: lookupAnswerOf(found, dataVersion), isWhole };
    },
  }),
  route({
    method: 'POST',
    path: '/find',
    id: 'find',
    summary: lookupFile.description,
    role: lookupFile.aclRole,
    input: schemas.findBody,
    answer: schemas.findAnswer,
    madeOf: 'tree',
    example: { query: '超时关单', top_k: 5 },
    async run(input, asking) {
      const context = await lookingContext(asking.project, asking.caller, asking.requestId);
      const versions = versionsOf(asking, asking.project.treeVersionOf(context.paths));
      const found = await lookupFile.run(input, context);
      return { answer: findAnswerOf(input.query, found, versions), isWhole: true };
    },
  }),
  route({
    method: 'POST',
    path: '/expand',
    id: 'expand',
    summary: expandPath.description,
    role: expandPath.aclRole,
    input: schemas.expandBody,
    answer: schemas.expandAnswer,
    madeOf: 'tree',
    example: { path: 'src/order' },
    async run(input, asking) {
      const context = await lookingContext(asking.project, asking.caller, asking.requestId);
      const versions = versionsOf(asking, asking.project.treeVersionOf(context.paths));
      const { text, expansion } = await expandPath.run(input, context);
      return { answer: expandAnswerOf(text, expansion, versions), isWhole: true };
    },
  }),
  route({
    method: 'GET',
    path: '/entries/{id}',
    id: 'entry',
    summary: '按编号取一个条目的全部内容；编号里的 # 和 / 要转义成 %23 和 %2F',
    role: zhCoreQuery.aclRole,
    input: schemas.entryParameters,
    answer: schemas.entryAnswer,
    madeOf: 'core',
    example: { id: 'order-cancel-expired' },
    async run({ id }, { project }) {
      const answer = entryAnswerOf(project.core, id);
      if (answer !== undefined) return { answer, isWhole: true };
      throw new XiheError('ENTRY_NOT_FOUND', `没有条目「${quoted(id)}」`, {
        hint: '编号从 /query 的回答里取；知识片段是「文件#序号」。',
      });
    },
  }),
  route({
    method: 'POST',
    path: '/feedback',
    id: 'feedback',
    summary: '说某次回答好还是不好；只记在服务所在的机器上',
    role: 'developer',
    input: schemas.feedbackBody,
    answer: schemas.feedbackAnswer,
    madeOf: 'nothing',
    example: { request_id: 'a1b2c3', verdict: 'bad', why: '关单不能重试整个方法，只能重试释放库存' },
    run: judge,
  }),
];

type Feedback = z.output<typeof schemas.feedbackBody>;

async function judge(word: Feedback, { project, caller }: Asking): Promise<Made<schemas.FeedbackAnswer>> {
  const { request_id, verdict, why, files = [] } = word;
  const about = verdict === 'bad' ? (word.about ?? aboutOf(why ?? '', 'qa')) : undefined;
  const thread = `http-${caller.name}`;
  const paths = files.length === 0 ? [] : await knownPaths(project, files);
  const kept = project.runLog.append({
    t: new Date().toISOString(),
    kind: 'feedback',
    thread,
    run: request_id,
    verdict,
    ...(about === undefined ? {} : { about }),
    ...(why === undefined ? {} : { why }),
  });
  if (!kept)
    throw new XiheError('STATE_UNWRITABLE', '没能记下这条反馈', {
      hint: '看服务那边 .xihe/state 能不能写、磁盘满没满。',
    });
  const context = { thread, run: request_id, paths };
  const proposals = why === undefined ? [] : project.proposals.add(proposalsFrom(why, context));
  const answer = {
    data_version: project.dataVersion,
    request_id,
    verdict,
    about: about ?? null,
    proposals: proposals.map(({ id, entry }) => ({ id, type: entry.type })),
  };
  return { answer, isWhole: true };
}

/** @throws XiheError PATH_OUTSIDE_PROJECT, PATH_NOT_FOUND: a proposal must not speak of files that there are not */
async function knownPaths(project: ServedProject, files: readonly string[]): Promise<string[]> {
  const paths = await project.paths();
  return files.map((file) => paths.resolve(file).path);
}
