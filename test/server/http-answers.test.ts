import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROUTES } from '../../src/server/http/routes.js';
import { put, type Served, serveHttp } from '../support/http-service.js';

let served: Served;
const at = (path: string) => `${path}?project=mall`;
const metric = async (line: string) => Number((await served.ask('/metrics')).text.split(`${line} `)[1]?.split('\n')[0]);

beforeAll(async () => {
  served = await serveHttp();
});
afterAll(() => served.close());

describe('what the service answers', () => {
  it.each(PROJECT_ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s: its example gets what its schema says, with the data version in body and header',
    async (_, route) => {
      const path = route.path.replace('{id}', (route.example as { id?: string }).id ?? '');
      const reply = await served.ask(at(path), route.method === 'GET' ? undefined : route.example);
      expect(reply.status, reply.text).toBe(200);
      // A field that no schema names would not be in the document that clients read.
      expect(route.answer.parse(reply.json)).toEqual(reply.json);
      expect(reply.json.data_version).toMatch(/^[0-9a-f]{12}$/);
      expect(reply.headers.get('x-xihe-data-version')).toBe(reply.json.data_version);
      expect(reply.headers.get('etag') !== null).toBe(route.madeOf !== 'nothing');
    },
  );

  it('a word of the team leads to its symbols, files and the whole entry', async () => {
    const { json } = await served.ask(at('/query'), { user_intent: '超时关单加重试' });
    expect(json.terms[0]).toMatchObject({ keyword_ch: '超时关单', layer: 'project', status: 'verified' });
    expect(json.terms[0].code_symbols).toContain('OrderService.cancelExpired');
    expect(json.playbooks[0].steps.length).toBeGreaterThan(3);
    expect(json.warnings.length).toBeGreaterThan(0);
    const entry = await served.ask(at(`/entries/${json.terms[0].id}`));
    expect(entry.json).toMatchObject({ type: 'term', keyword_ch: '超时关单' });
    const passage = await served.ask(at(`/entries/${encodeURIComponent(json.knowledge[0].id)}`));
    expect(passage.json).toMatchObject({ type: 'knowledge', content: json.knowledge[0].excerpt });
    const document = await served.ask(at(`/entries/${json.knowledge[0].id.split('#')[0]}`));
    expect(document.json.content).toContain('超时');
    const found = await served.ask(at('/find'), { query: '超时关单' });
    expect(found.json.files[0].path).toBe('src/order/order-service.ts');
    const expanded = await served.ask(at('/expand'), { path: './src/order/' });
    expect(expanded.json.children.map(({ path }: { path: string }) => path)).toContain('src/order/order-service.ts');
  });

  it('feedback with a rule in it becomes a proposal of that project', async () => {
    const asked = await served.ask(at('/query'), { user_intent: '关单' });
    const why = '以后关单必须先改状态';
    const { json } = await served.ask(at('/feedback'), {
      request_id: asked.headers.get('x-request-id'),
      verdict: 'bad',
      why,
      files: ['src/order/order-service.ts'],
    });
    expect(json).toMatchObject({ verdict: 'bad', about: 'answer', proposals: [{ type: 'warning' }] });
    const outside = { request_id: 'a', verdict: 'bad', why, files: ['../../etc/passwd'] };
    expect((await served.ask(at('/feedback'), outside)).json.error.code).toBe('PATH_OUTSIDE_PROJECT');
  });
});

