import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Service, type ServiceOptions, startService } from '../../src/server/http/service.js';
import { cleanEnv, copyMall, removeDir } from './mall.js';

export interface Served {
  service: Service;
  url: string;
  /** The shop, and a project beside it that knows a secret word. */
  mall: string;
  other: string;
  env: NodeJS.ProcessEnv;
  /** Lines of the log so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into lines whose shape they check
  lines(): any[];
  /** A request with a JSON body (else a GET), as a program would make it. */
  ask(path: string, body?: unknown, headers?: Record<string, string>): Promise<Asked>;
  close(): Promise<void>;
}

export interface Asked {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents whose schema they also check
  json: any;
}

/** What nobody without a key for `other` may ever read. */
export const SECRET = '黑曜石计划';
const TERM = `- id: obsidian\n  keyword_ch: ${SECRET}\n  code_symbols: [ObsidianVault.open]\n  status: verified\n  source: 代码审查\n  confidence: high\n`;

/** The HTTP service in this process, on a free port, with a copy of the shop (`mall`) and a small project (`other`). @param before makes keys, say */
export async function serveHttp(
  options: Partial<ServiceOptions> = {},
  before: (env: NodeJS.ProcessEnv) => void = () => {},
): Promise<Served> {
  const mall = copyMall({ link: false });
  const other = mkdtempSync(join(tmpdir(), 'xihe-other-'));
  put(other, '.xihe/knowledge/terms/t.yaml', TERM);
  put(other, 'src/vault.ts', `/** ${SECRET} */\nexport class ObsidianVault { open() {} }\n`);
  const home = mkdtempSync(join(tmpdir(), 'xihe-home-'));
  const env = cleanEnv({ XDG_CONFIG_HOME: home, HOME: home, ...(options.env as Record<string, string>) });
  before(env);
  let log = '';
  const service = await startService({
    projects: { mall, other },
    port: 0,
    rate: 0,
    writeLog: (text) => {
      log += text;
    },
    ...options,
    env,
  });
  const { url } = service;
  return {
    service,
    url,
    mall,
    other,
    env,
    lines: () =>
      log
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    ask: (path, body, headers = {}) => ask(`${url}${path}`, body, headers),
    async close() {
      await service.close();
      for (const dir of [mall, other, home]) removeDir(dir);
    },
  };
}

export function put(dir: string, path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

export async function ask(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Asked> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url, { ...sent, headers: { ...type, ...headers } });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}
