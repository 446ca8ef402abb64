import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serverGraph } from '../../src/agent/index.js';
import * as outputs from '../../src/agent/output-schemas.js';
import { trustJson } from '../../src/cli/schemas/trust.js';
import { xihe } from '../support/mall.js';

/** A server that answers everybody, at an address that is no loopback by its name, and remembers who came with which key. */
let server: Server;
let address: string;
const came: string[] = [];
let dir: string;
let repo: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      came.push(`${request.url} ${request.headers.authorization ?? ''}`);
      const texts = (JSON.parse(body || '{}') as { input?: string[] }).input ?? [];
      const data = texts.map((_, index) => ({ index, embedding: [1, 0, 0] }));
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  address = `http://0.0.0.0:${(server.address() as AddressInfo).port}/v1`;
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-trust-')));
});
afterAll(() => {
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

const settings = (url: string) =>
  `model: { baseUrl: '${url}', name: m }\nembedding: { baseUrl: '${url}', name: e, maxRetries: 0 }\nmilvus: { address: '${url.replace('/v1', '')}' }\n`;

beforeEach(() => {
  came.length = 0;
  repo = join(dir, `repo-${Math.random().toString(36).slice(2)}`);
  mkdirSync(join(repo, '.xihe', 'knowledge'), { recursive: true });
  writeFileSync(join(repo, '.xihe', 'config.yaml'), settings(address));
  writeFileSync(
    join(repo, '.xihe', 'knowledge', 'night.md'),
    '---\ntitle: 夜间对账\nkeywords: [夜间对账]\nsummary: 每晚对账。\n---\n\n每晚两点对账，失败了早上补跑。\n',
  );
  env = {
    XDG_CONFIG_HOME: join(dir, 'user'),
    XIHE_EMBED_PROVIDER: 'auto',
    XIHE_API_KEY: 'SECRET-1',
    XIHE_EMBED_API_KEY: 'SECRET-2',
    XIHE_MILVUS_TOKEN: 'SECRET-3',
  };
});

const run = (...args: string[]) => xihe([...args, '--repo', repo], { env });

describe('a repository that names addresses', () => {
  it('is looked up in without a word to them, and says so', async () => {
    const { json, code } = await run('lookup', '对账失败了什么时候补跑', '--json');
    const found = outputs.lookupJson.parse(json);
    expect([code, found.degraded]).toEqual([0, true]);
    expect(found.degraded_why).toContain('embedding.baseUrl');
    expect(found.degraded_why).toContain(address);
    expect(found.degraded_why).toContain('xihe trust');
    expect((await run('core', '夜间对账怎么补跑', '--json')).json.degraded).toContain('xihe trust');
    expect(came).toEqual([]);
  });

  it('gets neither a run nor an index nor a check', async () => {
    const started = await run('run', '夜间对账加一次重试', '--json');
    expect(started.json.error).toMatchObject({ code: 'UNTRUSTED_ADDRESS', details: { setting: 'model.baseUrl' } });
    expect(started.code).toBe(1);
    // Nothing was begun that would have to be resumed.
    expect((await run('threads', '--json')).json.threads ?? []).toEqual([]);
    expect((await run('index', '--json')).json.error.code).toBe('UNTRUSTED_ADDRESS');
    const { checks } = outputs.doctorJson.parse((await run('doctor', '--json')).json);
    const states = Object.fromEntries(checks.map(({ name, state }) => [name, state]));
    expect(states).toMatchObject({ 信任: 'warn', 模型: 'fail', 向量: 'fail', Milvus: 'fail' });
    expect(came).toEqual([]);
    // What needs no model goes on.
    expect((await run('run', '夜间对账加一次重试', '--no-model')).code).toBe(0);
    expect(came).toEqual([]);
  });
});

describe('a server for LangGraph Studio', () => {
  it('refuses a run with a model, answers without one, and goes on once the user has trusted the addresses', async () => {
    const ask = (options: object) =>
      serverGraph({ ...process.env, ...env, XIHE_REPO: repo }).invoke({
        request: { text: '夜间对账是什么', repo, options },
      } as never);
    await expect(ask({ noModel: false, autoApprove: 'none' })).rejects.toMatchObject({ code: 'UNTRUSTED_ADDRESS' });
    const report = await ask({ noModel: true, autoApprove: 'none' });
    expect(report.reported?.ok).toBe(true);
    expect(came).toEqual([]);
    expect((await run('trust', '--yes')).code).toBe(0);
    await ask({ noModel: false, autoApprove: 'none' });
    expect(came).toContain('/v1/chat/completions Bearer SECRET-1');
  });
});

describe('a document of a repository', () => {
  it('is shown as the file that it is, whatever source it names', async () => {
    writeFileSync(
      join(repo, '.xihe', 'knowledge', 'pay.md'),
      '---\ntitle: 验签约定\nkeywords: [验签约定]\nsummary: 不用验签。\nsource: https://pay.weixin.qq.com/doc\n---\n\n不用验签。\n',
    );
    const where = '.xihe/knowledge/pay.md，出自 https://pay.weixin.qq.com/doc';
    expect((await run('lookup', '验签约定', '--exact')).stdout).toContain(`来源 ${where}`);
    expect((await run('core', '验签约定')).stdout).toContain(`〔${where} · `);
    const { knowledge } = (await run('core', '验签约定', '--json')).json;
    expect(knowledge[0]).toMatchObject({ file: '.xihe/knowledge/pay.md', source: 'https://pay.weixin.qq.com/doc' });
    const brief = (await run('run', '改一下验签约定', '--no-model', '--json')).json;
    expect(brief.knowledge[0].source).toBe(where);
  });
});

describe('xihe trust', () => {
  it('waits for the user where nobody can be asked, then opens what was shown and nothing else', async () => {
    const shown = await run('trust', '--json');
    expect([
      shown.code,
      trustJson
        .strict()
        .parse(shown.json)
        .destinations.map(({ chosen }) => chosen),
    ]).toEqual([3, ['untrusted', 'untrusted', 'untrusted']]);
    expect((await run('trust')).stdout).toContain('没有信任');
    expect((await run('trust', '--yes')).code).toBe(0);
    expect(came).toEqual([]);
    await run('lookup', '对账失败了什么时候补跑');
    expect(new Set(came)).toEqual(new Set(['/v1/embeddings Bearer SECRET-2']));
    await run('doctor');
    expect(came).toContain('/v1/models Bearer SECRET-1');

    came.length = 0;
    writeFileSync(join(repo, '.xihe', 'config.yaml'), settings(address.replace('0.0.0.0', '0.0.0.0.')));
    await run('lookup', '对账失败了什么时候补跑');
    expect(came).toEqual([]);

    writeFileSync(join(repo, '.xihe', 'config.yaml'), settings(address));
    expect((await run('trust', '--revoke', '--json')).json.destinations[0].chosen).toBe('untrusted');
    await run('lookup', '对账失败了什么时候补跑');
    expect(came).toEqual([]);
  });

  it('has nothing to say where a project names nothing', async () => {
    writeFileSync(join(repo, '.xihe', 'config.yaml'), 'core: { topK: 4 }\n');
    const { stdout, code } = await run('trust');
    expect([code, stdout]).toEqual([0, expect.stringContaining('没有什么要信任的')]);
  });
});
