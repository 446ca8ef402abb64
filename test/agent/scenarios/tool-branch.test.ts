import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyMall, removeDir, treeHash, xihe as xiheProcess } from '../../support/mall.js';
import { xiheHere as xihe } from '../../support/mallHere.js';

let mall: string;
beforeEach(() => {
  mall = copyMall();
  const dir = join(mall, '.xihe/tools');
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    join(dir, 'restart.yaml'),
    `name: restart_service
description: 重启一个测试环境的服务
keywords: [重启服务, 重启]
danger: high
argv: [node, -e, "require('fs').appendFileSync('restarted.log', process.argv[1] + '\\\\n')", "{service}"]
parameters:
  service: { explain: 服务名, required: true, enum: [order, gateway] }
examples: [{ service: order }]
`,
  );
});
afterEach(() => removeDir(mall));
const log = () =>
  existsSync(join(mall, 'restarted.log')) ? readFileSync(join(mall, 'restarted.log'), 'utf8').trim().split('\n') : [];

describe('a request to act', () => {
  it('shows exactly what will happen, waits, acts once after yes', async () => {
    const asked = await xihe([
      'run',
      '帮我重启一下 gateway 服务',
      '--no-model',
      '--repo',
      mall,
      '--thread',
      'x',
      '--json',
    ]);
    expect(asked.code).toBe(3);
    expect(asked.json.waiting.kind).toBe('approve');
    expect(asked.json.waiting.request.preview).toContain('gateway');
    expect(log()).toEqual([]);
    const done = await xihe(['resume', 'x', '--approve', '--repo', mall, '--json']);
    expect(done.code).toBe(0);
    expect(log()).toEqual(['gateway']);
  });

  it('asks for what is missing, in one question, and never guesses', async () => {
    const asked = await xihe(['run', '帮我重启一下服务', '--no-model', '--repo', mall, '--thread', 'y', '--json']);
    expect(asked.code).toBe(3);
    expect(asked.json.waiting.kind).toBe('fill');
    expect(asked.json.waiting.request.missing[0].choices).toEqual(['order', 'gateway']);
    const shown = await xihe(['resume', 'y', '--param', 'service=order', '--repo', mall, '--json']);
    expect(shown.json.waiting.kind).toBe('approve');
    expect(log()).toEqual([]);
    await xihe(['resume', 'y', '--approve', '--repo', mall, '--json']);
    expect(log()).toEqual(['order']);
  });

  it('does nothing on a no, on a question about it, on a negation, and where no tool fits', async () => {
    await xihe(['run', '帮我重启一下 order 服务', '--no-model', '--repo', mall, '--thread', 'z']);
    expect((await xihe(['resume', 'z', '--reject', '--repo', mall, '--json'])).json.status).toBe('rejected');
    for (const text of ['order 服务为什么一直重启', '先不要重启 order，帮我看下报错', '重启 order 会丢数据吗']) {
      const run = await xihe(['run', text, '--no-model', '--repo', mall, '--json']);
      expect(run.json.waiting, text).toBeNull();
    }
    const none = await xihe(['run', '把生产集群扩容到 10 台', '--no-model', '--repo', mall, '--json']);
    expect(none.json.waiting).toBeNull();
    expect(log()).toEqual([]);
  });

  it('killed while acting: the act is shown as open, never repeated by itself', async () => {
    appendFileSync(join(mall, '.xihe/tools/restart.yaml'), '');
    await xihe(['run', '帮我重启一下 order 服务', '--no-model', '--repo', mall, '--thread', 'k', '--json']);
    await xiheProcess(['resume', 'k', '--approve', '--repo', mall], {
      env: { XIHE_PAUSE_IN: 'act:after' },
      onStderr: (text, child) => {
        if (text.includes('paused in act:after')) child.kill('SIGKILL');
      },
    });
    expect(log()).toEqual(['order']);
    // The ledger closed the act before the kill: the rerun of the node finds it done.
    const resumed = await xiheProcess(['resume', 'k', '--repo', mall, '--json']);
    expect(resumed.code).toBe(0);
    expect(log()).toEqual(['order']);
  });

  it('runs the tests of the project in a scratch copy without a question', async () => {
    const before = treeHash(mall);
    const run = await xihe(['run', '跑一下测试', '--no-model', '--repo', mall, '--json']);
    expect(run.json.intents[0].kind).toBe('tool');
    expect(run.json.report.text).toContain('成功');
    expect(run.code).toBe(0);
    expect(treeHash(mall)).toBe(before);
  });

  it('a broken tool file is reported, the others work', async () => {
    writeFileSync(join(mall, '.xihe/tools/broken.yaml'), 'name: [oops\n');
    const run = await xihe(['run', '帮我重启一下 order 服务', '--no-model', '--repo', mall]);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('.xihe/tools/broken.yaml');
  });
});
