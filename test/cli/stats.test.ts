import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statsJson } from '../../src/cli/schemas/stats.js';
import { copyMall, removeDir, xihe as xiheProcess } from '../support/mall.js';
import { xiheHere as xihe } from '../support/mallHere.js';

let mall: string;
beforeAll(() => {
  mall = copyMall({ link: false });
});
afterAll(() => removeDir(mall));

const LOG = '.xihe/state/queries.jsonl';

describe('xihe stats', () => {
  it('says how the log fills while it is empty', async () => {
    const { code, stdout } = await xihe(['stats', '--repo', mall]);
    expect(code).toBe(0);
    expect(stdout).toContain('没有查询记录');
    expect(stdout).toContain(LOG);
    const { json } = await xihe(['stats', '--repo', mall, '--json']);
    expect(statsJson.parse(json)).toEqual(json);
    expect(json).toMatchObject({ records: 0, tokens: 0, latency_ms: null });
  });

  it('sums up what core and lookup were asked, even when several ask at once', async () => {
    await Promise.all([
      xiheProcess(['core', '下单超时没付款的单子', '--repo', mall]),
      xiheProcess(['lookup', 'ERR_TIMEOUT', '--repo', mall]),
      xiheProcess(['lookup', '仅退款', '--repo', mall]),
      xiheProcess(['lookup', 'qqqqzzzz', '--repo', mall]),
    ]);
    appendFileSync(join(mall, LOG), '{"t":"broken\n');
    const { json, stderr } = await xihe(['stats', '--repo', mall, '--json']);
    expect(statsJson.parse(json), stderr).toEqual(json);
    expect(json.queries).toMatchObject({ total: 1, hits: 1, gate_rate: 1 });
    expect(json.lookups).toMatchObject({ total: 3, hits: 2, misses: 1 });
    expect(json.missed).toContainEqual({ word: 'qqqqzzzz', times: 1 });
    expect(json.entries.map(({ id }: { id: string }) => id)).toContain('payment/errors.md');
    expect(json.tokens).toBe(json.entries.reduce((sum: number, { tokens }: { tokens: number }) => sum + tokens, 0));
    expect(json.latency_ms.count).toBe(4);
    const text = await xihe(['stats', '--repo', mall, '--days', '1']);
    expect(text.stdout).toContain('查询：命中 1，落空 0，命中率 100%');
    expect(text.stdout).toContain('qqqqzzzz  1 次');
    expect(text.stdout).toMatch(/知识「支付网关错误码」 1 次，约 \d+ token/);
  });

  it('a log that can not be written fails no answer', async () => {
    rmSync(join(mall, LOG));
    // A folder that holds something is not ours to remove, so no line can be written.
    mkdirSync(join(mall, LOG, 'kept'), { recursive: true });
    const { code, stdout, stderr } = await xihe(['lookup', 'ERR_TIMEOUT', '--repo', mall]);
    expect(code).toBe(0);
    expect(stdout).toContain('支付网关错误码');
    expect(stderr).toBe('');
    expect((await xihe(['stats', '--repo', mall])).stdout).toContain('没有查询记录');
  });
});
