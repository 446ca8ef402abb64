import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { configSchema, destinationsOf, loadConfig } from '../../src/config.js';
import { openEmbedder, providerOf } from '../../src/embed/index.js';
import { type LangChainSettings, openLangChain } from '../../src/embed/langchain.js';
import { XiheError } from '../../src/errors.js';
import { projectOf, trust } from '../../src/trust.js';
import { dot, tempDir } from './support.js';

const KEY = 'sk-very-secret-0815';

const OWN = `
export const calls = [];
export class OwnEmbeddings {
  constructor(options) {
    if (options.needs && !options[options.needs]) throw new Error('no ' + options.needs + ', got ' + JSON.stringify(options));
    this.options = options;
  }
  async embedDocuments(texts) {
    calls.push(['documents', texts]);
    return this.answer(texts);
  }
  async embedQuery(text) {
    calls.push(['query', [text]]);
    return (await this.answer([text]))[0];
  }
  async answer(texts) {
    const { mode, size = 3, apiKey, url } = this.options;
    if (mode === 'hang') return new Promise(() => undefined);
    if (mode === 'throw') throw Object.assign(new Error('bad key ' + apiKey + '\\nsecond line'), { status: this.options.status });
    if (mode === 'fetch') await fetch(url);
    if (mode === 'few') return [];
    if (mode === 'text') return 'no list';
    if (mode === 'zero') return texts.map(() => new Array(size).fill(0));
    if (mode === 'strange') return texts.map(() => ({ length: 3 }));
    return texts.map((text) => Array.from({ length: size }, (_, i) => text.length + i * text.charCodeAt(0)));
  }
}
export default { DefaultEmbeddings: OwnEmbeddings };
export class NoEmbeddings {}
`;

