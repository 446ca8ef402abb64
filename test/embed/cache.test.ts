import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assetPath } from '../../src/assets.js';
import {
  type Embedder,
  type EmbedOptions,
  openVectorCache,
  type VectorCacheOptions,
  withCache,
} from '../../src/embed/index.js';
import { dot, random, randomVector, tempDir } from './support.js';

let temp: ReturnType<typeof tempDir>;
beforeEach(() => {
  temp = tempDir();
});
afterEach(() => temp.remove());

const DIMENSION = 32;
const open = (options: Partial<VectorCacheOptions> = {}) =>
  openVectorCache({ dir: temp.dir, id: 'm-r1-32', dimension: DIMENSION, ...options });
const vectorsOf = (n: number, seed = 1) => {
  const next = random(seed);
  return Array.from({ length: n }, () => randomVector(next, DIMENSION));
};
const names = (n: number) => Array.from({ length: n }, (_, i) => `文本 ${i}`);
/** Files of the one model folder in the cache. */
const segments = () => {
  const folder = join(temp.dir, readdirSync(temp.dir)[0]!);
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));
};
const found = (cache: ReturnType<typeof open>, texts: string[]) =>
  cache.getMany(texts, 'passage').filter((v) => v !== undefined).length;

describe('vector cache', () => {
  it.each(['int8', 'float32'] as const)('gives in a new process what it gave when it was put in (%s)', (encoding) => {
    const vectors = vectorsOf(300);
    const cache = open({ encoding });
    const kept = names(300).map((text, i) => cache.put(text, 'passage', vectors[i]!));
    cache.close();
    const again = open({ encoding });
    expect(again.getMany(names(300), 'passage')).toEqual(kept);
    expect(again.size).toBe(300);
    for (const [i, v] of kept.entries()) expect(dot(v, vectors[i]!)).toBeGreaterThan(0.999);
    if (encoding === 'float32') expect(kept).toEqual(vectors);
    again.close();
  });

  it('tells kind, exact text, model and encoding apart', () => {
    const [v] = vectorsOf(1);
    const cache = open();
    cache.put('文本', 'passage', v!);
    expect(found(cache, ['文本'])).toBe(1);
    expect(cache.getMany(['文本'], 'query')).toEqual([undefined]);
    expect(found(cache, ['文本 ', '文本\n', ''])).toBe(0);
    for (const other of [{ id: 'm-r2-32' }, { id: 'm/r1-32' }, { encoding: 'float32' as const }]) {
      const apart = open(other);
      expect(found(apart, ['文本'])).toBe(0);
      apart.close();
    }
    cache.close();
  });

  it('sees what another instance has put in meanwhile', () => {
    const vectors = vectorsOf(2);
    const [a, b] = [open(), open()];
    expect(found(b, ['文本 0'])).toBe(0);
    a.put('文本 0', 'passage', vectors[0]!);
    b.put('文本 1', 'passage', vectors[1]!);
    expect([found(a, names(2)), found(b, names(2))]).toEqual([2, 2]);
    a.close();
    b.close();
  });

  it('drops a torn tail at every length, and what is appended behind it is read', () => {
    const vectors = vectorsOf(4);
    const first = open();
    for (const i of [0, 1, 2]) first.put(`文本 ${i}`, 'passage', vectors[i]!);
    first.close();
    const [file] = segments();
    const whole = readFileSync(file!);
    const record = whole.length / 3;
    for (let cut = 1; cut <= record; cut++) {
      writeFileSync(file!, whole);
      truncateSync(file!, whole.length - cut);
      const cache = open();
      expect(found(cache, names(3)), `cut ${cut}`).toBe(2);
      cache.put('文本 3', 'passage', vectors[3]!);
      expect(found(cache, names(4)), `cut ${cut}, appended`).toBe(3);
      cache.close();
    }
  });

  it('passes over damaged bytes and foreign files', () => {
    const vectors = vectorsOf(100);
    const cache = open();
    for (const [i, text] of names(100).entries()) cache.put(text, 'passage', vectors[i]!);
    cache.close();
    const [file] = segments();
    const bytes = readFileSync(file!);
    const record = bytes.length / 100;
    for (const i of [0, 7, 50, 99]) bytes[i * record + 25]! ^= 0xff;
    writeFileSync(file!, Buffer.concat([Buffer.from('xHv1 rubbish'), bytes, Buffer.from('xHv1')]));
    writeFileSync(join(file!, '..', 'notes.txt'), 'xHv1');
    writeFileSync(join(file!, '..', '000009.vec'), random(1).toString());
    const again = open();
    expect(found(again, names(100))).toBe(96);
    expect(again.problem).toBeUndefined();
    again.close();
  });

  it('survives random damage: what is read is right or missing', () => {
    const vectors = vectorsOf(60);
    const cache = open({ encoding: 'float32' });
    for (const [i, text] of names(60).entries()) cache.put(text, 'passage', vectors[i]!);
    cache.close();
    const [file] = segments();
    const whole = readFileSync(file!);
    const next = random(3);
    for (let round = 0; round < 60; round++) {
      let bytes = Buffer.from(whole);
      for (let k = 0; k < 5; k++) {
        const at = Math.floor(next() * bytes.length);
        const n = Math.floor(next() * 40);
        const how = next();
        if (how < 0.4) bytes.fill(Math.floor(next() * 256), at, at + n);
        else if (how < 0.7) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + n)]);
        else bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from('xHv1'.repeat(n)), bytes.subarray(at)]);
      }
      writeFileSync(file!, bytes);
      const again = open({ encoding: 'float32' });
      for (const [i, v] of again.getMany(names(60), 'passage').entries())
        if (v !== undefined) expect(v).toEqual(vectors[i]);
      again.close();
    }
  });

  it('keeps within its size, drops what was not used for longest and keeps what is used', () => {
    const maxBytes = 1024 * 1024;
    const used = names(50);
    const vectors = vectorsOf(50);
    const cache = open({ maxBytes });
    for (const [i, text] of used.entries()) cache.put(text, 'passage', vectors[i]!);
    const filler = vectorsOf(1, 9)[0]!;
    const record = statSync(segments()[0]!).size / 50;
    const rounds = Math.ceil((3 * maxBytes) / record / 1000);
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < 1000; i++) cache.put(`${round}/${i}`, 'passage', filler);
      expect(found(cache, used)).toBe(50);
    }
    expect(segments().reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThanOrEqual(maxBytes * 1.1);
    expect(found(cache, ['0/0'])).toBe(0);
    expect(found(cache, [`${rounds - 1}/999`])).toBe(1);
    cache.close();
  });

  it('goes on without a disk: a file where the folder should be', () => {
    writeFileSync(join(temp.dir, 'taken'), '');
    const cache = open({ dir: join(temp.dir, 'taken') });
    const [v] = vectorsOf(1);
    expect(dot(cache.put('文本', 'passage', v!), v!)).toBeGreaterThan(0.999);
    expect(found(cache, ['文本'])).toBe(0);
    expect(cache.problem).toBeDefined();
    cache.close();
  });

  it('is written by several processes at once, one of them killed, without losing a whole record', async () => {
    const script = join(temp.dir, 'writer.mts');
    const from = (path: string) => JSON.stringify(pathToFileURL(assetPath(path)).href);
    writeFileSync(
      script,
      `import { openVectorCache } from ${from('src/embed/cache.ts')};
       import { random, randomVector } from ${from('test/embed/support.ts')};
       const [who, n] = [process.argv[2], Number(process.argv[3])];
       const cache = openVectorCache({ dir: ${JSON.stringify(join(temp.dir, 'shared'))}, id: 'm', dimension: 64 });
       const next = random(5);
       for (let i = 0; i < n; i++) cache.put(who + i, 'passage', randomVector(next, 64));
       console.log('done');
       if (who === 'killed') for (let i = 0; ; i++) cache.put('more' + (i % 100), 'passage', randomVector(next, 64));`,
    );
    // The loader in the process itself, not the command `tsx`, whose child would outlive the kill.
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    await Promise.all(
      ['a', 'b', 'killed'].map(
        (who) =>
          new Promise<void>((resolve, reject) => {
            const child = spawn(process.execPath, ['--import', tsx, script, who, '400'], {
              stdio: ['ignore', 'pipe', 'inherit'],
            });
            child.stdout.once('data', () => who === 'killed' && setTimeout(() => child.kill('SIGKILL'), 20));
            child.on('error', reject);
            child.on('close', () => resolve());
          }),
      ),
    );
    const cache = openVectorCache({ dir: join(temp.dir, 'shared'), id: 'm', dimension: 64 });
    const all = ['a', 'b', 'killed'].flatMap((who) => Array.from({ length: 400 }, (_, i) => who + i));
    expect(found(cache, all)).toBe(1200);
    const next = random(5);
    const [v] = cache.getMany(['b0'], 'passage');
    expect(dot(v!, randomVector(next, 64))).toBeGreaterThan(0.999);
    cache.close();
  });
});

