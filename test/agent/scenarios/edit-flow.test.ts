import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyMall, modelEnv, removeDir, treeHash, xihe as xiheProcess } from '../../support/mall.js';
import { xiheHere as xihe } from '../../support/mallHere.js';
import { type ModelServer, startModelServer } from '../../support/model-server.js';
import { asks, calmReview, RETRY_REQUEST, retryEdit, retryRules } from './scripts.js';

/** The part of the shop's own tests that the changes here can break. */
const QUICK = 'node --import tsx --test test/refund.test.ts';

describe('an edit from request to undo', () => {
  let mall: string;
  let server: ModelServer;
  beforeEach(() => {
    mall = copyMall();
  });
  afterEach(async () => {
    await server.close();
    removeDir(mall);
  });

  /** Most of these tests are not about the shop's own tests, which take seconds: they stand in for them by name. */
  const start = async (rules = retryRules, testCommand = 'node -e 0') => {
    server = await startModelServer({ rules });
    return { ...modelEnv(server.baseUrl), XIHE_TEST_COMMAND: testCommand };
  };
  const target = () => readFileSync(join(mall, retryEdit.path), 'utf8');

  it('stops at confirm with the diff, applies after yes, and undo restores the bytes', async () => {
    const env = await start(retryRules, 'npm test');
    const before = treeHash(mall);
    const asked = await xiheProcess(['run', RETRY_REQUEST, '--repo', mall, '--thread', 'a', '--json'], { env });
    expect(asked.stderr).not.toContain('错误');
    expect(asked.code).toBe(3);
    expect(asked.json.status).toBe('waiting');
    expect(asked.json.waiting.kind).toBe('confirm');
    expect(asked.json.waiting.request.diff).toContain('+  private async releaseStock');
    expect(asked.json.waiting.request.actionRequests[0].name).toBe('apply_changeset');
    expect(asked.json.tests.ok).toBe(true);
    expect(treeHash(mall)).toBe(before);

    const done = await xiheProcess(['resume', 'a', '--approve', '--repo', mall, '--json'], { env });
    expect(done.code).toBe(0);
    expect(done.json.status).toBe('done');
    expect(done.json.receipt).toBeTruthy();
    expect(target()).toContain('releaseStock');

    const undone = await xiheProcess(['undo', '--repo', mall, '--json'], { env });
    expect(undone.code).toBe(0);
    expect(treeHash(mall)).toBe(before);
  });

  it('puts terms with symbols, the right file and sources before the model, and no file text', async () => {
    const env = await start();
    await xihe(['run', RETRY_REQUEST, '--repo', mall, '--json'], { env });
    const first = server.requests[0]!.body!;
    const task = JSON.stringify(first.messages);
    expect(task).toContain('OrderService.cancelExpired');
    expect(task).toContain('src/order/order-service.ts');
    expect(task).toMatch(/来源|〔/);
    expect(task).not.toContain('releaseResources(orderNo)');
  });

  it('rejects: nothing is written, and the thread says so', async () => {
    const env = await start();
    const before = treeHash(mall);
    await xihe(['run', RETRY_REQUEST, '--repo', mall, '--thread', 'r', '--json'], { env });
    const done = await xihe(['resume', 'r', '--reject', '--comment', '先不改', '--repo', mall, '--json'], { env });
    expect(done.code).toBe(0);
    expect(done.json.status).toBe('rejected');
    expect(done.json.report.text).toContain('先不改');
    expect(treeHash(mall)).toBe(before);
  });

  it('a comment sends the change back to the model, which sees it, and asks again', async () => {
    const env = await start([
      calmReview,
      {
        name: 'again',
        when: { test: (req) => JSON.stringify(req.messages).includes('日志里写清第几次') },
        reply: [
          '',
          '',
          '',
          '',
          {
            toolCalls: [
              {
                name: 'edit_file',
                args: {
                  path: retryEdit.path,
                  edits: [
                    {
                      search: "this.deps.logger.error('释放库存失败', error, { order_no: orderNo, attempt });",
                      replace: 'this.deps.logger.error(`第 ${attempt} 次释放库存失败`, error, { order_no: orderNo });',
                    },
                  ],
                },
              },
            ],
          },
          '已按意见改好日志。',
        ],
      },
      retryRules[1]!,
    ]);
    await xihe(['run', RETRY_REQUEST, '--repo', mall, '--thread', 'c', '--json'], { env });
    const again = await xihe(['resume', 'c', '--comment', '日志里写清第几次', '--repo', mall, '--json'], { env });
    expect(again.code).toBe(3);
    expect(again.json.waiting.request.diff).toContain('第 ${attempt} 次释放库存失败');
    const done = await xihe(['resume', 'c', '--approve', '--repo', mall, '--json'], { env });
    expect(done.code).toBe(0);
    expect(target()).toContain('第 ${attempt} 次释放库存失败');
  });

  it('refuses to apply over a file that the user changed meanwhile, and leaves it as the user left it', async () => {
    const env = await start();
    await xihe(['run', RETRY_REQUEST, '--repo', mall, '--thread', 'm', '--json'], { env });
    const mine = target().replace('超时关单', '超时关单（我正在改）');
    writeFileSync(join(mall, retryEdit.path), mine);
    const refused = await xihe(['resume', 'm', '--approve', '--repo', mall, '--json'], { env });
    expect(refused.code).toBe(1);
    expect(refused.json.error.code).toBe('CHANGESET_CONFLICT');
    expect(refused.json.error.message).toContain(retryEdit.path);
    expect(target()).toBe(mine);
  });

  it('two runs at once in one repository: the second to apply the same file is refused, whole', async () => {
    const env = await start();
    const [a, b] = await Promise.all([
      xiheProcess(['run', RETRY_REQUEST, '--repo', mall, '--thread', 'p1', '--json'], { env }),
      xiheProcess(['run', RETRY_REQUEST, '--repo', mall, '--thread', 'p2', '--json'], { env }),
    ]);
    expect([a.code, b.code]).toEqual([3, 3]);
    expect((await xihe(['resume', 'p1', '--approve', '--repo', mall, '--json'], { env })).code).toBe(0);
    const after = treeHash(mall);
    const second = await xihe(['resume', 'p2', '--approve', '--repo', mall, '--json'], { env });
    expect(second.code).toBe(1);
    expect(second.json.error.code).toBe('CHANGESET_CONFLICT');
    expect(treeHash(mall)).toBe(after);
  });

  it('--yes medium applies without a question; a model that is down ends in a brief and says so', async () => {
    const env = await start();
    const done = await xihe(['run', RETRY_REQUEST, '--repo', mall, '--yes', 'medium', '--json'], { env });
    expect(done.code).toBe(0);
    expect(target()).toContain('releaseStock');
    const down = await xihe(['run', '库存预占加个日志', '--repo', mall, '--json'], {
      env: { ...env, XIHE_BASE_URL: 'http://127.0.0.1:9/v1', XIHE_MODEL_RETRIES: '0' },
    });
    expect(down.code).toBe(1);
    expect(down.json.error.code).toBe('MODEL_UNREACHABLE');
    expect(down.json.report.text).toContain('预案');
  });
});

