import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { type History, openHistory, requestTokens } from '../../src/history/index.js';
import { cleanUp, commit, gbk, git, initRepository, project, tempDir, writeTree } from '../paths/support.js';

afterAll(cleanUp);

/** A repository of four commits in known order. */
function shop(): { root: string; stateDir: string } {
  const { root, stateDir } = project();
  initRepository(root);
  commit(
    root,
    '订单：下单时扣减库存',
    { 'src/订单/create.ts': 'export {};\n', 'src/stock/stock.ts': 'export {};\n' },
    1000,
  );
  commit(
    root,
    '修复超时关单重复执行\n\n定时任务并发时会关两次',
    { 'src/订单/cancel expired.ts': 'export const a = 1;\n' },
    2000,
  );
  commit(root, '退款：支持部分退款', { 'src/refund/refund.ts': 'export {};\n' }, 3000);
  commit(root, '优惠券过期提醒', { 'src/coupon/remind.ts': 'export {};\n' }, 4000);
  return { root, stateDir };
}

/** The files that commits vote for, best first. */
function voted(history: History, request: string) {
  const { paths, scores, commitOf } = history.votes(requestTokens(request));
  const found = paths.map((path, number) => ({ path, score: scores[number]!, commit: commitOf(number) }));
  return found.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}

describe('what a history says', () => {
  it('lets commits vote for the files that they changed, Chinese names and spaces included', async () => {
    const { root, stateDir } = shop();
    const history = await openHistory(root, stateDir);
    expect(history).toMatchObject({ available: true, size: 4 });
    expect(history.reason).toBeUndefined();
    const votes = voted(history, '关单时加一次重试，超时没付款的单子');
    expect(votes[0]).toMatchObject({ path: 'src/订单/cancel expired.ts', commit: { subject: '修复超时关单重复执行' } });
    expect(history.recent(2).map(({ subject }) => subject)).toEqual(['优惠券过期提醒', '退款：支持部分退款']);
  });

  it('reads the body too, and finds by it what the subject does not say', async () => {
    const { root, stateDir } = shop();
    const history = await openHistory(root, stateDir);
    expect(voted(history, '定时任务')[0]?.path).toBe('src/订单/cancel expired.ts');
  });

  it('counts churn and files that change together', async () => {
    const { root, stateDir } = shop();
    commit(
      root,
      '库存改名',
      { 'src/stock/stock.ts': 'export const n = 1;\n', 'src/订单/create.ts': 'export const n = 1;\n' },
      5000,
    );
    const history = await openHistory(root, stateDir);
    expect(history.churn('src/stock/stock.ts')).toBe(2);
    expect(history.churn('src/refund/refund.ts')).toBe(1);
    expect(history.churn('nowhere.ts')).toBe(0);
    expect(history.coChanged('src/stock/stock.ts', 5)).toEqual([{ path: 'src/订单/create.ts', score: 2, commits: 2 }]);
  });

  it('follows a move to the name that a file has today', async () => {
    const { root, stateDir } = shop();
    git(root, ['mv', 'src/refund/refund.ts', 'src/refund/partial.ts']);
    commit(root, '整理目录', {}, 5000);
    const history = await openHistory(root, stateDir);
    expect(voted(history, '部分退款')[0]?.path).toBe('src/refund/partial.ts');
    expect(history.churn('src/refund/partial.ts')).toBe(2);
  });

  it('tells what a file of an older commit is called today, over several moves', async () => {
    const { root, stateDir } = shop();
    for (const [i, [from, to]] of [
      ['src/refund/refund.ts', 'src/refund/partial.ts'],
      ['src/refund/partial.ts', 'src/money/partial.ts'],
    ].entries()) {
      mkdirSync(join(root, 'src/money'), { recursive: true });
      git(root, ['mv', from as string, to as string]);
      commit(root, '整理目录', {}, 5000 + i);
    }
    const history = await openHistory(root, stateDir);
    expect(history.nowCalled('src/refund/refund.ts')).toBe('src/money/partial.ts');
    expect(history.nowCalled('src/stock/stock.ts')).toBe('src/stock/stock.ts');
  });

  it('gives a commit of very many files no vote', async () => {
    const { root, stateDir } = shop();
    const many = Object.fromEntries(
      Array.from({ length: 61 }, (_, i) => [`src/gen/f${i}.ts`, `export const n = ${i};\n`]),
    );
    commit(root, '全量格式化退款', many, 5000);
    const history = await openHistory(root, stateDir);
    expect(voted(history, '退款格式化').map(({ path }) => path)).toEqual(['src/refund/refund.ts']);
    expect(history.churn('src/gen/f1.ts')).toBe(0);
  });

  it('is not misled by a message that looks like the output of git', async () => {
    const { root, stateDir } = shop();
    const head = git(root, ['rev-parse', 'HEAD']).trim();
    commit(root, `假的\n\n${head}\nM\nsrc/secret.ts\nR100\na\nb`, { 'src/real.ts': 'export {};\n' }, 5000);
    const history = await openHistory(root, stateDir);
    expect(history.size).toBe(5);
    expect(history.recent(1)[0]).toMatchObject({ subject: '假的', files: ['src/real.ts'] });
  });

  it('reads a message in GBK that does not say so', async () => {
    const { root, stateDir } = shop();
    writeTree(root, { 'src/old.ts': 'export {};\n' });
    git(root, ['add', '-A']);
    const tree = git(root, ['write-tree']).trim();
    const head = git(root, ['rev-parse', 'HEAD']).trim();
    const who = 'test <test@example.com> 5000 +0000';
    // git commit would turn the bytes into UTF-8; old clients did not.
    const raw = Buffer.concat([
      Buffer.from(`tree ${tree}\nparent ${head}\nauthor ${who}\ncommitter ${who}\n\n`),
      gbk('修改对账单导出\n'),
    ]);
    git(root, ['reset', '-q', git(root, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input: raw }).trim()]);
    const history = await openHistory(root, stateDir);
    expect(voted(history, '对账单')[0]).toMatchObject({
      path: 'src/old.ts',
      commit: { subject: '修改对账单导出' },
    });
  });
});

