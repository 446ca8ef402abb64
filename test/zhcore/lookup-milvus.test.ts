import { afterAll, describe, expect, it } from 'vitest';
import { openZhCore } from '../../src/zhcore/index.js';
import { document, tree, writeTree } from '../knowledge/support.js';
import { startMilvus } from '../support/milvus.js';
import { acceptance, defaults } from './acceptance.js';

const server = await startMilvus();
afterAll(() => server?.close());

function settings(project: string) {
  const { embedding, milvus } = defaults();
  return { embedding, milvus: { ...milvus, address: server!.address, project, timeoutSeconds: 10 } };
}

describe.skipIf(server === undefined)('the look-up on Milvus', () => {
  acceptance(() => settings('acceptance'));
});

describe.skipIf(server === undefined)('Milvus that goes down', () => {
  it('leaves the answer to what is here, and says so; when it is back, a new process uses it', async () => {
    const dir = tree({
      'shop/.xihe/knowledge/a.md': document(
        { title: '退款到账', keywords: '[到账时间]', summary: '退款多久到账。' },
        '退款原路返回：零钱当天到，银行卡一到三个工作日到。节假日顺延，超过五个工作日没到就去查退款单号。\n',
      ),
    });
    const open = () =>
      openZhCore({
        projectDir: `${dir}/shop/.xihe`,
        cacheDir: `${dir}/shop/.xihe/state`,
        vectors: settings('down'),
      });
    const ask = (core: ReturnType<typeof open>) =>
      core.askLookup('钱退回卡里要等几天', undefined, { budgetMs: 60_000 });
    const before = open();
    await before.vectors!.build();
    const up = await ask(before);
    expect([up.degraded, up.supplement?.source]).toEqual([undefined, '.xihe/knowledge/a.md']);
    await server!.kill();
    const down = await ask(before);
    expect([down.degraded, down.supplement?.source]).toEqual([true, '.xihe/knowledge/a.md']);
    expect(down.degraded_why).toMatch(/Milvus/);
    // Exact hits never wait for it.
    expect((await before.askLookup('到账时间')).primary?.source).toBe('.xihe/knowledge/a.md');
    await before.close();
    await server!.start();
    const after = open();
    const again = await ask(after);
    expect([again.degraded, again.supplement?.source]).toEqual([undefined, '.xihe/knowledge/a.md']);
    await after.close();
  });

  it('that is empty is told, and new passages count as missing until they are there', async () => {
    const files = {
      'shop/.xihe/knowledge/a.md': document(
        { title: '退款到账', keywords: '[到账时间]', summary: '退款多久到账。' },
        '退款原路返回：零钱当天到，银行卡一到三个工作日到。节假日顺延，超过五个工作日没到就去查退款单号。\n',
      ),
    };
    const dir = tree(files);
    const core = openZhCore({
      projectDir: `${dir}/shop/.xihe`,
      cacheDir: `${dir}/shop/.xihe/state`,
      vectors: settings('empty'),
    });
    const ask = () => core.askLookup('钱退回卡里要等几天', undefined, { budgetMs: 60_000 });
    expect((await ask()).degraded_why).toMatch(/还没有索引，运行 xihe index/);
    await core.close();
    await core.vectors!.build();
    const { chunks } = await core.vectors!.state();
    writeTree(dir, {
      'shop/.xihe/knowledge/b.md': document(
        { title: '导出超时', keywords: '[导出任务]', summary: '导出太久怎么办。' },
        '报表导出超过三十秒会被网关断开：改成异步任务，写好文件后发站内信，用户自己去下载。\n',
      ),
    });
    core.reload();
    const { supplement, pending } = await core.askLookup('报表导出超过三十秒被网关断开', undefined, {
      budgetMs: 60_000,
    });
    expect(chunks).toBeGreaterThan(300);
    // More rows than one question asks for: what lies further back and what is missing look the same, and words decide.
    expect([supplement?.source, pending]).toEqual(['.xihe/knowledge/b.md', undefined]);
    await core.close();
  });
});
