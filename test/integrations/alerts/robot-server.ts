import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Platform } from '../../../src/integrations/alerts/index.js';

/** The key in the addresses of this server's robots. */
export const KEY = '693a91f6-7f9c-4bc4-97a0-0ec1eefa5898';
export const SECRET = 'SEC0a1b2c3d4e5f60718293a4b5c6d7e8f9';

/** A reply instead of what the platform would say: a status with a body, or no answer at all. */
export interface Instead {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Takes the message and never answers. */
  hang?: boolean;
  /** Takes the message and breaks the connection. */
  reset?: boolean;
}

export interface RobotServer {
  platform: Platform;
  /** With the key, as a group shows it. */
  address: string;
  /** Contents that were put into the group, in order. */
  group: string[];
  /** Bodies of all requests, as they came. */
  bodies: string[];
  /** Queries and paths of all requests. */
  urls: string[];
  /** For the next requests, one each. */
  next: Instead[];
  close(): Promise<void>;
}

/** Messages a minute and longest contents, as the platforms document them. */
const PER_MINUTE = { wecom: 20, dingtalk: 20, feishu: 100 };
const SIGN_MS = 3_600_000;

/** A server that behaves as a group's robot of a platform does: key, signature, limits, codes. */
export async function startRobot(platform: Platform, options: { secret?: string } = {}): Promise<RobotServer> {
  const times: number[] = [];
  const robot = { platform, group: [], bodies: [], urls: [], next: [] } as unknown as RobotServer;
  const server = createServer(async (request, response) => {
    const body = await read(request);
    robot.bodies.push(body);
    robot.urls.push(request.url ?? '');
    const instead = robot.next.shift();
    if (instead?.hang || instead?.reset) robot.group.push(contentOf(JSON.parse(body)));
    if (instead?.hang) return;
    if (instead?.reset) return void request.socket.destroy();
    if (instead) return answer(response, instead.status ?? 200, instead.body ?? {}, instead.headers);
    const fault = faultOf(platform, request, body, times, options.secret);
    if (fault === undefined) robot.group.push(contentOf(JSON.parse(body)));
    answer(response, fault?.status ?? 200, said(platform, fault?.code ?? 0, fault?.text ?? 'ok'));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  robot.address = {
    wecom: `${origin}/cgi-bin/webhook/send?key=${KEY}`,
    dingtalk: `${origin}/robot/send?access_token=${KEY}`,
    feishu: `${origin}/open-apis/bot/v2/hook/${KEY}`,
  }[platform];
  robot.close = () =>
    new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return robot;
}

interface Fault {
  code: number;
  text: string;
  status?: number;
}

function faultOf(
  platform: Platform,
  request: IncomingMessage,
  body: string,
  times: number[],
  secret: string | undefined,
): Fault | undefined {
  const url = new URL(request.url ?? '', 'http://robot');
  const json = JSON.parse(body) as Record<string, unknown>;
  if (!url.href.includes(KEY))
    return {
      wecom: { code: 93000, text: 'invalid webhook url, hint: [1700000000], from ip: 10.0.0.1' },
      dingtalk: { code: 300001, text: 'token is not exist' },
      feishu: { code: 19001, text: 'param invalid: incoming webhook access token invalid', status: 400 },
    }[platform];
  if (secret !== undefined && !isSigned(platform, url, json, secret))
    return platform === 'dingtalk'
      ? { code: 310000, text: 'sign not match' }
      : { code: 19021, text: 'sign match fail or timestamp is not within one hour from current time', status: 400 };
  const content = contentOf(json);
  if (platform === 'wecom' && Buffer.byteLength(content) > (json.msgtype === 'markdown' ? 4096 : 2048))
    return { code: 40058, text: 'markdown.content exceed max length' };
  if (platform !== 'wecom' && Buffer.byteLength(body) > 20_000)
    return platform === 'dingtalk'
      ? { code: 460101, text: 'message too long, exceed 20000 bytes' }
      : { code: 9499, text: 'Bad Request', status: 400 };
  const now = Date.now();
  if (times.filter((at) => now - at < 60_000).length >= PER_MINUTE[platform])
    return {
      wecom: { code: 45009, text: 'api freq out of limit' },
      dingtalk: { code: 130101, text: 'send too fast, exceed 20 times per minute' },
      feishu: { code: 11232, text: 'frequency limited psm[lark.oapi.app_platform_runtime]appID[1500]' },
    }[platform];
  times.push(now);
  return undefined;
}

function isSigned(platform: Platform, url: URL, json: Record<string, unknown>, secret: string): boolean {
  if (platform === 'dingtalk') {
    const at = url.searchParams.get('timestamp') ?? '';
    const right = createHmac('sha256', secret).update(`${at}\n${secret}`).digest('base64');
    return Math.abs(Date.now() - Number(at)) < SIGN_MS && url.searchParams.get('sign') === right;
  }
  const right = createHmac('sha256', `${json.timestamp}\n${secret}`).digest('base64');
  return Math.abs(Date.now() - Number(json.timestamp) * 1000) < SIGN_MS && json.sign === right;
}

/** What the group sees of a message. */
export function contentOf(json: Record<string, unknown>): string {
  const found = json as {
    text?: { content: string };
    markdown?: { content?: string; text?: string };
    content?: { text: string };
    card?: { elements: { content: string }[] };
  };
  return (
    found.text?.content ??
    found.markdown?.content ??
    found.markdown?.text ??
    found.content?.text ??
    found.card?.elements[0]?.content ??
    ''
  );
}

function said(platform: Platform, code: number, text: string): unknown {
  return platform === 'feishu'
    ? { code, msg: code === 0 ? 'success' : text, data: {} }
    : { errcode: code, errmsg: text };
}

function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
