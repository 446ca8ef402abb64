import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexJson } from '../../src/cli/schemas/index-knowledge.js';
import { copyMall, removeDir, xihe } from '../support/mall.js';

/** The defaults of a new user. */
const EMBEDDED = { XIHE_EMBED_PROVIDER: 'auto' };

let mall: string;
beforeAll(() => {
  mall = copyMall();
});
afterAll(() => removeDir(mall));

const status = async (env: Record<string, string> = EMBEDDED) => {
  const { stdout, code } = await xihe(['index', '--status', '--json', '--repo', mall], { env });
  expect(code).toBe(0);
  return indexJson.strict().parse(JSON.parse(stdout));
};

describe('xihe index', () => {
  it('makes the vectors of the project once, and those of what ships never', async () => {
    const before = await status();
    expect(before).toMatchObject({ provider: 'embedded', made: 0 });
    expect(before.ready).toBeGreaterThan(300);
    const own = before.chunks - before.ready;
    expect(own).toBeGreaterThan(5);
    const { stdout, code } = await xihe(['index', '--json', '--repo', mall], { env: EMBEDDED });
    expect(code).toBe(0);
    const made = indexJson.strict().parse(JSON.parse(stdout));
    expect([made.ready, made.made > own && made.made <= 2 * own]).toEqual([made.chunks, true]);
    const { stdout: again } = await xihe(['index', '--repo', mall], { env: EMBEDDED });
    expect(again).toContain(`${made.chunks} 个知识片段，${made.chunks} 个在本机有向量`);
    expect(again).not.toContain('这次建了');
  });

  it('lets a look-up find by meaning what its words do not say', async () => {
    const { stdout, stderr, code } = await xihe(['lookup', '只退钱不退货的申请要满足什么条件', '--repo', mall], {
      env: EMBEDDED,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/意思相近，来源 /);
  });

  it('tells of passages that have none yet', async () => {
    const file = join(mall, '.xihe', 'knowledge', 'night.md');
    writeFileSync(
      file,
      '---\ntitle: 夜间对账\nkeywords: [夜间对账]\nsummary: 每晚对账。\n---\n\n每晚两点对账，失败了早上补跑。\n',
    );
    const { stderr } = await xihe(['lookup', '库存什么时候释放', '--repo', mall], { env: EMBEDDED });
    expect(stderr).toContain('有 1 段还没有向量，眼下只能按词找到；运行 xihe index 建好');
  });

  it('says that there is nothing to make where vectors are off', async () => {
    const { stdout, code } = await xihe(['index', '--repo', mall], { env: { XIHE_EMBED_PROVIDER: 'none' } });
    expect(code).toBe(0);
    expect(stdout).toContain('embedding.provider 是 none，只按词查');
    expect((await status({ XIHE_EMBED_PROVIDER: 'none' })).provider).toBe('none');
  });
});

describe('xihe lookup', () => {
  it('--exact prints the document alone, in any state of the vectors', async () => {
    const { stdout, stderr } = await xihe(['lookup', 'ERR_TIMEOUT', '--exact', '--repo', mall], { env: EMBEDDED });
    expect([stdout.includes('精确命中'), stdout.includes('意思相近'), stderr]).toEqual([true, false, '']);
  });

  it('prints the exact hit, and by words what else there is, when the service of vectors is down; index says why it can not', async () => {
    // A port that nobody listens on.
    const port = await new Promise<number>((done) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port: free } = server.address() as { port: number };
        server.close(() => done(free));
      });
    });
    const env = {
      XIHE_EMBED_BASE_URL: `http://127.0.0.1:${port}/v1`,
      XIHE_EMBED_MODEL: 'bge-m3',
      XIHE_EMBED_PROVIDER: 'endpoint',
    };
    const { stdout, stderr, code } = await xihe(['lookup', 'ERR_TIMEOUT', '--repo', mall], { env });
    expect([code, stdout.includes('精确命中')]).toEqual([0, true]);
    expect(stderr).toContain(
      `这次只按词查：连不上向量服务 http://127.0.0.1:${port}/v1（没有服务在这个地址上：ECONNREFUSED）`,
    );
    const json = await xihe(['lookup', 'ERR_TIMEOUT', '--json', '--repo', mall], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ found: true, degraded: true, degraded_why: expect.any(String) });
    const failed = await xihe(['index', '--repo', mall], { env });
    expect([failed.code, failed.stderr.includes('怎么办：')]).toEqual([1, true]);
  });

  it('answers in a project that can not be written to', async () => {
    const other = join(mall, '..', 'read-only');
    mkdirSync(other, { recursive: true });
    cpSync(join(mall, '.xihe', 'knowledge'), join(other, '.xihe', 'knowledge'), { recursive: true });
    // A file in place of the state folder: no mode stops root.
    writeFileSync(join(other, '.xihe', 'state'), 'x');
    const { stdout, code } = await xihe(['lookup', '库存什么时候释放', '--repo', other], { env: EMBEDDED });
    expect([code, stdout.length > 0]).toEqual([0, true]);
    expect(readFileSync(join(other, '.xihe', 'state'), 'utf8')).toBe('x');
    removeDir(other);
  });
});
