import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as outputs from '../../src/agent/output-schemas.js';
import { copyMall, removeDir, treeHash, xihe as xiheProcess } from '../support/mall.js';
import { xiheHere as xihe } from '../support/mallHere.js';
import { startModelServer } from '../support/model-server.js';

let mall: string;
beforeAll(() => {
  mall = copyMall();
});
afterAll(() => removeDir(mall));

describe('the brief of the demo request', () => {
  it('says route, plan, terms with places, playbook or steps, files with reasons, warnings, sources and tokens', async () => {
    const before = treeHash(mall);
    const run = await xihe(['run', '下单超时没付款的单子，关单时加一次重试', '--no-model', '--repo', mall, '--json']);
    expect(run.code).toBe(0);
    const doc = outputs.runJson.parse(run.json);
    expect(doc.route.kind).toBe('edit');
    const term = doc.terms.find((t) => t.keyword_ch === '超时关单');
    expect(term?.status).toBe('verified');
    const place = term?.symbols.find((s) => s.name === 'OrderService.cancelExpired');
    expect(place?.file).toBe('src/order/order-service.ts');
    const line = readFileSync(join(mall, place!.file!), 'utf8').split('\n')[place!.line! - 1];
    expect(line).toContain('cancelExpired');
    expect(doc.files.length).toBeLessThanOrEqual(5);
    expect(doc.files[0]!.path).toBe('src/order/order-service.ts');
    for (const f of doc.files) expect(f.why && f.summary).toBeTruthy();
    for (const e of [...doc.terms, ...doc.knowledge, ...doc.playbooks, ...doc.warnings]) {
      expect(e.source).toBeTruthy();
      expect(e.version).toMatch(/^[0-9a-f]+$/);
      expect(e.confidence).toBeGreaterThan(0);
    }
    expect(doc.tokens.total).toBeLessThanOrEqual(1500);
    expect(doc.plan!.steps.length).toBeGreaterThan(0);
    expect(treeHash(mall)).toBe(before);
  });

  it('prints the same for people, with nothing on stderr that a pipe would need', async () => {
    const run = await xiheProcess(['run', '下单超时没付款的单子，关单时加一次重试', '--no-model', '--repo', mall]);
    expect(run.stdout).toContain('# 行动预案');
    expect(run.stdout).toContain('OrderService.cancelExpired src/order/order-service.ts:');
    expect(run.stderr).toContain('路由');
  });
});

describe('looking', () => {
  it.each([
    ['lookup', ['lookup', 'ERR_TIMEOUT'], outputs.lookupJson],
    ['find', ['find', '回调验签'], outputs.findJson],
    ['tree', ['tree'], outputs.treeJson],
    ['expand', ['expand', 'src/order'], outputs.expandJson],
    ['core', ['core', '结算'], outputs.coreJson],
    ['doctor', ['doctor'], outputs.doctorJson],
    ['threads', ['threads'], outputs.threadsJson],
    ['graph', ['graph'], outputs.graphJson],
  ] as const)('%s --json prints one document of its schema', async (_name, args, schema) => {
    const r = await xihe([...args, '--repo', mall, '--json']);
    expect(r.code).toBe(0);
    expect(() => schema.parse(r.json)).not.toThrow();
  });

  it('结算 has two meanings, and the module in focus comes first', async () => {
    const finance = await xihe(['core', '结算', '--module', 'finance', '--repo', mall, '--json']);
    const order = await xihe(['core', '结算', '--module', 'order', '--repo', mall, '--json']);
    const modules = (r: typeof finance) =>
      r.json.terms
        .filter((t: { keyword_ch: string }) => t.keyword_ch === '结算')
        .map((t: { module: string }) => t.module);
    expect(modules(finance)).toHaveLength(2);
    expect(modules(finance)[0]).toBe('finance');
    expect(modules(order)[0]).toBe('order');
  });

  it('lookup finds the document of an error code exactly, and a section of it', async () => {
    const r = await xihe(['lookup', 'ERR_TIMEOUT', '--repo', mall, '--json']);
    expect(r.json.primary.match_type).toBe('exact_L0');
    expect(r.json.primary.source).toBeTruthy();
    const section = r.json.primary.sections[0];
    const part = await xihe(['lookup', 'ERR_TIMEOUT', '--section', section, '--repo', mall, '--json']);
    expect(part.json.primary.content.length).toBeLessThan(r.json.primary.content.length + 1);
  });
});

