import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../src/config.js';
import type { Embedder } from '../../src/embed/index.js';
import { XiheError } from '../../src/errors.js';
import { KnowledgeBase, VectorArm, type VectorArmOptions } from '../../src/knowledge/index.js';
import { bigrams } from '../../src/text/index.js';
import { document, tree } from './support.js';

/**
 * An embedder of our own behind the real interface: pairs of characters hashed into 64 numbers. It knows no meanings, which these tests
 * don't ask for; they ask what is made, kept, thrown away and told.
 */
class Pairs implements Embedder {
  readonly id: string = 'pairs-64';
  readonly dimension = 64;
  made: string[] = [];
  closed = 0;
  /** Called before each text. */
  before: (text: string) => Promise<void> | void = () => undefined;

  async embed(texts: readonly string[], options: Parameters<Embedder['embed']>[1]): Promise<Float32Array[]> {
    const out: Float32Array[] = [];
    for (const [i, text] of texts.entries()) {
      await this.before(text);
      if (options.signal?.aborted) throw new XiheError('CANCELLED', '取消', { hint: '再来。' });
      const vector = new Float32Array(64).fill(0.01);
      for (const pair of bigrams(text)) vector[(pair.charCodeAt(0) * 31 + pair.charCodeAt(1)) % 64]! += 1;
      const length = Math.hypot(...vector);
      out.push(vector.map((x) => x / length));
      this.made.push(text);
      options.onVector?.(i, out[i]!);
    }
    return out;
  }

  async close(): Promise<void> {
    this.closed++;
  }
}

const doc = (title: string, body: string) =>
  document({ title, keywords: `[${title}]`, summary: `${title}的约定。` }, `${body}\n`);

const FILES = {
  'k/refund.md': doc('退款到账', '退款原路返回，零钱当天到账，银行卡一到三个工作日到账，节假日顺延。'),
  'k/close.md': doc('关单', '超过三十分钟没有付款的订单自动关闭，关闭时释放预占的库存。'),
  'k/export.md': doc('导出', '导出的表格用 GB18030 编码，手机号中间四位换成星号。'),
};

function openBase(dir: string, embedder: Embedder | (() => Promise<Embedder>), more: Partial<VectorArmOptions> = {}) {
  const open = async () => (typeof embedder === 'function' ? embedder() : embedder);
  const { embedding } = defaultConfig();
  const vectors = new VectorArm({ embedding, dir: join(dir, 'state'), open, ...more });
  const base = KnowledgeBase.open([{ dir: join(dir, 'k'), layer: 'project' }], { vectors });
  /** As the base does before each question. */
  const take = () => vectors.take(base.chunks);
  take();
  return { base, vectors, take };
}

const passages = (embedder: Pairs) => embedder.made.filter((text) => !text.endsWith('？')).length;