interface CacheHead {
  stamp: string;
  key: string;
  head: string;
  paths: string[];
  sizes: number[];
}

/** A cache with another head, whole by its checksum: somebody's work, not a fault of the disk. */
function resealed(cache: Buffer, change: (head: CacheHead) => CacheHead): Buffer {
  const end = 12 + cache.readUInt32LE(8);
  const head = Buffer.from(JSON.stringify(change(JSON.parse(cache.toString('utf8', 12, end)))));
  const gap = (length: number) => Buffer.alloc((8 - (length % 8)) % 8);
  const first = Buffer.from(cache.subarray(0, 12));
  first.writeUInt32LE(head.length, 8);
  const rest = [head, gap(12 + head.length), cache.subarray(end + gap(end).length)];
  first.writeUInt32LE(crc32(Buffer.concat([first.subarray(8), ...rest])), 4);
  return Buffer.concat([first, ...rest]);
}

describe('the cache', () => {
  it('is used while HEAD stays, and grown by the new commits only', async () => {
    const { root, stateDir } = shop();
    expect((await openHistory(root, stateDir)).readNow).toBe(4);
    expect((await openHistory(root, stateDir)).readNow).toBe(0);
    commit(root, '新增发票抬头', { 'src/invoice.ts': 'export {};\n' }, 5000);
    const grown = await openHistory(root, stateDir);
    expect(grown.readNow).toBe(1);
    const fresh = await openHistory(root, tempDir());
    expect(fresh.readNow).toBe(5);
    expect(grown.recent(10)).toEqual(fresh.recent(10));
    for (const request of ['退款', '下单扣减库存', '发票和优惠券', '并发的定时任务'])
      expect(voted(grown, request)).toEqual(voted(fresh, request));
    const sums = (history: History) => {
      const { paths, scores } = history.fileScores(requestTokens('订单超时退款'));
      return Object.fromEntries(paths.map((path, number) => [path, scores[number]]));
    };
    expect(sums(grown)).toEqual(sums(fresh));
  });

  it('is brought up to date in a process that goes on', async () => {
    const { root, stateDir } = shop();
    const history = await openHistory(root, stateDir);
    await history.refresh();
    expect(history).toMatchObject({ size: 4, readNow: 0 });
    commit(root, '新增发票抬头', { 'src/invoice.ts': 'export {};\n' }, 5000);
    await history.refresh();
    expect(history).toMatchObject({ size: 5, readNow: 1 });
    expect(voted(history, '发票抬头')[0]?.path).toBe('src/invoice.ts');
    expect(history.churn('src/invoice.ts')).toBe(1);
    await expect(history.refresh(AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('is read anew when history was rewritten', async () => {
    const { root, stateDir } = shop();
    await openHistory(root, stateDir);
    git(root, ['commit', '-q', '--amend', '-m', '优惠券到期短信'], { at: 4000 });
    const history = await openHistory(root, stateDir);
    expect(history.readNow).toBe(4);
    expect(history.recent(1)[0]?.subject).toBe('优惠券到期短信');
  });

  it('keeps to the cap, newest first', async () => {
    const { root, stateDir } = shop();
    const history = await openHistory(root, stateDir, { maxCommits: 2 });
    expect(history.recent(9).map(({ subject }) => subject)).toEqual(['优惠券过期提醒', '退款：支持部分退款']);
    commit(root, '第五条', {}, 5000);
    expect((await openHistory(root, stateDir, { maxCommits: 2 })).recent(9).map(({ subject }) => subject)).toEqual([
      '第五条',
      '优惠券过期提醒',
    ]);
  });

  it.each<[string, (cache: Buffer) => Buffer]>([
    ['empty', () => Buffer.alloc(0)],
    ['cut off', (cache) => cache.subarray(0, cache.length - 20)],
    ['the JSON of earlier versions', () => Buffer.from('{"version":1}')],
    ['of another version', (cache) => resealed(cache, (head) => ({ ...head, stamp: '1:0.0.1' }))],
    ['for another place', (cache) => resealed(cache, (head) => ({ ...head, key: 'web/|2000|' }))],
    ['at no commit', (cache) => resealed(cache, (head) => ({ ...head, head: '--output=/etc/passwd' }))],
    ['short of names', (cache) => resealed(cache, (head) => ({ ...head, paths: [] }))],
    ['of other sizes', (cache) => resealed(cache, (head) => ({ ...head, sizes: head.sizes.map((n) => n + 1) }))],
    ['without arrays', (cache) => resealed(cache, (head) => ({ ...head, sizes: head.sizes.map(() => 0) }))],
    ['damaged inside', (cache) => Buffer.from(cache.map((byte, i) => (i === cache.length >> 1 ? byte ^ 1 : byte)))],
  ])('that is %s is as if it were not there', async (_, damage) => {
    const { root, stateDir } = shop();
    await openHistory(root, stateDir);
    const file = join(stateDir, 'history.bin');
    writeFileSync(file, damage(readFileSync(file)));
    expect(await openHistory(root, stateDir)).toMatchObject({ available: true, size: 4, readNow: 4 });
    expect(await openHistory(root, stateDir)).toMatchObject({ size: 4, readNow: 0 });
  });

  it('that can not be written costs nothing but time', async () => {
    const { root } = shop();
    const notAFolder = join(tempDir(), 'file');
    writeFileSync(notAFolder, 'x');
    for (let start = 0; start < 2; start++) expect((await openHistory(root, notAFolder)).readNow).toBe(4);
  });
});

describe('repositories of other kinds', () => {
  it('says that there is no git, and answers everything with nothing', async () => {
    const { root, stateDir } = project({ 'a.ts': 'export {};\n' });
    const history = await openHistory(root, stateDir);
    expect(history).toMatchObject({ available: false, reason: '项目不在 git 仓库里', size: 0 });
    expect(voted(history, '订单')).toEqual([]);
    expect(history.recent(5)).toEqual([]);
    expect(history.churn('a.ts')).toBe(0);
    expect(history.coChanged('a.ts', 5)).toEqual([]);
  });

  it('says that there is no commit yet', async () => {
    const { root, stateDir } = project({ 'a.ts': 'export {};\n' });
    initRepository(root);
    expect(await openHistory(root, stateDir)).toMatchObject({ available: false, reason: '仓库里还没有提交' });
  });

  it('gives paths relative to a project that is a subfolder, and leaves out what lies beside it', async () => {
    const { root, stateDir } = project();
    initRepository(root);
    commit(root, '前后端一起改订单', { 'web/src/订单.ts': 'export {};\n', 'server/order.go': 'package order\n' }, 1000);
    commit(root, '只改后端', { 'server/pay.go': 'package pay\n' }, 2000);
    const history = await openHistory(join(root, 'web'), stateDir);
    expect(history.recent(9).map(({ subject, files }) => ({ subject, files }))).toEqual([
      { subject: '前后端一起改订单', files: ['src/订单.ts'] },
    ]);
  });

  it('takes a shallow clone for what it has: the cut commit says nothing about files', async () => {
    const { root } = shop();
    const clone = join(tempDir(), 'clone');
    git(root, ['clone', '-q', '--depth', '2', `file://${root}`, clone]);
    const history = await openHistory(clone, join(tempDir(), 'state'));
    expect(history.available).toBe(true);
    expect(history.reason).toBe('浅克隆，只有 2 条提交');
    expect(history.recent(9).map(({ files }) => files)).toEqual([['src/coupon/remind.ts'], []]);
  });

  it('reads a shallow clone anew when it was deepened', async () => {
    const { root, stateDir } = shop();
    const clone = join(tempDir(), 'clone');
    git(root, ['clone', '-q', '--depth', '1', `file://${root}`, clone]);
    expect((await openHistory(clone, stateDir)).size).toBe(1);
    git(clone, ['fetch', '-q', '--unshallow']);
    const history = await openHistory(clone, stateDir);
    expect(history.size).toBe(4);
    expect(history.reason).toBeUndefined();
  });

  it('stops when it is cancelled', async () => {
    const { root, stateDir } = shop();
    await expect(openHistory(root, stateDir, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });

  it('does not run programs that a repository names in its config', async () => {
    const { root, stateDir } = shop();
    const trace = join(tempDir(), 'ran');
    writeFileSync(join(root, 'evil.sh'), `#!/bin/sh\ntouch ${trace}\n`, { mode: 0o755 });
    for (const key of ['core.fsmonitor', 'core.pager', 'diff.external'])
      git(root, ['config', key, join(root, 'evil.sh')]);
    expect((await openHistory(root, stateDir)).size).toBe(4);
    expect(existsSync(trace)).toBe(false);
  });
});
