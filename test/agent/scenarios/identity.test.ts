import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyMall, modelEnv, removeDir, treeHash } from '../../support/mall.js';
import { xiheHere as xihe } from '../../support/mallHere.js';
import { type ModelServer, startModelServer } from '../../support/model-server.js';
import { asks, calmReview } from './scripts.js';

let mall: string;
let server: ModelServer | undefined;
beforeEach(() => {
  mall = copyMall();
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  removeDir(mall);
});

/** A model that writes the file which the request names. */
async function writer(): Promise<Record<string, string>> {
  server = await startModelServer({
    rules: [
      calmReview,
      {
        when: asks.execute,
        reply: [
          (req) => {
            const name = JSON.stringify(req.messages).match(/(\w+)\.ts 这个文件/)?.[1] ?? 'none';
            return {
              toolCalls: [
                { name: 'write_file', args: { path: `src/order/${name}.ts`, content: `export const ${name} = 1;\n` } },
              ],
            };
          },
          '写好了。',
        ],
      },
    ],
  });
  return { ...modelEnv(server.baseUrl), XIHE_TEST_COMMAND: 'node -e 0' };
}
const request = (name: string) => `新增 ${name}.ts 这个文件`;
const file = (name: string) => existsSync(join(mall, `src/order/${name}.ts`));

describe('what belongs to a run stays with it', () => {
  it('threads with Chinese names of one length have changesets of their own', async () => {
    const env = await writer();
    const first = await xihe(['run', request('alpha'), '--repo', mall, '--thread', '退款', '--json'], { env });
    const second = await xihe(['run', request('beta'), '--repo', mall, '--thread', '订单', '--json'], { env });
    expect([first.code, second.code]).toEqual([3, 3]);
    expect((await xihe(['resume', '订单', '--approve', '--repo', mall, '--json'], { env })).code).toBe(0);
    expect([file('alpha'), file('beta')]).toEqual([false, true]);
    await xihe(['resume', '退款', '--reject', '--repo', mall, '--json'], { env });
    expect(file('alpha')).toBe(false);
  });

  it('a thread whose checkpoints are gone starts anew: its old changeset and acts are not taken for its own', async () => {
    const env = await writer();
    await xihe(['run', request('alpha'), '--repo', mall, '--thread', 'w', '--yes', 'medium', '--json'], { env });
    for (const name of ['', '-wal', '-shm'])
      rmSync(join(mall, `.xihe/state/checkpoints.sqlite${name}`), { force: true });
    const again = await xihe(['run', request('beta'), '--repo', mall, '--thread', 'w', '--yes', 'medium', '--json'], {
      env,
    });
    expect(again.code).toBe(0);
    expect([file('alpha'), file('beta')]).toEqual([true, true]);
  });
});

describe('what was approved is what happens', () => {
  const log = () => (existsSync(join(mall, 'acts.log')) ? readFileSync(join(mall, 'acts.log'), 'utf8') : '');
  const tool = (extra = '', name = 'restart_service', word = 'one') => {
    mkdirSync(join(mall, '.xihe/tools'), { recursive: true });
    writeFileSync(
      join(mall, '.xihe/tools/t.yaml'),
      `name: ${name}\ndescription: 重启服务\nkeywords: [重启服务, 重启]\ndanger: high\nargv: [node, -e, "require('fs').appendFileSync('acts.log', '${word} ' + process.argv[1])", "{id}"]\n${extra}examples: [{ id: a }]\n`,
    );
  };
  const withId = 'parameters:\n  id: { explain: 编号, required: true }\n';

  it('an act runs again under a thread name that was pruned in between', async () => {
    tool('parameters:\n  id: { explain: 编号, default: x }\n');
    const env = { XIHE_KEEP_THREADS: '1' };
    for (const thread of ['q1', 'q2', 'q1']) {
      await xihe(['run', '帮我重启服务', '--no-model', '--repo', mall, '--thread', thread, '--json'], { env });
      expect((await xihe(['resume', thread, '--approve', '--repo', mall, '--json'], { env })).code).toBe(0);
    }
    expect(log()).toBe('one xone xone x');
  });

  it('a tool whose definition changed while it waited does not run', async () => {
    tool('parameters:\n  id: { explain: 编号, default: x }\n');
    await xihe(['run', '帮我重启服务', '--no-model', '--repo', mall, '--thread', 'b', '--json']);
    tool('parameters:\n  id: { explain: 编号, default: x }\n', 'restart_service', 'two');
    const done = await xihe(['resume', 'b', '--approve', '--repo', mall, '--json']);
    expect(done.code).toBe(1);
    expect(done.json.error.code).toBe('TOOL_CHANGED');
    expect(log()).toBe('');
  });

  it('a text parameter of digits stays text', async () => {
    tool(withId);
    await xihe(['run', '帮我重启服务', '--no-model', '--repo', mall, '--thread', 'p', '--json']);
    const shown = await xihe(['resume', 'p', '--param', 'id=007', '--repo', mall, '--json']);
    expect(shown.json.waiting.request.preview).toContain('007');
    await xihe(['resume', 'p', '--approve', '--repo', mall, '--json']);
    expect(log()).toBe('one 007');
  });

  it('a refusal is a refusal, whatever stands beside it', async () => {
    tool(withId);
    await xihe(['run', '帮我重启服务', '--no-model', '--repo', mall, '--thread', 'r', '--json']);
    const done = await xihe(['resume', 'r', '--reject', '--param', 'id=1', '--repo', mall, '--json']);
    expect(done.json.waiting).toBeNull();
    expect(log()).toBe('');
  });

  it("a team's tool can't take the name of a built-in one", async () => {
    tool('', 'run_tests');
    const run = await xihe(['run', '超时关单在哪', '--no-model', '--repo', mall]);
    expect(run.stderr).toContain('run_tests 是自带工具的');
  });

  it('a value that only the model thought of is asked for', async () => {
    tool(withId);
    server = await startModelServer({ rules: [{ when: asks.fill, reply: '{"id": "a; touch X"}' }] });
    const run = await xihe(['run', '帮我重启服务', '--repo', mall, '--json'], { env: modelEnv(server.baseUrl) });
    expect(run.json.waiting.kind).toBe('fill');
  });

  it('staged files that vanished while the question stood are not called written', async () => {
    const env = await writer();
    await xihe(['run', request('alpha'), '--repo', mall, '--thread', 'v', '--json'], { env });
    const before = treeHash(mall);
    rmSync(join(mall, '.xihe/state/changesets'), { recursive: true });
    const done = await xihe(['resume', 'v', '--approve', '--repo', mall, '--json'], { env });
    expect(done.code).toBe(1);
    expect(done.json.error.code).toBe('CHANGESET_CONFLICT');
    expect(treeHash(mall)).toBe(before);
  });

  it("changes to the team's tools are never waved through", async () => {
    server = await startModelServer({
      rules: [
        calmReview,
        {
          when: asks.execute,
          reply: [
            { toolCalls: [{ name: 'write_file', args: { path: '.xihe/tools/evil.yaml', content: 'name: evil\n' } }] },
            '好了',
          ],
        },
      ],
    });
    const env = { ...modelEnv(server.baseUrl), XIHE_TEST_COMMAND: 'node -e 0' };
    const run = await xihe(['run', '新增一个工具文件', '--repo', mall, '--yes', 'medium', '--json'], { env });
    expect(run.code).toBe(3);
    expect(run.json.waiting.request.danger).toBe('high');
  });
});
