import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { staleJson } from '../../src/cli/schemas/stale.js';
import { today } from '../../src/knowledge/index.js';
import { copyMall, removeDir } from '../support/mall.js';
import { xiheHere as xihe } from '../support/mallHere.js';

let mall: string;

/** The shop's own entries as if they had just been reviewed, so that this test says the same in a year. */
function reviewedToday(layer: string): void {
  const day = today();
  for (const name of readdirSync(layer, { recursive: true, encoding: 'utf8' })) {
    if (!/^(?:knowledge|playbooks)[\\/].*\.(?:yaml|md)$/.test(name)) continue;
    const file = join(layer, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/reviewed_at: \S+/g, `reviewed_at: ${day}`));
  }
}

beforeAll(() => {
  mall = copyMall({ link: false });
  reviewedToday(join(mall, '.xihe'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
      cwd: mall,
      stdio: 'ignore',
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', '开始');
  writeFileSync(
    join(mall, '.xihe/knowledge/terms/old.yaml'),
    `- id: old-habit
  keyword_ch: 老规矩
  status: verified
  source: 口头约定
  reviewed_at: 2020-01-01
- id: old-file
  keyword_ch: 旧文件
  code_symbols: [OrderService]
  status: verified
  source: repo://src/order/order-service.ts
  reviewed_at: 2020-01-01
- id: old-symbol
  keyword_ch: 旧符号
  code_symbols: [removedLongAgo]
  source: 口头约定
  reviewed_at: 2020-01-01
- id: no-date
  keyword_ch: 没日期
  source: 口头约定
`,
  );
});
afterAll(() => removeDir(mall));

const states = (json: { entries: { id: string; state: string }[] }) =>
  Object.fromEntries(json.entries.map(({ id, state }) => [id, state]));

describe('xihe stale', () => {
  it('says what is late, what the code of today contradicts, and that the log is empty', async () => {
    const { code, stdout, json } = await xihe(['stale', '--repo', mall, '--json']);
    expect(code).toBe(0);
    expect(staleJson.parse(json), stdout).toEqual(json);
    expect(states(json)).toMatchObject({
      'old-habit': 'overdue',
      'old-file': 'changed',
      'old-symbol': 'gone',
      'no-date': 'never',
    });
    const text = await xihe(['stale', '--repo', mall]);
    expect(text.stdout).toContain('查询日志还是空的');
    expect(text.stdout).toMatch(
      /术语「老规矩」 过了复核日期：2020-07-01，晚了 \d+ 天 {2}\.xihe\/knowledge\/terms\/old\.yaml:1/,
    );
    expect(text.stdout).toContain('术语「旧符号」 代码符号没了：removedLongAgo');
  });

  it('puts first what is really used', async () => {
    await xihe(['core', '老规矩是什么', '--repo', mall]);
    const { json } = await xihe(['stale', '--repo', mall, '--json']);
    expect(json.entries[0]).toMatchObject({ id: 'old-habit', uses: 1 });
    expect((await xihe(['stale', '--repo', mall])).stdout).toMatch(
      /在用，而且该看了（\d+）\n术语「老规矩」.*90 天内用过 1 次/,
    );
  });

  it('writes the report of a month', async () => {
    const now = new Date();
    const month = `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, '0')}`;
    const { stdout, json } = await xihe(['stale', '--repo', mall, '--month', month, '--json']);
    expect(staleJson.parse(json), stdout).toEqual(json);
    expect(json.waiting.map(({ id }: { id: string }) => id)).toEqual(['old-habit']);
    const text = await xihe(['stale', '--repo', mall, '--month', month]);
    expect(text.stdout).toContain(`# 数据核心月报 ${month}`);
    expect(text.stdout).toContain('先复核「老规矩」');
    expect((await xihe(['stale', '--repo', mall, '--month', '2020-07'])).stdout).toContain('查询日志是空的');
  });
});
