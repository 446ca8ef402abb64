import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callTool, loadTeamTools, type ToolContext } from '../../src/tools/index.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'xihe-team-'));
  mkdirSync(join(dir, '.xihe/tools'), { recursive: true });
});
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
  const ctx = { root: dir, caller: { name: 't', roles: ['developer'] }, audit: () => {} } as unknown as ToolContext;
  return (await callTool(tools[0]!, {}, ctx)).text;
}

describe("a team's command", () => {
  it('gets the secrets that it declares, no others, and the home folder', async () => {
    vi.stubEnv('DEPLOY_TOKEN', 'tok-1');
    vi.stubEnv('OTHER_SECRET', 'tok-2');
    expect(await run(print(''))).toContain('[null,null,');
    const text = await run(print('env: [DEPLOY_TOKEN]\n'));
    expect(text).toContain('["tok-1",null,');
    expect(text).toContain(process.env.HOME ?? 'null');
  });

  it('that fails is no success, and says to look before a retry', async () => {
    const text = await run(
      'name: fail_tool\ndescription: 失败\ndanger: low\nargv: [node, -e, "console.error(1); process.exit(3)"]\nexamples: [{}]\n',
    );
    expect(text).toContain('COMMAND_FAILED');
    expect(text).toContain('退出码 3');
  });
});
