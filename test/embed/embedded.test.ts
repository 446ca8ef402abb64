import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetPath, packageRoot } from '../../src/assets.js';
import { halfToNumber } from '../../src/embed/half.js';
import { EMBEDDED_ID, type EmbeddedEmbedder, type EmbedKind, openEmbedded } from '../../src/embed/index.js';
import { modelFiles, PREFIX } from '../../src/embed/modelFiles.js';
import { PRIORITY, WorkerPool } from '../../src/embed/pool.js';
import { launchWorker } from '../../src/embed/workerLaunch.js';
import { dot, fixture, tempDir } from './support.js';

const PASSAGE = '连接超时和读取超时是两回事：前者指没有建立连接，后者指迟迟收不到数据。';
/** About a third of a second each, so that there is time to do something meanwhile. */
const LONG = Array.from({ length: 8 }, (_, i) => `${i} ${PASSAGE.repeat(6)}`);

let embedder: EmbeddedEmbedder;
beforeAll(() => {
  embedder = openEmbedded({ workers: 1, runtime: 'wasm' });
});
afterAll(() => embedder.close());

describe('embedded model', () => {
  it('gives the vectors of the reference engine, up to its 8 bits', async () => {
    const rows = fixture<[EmbedKind, string, string]>('vectors.jsonl');
    expect(rows.length).toBeGreaterThanOrEqual(50);
    const cosines = await Promise.all(
      rows.map(async ([kind, text, packed]) => {
        const bytes = Buffer.from(packed, 'base64');
        const reference = Float32Array.from({ length: 384 }, (_, i) => halfToNumber(bytes.readUInt16LE(2 * i)));
        const [vector] = await embedder.embed([text], { kind });
        expect(vector).toHaveLength(embedder.dimension);
        expect(dot(vector!, vector!)).toBeCloseTo(1, 4);
        return dot(vector!, reference);
      }),
    );
    expect(Math.min(...cosines)).toBeGreaterThan(0.998);
    expect(cosines.reduce((a, b) => a + b, 0) / cosines.length).toBeGreaterThan(0.9993);
  });

  it('puts a question nearest to its answer, across wording and language', async () => {
    const passages = [
      '服务宕机后会自动拉起，最多重试三次。',
      '对象存储用来放图片和附件，按桶隔离权限。',
      '修改密码要先验证旧密码，再发送短信验证码。',
    ];
    const vectors = await embedder.embed(passages, { kind: 'passage' });
    const nearest = async (question: string) => {
      const [q] = await embedder.embed([question], { kind: 'query' });
      const scores = vectors.map((v) => dot(q!, v));
      return scores.indexOf(Math.max(...scores));
    };
    expect(await nearest('进程挂了怎么恢复')).toBe(0);
    expect(await nearest('where are uploaded files stored, S3?')).toBe(1);
    expect(await nearest('密碼忘了要怎麼重設')).toBe(2);
  });

  it('gives the same vector whatever stands beside a text, in the order of the texts, and reports each one', async () => {
    const texts = ['短', LONG[0]!, '', '👍 中文 and English', '短'];
    const progress: number[] = [];
    const seen = new Map<number, Float32Array>();
    const together = await embedder.embed(texts, {
      kind: 'passage',
      onProgress: (done, total) => progress.push(done * 10 + total),
      onVector: (i, v) => seen.set(i, v),
    });
    for (const [i, text] of texts.entries()) {
      const [alone] = await embedder.embed([text], { kind: 'passage' });
      expect(alone).toEqual(together[i]);
      expect(seen.get(i)).toBe(together[i]);
    }
    expect(progress).toEqual([15, 25, 35, 45, 55]);
    expect(together[0]).toEqual(together[4]);
    const [asQuery] = await embedder.embed(['短'], { kind: 'query' });
    expect(dot(asQuery!, together[0]!)).toBeLessThan(0.999);
    expect(await embedder.embed([], { kind: 'query' })).toEqual([]);
  });

  it('answers a query before the passages that wait', async () => {
    const finished: string[] = [];
    const passages = embedder.embed(LONG, { kind: 'passage', onProgress: (done) => finished.push(`p${done}`) });
    await embedder.embed(['库存'], { kind: 'query', onProgress: () => finished.push('q') });
    await passages;
    expect(finished.indexOf('q')).toBeLessThanOrEqual(1);
    expect(finished).toHaveLength(LONG.length + 1);
  });

  it('stops at a signal, and goes on working', async () => {
    const stop = new AbortController();
    let done = 0;
    const call = embedder.embed(LONG, {
      kind: 'passage',
      signal: stop.signal,
      onProgress: () => ++done === 1 && stop.abort(),
    });
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(done).toBe(1);
    await expect(embedder.embed(['a'], { kind: 'query', signal: stop.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    const late = embedder.embed(LONG, { kind: 'passage', signal: AbortSignal.timeout(50) });
    await expect(late).rejects.toMatchObject({ code: 'EMBED_TIMEOUT' });
    expect(await embedder.embed(['库存'], { kind: 'query' })).toHaveLength(1);
  });

  it('says what computes, and carries model, revision and dimension in its id', async () => {
    expect(await embedder.warm()).toBe('wasm');
    expect(embedder.id).toBe(EMBEDDED_ID);
    expect(EMBEDDED_ID).toMatch(/^e5-small-zh-r\d+-384$/);
  });
});

describe('worker pool', () => {
  it('replaces a worker that dies, and its text is computed all the same', async () => {
    const workers: Worker[] = [];
    const pool = poolOf(workers);
    const before = await pool.run(`${PREFIX.query}a`, PRIORITY.query);
    const running = pool.run(`${PREFIX.query}a`, PRIORITY.query);
    await workers[0]!.terminate();
    expect(await running).toEqual(before);
    expect(workers).toHaveLength(2);
    await workers[1]!.terminate();
    expect(await pool.run(`${PREFIX.query}a`, PRIORITY.query)).toEqual(before);
    await pool.close();
  });

  it('gives up a text that two workers died of, and takes the next', async () => {
    const workers: Worker[] = [];
    const pool = poolOf(workers);
    await pool.run('query: a', PRIORITY.query);
    const deadly = pool.run('query: b', PRIORITY.query);
    await workers[0]!.terminate();
    await until(() => workers.length === 2);
    workers[1]!.once('message', () => setImmediate(() => void workers[1]!.terminate()));
    await expect(deadly).rejects.toMatchObject({ code: 'EMBED_FAILED' });
    expect(await pool.run('query: c', PRIORITY.query)).toHaveLength(384);
    await pool.close();
  });

  it('ends a text that takes too long', async () => {
    const pool = poolOf([], { jobTimeoutMs: 5 });
    await expect(pool.run(`passage: ${LONG[0]}`, PRIORITY.passage)).rejects.toMatchObject({ code: 'EMBED_TIMEOUT' });
    await pool.close();
  });

  it('starts a second worker for a long queue and ends it when there is no more work', async () => {
    const pool = poolOf([], { size: 2, idleMs: 50 });
    const one = await pool.run('query: a', PRIORITY.query);
    expect(pool.workers).toBe(1);
    const many = Array.from({ length: 40 }, (_, i) => pool.run(`passage: ${i} ${PASSAGE}`, PRIORITY.passage));
    await until(() => pool.workers === 2);
    await Promise.all(many);
    await until(() => pool.workers === 1);
    expect(await pool.run('query: a', PRIORITY.query)).toEqual(one);
    await pool.close();
    expect(pool.workers).toBe(0);
  });

  it('fails what is under way and what waits when it is closed, and takes nothing more', async () => {
    const pool = poolOf([]);
    const calls = LONG.map((text) => pool.run(text, PRIORITY.passage));
    const all = Promise.allSettled(calls);
    await pool.close();
    for (const call of await all) expect(call).toMatchObject({ status: 'rejected', reason: { code: 'CANCELLED' } });
    await expect(pool.run('a', PRIORITY.query)).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('a model that is not whole', () => {
  const temp = tempDir();
  afterAll(() => temp.remove());

  it('is EMBED_UNAVAILABLE at once when a file is missing', () => {
    expect(() => openEmbedded({ modelDir: join(temp.dir, 'nowhere') })).toThrowError(/缺少/);
  });

  it('is EMBED_UNAVAILABLE at the first text when the network is damaged, at the second as well', async () => {
    const files = modelFiles();
    cpSync(files.tokenizer, join(temp.dir, 'tokenizer.json'));
    cpSync(files.words, join(temp.dir, 'word.q4'));
    writeFileSync(join(temp.dir, 'model.int8.onnx'), readFileSync(files.network).subarray(0, 100_000));
    const broken = openEmbedded({ modelDir: temp.dir, workers: 1, runtime: 'wasm' });
    for (let i = 0; i < 2; i++)
      await expect(broken.embed(['a', 'b'], { kind: 'query' })).rejects.toMatchObject({ code: 'EMBED_UNAVAILABLE' });
    await broken.close();
  });
});

describe('a process that embeds', () => {
  const temp = tempDir();
  afterAll(() => temp.remove());
  const script = (index: string) =>
    `import { openEmbedded } from ${JSON.stringify(pathToFileURL(index).href)};
     const e = openEmbedded({ workers: 1, runtime: 'wasm' });
     const [v] = await e.embed(['库存'], { kind: 'query' });
     console.log(v.length, await e.warm());`;

  it('ends by itself without closing anything, from source', async () => {
    const file = join(temp.dir, 'source.mts');
    writeFileSync(file, script(assetPath('src', 'embed', 'index.ts')));
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    expect(await run(['--import', tsx, file])).toEqual({ code: 0, out: '384 wasm\n' });
  });

  it('works from what is packed, without node_modules', async () => {
    // As after a global install: the package's own files, none of its development packages.
    const home = join(temp.dir, 'lib', 'node_modules', 'xihe');
    mkdirSync(home, { recursive: true });
    for (const part of ['dist', 'models', 'package.json'])
      cpSync(assetPath(part), join(home, part), { recursive: true });
    expect(existsSync(join(home, 'dist', 'embed', 'worker.js'))).toBe(true);
    const file = join(temp.dir, 'packed.mjs');
    writeFileSync(file, script(join(home, 'dist', 'embed', 'index.js')));
    expect(await run([file])).toEqual({ code: 0, out: '384 wasm\n' });
  });
});

function poolOf(
  workers: Worker[],
  options: { size?: number; jobTimeoutMs?: number; idleMs?: number } = {},
): WorkerPool {
  return new WorkerPool({
    size: 1,
    ...options,
    launch: () => {
      const worker = launchWorker({ files: modelFiles(), runtime: 'wasm' });
      workers.push(worker);
      return worker;
    },
  });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

function run(args: string[]): Promise<{ code: number | null; out: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: packageRoot(), stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out }));
  });
}