describe('what the checks catch', () => {
  let mall: string;
  let server: ModelServer;
  beforeEach(() => {
    mall = copyMall();
  });
  afterEach(async () => {
    await server.close();
    removeDir(mall);
  });

  it('仅退款 as a new state is caught once, goes back, and the second attempt passes', async () => {
    const enumLine = "  /** 已拒绝 */\n  REJECTED = 'REJECTED',";
    const badLine = "  /** 已拒绝 */\n  REJECTED = 'REJECTED',\n  /** 仅退款 */\n  REFUND_ONLY = 'REFUND_ONLY',";
    const path = 'src/refund/refund.ts';
    server = await startModelServer({
      rules: [
        calmReview,
        {
          when: asks.execute,
          reply: [
            { toolCalls: [{ name: 'edit_file', args: { path, edits: [{ search: enumLine, replace: badLine }] } }] },
            '加好了仅退款状态。',
            {
              toolCalls: [
                {
                  name: 'edit_file',
                  args: {
                    path,
                    edits: [
                      { search: badLine, replace: enumLine },
                      {
                        search: '/** 这种退款要不要等买家把货寄回来。 */',
                        replace:
                          '/** 是不是仅退款：看发起类型，不看状态。 */\nexport function isRefundOnly(initiator: RefundInitiatorType): boolean {\n  return initiator === RefundInitiatorType.BUYER_NO_RETURN;\n}\n\n/** 这种退款要不要等买家把货寄回来。 */',
                      },
                    ],
                  },
                },
              ],
            },
            '改为用 initiator_type 区分仅退款。',
          ],
        },
      ],
    });
    const run = await xihe(['run', '给订单加上仅退款', '--repo', mall, '--thread', 'w', '--json'], {
      env: { ...modelEnv(server.baseUrl), XIHE_TEST_COMMAND: QUICK },
    });
    expect(run.code).toBe(3);
    const warning = run.json.warnings.find((w: { danger: string }) => w.danger.includes('initiator_type'));
    expect(warning.source).toMatch(/^repo:\/\//);
    expect(run.json.waiting.request.diff).toContain('isRefundOnly');
    expect(run.json.waiting.request.diff).not.toMatch(/^\+.*REFUND_ONLY/m);
    expect(run.json.findings.filter((f: { severity: string }) => f.severity === 'block')).toEqual([]);
    const back = server.requests.filter((r) => JSON.stringify(r.body!.messages).includes('改动检查发现'));
    expect(back.length).toBeGreaterThan(0);
    expect(JSON.stringify(back[0]!.body!.messages)).toContain('initiator_type');
    const trace = await xihe(['trace', 'w', '--repo', mall, '--json']);
    expect(
      trace.json.injections.some(
        (i: { type: string; phase: string }) => i.type === 'warning' && i.phase === 'postcheck',
      ),
    ).toBe(true);
    expect(trace.json.edits).toHaveLength(2);
  });

  it('a path with spaces between Chinese and Latin is repaired and logged; one outside the project is refused', async () => {
    server = await startModelServer({
      rules: [
        calmReview,
        {
          when: asks.execute,
          reply: [
            { toolCalls: [{ name: 'read_file', args: { path: 'src/支付 网关/notify.ts' } }] },
            { toolCalls: [{ name: 'read_file', args: { path: '../../../../etc/passwd' } }] },
            '看过了，不需要改。',
          ],
        },
      ],
    });
    const run = await xihe(['run', '修改支付网关的通知日志', '--repo', mall, '--json'], {
      env: { ...modelEnv(server.baseUrl), XIHE_TEST_COMMAND: QUICK },
    });
    expect(run.code).toBe(0);
    const results = server.requests
      .at(-1)!
      .body!.messages.filter((m) => m.role === 'tool')
      .map((m) => String(m.content));
    expect(results[0]).toContain('src/支付网关/notify.ts');
    expect(results[0]).toContain('注意');
    expect(results[1]).toContain('PATH_OUTSIDE_PROJECT');
    expect(results[1]).not.toContain('root:');
    const { readdirSync } = await import('node:fs');
    const dir = join(mall, '.xihe/state/audit');
    const audit = readdirSync(dir)
      .map((f) => readFileSync(join(dir, f), 'utf8'))
      .join('');
    expect(audit).toContain('path.repaired');
  });

  it('a change that breaks the tests goes back at most twice, then to the user with the failure shown', async () => {
    const bad = (n: number) => ({
      toolCalls: [
        {
          name: 'edit_file',
          args: {
            path: 'src/refund/refund.ts',
            edits: [
              {
                search:
                  n === 1
                    ? 'return initiator === RefundInitiatorType.BUYER_RETURN;'
                    : `return initiator !== RefundInitiatorType.BUYER_RETURN; // ${n - 1}`,
                replace: `return initiator !== RefundInitiatorType.BUYER_RETURN; // ${n}`,
              },
            ],
          },
        },
      ],
    });
    server = await startModelServer({
      rules: [calmReview, { when: asks.execute, reply: [bad(1), '好了', bad(2), '好了', bad(3), '好了'] }],
    });
    const run = await xihe(['run', '修改 needsReturn 的判断，反过来', '--repo', mall, '--json'], {
      env: { ...modelEnv(server.baseUrl), XIHE_TEST_COMMAND: QUICK },
    });
    expect(run.code).toBe(3);
    expect(run.json.tests.ok).toBe(false);
    expect(run.json.waiting.request.danger).toBe('high');
    expect(run.json.findings.some((f: { from: string }) => f.from === 'tests')).toBe(true);
    expect(
      server.requests.filter((r) => String(r.body!.messages.at(-1)?.content).includes('改动检查发现')),
    ).toHaveLength(2);
  });
});
