import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
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

describe('two at once', () => {
  it('make each vector once: the second waits and finds them made', async () => {
    const asked: string[] = [];
    const service = createHttp((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        const { input } = JSON.parse(body) as { input: string[] };
        asked.push(...input.filter((text) => text !== '维度'));
        const data = input.map((_, index) => ({ index, embedding: [1, 0.5] }));
        // Long enough for the other one to come.
        setTimeout(() => response.end(JSON.stringify({ data })), 30);
      });
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const env = {
      XIHE_EMBED_PROVIDER: 'endpoint',
      XIHE_EMBED_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`,
      XIHE_EMBED_MODEL: 'm',
    };
    try {
      const both = await Promise.all([1, 2].map(() => xihe(['index', '--json', '--repo', mall], { env })));
      const made = both.map(({ json }) => indexJson.strict().parse(json).made).sort((a, b) => a - b);
      expect([made[0], new Set(asked).size, asked.length]).toEqual([0, made[1], made[1]]);
      expect(both.map(({ stderr }) => stderr.includes('另一个 xihe index 正在建')).filter(Boolean)).toHaveLength(1);
    } finally {
      service.closeAllConnections();
      service.close();
    }
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

  it('--section that is not there: the document is found, its sections are listed, and the exit code says that it is not it', async () => {
    const args = ['lookup', '仅退款', '--exact', '--repo', mall, '--section'];
    const { json, code } = await xihe([...args, '没有的', '--json']);
    expect([code, json.found, json.primary.content, json.primary.missing_section]).toEqual([1, true, '', '没有的']);
    expect(json.primary.sections.length).toBeGreaterThan(0);
    const text = await xihe([...args, '没有的']);
    expect(text.stdout.match(/章节：/g)).toHaveLength(1);
    expect([text.code, text.stdout]).toEqual([1, expect.stringContaining('里面没有「没有的」这一节')]);
    const long = await xihe([...args, '长'.repeat(30_000)]);
    expect(long.stdout.length).toBeLessThan(1000);
    expect(long.stdout).toContain('…（共 30000 字）');
  });

  it.each([
    ['an option', ['lookup', '甲', `--${'x'.repeat(30_000)}`]],
    ['a command', ['x'.repeat(30_000)]],
    ['a number', ['find', '甲', '--top', '9'.repeat(30_000)]],
    ['a choice', ['core', '甲', '--task', 'x'.repeat(30_000)]],
    ['a thread', ['trace', 'x'.repeat(30_000)]],
    ['a folder', ['lookup', '甲', '--repo', `/${'x'.repeat(30_000)}`]],
    ['a path', ['expand', 'x'.repeat(30_000)]],
    ['a file', ['lint', 'x'.repeat(30_000)]],
    ['a source', ['import', 'x'.repeat(30_000)]],
    ['a month', ['stale', '--month', 'x'.repeat(30_000)]],
  ])('says only the beginning of %s that is no such thing', async (_what, args) => {
    const at = args.includes('--repo') ? args : [...args, '--repo', mall];
    const { stderr, code } = await xihe(args.length === 1 ? args : at);
    expect(code).toBeGreaterThan(0);
    expect([stderr.includes('错误'), stderr.length < 1500]).toEqual([true, true]);
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
