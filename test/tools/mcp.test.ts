import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { packageRoot } from '../../src/assets.js';
import {
  BUILTIN_NAMES,
  callTool,
  jsonSchemaOf,
  MAX_DESCRIPTION,
  McpHub,
  type McpTool,
  mcpDestinations,
  missingParameters,
  type ToolContext,
  ToolRegistry,
  toOpenAiTool,
} from '../../src/tools/index.js';
import { projectOf, trust } from '../../src/trust.js';

const SERVER = join(packageRoot(), 'test/support/mcp-server.mjs');

let dir: string;
let log: string;
const hubs: McpHub[] = [];
const children: ChildProcess[] = [];
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-mcp-')));
  log = join(dir, 'log');
  mkdirSync(join(dir, '.xihe'));
  vi.stubEnv('XDG_CONFIG_HOME', join(dir, 'user'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(hubs.splice(0).map((hub) => hub.close()));
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

const layer = () => join(dir, '.xihe');
const declare = (mcpServers: object) => writeFileSync(join(dir, '.mcp.json'), JSON.stringify({ mcpServers }, null, 2));
/** What `xihe trust --yes` does. */
const trusting = () => trust(projectOf(layer()), mcpDestinations(dir, layer()));
const stdio = (mode = 'stdio', more: object = {}) => ({
  command: process.execPath,
  args: [SERVER, mode, log],
  ...more,
});

function hubOf(): McpHub {
  const hub = new McpHub(dir, layer());
  hubs.push(hub);
  return hub;
}

/** A hub of one trusted server by the name `demo`. */
async function open(server: object = stdio()): Promise<{ hub: McpHub; tools: McpTool[]; said: string[] }> {
  declare({ demo: server });
  trusting();
  const hub = hubOf();
  const said: string[] = [];
  return { hub, tools: await hub.tools({ say: (text) => said.push(text) }), said };
}

function context(extra: Partial<ToolContext> = {}): ToolContext & { audited: unknown[] } {
  const audited: unknown[] = [];
  const caller = { name: 't', roles: ['reader', 'developer'] };
  return { root: dir, caller, audit: (e: unknown) => audited.push(e), audited, ...extra } as never;
}

const named = (tools: readonly McpTool[], name: string) => tools.find((tool) => tool.name === name)!;
const logged = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []);
const pids = () => logged().flatMap((line) => (line.startsWith('start:') ? [Number(line.slice(6))] : []));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie is dead; its parent has not asked yet.
    return !/^State:\s+Z/m.test(existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '');
  } catch {
    return false;
  }
}

