import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyMall, modelEnv, removeDir } from '../../support/mall.js';
import { xiheHere as xihe } from '../../support/mallHere.js';
import { startModelServer } from '../../support/model-server.js';
import { asks, calmReview, RETRY_REQUEST } from './scripts.js';

let mall: string;
beforeEach(() => {
  mall = copyMall();
});
afterEach(() => removeDir(mall));

function tool(yaml: string): void {
  mkdirSync(join(mall, '.xihe/tools'), { recursive: true });
  writeFileSync(join(mall, '.xihe/tools/own.yaml'), yaml);
}

describe('what the brief says, the model reads too', () => {
  it('terms, warnings and knowledge of the module in focus, also where the module has a Chinese title', async () => {
    const server = await startModelServer({ rules: [calmReview, { when: asks.execute, reply: '看过了。' }] });
    try {
      await xihe(['run', RETRY_REQUEST, '--repo', mall, '--thread', 'k', '--json'], { env: modelEnv(server.baseUrl) });
      const task = JSON.stringify(server.requests[0]!.body!.messages);
      expect(task).toContain('OrderService.cancelExpired');
      expect(task).toContain('同一张订单不能关两次');
      expect(task).toContain('超时关单的顺序');
      expect(task).not.toContain('closeTimeoutOrder');
      const trace = await xihe(['trace', 'k', '--repo', mall, '--json']);
      const ids = trace.json.injections.map((i: { id: string }) => i.id);
      expect(ids).toEqual(expect.arrayContaining(['order-cancel-expired', 'order-close-once']));
    } finally {
      await server.close();
    }
  });

  it('the trace of a brief names its files', async () => {
    await xihe(['run', RETRY_REQUEST, '--no-model', '--repo', mall, '--thread', 'b', '--json']);
    const trace = await xihe(['trace', 'b', '--repo', mall, '--json']);
    expect(trace.json.fed.map((f: { path: string }) => f.path)).toContain('src/order/order-service.ts');
  });
});

describe("a team's own words", () => {
  const kick =
    'name: kick_waitlist\ndescription: 踢掉一门课的候补\nkeywords: [踢候补, 清理测试缓存]\ndanger: low\nargv: [node, -e, "console.log(1)"]\nexamples: [{}]\n';

  it.each(['踢候补 C1', '帮我踢候补', '清理测试缓存'])('「%s」 reaches the tool', async (text) => {
    tool(kick);
    const env = { XDG_CONFIG_HOME: join(mall, '.xihe', 'state', 'user') };
    // It calls itself harmless: before the user has agreed to that once, it asks.
    const first = await xihe(['run', text, '--no-model', '--repo', mall, '--json'], { env });
    expect([first.code, first.json.waiting?.kind]).toEqual([3, 'approve']);
    expect((await xihe(['trust', '--yes', '--repo', mall], { env })).code).toBe(0);
    const run = await xihe(['run', text, '--no-model', '--repo', mall, '--json'], { env });
    expect(run.json.intents[0].kind).toBe('tool');
    expect(run.json.report.text).toContain('node -e');
    expect(run.code).toBe(0);
  });

  it.each(['清理线上缓存', '踢候补是什么意思？', '先不要踢候补', '重启测试环境', '给测试环境回滚', '发布到测试服'])(
    '「%s」 runs nothing',
    async (text) => {
      tool(kick);
      const run = await xihe(['run', text, '--no-model', '--repo', mall, '--json']);
      expect(run.json.waiting).toBeNull();
      for (const report of run.json.reports) expect(report.kind).not.toBe('tool');
    },
  );

  it('a placeholder without a parameter is refused when the file is loaded', async () => {
    tool(kick.replace('"console.log(1)"]', '"console.log(1)", "{curse}"]'));
    const run = await xihe(['run', '踢候补', '--no-model', '--repo', mall]);
    expect(run.stderr).toContain('{curse}');
    expect(run.stderr).toContain('.xihe/tools/own.yaml');
  });

  it('a command that fails fails the run, and the trace shows the act', async () => {
    tool(kick.replace('console.log(1)', 'process.exit(3)'));
    const run = await xihe([
      'run',
      '踢候补',
      '--no-model',
      '--yes',
      'medium',
      '--repo',
      mall,
      '--thread',
      'f',
      '--json',
    ]);
    expect(run.code).toBe(1);
    expect(run.json.error.code).toBe('COMMAND_FAILED');
    const trace = await xihe(['trace', 'f', '--repo', mall, '--json']);
    expect(trace.json.acts[0]).toMatchObject({ tool: 'kick_waitlist', ok: false });
  });
});

describe('tests that fail', () => {
  it('are no success when they were asked for', async () => {
    const run = await xihe(['run', '跑一下测试', '--no-model', '--repo', mall, '--json'], {
      env: { XIHE_TEST_COMMAND: 'node -e "process.exit(2)"' },
    });
    expect(run.code).toBe(1);
    expect(run.json.status).toBe('failed');
    expect(run.json.report.text).toContain('退出码 2');
  });

  it('progress goes to stderr with --json too', async () => {
    const run = await xihe(['run', '跑一下测试', '--no-model', '--repo', mall, '--json'], {
      env: { XIHE_TEST_COMMAND: 'node -e 0' },
    });
    expect(run.stderr).toContain('路由');
    expect(run.code).toBe(0);
  });
});