const { dir: root, remove } = tempDir();
afterAll(remove);

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const pack = (name: string, more: object) =>
  put(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', ...more }));

pack('own-embeddings', {
  type: 'module',
  exports: { '.': { import: './index.js' }, './deep/*': { import: './deep/*.js' } },
});
put('node_modules/own-embeddings/index.js', OWN);
put('node_modules/own-embeddings/deep/inner.js', `export { OwnEmbeddings } from '../index.js';`);
put('node_modules/own-embeddings/deep/broken.js', 'export const x = ;');
put('node_modules/own-embeddings/deep/needy.js', `export { y } from 'some-peer-package/sub';`);
pack('@old/embeddings', { main: 'main.js' });
put(
  'node_modules/@old/embeddings/main.js',
  `exports.OldEmbeddings = class { async embedQuery(t) { return [t.length, 1]; } async embedDocuments(ts) { return ts.map((t) => [t.length, 1]); } };`,
);
put('own.js', OWN);

const open = (settings: Partial<LangChainSettings> = {}, more: { dimensionFile?: string; signal?: AbortSignal } = {}) =>
  openLangChain(
    { module: 'own-embeddings', class: 'OwnEmbeddings', dimension: 3, ...settings },
    { projectRoot: root, dimensionFile: more.dimensionFile, env: { OWN_KEY: KEY, SIZE_NAME: 'large', EMPTY: '' } },
    more.signal,
  );

async function failure(call: Promise<unknown>): Promise<XiheError> {
  const e = await call.then(
    () => new Error('no failure'),
    (e: unknown) => e,
  );
  expect(XiheError.is(e), String(e)).toBe(true);
  expect((e as XiheError).message).toMatch(/[\u4e00-\u9fff]/);
  expect((e as XiheError).hint).not.toBe('');
  expect(
    JSON.stringify([(e as XiheError).toJSON(), (e as XiheError).stack, String((e as XiheError).cause)]),
  ).not.toContain(KEY);
  return e as XiheError;
}

describe('a class of LangChain itself', () => {
  it('is found beside Xihe and gives vectors of length 1, different for different texts', async () => {
    const embedder = await openLangChain(
      { module: '@langchain/core/utils/testing', class: 'SyntheticEmbeddings', options: { vectorSize: 16 } },
      { projectRoot: root },
    );
    expect(embedder.dimension).toBe(16);
    const texts = Array.from(
      { length: 23 },
      (_, i) => 'order payment timeout'.slice(0, 21 - (i % 7)) + 'abcdefg'.slice(0, i % 5),
    );
    const passages = await embedder.embed(texts, { kind: 'passage' });
    const queries = await embedder.embed(texts, { kind: 'query' });
    for (const [i, v] of passages.entries()) {
      expect(dot(v, v)).toBeCloseTo(1, 5);
      expect(v).toEqual(queries[i]);
    }
    expect(dot(passages[0]!, passages[3]!)).toBeLessThan(0.9999);
  });

  it('works through the settings, once the user has trusted what the repository says', async () => {
    put(
      '.xihe/config.yaml',
      `embedding:\n  provider: langchain\n  langchain:\n    module: '@langchain/core/utils/testing'\n    class: FakeEmbeddings\n`,
    );
    const layer = join(root, '.xihe');
    const env = { XDG_CONFIG_HOME: join(root, 'user') };
    const refused = loadConfig(layer, env).embedding;
    expect(providerOf(refused)).toBe('langchain');
    await expect(openEmbedder(refused, undefined, { projectRoot: root })).rejects.toMatchObject({
      code: 'UNTRUSTED_ADDRESS',
    });
    // Saying only who makes vectors does not say whose code.
    const named = loadConfig(layer, { ...env, XIHE_EMBED_PROVIDER: 'langchain' }).embedding;
    await expect(openEmbedder(named, undefined, { projectRoot: root })).rejects.toMatchObject({
      code: 'UNTRUSTED_ADDRESS',
    });
    trust(projectOf(layer), destinationsOf(layer, env), env);
    const config = loadConfig(layer, env).embedding;
    const embedder = await openEmbedder(config, undefined, { projectRoot: root });
    expect(embedder?.id).toMatch(/^langchain-FakeEmbeddings-[0-9a-f]{8}-4$/);
    expect(await embedder?.embed(['甲', '乙'], { kind: 'passage' })).toHaveLength(2);
    expect(() => providerOf(configSchema.parse({ embedding: { provider: 'langchain' } }).embedding)).toThrowError(
      /embedding\.langchain/,
    );
  });

  it("of the user's own settings is not taken from a repository", async () => {
    const env = { XDG_CONFIG_HOME: join(root, 'own') };
    put(
      'own/xihe/config.yaml',
      'embedding:\n  provider: langchain\n  langchain: { module: planted, class: Planted }\n',
    );
    put('repo/node_modules/planted/package.json', '{"name":"planted","main":"index.js"}');
    put('repo/node_modules/planted/index.js', 'globalThis.planted = true; exports.Planted = class {};');
    const config = loadConfig(join(root, 'repo', '.xihe'), env).embedding;
    await expect(openEmbedder(config, undefined, { projectRoot: join(root, 'repo') })).rejects.toMatchObject({
      code: 'EMBED_UNAVAILABLE',
    });
    expect('planted' in globalThis).toBe(false);
  });
});

describe('a class of the project', () => {
  it('gets batches, prefixes and the values of environment variables', async () => {
    const embedder = await open({
      batchSize: 4,
      queryPrefix: '问：',
      passagePrefix: '文：',
      options: { apiKey: '${OWN_KEY}', needs: 'apiKey' },
    });
    const { calls } = (await import(join(root, 'node_modules/own-embeddings/index.js'))) as {
      calls: [string, string[]][];
    };
    calls.length = 0;
    const progress: number[] = [];
    const seen: number[] = [];
    const texts = Array.from({ length: 10 }, (_, i) => '字'.repeat(i));
    const vectors = await embedder.embed(texts, {
      kind: 'passage',
      onProgress: (done) => progress.push(done),
      onVector: (i) => seen.push(i),
    });
    expect(calls.map(([how, asked]) => [how, asked.length])).toEqual([
      ['documents', 4],
      ['documents', 4],
      ['documents', 2],
    ]);
    expect(calls.flatMap(([, asked]) => asked)).toEqual(texts.map((text) => `文：${text}`));
    expect(progress.at(-1)).toBe(10);
    expect(seen.sort()).toEqual(Array.from({ length: 10 }, (_, i) => i));
    expect(vectors[9]![0]! / vectors[9]![1]!).toBeCloseTo(11 / (11 + '文'.charCodeAt(0)), 5);
    calls.length = 0;
    await embedder.embed(['甲', '乙'], { kind: 'query' });
    expect(calls).toEqual([
      ['query', ['问：甲']],
      ['query', ['问：乙']],
    ]);
    calls.length = 0;
    await (await open()).embed([''], { kind: 'passage' });
    expect(calls).toEqual([['documents', [' ']]]);
  });

  it.each([
    [{ module: 'own-embeddings/deep/inner' }],
    [{ class: 'DefaultEmbeddings' }],
    [{ module: '@old/embeddings', class: 'OldEmbeddings', dimension: 2 }],
  ])('is found by `exports`, as default and in CommonJS: %j', async (settings) => {
    const [vector] = await (await open(settings)).embed(['甲'], { kind: 'passage' });
    expect(dot(vector!, vector!)).toBeCloseTo(1, 5);
  });

  it('keys vectors by what decides them: not by the key', async () => {
    const id = async (options: Record<string, unknown>, more: Partial<LangChainSettings> = {}) =>
      (await open({ options, ...more })).id;
    const plain = await id({ model: 'a', apiKey: '${OWN_KEY}' });
    expect(await id({ model: 'a', apiKey: 'another' })).toBe(plain);
    expect(await id({ model: 'b', apiKey: '${OWN_KEY}' })).not.toBe(plain);
    expect(await id({ model: 'a' }, { queryPrefix: 'q' })).not.toBe(plain);
    expect(await id({ model: '${SIZE_NAME}' })).toBe(await id({ model: 'large' }));
    expect(plain).not.toContain(KEY);
  });

  it('remembers the dimension: a service that is down can be opened, and one that changed is asked anew', async () => {
    const dimensionFile = join(root, 'state/deep/dimensions.json');
    const opened = (options: Record<string, unknown>) =>
      open({ dimension: undefined, options: { model: 'm', ...options } }, { dimensionFile });
    expect((await failure(opened({ apiKey: 'x', mode: 'throw' }))).code).toBe('EMBED_FAILED');
    expect(existsSync(dimensionFile)).toBe(false);
    const same = { apiKey: KEY };
    const first = await opened(same);
    expect(first.dimension).toBe(3);
    expect(readFileSync(dimensionFile, 'utf8')).not.toContain('own-embeddings');
    const { OwnEmbeddings } = (await import(join(root, 'node_modules/own-embeddings/index.js'))) as {
      OwnEmbeddings: { prototype: { answer(texts: string[]): Promise<unknown> } };
    };
    const { answer } = OwnEmbeddings.prototype;
    OwnEmbeddings.prototype.answer = async () => Promise.reject(new Error('down'));
    const later = await opened(same);
    expect(later).toMatchObject({ id: first.id, dimension: 3 });
    OwnEmbeddings.prototype.answer = async (texts) => texts.map(() => [1, 2, 3, 4]);
    expect((await failure(later.embed(['a'], { kind: 'query' }))).code).toBe('EMBED_DIMENSION');
    expect((await opened(same)).dimension).toBe(4);
    OwnEmbeddings.prototype.answer = answer;
    writeFileSync(dimensionFile, '{"broken');
    expect((await opened(same)).dimension).toBe(3);
  });
});

describe('what goes wrong', () => {
  it.each([
    ['CONFIG_INVALID', { module: './own.js' }, 'npm 包'],
    ['CONFIG_INVALID', { module: '../own' }, 'npm 包'],
    ['CONFIG_INVALID', { module: '/etc/own' }, 'npm 包'],
    ['CONFIG_INVALID', { module: 'own-embeddings/../../own' }, 'npm 包'],
    ['CONFIG_INVALID', { module: 'file:///tmp/x.js' }, 'npm 包'],
    ['EMBED_UNAVAILABLE', { module: '@langchain/community/embeddings/alibaba_tongyi' }, '找不到 @langchain/community'],
    ['EMBED_UNAVAILABLE', { module: 'no-such-package-here' }, '找不到 no-such-package-here'],
    ['CONFIG_INVALID', { module: 'own-embeddings/nowhere' }, '没有 own-embeddings/nowhere'],
    ['CONFIG_INVALID', { module: '@old/embeddings/nowhere' }, '没有 @old/embeddings/nowhere'],
    ['EMBED_UNAVAILABLE', { module: 'own-embeddings/deep/broken' }, '加载不了'],
    ['EMBED_UNAVAILABLE', { module: 'own-embeddings/deep/needy' }, '需要 some-peer-package'],
    ['CONFIG_INVALID', { class: 'Nothing' }, '没有 Nothing'],
    ['CONFIG_INVALID', { class: 'NoEmbeddings' }, '不是 LangChain'],
    ['CONFIG_INVALID', { options: { needs: 'endpoint', apiKey: '${OWN_KEY}' } }, '建不起来'],
    ['CONFIG_INVALID', { options: { apiKey: '${NOT_SET}' } }, 'NOT_SET 没有设置'],
    ['CONFIG_INVALID', { options: { client: { headers: ['Bearer ${EMPTY}'] } } }, 'EMPTY 没有设置'],
  ] as [string, Partial<LangChainSettings>, string][])(
    'is %s when it is opened with %j',
    async (code, settings, words) => {
      const e = await failure(open(settings));
      expect(e.code).toBe(code);
      expect(e.message).toContain(words);
    },
  );

  it('says how to install, and what the module has instead', async () => {
    expect((await failure(open({ module: '@langchain/community/embeddings/x' }))).hint).toContain('--legacy-peer-deps');
    expect((await failure(open({ module: 'own-embeddings/deep/needy' }))).hint).toContain('npm i some-peer-package');
    expect((await failure(open({ class: 'Nothing' }))).hint).toContain('OwnEmbeddings');
  });

  it.each([
    ['EMBED_AUTH', { mode: 'throw', status: 401 }],
    ['EMBED_RATE_LIMITED', { mode: 'throw', status: 429 }],
    ['EMBED_FAILED', { mode: 'throw' }],
    ['EMBED_UNREACHABLE', { mode: 'fetch', url: 'http://127.0.0.1:1/' }],
    ['EMBED_BAD_REPLY', { mode: 'few' }],
    ['EMBED_BAD_REPLY', { mode: 'text' }],
    ['EMBED_BAD_REPLY', { mode: 'zero' }],
    ['EMBED_BAD_REPLY', { mode: 'strange' }],
    ['EMBED_DIMENSION', { size: 5 }],
  ] as [string, Record<string, unknown>][])(
    'is %s when a call ends with %j, without the key',
    async (code, options) => {
      const embedder = await open({ options: { ...options, apiKey: '${OWN_KEY}' } });
      expect((await failure(embedder.embed(['甲', '乙'], { kind: 'passage' }))).code).toBe(code);
    },
  );

  it('gives up a slow call, and stops at a signal and at closing', async () => {
    const hang = (settings: Partial<LangChainSettings> = {}) => open({ options: { mode: 'hang' }, ...settings });
    const slow = await hang({ timeoutSeconds: 0.1 });
    expect((await failure(slow.embed(['甲'], { kind: 'query' }))).code).toBe('EMBED_TIMEOUT');
    const embedder = await hang();
    const stop = new AbortController();
    const stopped = failure(embedder.embed(['甲'], { kind: 'query', signal: stop.signal }));
    const closed = failure(embedder.embed(['乙'], { kind: 'passage' }));
    stop.abort();
    expect((await stopped).code).toBe('CANCELLED');
    await embedder.close();
    expect((await closed).code).toBe('CANCELLED');
    expect((await failure(embedder.embed(['丙'], { kind: 'passage' }))).code).toBe('CANCELLED');
    expect((await failure(open({ dimension: undefined }, { signal: AbortSignal.abort() }))).code).toBe('CANCELLED');
  });

  it('does not end the process when a call fails after nobody waits for it any more', async () => {
    const server = createServer((_, response) => setTimeout(() => response.destroy(), 300));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const embedder = await open({ options: { mode: 'fetch', url }, timeoutSeconds: 0.05 });
    expect((await failure(embedder.embed(['甲'], { kind: 'passage' }))).code).toBe('EMBED_TIMEOUT');
    await new Promise((done) => setTimeout(done, 500));
    server.close();
  });
});