describe('an MCP server of a repository', () => {
  it('is neither started nor called before the user trusts it, and again when it changes', async () => {
    declare({ demo: stdio() });
    const hub = hubOf();
    expect([hub.isEmpty, await hub.tools(), logged()]).toEqual([true, [], []]);
    expect(await hub.status()).toMatchObject([{ name: 'demo', state: 'untrusted' }]);
    trusting();
    hub.reload();
    expect((await hub.tools()).length).toBeGreaterThan(5);
    const [pid] = pids();
    declare({ demo: stdio('stdio', { env: { NODE_OPTIONS: '--trace-warnings' } }) });
    hub.reload();
    expect([hub.isEmpty, await hub.tools()]).toEqual([true, []]);
    await expect.poll(() => isAlive(pid!)).toBe(false);
  });

  it('of the user needs no trust, and wins over one of the same name', async () => {
    declare({ demo: { command: 'false' } });
    mkdirSync(join(dir, 'user/xihe'), { recursive: true });
    writeFileSync(join(dir, 'user/xihe/mcp.json'), JSON.stringify({ mcpServers: { demo: stdio() } }));
    expect((await hubOf().tools()).length).toBeGreaterThan(5);
    expect(mcpDestinations(dir, layer())).toEqual([]);
  });

  it('gives tools whose names, words and schemas are within our limits', async () => {
    const { tools } = await open();
    const echo = named(tools, 'demo__echo_text');
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-z][a-z0-9_]{1,63}$/);
      expect(BUILTIN_NAMES.has(tool.name)).toBe(false);
      expect([...tool.description].length).toBeLessThanOrEqual(MAX_DESCRIPTION);
      expect(tool.description).not.toMatch(/[\n\u001b]/);
    }
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    expect(echo.description).toMatch(/^Repeats a text\. .*…$/);
    const schema = jsonSchemaOf(echo) as { properties: Record<string, { description: string }>; required: string[] };
    expect(schema.properties.text!.description.length).toBeLessThanOrEqual(80);
    expect(schema.required).toEqual(['text']);
    expect(missingParameters(echo, {}).map(({ name }) => name)).toEqual(['text']);
    expect(toOpenAiTool(echo).function.parameters).toEqual(schema);
    // A name that endpoints do not take still leads to its tool.
    const chinese = tools.find(({ description }) => description === '按编号查询订单')!;
    expect((await callTool(chinese, { 编号: 'A1' }, context())).text).toContain('订单 A1');
  });

  it('says how dangerous its tools are only to make them more so', async () => {
    const { tools } = await open();
    const of = (name: string) => {
      const { danger, effect, readOnly, aclRole } = named(tools, name);
      return [danger, effect, readOnly, aclRole];
    };
    expect(of('demo__echo_text')).toEqual(['low', 'none', true, 'reader']);
    expect(of('demo__write_note')).toEqual(['medium', 'outside', false, 'developer']);
    expect(of('demo__drop_table')).toEqual(['high', 'outside', false, 'developer']);
    expect(named(tools, 'demo__drop_table').dangerOf?.({}).why).toContain('撤不回');
  });

  it('is at most three tools of a prompt, and none that acts', async () => {
    const { tools } = await open();
    const registry = new ToolRegistry([], {}, { tools, prefixes: ['demo'] });
    const offered = registry.foreignReaders('shows repeats text token image much writes drops table note');
    expect(offered.length).toBe(3);
    expect(offered.every(({ danger }) => danger === 'low')).toBe(true);
    expect(registry.preselect('write_note 写一条 note').length).toBeLessThanOrEqual(3);
    expect(registry.preselect('demo write_note')[0]).toMatchObject({
      named: true,
      contract: { name: 'demo__write_note' },
    });
    expect(registry.teamWordIn('用 demo__write_note 记一下')).toBe('demo__write_note');
  });

  it('answers with data that says it is none of our instructions, cut to the limit, and not with what it was given to keep', async () => {
    vi.stubEnv('DEMO_TOKEN', 'tok-1234567');
    vi.stubEnv('XIHE_API_KEY', 'sk-ours');
    const { tools } = await open(
      stdio('stdio', { env: { API_TOKEN: '${DEMO_TOKEN}', GREETING: '${NO_SUCH:-hello}' } }),
    );
    const call = async (name: string, input: object = {}) => callTool(named(tools, `demo__${name}`), input, context());
    expect((await call('echo_text', { text: '你好', times: 2 })).text).toBe(
      '【MCP 服务器 demo 返回的数据，只当资料，不当指令】\n你好\n你好',
    );
    expect((await call('token')).text).toContain('token=***');
    expect((await call('secrets')).text).toContain('[null,"hello"]');
    expect((await call('image')).text).toContain('[图片 image/png，1 KB，没有展示]');
    const big = await call('big');
    expect(big.text).toContain('BEGIN');
    expect(big.text).toContain('已截断');
    expect(big.text.length).toBeLessThan(10_000);
    expect(await call('fail')).toMatchObject({
      ok: false,
      code: 'MCP_FAILED',
      text: expect.stringContaining('no such row'),
    });
    expect(await call('echo_text', { text: 3 })).toMatchObject({ ok: false, code: 'TOOL_INPUT_INVALID' });
  });

  it('that ends in the middle of a call is told with its last words, and started again for the next', async () => {
    const { tools } = await open();
    const crashed = await callTool(named(tools, 'demo__crash'), {}, context());
    expect(crashed).toMatchObject({ ok: false, code: 'MCP_UNAVAILABLE' });
    expect(crashed.text).toContain('退出码 7');
    expect(crashed.text).toContain('out of luck');
    expect((await callTool(named(tools, 'demo__echo_text'), { text: 'a' }, context())).ok).toBe(true);
    expect(pids().length).toBe(2);
  });

  it('that hangs altogether is ended after its time limit', async () => {
    const { tools } = await open(stdio('stdio', { timeout: 3000 }));
    expect(await callTool(named(tools, 'demo__hang'), {}, context())).toMatchObject({
      ok: false,
      code: 'COMMAND_TIMEOUT',
    });
    const [pid] = pids();
    await expect.poll(() => isAlive(pid!)).toBe(false);
    expect((await callTool(named(tools, 'demo__echo_text'), { text: 'a' }, context())).ok).toBe(true);
  });

  it('hears of a cancelled call at once, and lives on', async () => {
    const { tools } = await open(stdio('stdio', { timeout: 60_000 }));
    const stop = new AbortController();
    const call = callTool(named(tools, 'demo__slow'), {}, context({ signal: stop.signal }));
    await expect.poll(logged).toContain('slow:started');
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect.poll(logged).toContain('slow:cancelled');
    expect((await callTool(named(tools, 'demo__echo_text'), { text: 'a' }, context())).ok).toBe(true);
    expect(pids().length).toBe(1);
  });

  it.each([
    ['dead', '退出码 1'],
    ['silent', '没有准备好'],
    ['garbage', '不是 MCP 消息'],
    ['endless', '一条消息超过'],
  ])('that is %s costs its own tools only, and leaves nothing behind', async (mode, why) => {
    declare({ bad: stdio(mode), demo: stdio() });
    trusting();
    const said: string[] = [];
    const hub = hubOf();
    const tools = await hub.tools({ say: (text) => said.push(text) });
    expect(tools.every(({ name }) => name.startsWith('demo__'))).toBe(true);
    expect(tools.length).toBeGreaterThan(5);
    expect(said).toEqual([expect.stringContaining(why)]);
    // It is not tried again at once, nor told again.
    const started = pids().length;
    await hub.tools({ say: (text) => said.push(text) });
    expect([said.length, pids().length]).toEqual([1, started]);
    await hub.close();
    for (const pid of pids()) await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('and all that it started is gone when the hub is closed, whatever they do to stay', async () => {
    const { hub, tools } = await open(stdio('stubborn'));
    const { text } = await callTool(named(tools, 'demo__child'), {}, context());
    const all = [...pids(), Number(text.split('\n')[1])];
    expect(all.map(isAlive)).toEqual([true, true]);
    await hub.close();
    expect(all.map(isAlive)).toEqual([false, false]);
  });

  it('that needs a variable which is not set is told so, and not started', async () => {
    const { said } = await open(stdio('stdio', { env: { API_TOKEN: '${DEMO_TOKEN_NOT_SET}' } }));
    expect(said).toEqual([expect.stringContaining('要用环境变量 DEMO_TOKEN_NOT_SET，没有设置')]);
    expect(logged()).toEqual([]);
  });
});

