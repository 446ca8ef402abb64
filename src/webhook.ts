import { createHash } from 'node:crypto';

/** A part of a path that is this long is no word that people chose: it is the key (Feishu's is a UUID of 36). Characters. */
const KEY_CHARS = 16;

/**
 * The address of a group robot for people: the key, which is all that somebody needs to write into the group, is left out. WeCom and
 * DingTalk have it in the query, Feishu in the path.
 *
 * @returns `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=***`; of what is no address nothing but `***`
 */
export function shownWebhook(address: string): string {
  if (!URL.canParse(address)) return '***';
  const url = new URL(address);
  const path = url.pathname.replace(/[^/]+/g, (part) => (part.length >= KEY_CHARS ? '***' : part));
  const query = [...url.searchParams.keys()].map((name) => `${name.slice(0, KEY_CHARS)}=***`).join('&');
  return `${url.protocol}//${url.host}${path}${query === '' ? '' : `?${query}`}`;
}

/** Names an address without telling its key: the beginning of its SHA-256, 12 hex digits. The key is random, so nobody guesses it back. */
export function webhookId(address: string): string {
  return createHash('sha256').update(address).digest('hex').slice(0, 12);
}
