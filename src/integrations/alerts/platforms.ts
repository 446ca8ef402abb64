import { createHmac } from 'node:crypto';
import type { Format, Message, Platform, Robot } from './types.js';

/** What a platform's answer means for the message. */
export type Meaning =
  | 'ok'
  /** Not taken; the same request may be taken in a moment. */
  | 'busy'
  /** Not taken: too many messages. */
  | 'limited'
  /** Not taken, and never will be with this address, key, signature or security setting. */
  | 'auth'
  /** Not taken because of what stands in it. */
  | 'content';

/** A robot's platform as it documents itself. */
interface Rules {
  /** As people call it. */
  name: string;
  /** Hosts of its addresses. */
  hosts: readonly string[];
  /** Longest content in bytes of UTF-8, by format. */
  maxBytes: Record<Format, number>;
  /** How long it takes no message after too many, in milliseconds. */
  pauseMs: number;
  body(message: Message, format: Format): Record<string, unknown>;
  /** What the signature adds to the address's query and to the body. */
  sign?(secret: string, now: number): { query?: Record<string, string>; body?: Record<string, string> };
  /** What a code and its text mean; undefined codes are refusals of the content. */
  meaning(code: number, said: string): Meaning;
}

/** Content of DingTalk and Feishu. Both take 20,000 bytes as JSON, where quotes and line ends count twice; more than this nobody reads in a chat. */
const READABLE_BYTES = 8_000;

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64');

/**
 * The rules of each platform.
 *
 * WeCom: developer.work.weixin.qq.com/document/path/99110 (text 2,048 and markdown 4,096 bytes, 20 messages a minute) and path/90313
 * (codes). DingTalk: open.dingtalk.com/document/orgapp/custom-robot-access and …/customize-robot-security-settings (20 messages a minute,
 * then 10 minutes none; 20,000 bytes; signature over the time in ms; 310000 for keyword, signature and IP). Feishu:
 * open.feishu.cn/document/client-docs/bot-v3/add-custom-bot (100 a minute, 5 a second; 20 KB of request; signature over the time in s, with
 * the text to sign as the key and an empty message; 11232 for too many, also under load).
 */
export const PLATFORMS: Record<Platform, Rules> = {
  wecom: {
    name: '企业微信',
    hosts: ['qyapi.weixin.qq.com'],
    maxBytes: { text: 2_048, markdown: 4_096 },
    pauseMs: 60_000,
    body: ({ content }, format) => ({ msgtype: format, [format]: { content } }),
    // -1: busy, try again at most three times. 45009: over the frequency; 45033: too many at once. 93000: the address is wrong, or the robot is gone.
    meaning: (code) =>
      meaningOf(code, { busy: [-1, 45033], limited: [45009], auth: [93000, 93008, 93017, 40001, 40014] }),
  },
  dingtalk: {
    name: '钉钉',
    hosts: ['oapi.dingtalk.com'],
    maxBytes: { text: READABLE_BYTES, markdown: READABLE_BYTES },
    pauseMs: 600_000,
    body: ({ title, content }, format) =>
      format === 'text'
        ? { msgtype: 'text', text: { content } }
        : // A single line end is a blank to it.
          { msgtype: 'markdown', markdown: { title, text: content.replace(/\n/g, '\n\n') } },
    sign: (secret, now) => ({ query: { timestamp: `${now}`, sign: hmac(secret, `${now}\n${secret}`) } }),
    meaning: (code) =>
      meaningOf(code, {
        busy: [-1],
        limited: [130101, 410100],
        auth: [310000, 300001, 300005, 400101, 400102, 400105],
      }),
  },
  feishu: {
    name: '飞书',
    hosts: ['open.feishu.cn', 'open.larksuite.com'],
    maxBytes: { text: READABLE_BYTES, markdown: READABLE_BYTES },
    pauseMs: 60_000,
    body: ({ title, content }, format) =>
      format === 'text'
        ? { msg_type: 'text', content: { text: content } }
        : {
            msg_type: 'interactive',
            card: {
              header: { title: { tag: 'plain_text', content: title }, template: 'red' },
              elements: [{ tag: 'markdown', content }],
            },
          },
    sign: (secret, now) => {
      const timestamp = `${Math.floor(now / 1000)}`;
      return { body: { timestamp, sign: hmac(`${timestamp}\n${secret}`, '') } };
    },
    // 9499 is a bad request, and was once too many of them: its text tells.
    meaning: (code, said) =>
      /frequency|too many/i.test(said)
        ? 'limited'
        : meaningOf(code, { busy: [-1], limited: [11232], auth: [19001, 19002, 19021, 19022, 19024] }),
  },
};

function meaningOf(code: number, known: Partial<Record<Meaning, readonly number[]>>): Meaning {
  if (code === 0) return 'ok';
  const found = (Object.keys(known) as Meaning[]).find((meaning) => known[meaning]?.includes(code));
  return found ?? 'content';
}

/** The platform of an address by its host; undefined for a host of one's own (a proxy), which needs the setting. */
export function platformOf(address: string): Platform | undefined {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return (Object.keys(PLATFORMS) as Platform[]).find((name) => PLATFORMS[name].hosts.includes(host));
}

/**
 * The request for a message. Signed anew each time: a signature is good for an hour.
 *
 * @param now milliseconds since 1970
 */
export function requestFor(robot: Robot, message: Message, now: number): { url: string; body: string } {
  const { body, sign } = PLATFORMS[robot.platform];
  const signed = robot.secret && sign ? sign(robot.secret, now) : {};
  const url = new URL(robot.address);
  for (const [name, value] of Object.entries(signed.query ?? {})) url.searchParams.set(name, value);
  return { url: url.href, body: JSON.stringify({ ...signed.body, ...body(message, robot.format) }) };
}