describe('setting up', () => {
  it('init writes a commented layer, touches nothing that is there, and the layer loads', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-init-'));
    try {
      const first = await xihe(['init', '--repo', dir, '--json']);
      expect(outputs.initJson.parse(first.json).created).toContain(join('.xihe', 'config.yaml'));
      expect(first.json.created).toContain(join('.xihe', 'knowledge', 'README.md'));
      writeFileSync(join(dir, '.xihe/config.yaml'), 'run:\n  maxTurns: 3\n');
      const second = await xihe(['init', '--repo', dir, '--json']);
      expect(second.json.created).toEqual([]);
      expect(readFileSync(join(dir, '.xihe/config.yaml'), 'utf8')).toContain('maxTurns: 3');
      const core = await xihe(['core', '订单', '--repo', dir, '--json']);
      expect(core.json.problems).toEqual([]);
      // The templates explain; none of them is knowledge.
      expect((await xihe(['lookup', '仅退款', '--repo', dir, '--json'])).json.primary).toBeNull();
      execFileSync('git', ['init', '-q', dir]);
      const status = execFileSync('git', ['-C', dir, 'status', '--porcelain', '-uall'], { encoding: 'utf8' });
      expect(status).not.toContain('state/');
      expect(status).toContain('.xihe/config.yaml');
    } finally {
      removeDir(dir);
    }
  });

  it('doctor tells a model that answers from one that refuses the key or is not there', async () => {
    const server = await startModelServer({ rules: [] });
    const model = async (env: Record<string, string>) => {
      const r = await xihe(['doctor', '--repo', mall, '--json'], { env: { XIHE_EMBED_PROVIDER: 'auto', ...env } });
      return { code: r.code, state: r.json.checks.find((c: { name: string }) => c.name === '模型').state };
    };
    try {
      expect(await model({})).toEqual({ code: 0, state: 'off' });
      expect(await model({ XIHE_BASE_URL: server.baseUrl, XIHE_MODEL: 'm' })).toEqual({ code: 0, state: 'ok' });
      expect(await model({ XIHE_BASE_URL: 'http://127.0.0.1:9/v1', XIHE_MODEL: 'm' })).toEqual({
        code: 1,
        state: 'fail',
      });
    } finally {
      await server.close();
    }
  });

  it('doctor tells who makes vectors, and whether they come', async () => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const refused = request.headers.authorization !== 'Bearer sk-right';
        response.writeHead(refused ? 401 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(refused ? { error: 'no' } : { data: [{ index: 0, embedding: [1, 2, 3] }] }));
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const vectors = async (env: Record<string, string>) => {
      const r = await xiheProcess(['doctor', '--repo', mall, '--json'], {
        env: { XIHE_EMBED_PROVIDER: 'auto', ...env },
      });
      const { checks, embedding } = outputs.doctorJson.parse(r.json);
      return { code: r.code, state: checks.find(({ name }) => name === '向量')?.state, embedding };
    };
    try {
      // How far the embedded model gets in a few seconds depends on the machine; it is never a failure.
      const embedded = await vectors({});
      // A busy machine may not load it in time: then no tick may say that it did.
      const state = embedded.embedding?.answers ? 'ok' : 'warn';
      expect(embedded).toMatchObject({ code: 0, state, embedding: { provider: 'embedded', dimension: 384 } });
      expect(embedded.embedding?.id).toMatch(/^e5-small-zh-/);
      expect(embedded.embedding?.answers).toBe(embedded.embedding?.runtime !== undefined);
      expect(await vectors({ XIHE_EMBED_PROVIDER: 'none' })).toEqual({
        code: 0,
        state: 'off',
        embedding: { provider: 'none', answers: false },
      });
      const endpoint = { XIHE_EMBED_BASE_URL: baseUrl, XIHE_EMBED_MODEL: 'bge-m3' };
      expect(await vectors({ ...endpoint, XIHE_EMBED_API_KEY: 'sk-wrong' })).toEqual({
        code: 1,
        state: 'fail',
        embedding: { provider: 'endpoint', answers: false },
      });
      expect(await vectors({ ...endpoint, XIHE_EMBED_API_KEY: 'sk-right' })).toEqual({
        code: 0,
        state: 'ok',
        embedding: { provider: 'endpoint', id: 'endpoint-bge-m3-3', dimension: 3, answers: true },
      });
      expect(await vectors({ XIHE_EMBED_PROVIDER: 'langchain' })).toEqual({
        code: 1,
        state: 'fail',
        embedding: undefined,
      });
    } finally {
      server.close();
    }
  });
});

