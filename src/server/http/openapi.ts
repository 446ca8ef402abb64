import * as z from 'zod';
import { packageVersion } from '../../assets.js';
import type { XiheErrorCode } from '../../errors.js';
import { errorAnswer } from '../schemas.js';
import { PROJECT_ROUTES, type ProjectRoute } from './routes.js';
import { SITE_ROUTES, type SiteRoute } from './siteRoutes.js';
import { STATUS_OF } from './statuses.js';

/** A JSON Schema or a part of the document. */
export type Part = Record<string, unknown>;

/** Statuses that any route about a project can end with. */
const ANY: readonly number[] = [400, 401, 403, 404, 421, 429, 500, 503, 504];
/** Those that a body can bring about. */
const OF_BODY: readonly number[] = [413, 415];

let made: Part | undefined;

/** `/openapi.json`: OpenAPI 3.1, made of the tables of routes. The same object each time. */
export function openApi(): Part {
  made ??= document();
  return made;
}

function document(): Part {
  const routes = [...PROJECT_ROUTES.map(projectPart), ...SITE_ROUTES.map(sitePart)];
  const paths: Record<string, Part> = {};
  for (const { path, method, operation } of routes) paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  return {
    openapi: '3.1.0',
    info: {
      title: '羲和',
      version: packageVersion(),
      description:
        '中文数据核心和路径上下文。每个回答带 data_version：内容不变它就不变；带上 If-None-Match 再问，没变就回 304。出错时是 { error: { code, message, hint, request_id } }，code 不会改名。',
    },
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'xihe keys add 发的密钥；没有配密钥的本机服务不用写' },
      },
      schemas: { Error: jsonSchema(errorAnswer, 'output') },
    },
  };
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Part {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io }) as Part;
  return rest;
}

function projectPart(route: ProjectRoute) {
  const { path, method, id, summary, role, madeOf } = route;
  const statuses = method === 'POST' ? [...ANY, ...OF_BODY] : ANY;
  const operation = {
    operationId: id,
    summary,
    description: `要有角色 ${role}。`,
    security: [{ key: [] }, {}],
    parameters: [
      PROJECT,
      ...(method === 'GET' ? pathParameters(route) : []),
      ...(madeOf === 'nothing' ? [] : [IF_NONE_MATCH]),
    ],
    ...(method === 'POST' ? { requestBody: bodyOf(route) } : {}),
    responses: {
      200: {
        description: '回答',
        headers: answerHeaders(madeOf !== 'nothing'),
        content: json(jsonSchema(route.answer, 'output')),
      },
      ...(madeOf === 'nothing' ? {} : { 304: { description: '没变：你手里的还是对的' } }),
      ...errors(statuses),
    },
  };
  return { path, method, operation };
}

function sitePart({ path, method, id, summary, role, answer, type = 'application/json' }: SiteRoute) {
  const schema =
    answer === undefined ? { type: type === 'application/json' ? 'object' : 'string' } : jsonSchema(answer, 'output');
  const statuses = [421, ...(role === undefined ? [] : [401, 403, 429]), ...(id === 'readyz' ? [503] : [])];
  const operation = {
    operationId: id,
    summary,
    ...(role === undefined ? { security: [] } : { description: `要有角色 ${role}。`, security: [{ key: [] }, {}] }),
    responses: {
      200: { description: '回答', content: { [type.split(';')[0] as string]: { schema } } },
      ...errors(statuses),
    },
  };
  return { path, method, operation };
}

const PROJECT: Part = {
  name: 'project',
  in: 'query',
  required: false,
  schema: { type: 'string', maxLength: 64 },
  description: '查哪个项目；密钥只能用一个项目时不用写',
};
const IF_NONE_MATCH: Part = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: '上次回答的 ETag',
};

function pathParameters(route: ProjectRoute): Part[] {
  const { properties = {} } = jsonSchema(route.input, 'input') as { properties?: Record<string, Part> };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema,
    example: (route.example as Part)[name],
  }));
}

function bodyOf({ input, example }: ProjectRoute): Part {
  return { required: true, content: { 'application/json': { schema: jsonSchema(input, 'input'), example } } };
}

function answerHeaders(hasTag: boolean): Part {
  const text = { schema: { type: 'string' } };
  return {
    'x-request-id': { ...text, description: '这次请求的编号，日志里也是它' },
    'x-xihe-data-version': { ...text, description: '和 data_version 一样' },
    ...(hasTag ? { etag: { ...text, description: '下次放进 If-None-Match' } } : {}),
  };
}

function json(schema: Part): Part {
  return { 'application/json': { schema } };
}

function errors(statuses: readonly number[]): Record<string, Part> {
  const rows = statuses.map((status) => [
    String(status),
    { description: codesOf(status).join('、'), content: json({ $ref: '#/components/schemas/Error' }) },
  ]);
  return Object.fromEntries(rows) as Record<string, Part>;
}

function codesOf(status: number): string[] {
  const codes = Object.entries(STATUS_OF) as [XiheErrorCode, number][];
  const found = codes.filter(([, of]) => of === status).map(([code]) => code);
  return found.length > 0 ? found : ['INTERNAL'];
}
