import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import * as outputs from '../../src/agent/output-schemas.js';
import { ALL_OUTPUT_SCHEMAS } from '../../src/cli/schemas/index.js';
import { RETRY_REQUEST, retryRules } from '../agent/scenarios/scripts.js';
import { type CliResult, copyMall, modelEnv, removeDir } from '../support/mall.js';
import { xiheHere as xihe } from '../support/mallHere.js';
import { type ModelServer, startModelServer } from '../support/model-server.js';

let mall: string;
let server: ModelServer;
beforeAll(async () => {
  mall = copyMall();
  server = await startModelServer({ rules: retryRules });
});
afterAll(async () => {
  await server.close();
  removeDir(mall);
});

/** Zod leaves out what a schema does not name: an equal document has no field that docs/json.md would not show. */
function expectDocumented(schema: z.ZodType, result: CliResult): void {
  expect(result.json, result.stderr).toBeDefined();
  expect(schema.parse(result.json)).toEqual(result.json);
}

const look = (args: string[]) => xihe([...args, '--repo', mall, '--json']);

describe('every field that a command prints is documented', () => {
  it.each([
    [['lookup', 'ERR_TIMEOUT'], outputs.lookupJson],
    [['lookup', '仅退款', '--section', '约定'], outputs.lookupJson],
    [['lookup', '仅退款', '--section', '没有这一节'], outputs.lookupJson],
    [['lookup', '微信退款有什么限制'], outputs.lookupJson],
    [['lookup', 'qqqqzzzz'], outputs.lookupJson],
    [['find', '回调验签'], outputs.findJson],
    [['tree'], outputs.treeJson],
    [['tree', 'src/order'], outputs.treeJson],
    [['expand', 'src/order'], outputs.expandJson],
    [['expand', 'src/order/order-service.ts'], outputs.expandJson],
    [['core', '退款 导出 乱码', '--max', '50'], outputs.coreJson],
    [['core', '结算', '--module', 'finance', '--symbol', 'OrderState'], outputs.coreJson],
    [['doctor'], outputs.doctorJson],
    [['graph'], outputs.graphJson],
    [['run', '下单超时没付款的单子，关单时加一次重试', '--no-model'], outputs.runJson],
    [['run', '退款超时是什么意思', '--no-model'], outputs.runJson],
    [['run', '帮我跑一下测试', '--no-model'], outputs.runJson],
    [['expand', 'nowhere/at-all.ts'], outputs.errorOutputJson],
    [['find', 'x', '--top', '0'], outputs.errorOutputJson],
  ] as const)('%j', async (args, schema) => expectDocumented(schema, await look([...args])));

  it('init', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-json-'));
    try {
      expectDocumented(outputs.initJson, await xihe(['init', '--repo', dir, '--json']));
    } finally {
      removeDir(dir);
    }
  });

  it('run, resume, trace, threads and undo of one change', async () => {
    const env = { ...modelEnv(server.baseUrl), XIHE_TEST_COMMAND: 'node -e 0' };
    const run = (args: string[]) => xihe([...args, '--repo', mall, '--json'], { env });
    const asked = await run(['run', RETRY_REQUEST, '--thread', 'a']);
    expect(asked.json.status).toBe('waiting');
    expectDocumented(outputs.runJson, asked);
    const done = await run(['resume', 'a', '--approve']);
    expect(done.json.receipt).toBeTruthy();
    expectDocumented(outputs.runJson, done);
    const traced = await run(['trace', 'a']);
    expect(traced.json.edits.length).toBeGreaterThan(0);
    expectDocumented(outputs.traceJson, traced);
    expectDocumented(outputs.threadsJson, await run(['threads']));
    expectDocumented(outputs.undoJson, await run(['undo']));
  });

  it('the documents cover every command', async () => {
    const help = (await xihe(['--help'])).stdout;
    const commands = [...help.matchAll(/^ {2}([a-z]+) /gm)].map((m) => m[1]!).filter((name) => name !== 'help');
    // `alert test / alert flush`: of a command that has commands of its own, any of them.
    const documented = Object.keys(ALL_OUTPUT_SCHEMAS).flatMap((name) =>
      name.split(' / ').map((one) => one.split(' ')[0]),
    );
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands) expect(documented).toContain(command);
  });
});
