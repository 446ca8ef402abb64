import { quoted, XiheError } from '../../errors.js';

/** Hosts that are this machine and nothing else, without port. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i;

/** Whether an address to listen on can be reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * A page of any site can have its own name lead to 127.0.0.1 and then read what a server there says. So a server for this machine answers
 * only to names of this machine.
 *
 * @param header `Host`, with or without port
 * @throws XiheError HOST_NOT_ALLOWED
 */
export function assertLoopbackName(header: string | undefined): void {
  const host = (header ?? '').replace(/:\d{1,5}$/, '');
  if (LOOPBACK.test(host)) return;
  throw new XiheError('HOST_NOT_ALLOWED', `这个服务只认本机的名字，不认「${quoted(host)}」`, {
    hint: '地址写成 http://127.0.0.1:端口 或 http://localhost:端口。',
  });
}

/**
 * Requests that a page of another site makes in somebody's browser are refused, unless the site was allowed when the server was started.
 *
 * @param origin the header that browsers set
 * @param host the header `Host`
 * @returns whether it is a page of an allowed site, which then may read the answer
 * @throws XiheError ORIGIN_NOT_ALLOWED
 */
export function assertOrigin(
  origin: string | undefined,
  host: string | undefined,
  allowed: readonly string[],
): boolean {
  if (origin === undefined) return false;
  if (allowed.includes(origin)) return true;
  if (host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)) return false;
  throw new XiheError('ORIGIN_NOT_ALLOWED', `不接受来自 ${quoted(origin)} 的网页`, {
    hint: '要让这个网站用，启动时加 --cors 和它的地址。',
  });
}

/** What lets a page of an allowed site read an answer. */
export function corsHeaders(origin: string): Record<string, string> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'etag, x-request-id, x-xihe-data-version, retry-after',
    vary: 'Origin',
  };
}

/** What lets it ask in the first place. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type, if-none-match, x-request-id',
  'access-control-max-age': '600',
} as const;
