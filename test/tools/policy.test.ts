import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LastGoodFolder } from '../../src/knowledge/index.js';
import {
  type AnyContract,
  approvalOf,
  callTool,
  irreversible,
  loadTeamTools,
  Policy,
  type PolicyRequest,
  policyRequest,
  type ToolContext,
  teamDestinations,
} from '../../src/tools/index.js';
import { trust } from '../../src/trust.js';

let dir: string;
let layerDir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-policy-')));
  layerDir = join(dir, '.xihe');
  mkdirSync(join(layerDir, 'tools'), { recursive: true });
  mkdirSync(join(dir, 'user/xihe'), { recursive: true });
  vi.stubEnv('XDG_CONFIG_HOME', join(dir, 'user'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

const rule = (text: string) => `  - { ${text}, reason: 测试 }\n`;
function load(rules: string[], where = join(layerDir, 'policy.yaml')): Policy {
  writeFileSync(where, `rules:\n${rules.map(rule).join('')}`);
  return Policy.load({ layerDir });
}
const trusting = () => trust(dir, [Policy.load({ layerDir }).layers.at(-1)!.destination!]);
const request = (more: Partial<PolicyRequest> = {}): PolicyRequest => ({
  tool: 'notify',
  danger: 'medium',
  args: {},
  roles: ['developer'],
  ...more,
});
const decided = (policy: Policy, more: Partial<PolicyRequest> = {}) => policy.decide(request(more)).decision;

describe('rules', () => {
  it('without any: low runs, the rest asks, --yes covers what it says, and never what can not be undone', () => {
    const none = Policy.load({ layerDir });
    expect(decided(none, { danger: 'low' })).toBe('allow');
    expect(decided(none)).toBe('ask');
    expect(decided(none, { autoApprove: 'medium' })).toBe('allow');
    expect(decided(none, { autoApprove: 'medium', danger: 'high' })).toBe('ask');
    for (const danger of ['low', 'medium'] as const)
      expect(decided(none, { autoApprove: 'medium', danger, irreversible: '重启不能撤销' })).toBe('ask');
  });

  it('the first that fits decides, with its place and reason', () => {
    const policy = load(['tool: notify, args: { to: ops* }, decision: ask', 'tool: "not*", decision: deny']);
    expect(policy.decide(request({ args: { to: 'ops-1' } }))).toMatchObject({ decision: 'ask', rule: { line: 2 } });
    expect(policy.decide(request({ args: { to: 'all' } }))).toMatchObject({
      decision: 'deny',
      rule: { line: 3 },
      why: '测试',
    });
    expect(decided(policy, { tool: 'other', autoApprove: 'medium' })).toBe('allow');
    // Asked for by a rule, --yes does not count.
    expect(decided(policy, { args: { to: 'ops-1' }, autoApprove: 'medium' })).toBe('ask');
  });

  it('by danger, roles and paths; what they deny they take loosely', () => {
    const policy = load([
      'danger: high, roles: [guest], decision: deny',
      'paths: ["src/legacy/**"], decision: deny',
      'args: { env: [prod, 线上] }, decision: deny',
    ]);
    expect(decided(policy, { danger: 'high', roles: ['guest'] })).toBe('deny');
    expect(decided(policy, { danger: 'high' })).toBe('ask');
    for (const path of ['src/legacy/a.ts', './src//legacy/a.ts', 'src/x/../legacy/b/c.ts', 'SRC/Legacy/a.ts'])
      expect([path, decided(policy, { args: { any: [path] } })]).toEqual([path, 'deny']);
    expect(decided(policy, { args: { path: 'src/other/a.ts' } })).toBe('ask');
    for (const env of ['prod', 'PROD', 'ｐｒｏｄ', '线上'])
      expect([env, decided(policy, { args: { env } })]).toEqual([env, 'deny']);
  });

  it('what they allow must fit to the letter', () => {
    load(['tool: notify, args: { env: dev }, paths: ["src/**"], decision: allow']);
    trusting();
    const policy = Policy.load({ layerDir });
    const on = (path: unknown, env = 'dev') => decided(policy, { args: { env, path } });
    expect(on('src/a.ts')).toBe('allow');
    expect(on(['src/a.ts', 'src/b.ts'])).toBe('allow');
    for (const path of [undefined, '/src/a.ts', 'src/../etc/a', '../src/a.ts', ['src/a.ts', 'lib/b.ts']])
      expect([path, on(path)]).toEqual([path, 'ask']);
    expect(on('src/a.ts', 'DEV')).toBe('ask');
  });

  it('what can not be undone is allowed by its full name only', () => {
    load(['tool: "restart_*", decision: allow', 'decision: allow']);
    trusting();
    const lasting = { tool: 'restart_order', irreversible: '重启不能撤销', autoApprove: 'medium' as const };
    const found = Policy.load({ layerDir }).decide(request(lasting));
    expect([found.decision, found.passedOver]).toEqual(['ask', [expect.stringContaining('全名')]]);
    load(['tool: [restart_order], decision: allow']);
    trusting();
    expect(decided(Policy.load({ layerDir }), lasting)).toBe('allow');
  });
});

describe('a repository', () => {
  it('that allows is not heard before the user trusts these rules, and again when they change', () => {
    const rules = ['tool: notify, args: { env: prod }, decision: deny', 'tool: notify, decision: allow'];
    const first = load(rules).decide(request());
    expect([first.decision, first.passedOver]).toEqual(['ask', [expect.stringContaining('还没有信任')]]);
    expect(decided(load(rules), { args: { env: 'prod' } })).toBe('deny');
    trusting();
    expect(decided(load(rules))).toBe('allow');
    // Without the rule before it, the one that allows reaches further: that is another list.
    expect(decided(load(rules.slice(1)))).toBe('ask');
    // A rule after the last one that allows loosens nothing.
    expect(decided(load([...rules, 'decision: ask']))).toBe('allow');
  });

  it("is overruled by the user's own rules, but what it denies stays denied", () => {
    load(['tool: notify, decision: allow'], join(dir, 'user/xihe/policy.yaml'));
    expect(decided(load(['tool: notify, decision: ask']))).toBe('allow');
    expect(decided(load(['tool: notify, decision: deny']))).toBe('deny');
  });
});

describe('a broken file', () => {
  const broken = 'rules:\n  - tool: notify\n    decison: deny\n    reason: x\n';
  const loadBroken = (lastGood?: LastGoodFolder) => {
    writeFileSync(join(layerDir, 'policy.yaml'), broken);
    return Policy.load({ layerDir, ...(lastGood ? { lastGood } : {}) });
  };

  it('is told with its line in Chinese, and takes --yes away', () => {
    const policy = loadBroken();
    expect(policy.problems).toMatchObject([{ file: '.xihe/policy.yaml', line: 2 }]);
    expect(policy.problems[0]?.reason).toContain('是不是 decision？');
    expect(decided(policy, { autoApprove: 'medium' })).toBe('ask');
    expect(decided(policy, { danger: 'low' })).toBe('allow');
  });

  it('what its last good version denied stays denied, what it allowed does not, in a new process as well', () => {
    const lastGood = () => new LastGoodFolder(join(dir, 'last-good'), 'policy');
    writeFileSync(
      join(layerDir, 'policy.yaml'),
      `rules:\n${rule('tool: a, decision: deny')}${rule('tool: b, decision: allow')}`,
    );
    trusting();
    const good = Policy.load({ layerDir, lastGood: lastGood() });
    expect([decided(good, { tool: 'a' }), decided(good, { tool: 'b' })]).toEqual(['deny', 'allow']);
    const policy = loadBroken(lastGood());
    expect([decided(policy, { tool: 'a' }), decided(policy, { tool: 'b', autoApprove: 'medium' })]).toEqual([
      'deny',
      'ask',
    ]);
    expect(policy.layers[1]?.broken).toEqual({ kept: true });
  });

  it.each([
    ['a link that leads out', (path: string) => symlinkSync('/etc/hostname', path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('%s is one', (_what, make) => {
    make(join(layerDir, 'policy.yaml'));
    expect(decided(Policy.load({ layerDir }), { autoApprove: 'medium' })).toBe('ask');
  });

  it('a file of comments alone is none', () => {
    writeFileSync(join(layerDir, 'policy.yaml'), '# rules:\n');
    expect(Policy.load({ layerDir }).problems).toEqual([]);
  });
});

describe('a call', () => {
  const team = (text: string) => {
    writeFileSync(join(layerDir, 'tools/a.yaml'), text);
    return loadTeamTools(layerDir).tools[0] as AnyContract;
  };
  const tool = (name: string, argv = 'node, -e, "0"', description = '发通知') =>
    team(`name: ${name}\ndescription: ${description}\ndanger: medium\nargv: [${argv}]\nexamples: [{}]\n`);
  const call = async (contract: AnyContract, policy: Policy | undefined, approved: boolean) => {
    const approval = approved ? approvalOf(contract.name, {}) : undefined;
    const ctx = { root: dir, caller: { name: 't', roles: ['developer'] }, audit: () => {}, policy, approval };
    return (await callTool(contract, {}, ctx as unknown as ToolContext)).code ?? 'ok';
  };

  it('that is denied is not made, whoever agreed; one on the world needs somebody who did', async () => {
    const contract = tool('notify_team');
    expect(await call(contract, load(['tool: notify_team, decision: deny']), true)).toBe('COMMAND_DENIED');
    expect(await call(contract, load(['tool: other, decision: deny']), false)).toBe('COMMAND_DENIED');
    expect(await call(contract, load(['tool: other, decision: deny']), true)).toBe('ok');
  });

  it('is not made without a yes to these very arguments, also where nobody knows of rules', async () => {
    const contract = tool('notify_team');
    expect(await call(contract, undefined, false)).toBe('COMMAND_DENIED');
    expect(await call(contract, undefined, true)).toBe('ok');
    const ctx = { root: dir, caller: { name: 't', roles: ['developer'] }, audit: () => {} };
    for (const approval of [approvalOf('notify_others', {}), approvalOf('notify_team', { to: 'all' })])
      expect((await callTool(contract, {}, { ...ctx, approval } as unknown as ToolContext)).code).toBe(
        'COMMAND_DENIED',
      );
  });

  it('can not be undone where its contract says so, or its command exactly does', () => {
    const why = (more: string, argv = './run.sh', name = 'order_up') =>
      irreversible(
        team(`name: ${name}\ndescription: 重启并清空\ndanger: medium\nargv: [${argv}]\n${more}examples: [{}]\n`),
        {},
      );
    // Words are no data: what the file does not say, it does not say.
    expect(why('', './scripts/deploy.sh', 'restart_and_delete')).toBeUndefined();
    expect(why('irreversible: false\n')).toBeUndefined();
    expect(why('irreversible: true\n')).toContain('不能撤销');
    expect(why('irreversible: 清掉的缓存要半天才热\n')).toBe('清掉的缓存要半天才热');
    for (const argv of ['rm, -rf, /var/data', 'sh, -c, "kubectl delete pod a"', 'git, push, --force'])
      expect([argv, why('irreversible: false\n', argv)]).toEqual([argv, expect.stringMatching(/回不来|会丢/)]);
  });
});

describe("a team's tool that a rule allows", () => {
  const write = (argv: string) =>
    writeFileSync(
      join(layerDir, 'tools/a.yaml'),
      `name: notify_team\ndescription: 发通知\ndanger: medium\nargv: [${argv}]\nexamples: [{}]\n`,
    );
  const decide = () => {
    const contract = loadTeamTools(layerDir).tools[0] as AnyContract;
    return Policy.load({ layerDir }).decide(policyRequest(contract, {}, ['developer']));
  };

  it('is what the user trusted: other words of the repository behind the same name ask again', () => {
    load(['tool: notify_team, decision: allow'], join(dir, 'user/xihe/policy.yaml'));
    write('node, -e, "0"');
    expect(decide()).toMatchObject({ decision: 'ask', passedOver: [expect.stringContaining('还没有信任')] });
    const found = teamDestinations(layerDir, process.env, (name) => Policy.load({ layerDir }).mentionsAllowed(name));
    expect(found).toMatchObject([{ setting: '.xihe/tools/a.yaml', ruled: true }]);
    trust(dir, found);
    expect(decide().decision).toBe('allow');
    write('node, -e, "1"');
    expect(decide().decision).toBe('ask');
  });
});
