import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../src/evals/workspace.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'xihe-evals-run-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a cancelled command leaves no hanging test behind, and is a failure', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A test runner that starts a test which never ends; the test's connection tells whether it lives.
  const hanging = `require('node:net').connect(${(server.address() as AddressInfo).port}, '127.0.0.1')`;
  writeFileSync(
    join(root, 'run.mjs'),
    `import { spawnSync } from 'node:child_process';
spawnSync(process.execPath, ['-e', ${JSON.stringify(hanging)}], { stdio: 'inherit' });`,
  );
  try {
    const cancel = new AbortController();
    const running = runCommand(root, ['node', 'run.mjs'], cancel.signal);
    const [connection] = (await once(server, 'connection')) as [Socket];
    connection.on('error', () => {}).resume();
    const closed = once(connection, 'close');
    cancel.abort();
    expect((await running).ok).toBe(false);
    await closed;
  } finally {
    server.close();
  }
}, 30_000);

test('what it prints on both streams is there, and its status decides', async () => {
  const failing = await runCommand(root, ['node', '-e', "console.log('甲'); console.error('乙'); process.exit(3)"]);
  expect(failing.ok).toBe(false);
  expect(failing.output).toContain('甲');
  expect(failing.output).toContain('乙');
  expect(await runCommand(root, ['node', '-e', '0'])).toEqual({ ok: true, output: '' });
  expect((await runCommand(root, ['no-such-program-here'])).ok).toBe(false);
});