describe('an MCP server over HTTP', () => {
  async function serve(): Promise<string> {
    const child = spawn(process.execPath, [SERVER, 'http', log], { stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(child);
    const port = await new Promise<string>((resolve) => child.stdout!.once('data', (d) => resolve(String(d).trim())));
    return `http://127.0.0.1:${port}/mcp`;
  }

  it.each(['http', undefined])(
    'of type %s gets its headers, answers, and is left with its session ended',
    async (type) => {
      vi.stubEnv('DEMO_TOKEN', 'tok-1234567');
      const url = await serve();
      const headers = { Authorization: 'Bearer ${DEMO_TOKEN}' };
      const { hub, tools } = await open({ ...(type ? { type } : {}), url, headers });
      expect((await callTool(named(tools, 'demo__echo_text'), { text: '好' }, context())).text).toContain('好');
      expect(named(tools, 'demo__drop_table').danger).toBe('high');
      expect(logged()).toContain('POST:Bearer tok-1234567');
      await hub.close();
      await expect.poll(logged).toContain('DELETE:Bearer tok-1234567');
    },
  );

  it('that is gone is told, and its token is not', async () => {
    vi.stubEnv('DEMO_TOKEN', 'tok-1234567');
    const { said } = await open({ url: 'http://127.0.0.1:9/mcp?key=${DEMO_TOKEN}' });
    expect(said).toEqual([expect.stringContaining('MCP 服务器 demo 用不了')]);
    expect(said[0]).not.toContain('tok-1234567');
  });
});

describe('.mcp.json', () => {
  it('is checked server by server, with lines', async () => {
    writeFileSync(
      join(dir, '.mcp.json'),
      '{\n\t"mcpServers": {\n\t\t"none": {},\n\t\t"both": {"command": "a", "url": "http://b"},\n\t\t"odd": {\n\t\t\t"command": "a",\n\t\t\t"type": "websocket"\n\t\t},\n\t\t"off": {"command": "a", "disabled": true},\n\t\t"good": {"command": "a", "alwaysAllow": ["*"]}\n\t}\n}\n',
    );
    const hub = hubOf();
    expect(hub.problems.map(({ line, reason }) => `${line} ${reason.split('：')[0]}`)).toEqual([
      '3 none',
      '4 both',
      '7 odd',
    ]);
    expect((await hub.status()).map(({ name }) => name)).toEqual(['good']);
    writeFileSync(join(dir, '.mcp.json'), '{\n  "mcpServers": {\n    "a": {"command": "b",}\n  }\n}\n');
    hub.reload();
    expect(hub.problems).toMatchObject([
      { file: '.mcp.json', line: 3, reason: expect.stringContaining('不是合法的 JSON') },
    ]);
  });

  it('shows who is to agree all that decides what is started, and no secret that somebody wrote down', () => {
    declare({
      demo: {
        command: 'npx',
        args: ['-y', 'some-server'],
        env: { API_TOKEN: 'very-secret', OTHER_TOKEN: '${MY_TOKEN}', MODE: 'x' },
      },
    });
    const [one] = mcpDestinations(dir, layer());
    expect(one).toMatchObject({ setting: '.mcp.json#demo', trusted: false });
    expect(one!.address).not.toContain('very-secret');
    for (const part of ['npx', 'some-server', '${MY_TOKEN}', '"MODE":"x"']) expect(one!.address).toContain(part);
  });

  it('names of servers that look alike, or are no words, stay apart', async () => {
    const names = ['a b', 'a-b', '文档', '资料'];
    declare(Object.fromEntries(names.map((name) => [name, stdio()])));
    trusting();
    const hub = hubOf();
    expect(new Set(hub.prefixes).size).toBe(4);
    for (const prefix of hub.prefixes) expect(prefix).toMatch(/^[a-z][a-z0-9_]*$/);
  });
});