describe('the vectors of a base', () => {
  it('are made once: a second process finds them, and a changed document makes only its own', async () => {
    const dir = tree(FILES);
    const first = new Pairs();
    await openBase(dir, first).vectors.build();
    // Each passage as a whole and by its first line.
    expect(passages(first)).toBe(6);
    const second = new Pairs();
    const again = openBase(dir, second);
    await again.vectors.build();
    expect(second.made).toEqual([]);
    writeFileSync(join(dir, 'k', 'close.md'), doc('关单', '超过十五分钟没有付款的订单自动关闭。'));
    again.base.reload();
    again.take();
    await again.vectors.build();
    expect(second.made).toHaveLength(2);
    expect(second.made.every((text) => text.includes('十五分钟'))).toBe(true);
    expect(await again.vectors.state()).toMatchObject({ chunks: 3, ready: 3, building: false });
  });

  it('go on where an interrupted build stopped', async () => {
    const dir = tree(FILES);
    const embedder = new Pairs();
    const stop = new AbortController();
    embedder.before = () => {
      if (embedder.made.length === 3) stop.abort();
    };
    await expect(openBase(dir, embedder).vectors.build({ signal: stop.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    const next = new Pairs();
    const seen: [number, number][] = [];
    await openBase(dir, next).vectors.build({ onProgress: (done, total) => seen.push([done, total]) });
    expect(next.made).toHaveLength(3);
    expect([seen[0], seen.at(-1)]).toEqual([
      [3, 6],
      [6, 6],
    ]);
  });

  it('are made anew from the cache when the index is damaged, and for another model beside the old one', async () => {
    const dir = tree(FILES);
    await openBase(dir, new Pairs()).vectors.build();
    const state = join(dir, 'state');
    for (const name of readdirSync(state).filter((n) => n.endsWith('.index'))) truncateSync(join(state, name), 40);
    const damaged = new Pairs();
    await openBase(dir, damaged).vectors.build();
    expect(damaged.made).toEqual([]);
    class Other extends Pairs {
      override readonly id = 'other-64';
    }
    const other = new Other();
    await openBase(dir, other).vectors.build();
    expect(other.made).toHaveLength(6);
    const back = new Pairs();
    await openBase(dir, back).vectors.build();
    expect(back.made).toEqual([]);
  });

  it('are made although nothing can be kept', async () => {
    const dir = tree(FILES);
    // A file where the folder should be: as a disk that refuses.
    writeFileSync(join(dir, 'state'), '');
    const embedder = new Pairs();
    const { base, vectors } = openBase(dir, embedder);
    await vectors.build();
    expect((await base.ask('退款几天到账？')).meaning?.missing).toBe(0);
  });

  it('of what comes and goes while they are made are made and thrown away', async () => {
    const dir = tree(FILES);
    const embedder = new Pairs();
    const { base, vectors, take } = openBase(dir, embedder);
    let changed = false;
    embedder.before = () => {
      if (changed) return;
      changed = true;
      mkdirSync(join(dir, 'k', 'more'));
      writeFileSync(join(dir, 'k', 'more', 'cron.md'), doc('定时任务', '对账任务每天凌晨两点跑，失败了早上补跑。'));
      writeFileSync(join(dir, 'k', 'export.md'), doc('导出', '导出的表格改用 UTF-8 编码。'));
      base.reload();
      take();
    };
    await vectors.build();
    expect(await vectors.state()).toMatchObject({ chunks: 4, ready: 4 });
    expect((await base.ask('凌晨的对账任务失败了谁来补？')).meaning?.missing).toBe(0);
  });
});

describe('a look-up', () => {
  const question = '退款原路返回要几个工作日到账？';
  const supplementOf = async (base: KnowledgeBase, options: Parameters<KnowledgeBase['ask']>[1] = {}) => {
    const asked = await base.ask(question, options);
    const { supplement, degraded, degraded_why, pending } = base.lookup(question, undefined, { asked });
    return { title: supplement?.title, degraded, degraded_why, pending };
  };

  it('says how many passages have no vector yet, and finds those by their words', async () => {
    const { base, vectors } = openBase(tree(FILES), new Pairs());
    expect(await supplementOf(base)).toEqual({ title: '退款到账', pending: 3 });
    await vectors.build();
    expect(await supplementOf(base)).toEqual({ title: '退款到账' });
  });

  it('answers by words and says why when the embedder does not open, fails, or is late', async () => {
    const down = async () => {
      throw new XiheError('EMBED_UNREACHABLE', '连不上向量服务', { hint: '看看它起来没有。' });
    };
    const closed = openBase(tree(FILES), down);
    expect(await supplementOf(closed.base)).toEqual({
      title: '退款到账',
      degraded: true,
      degraded_why: '连不上向量服务',
    });
    const broken = new Pairs();
    broken.before = () => {
      throw new XiheError('EMBED_FAILED', '算不出来', { hint: '重试。' });
    };
    expect(await supplementOf(openBase(tree(FILES), broken).base)).toMatchObject({
      title: '退款到账',
      degraded_why: '算不出来',
    });
    const slow = new Pairs();
    slow.before = () => new Promise((done) => setTimeout(done, 200));
    expect(await supplementOf(openBase(tree(FILES), slow).base, { budgetMs: 20 })).toMatchObject({
      title: '退款到账',
      degraded_why: expect.stringContaining('没来得及'),
    });
  });

  it('tries again after a failure: a service that was down may be up', async () => {
    let up = false;
    const { base } = openBase(tree(FILES), async () => {
      if (!up) throw new XiheError('EMBED_UNREACHABLE', '连不上', { hint: '等等。' });
      return new Pairs();
    });
    expect((await supplementOf(base)).degraded).toBe(true);
    up = true;
    expect((await supplementOf(base)).degraded).toBeUndefined();
  });

  it('that its caller gave up ends with CANCELLED, and with `none` asks nobody', async () => {
    const embedder = new Pairs();
    const stop = new AbortController();
    embedder.before = () => {
      stop.abort(new XiheError('CANCELLED', '不等了', { hint: '再来。' }));
    };
    const { base } = openBase(tree(FILES), embedder);
    await expect(base.ask(question, { signal: stop.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
    const none = { ...defaultConfig().embedding, provider: 'none' as const };
    const silent = new Pairs();
    const without = openBase(tree(FILES), silent, { embedding: none });
    expect(await without.base.ask(question)).toEqual({});
    await without.vectors.build();
    expect(silent.made).toEqual([]);
  });

  it('answers from the documents of now when they change while its vector is on the way', async () => {
    const dir = tree({
      ...FILES,
      ...Object.fromEntries(
        [...Array(12)].map((_, i) => [`k/more${i}.md`, doc(`杂项${i}`, `第${i}条杂项：${question}`)]),
      ),
    });
    const embedder = new Pairs();
    const { base, vectors } = openBase(dir, embedder);
    await vectors.build();
    embedder.before = () => {
      for (let i = 0; i < 12; i++) rmSync(join(dir, 'k', `more${i}.md`), { force: true });
      base.reload();
    };
    expect((await supplementOf(base)).title).toBe('退款到账');
    // One that was given for the documents of before says nothing about those of now.
    embedder.before = () => undefined;
    const asked = await base.ask(question);
    rmSync(join(dir, 'k', 'close.md'));
    base.reload();
    expect(base.lookup(question, undefined, { asked }).supplement?.title).toBe('退款到账');
  });

  it('ends at once when a service hangs at its first opening', async () => {
    const { embedding } = defaultConfig();
    const open = (signal?: AbortSignal) =>
      new Promise<Embedder>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const vectors = new VectorArm({ embedding, open });
    const base = KnowledgeBase.open([{ dir: join(tree(FILES), 'k'), layer: 'project' }], { vectors });
    expect((await supplementOf(base, { budgetMs: 20 })).title).toBe('退款到账');
    await vectors.close();
  });

  it('opens a service anew that gives vectors of another length now', async () => {
    let dimension = 64;
    class Changing extends Pairs {
      private readonly length = dimension;
      override async embed(texts: readonly string[], options: Parameters<Embedder['embed']>[1]) {
        if (dimension !== this.length) throw new XiheError('EMBED_DIMENSION', '长度变了', { hint: '重新打开。' });
        return super.embed(texts, options);
      }
    }
    const { base } = openBase(tree(FILES), async () => new Changing());
    expect((await supplementOf(base)).degraded).toBeUndefined();
    dimension = 32;
    expect((await base.ask('换个问题？')).degraded).toBe('长度变了');
    dimension = 64;
    expect((await base.ask('再换个问题？')).degraded).toBeUndefined();
  });

  it('after a close opens the embedder anew', async () => {
    const embedder = new Pairs();
    const { base, vectors } = openBase(tree(FILES), embedder);
    await vectors.build();
    await vectors.close();
    expect(embedder.closed).toBe(1);
    expect((await supplementOf(base)).title).toBe('退款到账');
    await vectors.close();
    expect(embedder.closed).toBe(2);
  });
});
