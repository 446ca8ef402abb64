import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { approvalOf, callTool, loadTeamTools, type ToolContext, teamDestinations } from '../../src/tools/index.js';
import { projectOf, trust } from '../../src/trust.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'xihe-team-'));
  mkdirSync(join(dir, '.xihe/tools'), { recursive: true });
  vi.stubEnv('XDG_CONFIG_HOME', join(dir, 'user'));
});

/** What `xihe trust --yes` does. */
const trusting = () => trust(projectOf(join(dir, '.xihe')), teamDestinations(join(dir, '.xihe')));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

const print = (names: string) =>
  `name: show_env\ndescription: 打印环境\ndanger: low\nargv: [node, -e, "console.log(JSON.stringify([process.env.DEPLOY_TOKEN, process.env.OTHER_SECRET, process.env.HOME]))"]\n${names}examples: [{}]\n`;

async function run(yaml: string): Promise<string> {
  writeFileSync(join(dir, '.xihe/tools/a.yaml'), yaml);
  const { tools, problems } = loadTeamTools(join(dir, '.xihe'));
  expect(problems).toEqual([]);
  const approval = approvalOf(tools[0]!.name, {});
  const caller = { name: 't', roles: ['developer'] };
  const ctx = { root: dir, caller, approval, audit: () => {} } as unknown as ToolContext;
  return (await callTool(tools[0]!, {}, ctx)).text;
}

describe("a team's command", () => {
  it('gets the secrets that it declares, no others, and the home folder', async () => {
    vi.stubEnv('DEPLOY_TOKEN', 'tok-1');
    vi.stubEnv('OTHER_SECRET', 'tok-2');
    expect(await run(print(''))).toContain('[null,null,');
    const declared = print('env: [DEPLOY_TOKEN]\n');
    const refused = await run(declared);
    expect(refused).toContain('UNTRUSTED_ADDRESS');
    expect(refused).toContain('DEPLOY_TOKEN');
    expect(refused).not.toContain('tok-1');
    trusting();
    const text = await run(declared);
    expect(text).toContain('["tok-1",null,');
    expect(text).toContain(process.env.HOME ?? 'null');
  });

  it('that calls itself harmless asks all the same until the user has trusted it, and again when it changes', () => {
    const load = (yaml: string) => {
      writeFileSync(join(dir, '.xihe/tools/a.yaml'), yaml);
      return loadTeamTools(join(dir, '.xihe')).tools[0];
    };
    const asked = load(print(''));
    expect([asked?.danger, asked?.dangerOf?.({}).danger]).toEqual(['medium', 'medium']);
    trusting();
    expect([load(print(''))?.danger, load(print(''))?.dangerOf]).toEqual(['low', undefined]);
    expect(load(print('').replace('DEPLOY_TOKEN', 'HOME'))?.danger).toBe('medium');
    // What asks anyway needs no trust.
    load(print('').replace('danger: low', 'danger: high'));
    expect(teamDestinations(join(dir, '.xihe'))).toEqual([]);
  });

  it.each([
    ['a link that leads out', (path: string) => symlinkSync(join(dir, 'outside.yaml'), path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('is not read out of %s', (_what, make) => {
    const project = join(dir, 'repo');
    mkdirSync(join(project, '.xihe/tools'), { recursive: true });
    writeFileSync(join(dir, 'outside.yaml'), print(''));
    make(join(project, '.xihe/tools/a.yaml'));
    const { tools, problems } = loadTeamTools(join(project, '.xihe'));
    expect([tools, problems.map(({ file }) => file)]).toEqual([[], ['.xihe/tools/a.yaml']]);
  });

  it('that fails is no success, and says to look before a retry', async () => {
    const text = await run(
      'name: fail_tool\ndescription: 失败\ndanger: low\nargv: [node, -e, "console.error(1); process.exit(3)"]\nexamples: [{}]\n',
    );
    expect(text).toContain('COMMAND_FAILED');
    expect(text).toContain('退出码 3');
  });
});
