/**
 * 路由：方法 + 路径模板 → 处理函数
 *
 * 不引 Web 框架：接口不多，自己分发几十行就够，依赖也少。
 * 业务异常在这里统一变成 { code, message }，处理函数只管抛。
 */
import { BizError, ErrorCode } from '../shared/errors.js';
import { localeOf, t } from '../shared/i18n.js';
import type { Logger } from '../shared/logger.js';
import type { UserRow } from '../user/user.js';
import type { UserService } from '../user/user-service.js';

export interface HttpRequest {
  method: string;
  /** 已解码，不含查询串。 */
  path: string;
  query: URLSearchParams;
  /** 名称一律小写。 */
  headers: Readonly<Record<string, string>>;
  /** 请求体原文。 */
  body: string;
}

export interface HttpResponse {
  status: number;
  contentType: string;
  body: string | Uint8Array;
}

export type PathParams = Readonly<Record<string, string>>;
export type Handler = (request: HttpRequest, params: PathParams) => Promise<HttpResponse>;

export type UserHandler = (request: HttpRequest, params: PathParams, user: UserRow) => Promise<HttpResponse>;

interface Route {
  method: string;
  parts: string[];
  handler: Handler;
}

export class Router {
  private readonly routes: Route[] = [];

  constructor(private readonly logger: Logger) {}

  /** @param pattern 形如 /orders/:orderNo/cancel */
  add(method: string, pattern: string, handler: Handler): this {
    this.routes.push({ method, parts: pattern.split('/'), handler });
    return this;
  }

  async dispatch(request: HttpRequest): Promise<HttpResponse> {
    try {
      for (const route of this.routes) {
        const params = route.method === request.method ? match(route.parts, request.path) : undefined;
        if (params) return await route.handler(request, params);
      }
      throw new BizError(ErrorCode.ERR_NOT_FOUND, `没有这个接口：${request.method} ${request.path}`);
    } catch (error) {
      return this.failure(request, error);
    }
  }

  private failure(request: HttpRequest, error: unknown): HttpResponse {
    const locale = localeOf(request.headers['accept-language']);
    if (BizError.is(error)) {
      return json({ code: error.code, message: t(`error.${error.code}`, {}, locale) }, error.httpStatus);
    }
    this.logger.error('接口异常', error, { method: request.method, path: request.path });
    return json({ code: 'INTERNAL', message: t('error.INTERNAL', {}, locale) }, 500);
  }
}

/**
 * 包一层登录检查：请求头 Authorization: Bearer 令牌 → 当前用户；没登录或登录失效时抛 ERR_UNAUTHORIZED。
 */
export function withUser(users: UserService, handler: UserHandler): Handler {
  return async (request, params) => {
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    return handler(request, params, await users.userOfToken(token));
  };
}

export function json(value: unknown, status = 200): HttpResponse {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(value) };
}

/** 请求体 → 对象；不是 JSON 对象抛 ERR_PARAM。字段由各接口自己检查。 */
export function jsonBody(request: HttpRequest): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(request.body);
  } catch (cause) {
    throw new BizError(ErrorCode.ERR_PARAM, '请求体不是 JSON', { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BizError(ErrorCode.ERR_PARAM, '请求体应当是 JSON 对象');
  }
  return value as Record<string, unknown>;
}

/** 取必填的字符串字段。 */
export function requiredText(body: Record<string, unknown>, field: string): string {
  const value = body[field];
  if (typeof value !== 'string' || value === '') throw new BizError(ErrorCode.ERR_PARAM, `缺少 ${field}`);
  return value;
}

/** 取必填的商品列表：[{ sku, quantity }]。 */
export function requiredItems(body: Record<string, unknown>): { sku: string; quantity: number }[] {
  if (!Array.isArray(body.items)) throw new BizError(ErrorCode.ERR_PARAM, '缺少 items');
  return body.items.map((item: unknown) => {
    const { sku, quantity } = (item ?? {}) as { sku?: unknown; quantity?: unknown };
    if (typeof sku !== 'string' || typeof quantity !== 'number' || !Number.isInteger(quantity) || quantity < 1) {
      throw new BizError(ErrorCode.ERR_PARAM, 'items 里要有 sku 和正整数 quantity');
    }
    return { sku, quantity };
  });
}

function match(parts: readonly string[], path: string): PathParams | undefined {
  const actual = path.split('/');
  if (actual.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = actual[index] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}
