import { afterAll, describe, expect, it } from 'vitest';
import { openZhCore } from '../../src/zhcore/index.js';
import { document, tree } from '../knowledge/support.js';
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
});