describe('an answer that did not change', () => {
  const question = { user_intent: '退款审核通过以后做什么' };

  it('is a 304 by its tag, without being made again, and also where this server never made it', async () => {
    const first = await served.ask(at('/query'), question);
    const etag = first.headers.get('etag') as string;
    const made = await metric('xihe_answers_total{kind="made",project="mall"}');
    const again = await served.ask(at('/query'), question, { 'if-none-match': etag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect(again.headers.get('x-xihe-data-version')).toBe(first.json.data_version);
    // The order of keys and defaults that are written out are the same question.
    const same = await served.ask(at('/query'), { max_results: 5, task_type: 'general', ...question });
    expect([same.text, same.headers.get('etag')]).toEqual([first.text, etag]);
    expect(await metric('xihe_answers_total{kind="made",project="mall"}')).toBe(made);
    // Another question is another answer, whatever tag stands beside it.
    const other = await served.ask(at('/query/term'), question, { 'if-none-match': etag });
    expect(other.status).toBe(200);
  });

  it('a change on disk is answered anew, without a restart, and the old content is the old answer again', async () => {
    const word = { user_intent: '琥珀计划什么时候开始' };
    const before = await served.ask(at('/query'), word);
    const etag = before.headers.get('etag') as string;
    expect(before.json.terms).toEqual([]);
    put(
      served.mall,
      '.xihe/knowledge/terms/new.yaml',
      '- id: amber\n  keyword_ch: 琥珀计划\n  code_symbols: [Amber]\n',
    );
    const ask = () => served.ask(at('/query'), word, { 'if-none-match': etag });
    await expect.poll(async () => (await ask()).status).toBe(200);
    const after = await ask();
    expect(after.json.terms[0].id).toBe('amber');
    expect(after.json.data_version).not.toBe(before.json.data_version);
    rmSync(join(served.mall, '.xihe/knowledge/terms/new.yaml'));
    await expect.poll(async () => (await ask()).status).toBe(304);
  });

  it('files that changed are found anew', async () => {
    const question = { query: 'AmberSettlement', top_k: 3 };
    const before = await served.ask(at('/find'), question);
    const etag = before.headers.get('etag') as string;
    expect((await served.ask(at('/find'), question, { 'if-none-match': etag })).status).toBe(304);
    put(served.mall, 'src/order/amber.ts', '/** 琥珀结算 */\nexport class AmberSettlement {}\n');
    const ask = () => served.ask(at('/find'), question, { 'if-none-match': etag });
    await expect.poll(async () => (await ask()).json?.files[0].path).toBe('src/order/amber.ts');
    expect((await ask()).json.tree_version).not.toBe(before.json.tree_version);
  });
});

describe('the service itself', () => {
  it('gives every answer and every line of the log the id of its request, the client’s own where it is one', async () => {
    const own = await served.ask('/healthz', undefined, { 'x-request-id': 'run-7.step:2' });
    expect(own.headers.get('x-request-id')).toBe('run-7.step:2');
    const made = await served.ask(at('/query'), { nope: 1 }, { 'x-request-id': 'two words' });
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(made.json.error.request_id).toBe(made.headers.get('x-request-id'));
    await expect
      .poll(() => served.lines().find(({ request_id }) => request_id === made.json.error.request_id))
      .toMatchObject({
        level: 'info',
        route: '/query',
        status: 400,
        code: 'REQUEST_INVALID',
        key: 'local',
        project: 'mall',
      });
    expect(JSON.stringify(served.lines())).not.toContain('退款审核');
  });

  it('counts requests by route, status and project for Prometheus', async () => {
    const { text, headers } = await served.ask('/metrics');
    expect(headers.get('content-type')).toContain('version=0.0.4');
    expect(text).toMatch(/^xihe_requests_total\{route="\/query",status="200",project="mall"\} \d+$/m);
    expect(text).toMatch(/^xihe_request_seconds_bucket\{route="\/query",le="\+Inf"\} \d+$/m);
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(?:# (?:HELP|TYPE) \w+ .+|[a-z_]+(?:\{(?:\w+="[^"]*",?)+\})? [\d.e+-]+)$/);
  });

  it('describes itself, for programs and for people, without a script and without the network', async () => {
    const { json } = await served.ask('/openapi.json');
    expect(json.openapi).toBe('3.1.0');
    expect(Object.keys(json.paths)).toEqual(expect.arrayContaining(PROJECT_ROUTES.map(({ path }) => path)));
    const page = await served.ask('/docs');
    for (const { path } of PROJECT_ROUTES) expect(page.text).toContain(`${path}</code>`);
    expect(page.text).toContain('用户想做什么');
    expect(page.text).not.toMatch(/<script|src=|https?:\/\/(?!127)/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});
