import type * as z from 'zod';
import { XiheError } from '../../errors.js';
import { healthAnswer, readyAnswer } from '../schemas.js';
import { jsonReply, type Reply } from './answer.js';
import type { Site } from './site.js';

/** What a route about the service itself has. */
export interface SiteAsking {
  site: Site;
  /** Made when they are first asked for, then kept. */
  documents: { openapi(): unknown; page(): string };
  /** Whether the caller may know of a project; absent where nobody had to say who he is. */
  isShown?(project: string): boolean;
}

/** A route about the service itself. Without a role it is open to everybody, and so tells nothing of any project. */
export interface SiteRoute {
  method: 'GET';
  path: string;
  id: string;
  /** In Chinese. */
  summary: string;
  role?: string;
  /** Of a JSON answer. */
  answer?: z.ZodType;
  /** Of any other. */
  type?: string;
  reply(asking: SiteAsking): Reply;
}

const NO_STORE = { 'cache-control': 'no-store' } as const;
/** The page runs nothing and loads nothing. */
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
} as const;

/** All routes about the service itself. */
export const SITE_ROUTES: readonly SiteRoute[] = [
  {
    method: 'GET',
    path: '/healthz',
    id: 'healthz',
    summary: '进程活着',
    answer: healthAnswer,
    reply: () => jsonReply(200, { status: 'ok' }, NO_STORE),
  },
  {
    method: 'GET',
    path: '/readyz',
    id: 'readyz',
    summary: '可以接请求；正在关闭时是 503。某个项目打不开不影响它',
    answer: readyAnswer,
    reply({ site }) {
      if (!site.isEnding) return jsonReply(200, { status: 'ready' }, NO_STORE);
      throw new XiheError('SHUTTING_DOWN', '服务正在关闭', { hint: '把请求发给别的实例，或稍后再试。' });
    },
  },
  {
    method: 'GET',
    path: '/metrics',
    id: 'metrics',
    summary: 'Prometheus 指标；只有密钥能用的项目',
    role: 'ops',
    type: 'text/plain; version=0.0.4; charset=utf-8',
    reply({ site, isShown = () => false }) {
      const body = site.metrics.text(site.projects.states(), isShown);
      return {
        status: 200,
        body,
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', ...NO_STORE },
      };
    },
  },
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'openapi',
    summary: '接口说明，OpenAPI 3.1',
    type: 'application/json',
    reply: ({ documents }) => jsonReply(200, documents.openapi()),
  },
  {
    method: 'GET',
    path: '/docs',
    id: 'docs',
    summary: '接口说明，给人看的网页',
    type: 'text/html; charset=utf-8',
    reply: ({ documents }) => ({ status: 200, body: documents.page(), headers: { ...PAGE_HEADERS } }),
  },
];