describe('mistakes of users', () => {
  it.each([
    [['run'], '没有写请求'],
    [['rum', 'x'], '没有「rum」这个命令'],
    [['find', 'x', '--tpo', '3'], '没有「--tpo」这个选项'],
    [['find', 'x', '--top', 'many'], '选项「--top <个数>」的值不对：「many」不是 1 到 50 之间的整数'],
    [['run', 'x', '--yes', 'high'], '选项「--yes <等级>」不能是「high」，可选：low、medium'],
    [['help', 'nope'], '没有「nope」这个命令'],
    [['run', 'a', 'b'], '引号'],
    [['run', '   '], '请求是空的'],
    [['resume', 'x', '--approve', '--reject'], '只能选一个'],
  ] as const)('%j: exit 2, in Chinese, no stack', async (args, words) => {
    const r = await xiheProcess([...args, ...(args[0] === 'rum' || args[0] === 'help' ? [] : ['--repo', mall])]);
    expect(r.code).toBe(2);
    expect(r.stderr).toContain(words);
    expect(r.stderr).not.toMatch(/\n\s+at |error:|Allowed|invalid/);
  });

  it('errors are one JSON document on stdout with --json', async () => {
    const r = await xihe(['resume', '没有这个会话', '--repo', mall, '--json']);
    expect(r.code).toBe(1);
    expect(outputs.errorOutputJson.parse(r.json).error.code).toBe('THREAD_NOT_FOUND');
    const bad = mkdtempSync(join(tmpdir(), 'xihe-bad-'));
    try {
      await xihe(['init', '--repo', bad]);
      writeFileSync(join(bad, '.xihe/config.yaml'), 'run:\n  maxTurns: lots\n');
      const c = await xihe(['run', '加日志', '--no-model', '--repo', bad, '--json']);
      expect(c.code).toBe(2);
      expect(c.json.error.code).toBe('CONFIG_INVALID');
      expect(c.json.error.message).toContain('config.yaml:2：run.maxTurns：应当是数字');
      writeFileSync(join(bad, '.xihe/config.yaml'), '# 设置\nmodel:\n  nam: deepseek-chat\n');
      writeFileSync(join(bad, '.xihe/tools/restart.yaml'), 'name: restart\ndanger: huge\n');
      const d = await xihe(['doctor', '--repo', bad, '--json']);
      expect(d.code).toBe(1);
      const checks = new Map<string, { state: string; detail: string; hint: string }>(
        d.json.checks.map((check: { name: string }) => [check.name, check]),
      );
      expect(checks.get('配置')).toMatchObject({ state: 'fail' });
      expect(checks.get('配置')!.detail).toMatch(/config\.yaml:3：不认识的键 model\.nam；是不是 name？$/);
      expect(checks.get('模型')).toMatchObject({ state: 'off' });
      expect(checks.get('团队工具')).toMatchObject({ state: 'warn' });
      expect(checks.get('团队工具')!.hint).toContain('.xihe/tools/restart.yaml:');
      expect(existsSync(join(bad, '.xihe/config.yaml'))).toBe(true);
    } finally {
      removeDir(bad);
    }
  });

  it('help is Chinese and complete', async () => {
    const r = await xihe(['--help']);
    expect(r.code).toBe(0);
    for (const command of [
      'run',
      'resume',
      'undo',
      'threads',
      'trace',
      'graph',
      'init',
      'doctor',
      'core',
      'lookup',
      'find',
      'tree',
      'expand',
    ])
      expect(r.stdout).toContain(command);
    expect(r.stdout).not.toMatch(/Usage:|Options:|Commands:/);
    const sub = await xihe(['run', '--help']);
    expect(sub.stdout).toContain('--no-model');
    expect(sub.stdout).not.toMatch(/\(choices:|\(default:/);
  });
});