describe('an embedder with a cache', () => {
  /** Counts what is computed; the vector says which text it is of. */
  class Counting implements Embedder {
    readonly id = 'counting-32';
    readonly dimension = DIMENSION;
    asked: string[] = [];
    closed = false;
    failAfter = Number.POSITIVE_INFINITY;

    async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
      return texts.map((text, i) => {
        if (this.asked.length >= this.failAfter) throw new Error('broken off');
        this.asked.push(text);
        const v = randomVector(random(text.length * 131 + text.charCodeAt(text.length - 1)), DIMENSION);
        options.onVector?.(i, v);
        return v;
      });
    }

    async close(): Promise<void> {
      this.closed = true;
    }
  }

  it('computes each text once, and gives the same vectors fresh and cached', async () => {
    const inner = new Counting();
    const cached = withCache(inner, open({ id: inner.id }));
    const progress: string[] = [];
    const seen: number[] = [];
    const fresh = await cached.embed(['a', 'b', 'a'], {
      kind: 'passage',
      onProgress: (done, total) => progress.push(`${done}/${total}`),
      onVector: (i) => seen.push(i),
    });
    expect(inner.asked).toEqual(['a', 'b']);
    expect(progress).toEqual(['1/3', '2/3', '3/3']);
    expect(seen.sort()).toEqual([0, 1, 2]);
    expect(await cached.embed(['b', 'c', 'a'], { kind: 'passage' })).toEqual([fresh[1], expect.anything(), fresh[0]]);
    expect(inner.asked).toEqual(['a', 'b', 'c']);
    await cached.embed(['a'], { kind: 'query' });
    expect(inner.asked).toHaveLength(4);
    await cached.close();
    expect(inner.closed).toBe(true);
    const next = withCache(new Counting(), open({ id: inner.id }));
    expect(await next.embed(['a', 'b', 'a'], { kind: 'passage' })).toEqual(fresh);
    await next.close();
  });

  it('goes on where an interrupted run stopped', async () => {
    const inner = new Counting();
    inner.failAfter = 7;
    const cached = withCache(inner, open({ id: inner.id }));
    const texts = Array.from({ length: 20 }, (_, i) => `t${i}`);
    await expect(cached.embed(texts, { kind: 'passage' })).rejects.toThrow('broken off');
    await cached.close();
    const second = new Counting();
    const again = withCache(second, open({ id: inner.id }));
    expect(await again.embed(texts, { kind: 'passage' })).toHaveLength(20);
    expect(second.asked).toEqual(texts.slice(7));
    await expect(again.embed(['new'], { kind: 'passage', signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    await again.close();
  });
});
