import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { XiheError } from '../../src/errors.js';
import { findEdits } from '../../src/tools/builtin/search-replace.js';
import {
  callTool,
  contractFaults,
  defineTool,
  EXECUTE_TOOLS,
  jsonSchemaOf,
  loadTeamTools,
  missingParameters,
  parseInput,
  type ToolContext,
  ToolRegistry,
  toLangChainTool,
  toOpenAiTool,
} from '../../src/tools/index.js';

const base = {
  danger: 'low',
  readOnly: true,
  idempotent: true,
  aclRole: 'reader',
  timeoutMs: 1000,
  effect: 'none',
} as const;

/** A context for tools that need none of the rooms. */
function context(extra: Partial<ToolContext> = {}): ToolContext & { audited: string[] } {
  const audited: string[] = [];
  return {
    caller: { name: 'tester', roles: ['reader', 'developer'] },
    audit: (e: { what: string; result: string }) => audited.push(`${e.what}:${e.result}`),
    audited,
    ...extra,
  } as unknown as ToolContext & { audited: string[] };
}

describe('contracts', () => {
  it.each(EXECUTE_TOOLS.map((t) => [t.name, t] as const))(
    '%s is well-formed and goes through both adapters',
    (_name, tool) => {
      expect(contractFaults(tool)).toEqual([]);
      const openai = toOpenAiTool(tool).function;
      expect(openai.parameters).toMatchObject({ type: 'object' });
      expect(toLangChainTool(tool, context()).name).toBe(tool.name);
    },
  );

  it('a contract with a long description, an unexplained parameter or a bad example is refused', () => {
    const good = {
      ...base,
      name: 'x_tool',
      description: '做一件事',
      input: z.object({ a: z.string().describe('值') }),
      examples: [{ a: '1' }],
      run: async () => 1,
      render: String,
    };
    expect(() => defineTool(good)).not.toThrow();
    for (const bad of [
      { ...good, description: '字'.repeat(51) },
      { ...good, input: z.object({ a: z.string() }) },
      { ...good, examples: [{ a: 1 }] as never },
      { ...good, examples: [] },
      { ...good, name: 'Bad Name' },
    ]) {
      expect(() => defineTool(bad)).toThrow(XiheError);
    }
  });

  describe('are checked', () => {
    const good = {
      ...base,
      name: 'x_tool',
      description: '做一件事',
      input: z.object({ a: z.string().describe('值') }),
      examples: [{ a: '1' }] as Record<string, unknown>[],
      run: async () => 1,
      render: String,
    };
    const reasons = (change: object) => contractFaults({ ...good, ...change } as never).map(({ reason }) => reason);
    const edit = z.object({ find: z.string().describe('找什么'), put: z.string() });

    it.each([
      ['in an array of objects', z.object({ edits: z.array(edit).describe('改哪几处') }), 'edits[].put'],
      ['in a nested object', z.object({ edit: edit.describe('改哪里') }), 'edit.put'],
      [
        'in a branch of a union',
        z.object({ what: z.union([z.string(), z.array(edit)]).describe('改什么') }),
        'what[].put',
      ],
      ['in a record', z.object({ all: z.record(z.string(), edit).describe('按文件') }), 'all.put'],
      ['in an optional one', z.object({ edit: edit.optional().describe('改哪里') }), 'edit.put'],
    ])('an unexplained parameter %s is found', (_where, input, path) => {
      expect(reasons({ input }).filter((r) => r.startsWith('参数'))).toEqual([`参数 ${path} 没有说明`]);
    });

    it.each(['a', 'string', '字符串', ' '])('an explanation that explains nothing is none: 「%s」', (text) => {
      expect(reasons({ input: z.object({ a: z.string().describe(text) }) })).toHaveLength(1);
    });

    it.each([
      ['at the top', z.object({ a: z.string().describe('值') }), { a: '1', b: 2 }, 'b'],
      [
        'in an array',
        z.object({ list: z.array(z.object({ a: z.string().describe('值') })).describe('几个') }),
        { list: [{ a: '1' }, { a: '2', c: 3 }] },
        'list[1].c',
      ],
      [
        'in a union',
        z.object({
          u: z
            .union([z.object({ a: z.string().describe('甲') }), z.object({ b: z.string().describe('乙') })])
            .describe('其一'),
        }),
        { u: { b: '1', x: 1 } },
        'u.x',
      ],
    ])('an unknown key of an example is an error %s', (_where, input, example, key) => {
      expect(reasons({ input, examples: [example] })).toEqual([expect.stringContaining(`没有的键 ${key}：`)]);
    });

    it('keys of a record, and of a union, are known', () => {
      const input = z.object({
        by: z.record(z.string(), z.object({ n: z.number().describe('几个') })).describe('按文件'),
        u: z.union([z.string(), z.object({ b: z.string().describe('乙') })]).describe('其一'),
      });
      expect(reasons({ input, examples: [{ by: { 'a.ts': { n: 1 } }, u: { b: 'x' } }] })).toEqual([]);
    });

    it('danger, role, effect and time limit', () => {
      expect(reasons({})).toEqual([]);
      expect(reasons({ danger: 'huge' })).toHaveLength(1);
      expect(reasons({ effect: 'everywhere' })).toHaveLength(1);
      expect(reasons({ aclRole: '' })).toHaveLength(1);
      expect(reasons({ aclRole: 'a b' })).toHaveLength(1);
      expect(reasons({ timeoutMs: 0 })).toEqual(['缺超时']);
      expect(reasons({ timeoutMs: Number.NaN })).toEqual(['缺超时']);
      expect(reasons({ timeoutMs: 90_000 })).toEqual([]);
      expect(reasons({ timeoutMs: 90_001 })[0]).toContain('最多是模型超时（180 秒）的一半');
      expect(contractFaults({ ...good, timeoutMs: 90_001 }, 600)).toEqual([]);
    });
  });

  it('names missing required parameters with their choices', () => {
    const tool = {
      ...base,
      name: 'x_tool',
      description: '做',
      input: z.object({ env: z.enum(['dev', 'prod']).describe('环境'), n: z.number().default(1).describe('几个') }),
      examples: [{ env: 'dev' }],
      run: async () => 1,
      render: String,
    };
    expect(missingParameters(tool, {})).toEqual([{ name: 'env', explain: '环境', choices: ['dev', 'prod'] }]);
    expect(missingParameters(tool, { env: 'dev' })).toEqual([]);
    expect(jsonSchemaOf(tool).required).toEqual(['env']);
  });
});

describe('a call', () => {
  const echo = {
    ...base,
    name: 'echo_tool',
    description: '回声',
    input: z.object({ text: z.string().describe('文字') }),
    examples: [{ text: 'a' }],
    run: async (i: { text: string }) => i.text,
    render: String,
  };

  it('accepts JSON in a string and null for absent, and rejects the rest with an example', async () => {
    expect(parseInput(echo, '{"text":"好"}')).toEqual({ text: '好' });
    const bad = await callTool(echo, { text: null }, context());
    expect(bad).toMatchObject({ ok: false, code: 'TOOL_INPUT_INVALID' });
    expect(bad.text).toContain('示例');
  });

  it('is refused without the role, and audited either way', async () => {
    const ctx = context({ caller: { name: '访客', roles: [] } });
    expect(await callTool(echo, { text: 'a' }, ctx)).toMatchObject({ ok: false, code: 'COMMAND_DENIED' });
    expect(ctx.audited).toEqual(['echo_tool:COMMAND_DENIED']);
  });

  it('that hangs is ended by its time limit and says so', async () => {
    let aborted = false;
    const hang = {
      ...echo,
      timeoutMs: 50,
      run: (_: unknown, ctx: ToolContext) =>
        new Promise<string>(() =>
          ctx.signal?.addEventListener('abort', () => {
            aborted = true;
          }),
        ),
    };
    expect(await callTool(hang, { text: 'a' }, context())).toMatchObject({ ok: false, code: 'COMMAND_TIMEOUT' });
    expect(aborted).toBe(true);
  });

  it("is ended at half of the model's time, whatever it allows itself", async () => {
    const hang = { ...echo, timeoutMs: 60_000, timeoutOf: () => 60_000, run: () => new Promise<string>(() => {}) };
    const told = await callTool(hang, { text: 'a' }, context({ modelSeconds: 0.1 }));
    expect(told).toMatchObject({ ok: false, code: 'COMMAND_TIMEOUT' });
    expect(told.text).toContain('超过 0.05 秒');
  });

  it('is cancelled at once by the run', async () => {
    const stop = new AbortController();
    const hang = { ...echo, timeoutMs: 60_000, run: () => new Promise<string>(() => {}) };
    const call = callTool(hang, { text: 'a' }, context({ signal: stop.signal }));
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('cuts a long result and says how to go on', async () => {
    const r = await callTool(echo, { text: '很长的结果。'.repeat(5000) }, context());
    expect(r.text).toContain('已截断');
    expect(r.text.length).toBeLessThan(10_000);
  });
});

describe('search and replace', () => {
  const text = 'const a = 1;\r\nconst b = 2;\r\nconst a2 = 1;\r\n';

  it('finds LF searches in CRLF text and gives offsets of the original', () => {
    const [edit] = findEdits('f.ts', text, [{ search: 'const a = 1;\nconst b = 2;', replace: 'x' }]).edits;
    expect(text.slice(edit!.start, edit!.end)).toBe('const a = 1;\r\nconst b = 2;');
  });

  it('is all or nothing, shows the nearest lines, and refuses what occurs twice or overlaps', () => {
    expect(() =>
      findEdits('f.ts', text, [
        { search: 'const a = 1;', replace: 'y' },
        { search: 'const c = 2;', replace: 'z' },
      ]),
    ).toThrow(/找不到/);
    try {
      findEdits('f.ts', text, [{ search: 'const bb = 2;', replace: '' }]);
      expect.unreachable();
    } catch (e) {
      expect((e as XiheError).code).toBe('EDIT_NOT_FOUND');
      expect((e as XiheError).hint).toContain('2\tconst b = 2;');
    }
    expect(() => findEdits('f.ts', text, [{ search: '= 1;', replace: '' }])).toThrow(/2 次（第 1、3 行）/);
    expect(() =>
      findEdits('f.ts', text, [
        { search: 'a = 1;\nconst b', replace: '' },
        { search: 'const b = 2', replace: '' },
      ]),
    ).toThrow(/重叠/);
  });

  // Comparing such lines whole takes hours.
  it('names the nearest of very long lines by their beginnings', () => {
    const long = (head: string) => `${head} ${'x'.repeat(300_000)}`;
    const file = ['short', long('const first = 1;'), long('export function second() {')].join('\n');
    expect.assertions(1);
    try {
      findEdits('f.js', file, [{ search: `${long('export function second () {')}y`, replace: '' }]);
    } catch (e) {
      expect((e as XiheError).details.nearest).toEqual([3, 2]);
    }
  });
});

describe("a team's tools", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'xihe-tools-'));
    mkdirSync(join(dir, 'tools'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const put = (name: string, text: string) => writeFileSync(join(dir, 'tools', name), text);
  const restart =
    'name: restart_service\ndescription: 重启服务\nkeywords: [重启]\ndanger: high\nargv: [echo, "--svc={service}"]\nparameters:\n  service: { explain: 服务名, required: true }\nexamples: [{ service: order }]\n';

  it('load, and a parameter stays one argument whatever it holds', () => {
    put('a.yaml', restart);
    const { tools, problems } = loadTeamTools(dir);
    expect(problems).toEqual([]);
    expect(tools[0]!.commandLine({ service: 'a b; rm -rf /' })).toEqual(['echo', '--svc=a b; rm -rf /']);
  });

  it('a broken file is named with its reason, and the others load', () => {
    put('a.yaml', restart);
    put('b.yaml', 'name: [x\n');
    put('c.yaml', restart.replace('重启服务', '字'.repeat(60)).replace('restart_service', 'other_tool'));
    put('d.yaml', restart.replace('danger: high', 'danger: huge'));
    const { tools, problems } = loadTeamTools(dir);
    expect(tools.map((t) => t.name)).toEqual(['restart_service']);
    expect(problems.map((p) => p.file)).toEqual(['.xihe/tools/b.yaml', '.xihe/tools/c.yaml', '.xihe/tools/d.yaml']);
    expect(problems.map((p) => p.line)).toEqual([2, 2, 4]);
    expect(problems[2]!.reason).toBe('danger：只能是 low、medium、high 之一');
    for (const { reason } of problems) expect(reason).not.toMatch(/[a-z]+ [a-z]+ [a-z]+/i);
  });

  it('a mistyped key is named with its line and the nearest known key', () => {
    put('a.yaml', restart.replace('danger: high', 'danger: high\ntimout_seconds: 5'));
    put('b.yaml', restart.replace('explain: 服务名', 'explian: 服务名'));
    put('c.yaml', restart.replace('examples: [{ service: order }]', 'examples: [{ servise: order }]'));
    const { tools, problems } = loadTeamTools(dir);
    expect(tools).toEqual([]);
    expect(problems.map(({ file, line }) => `${file}:${line}`)).toEqual([
      '.xihe/tools/a.yaml:5',
      '.xihe/tools/b.yaml:7',
      '.xihe/tools/c.yaml:8',
    ]);
    expect(problems[0]!.reason).toContain('是不是 timeout_seconds？');
    expect(problems[1]!.reason).toContain('是不是 explain？');
  });

  it('a fault of the contract is named at its own line', () => {
    put('a.yaml', restart.replace('explain: 服务名', 'explain: service'));
    put('b.yaml', restart.replace('danger: high', 'timeout_seconds: 91\ndanger: high'));
    put('c.yaml', restart.replace('danger: high', 'acl_role: "?"\ndanger: high'));
    put('d.yaml', restart.replace('[{ service: order }]', '\n  - { service: order }\n  - { service: 3 }'));
    put('e.yaml', restart);
    const { tools, problems } = loadTeamTools(dir);
    expect(tools).toHaveLength(1);
    expect(problems.map(({ file, line }) => `${file}:${line}`)).toEqual([
      '.xihe/tools/a.yaml:7',
      '.xihe/tools/b.yaml:4',
      '.xihe/tools/c.yaml:4',
      '.xihe/tools/d.yaml:10',
    ]);
    expect(problems[0]!.reason).toBe('参数 service 的说明只是重复了名字，写出它是什么意思');
    // Half of a slower model's time is more.
    expect(problems[1]!.reason).toContain('超时');
    const slower = loadTeamTools(dir, new Set(), process.env, 600).problems.map(({ reason }) => reason);
    expect(slower.filter((reason) => reason.includes('超时'))).toEqual([]);
  });

  it('preselection puts the named tool first, and at most three', () => {
    put('a.yaml', restart);
    const registry = new ToolRegistry(loadTeamTools(dir).tools);
    const found = registry.preselect('帮我重启一下订单服务');
    expect(found[0]!.contract.name).toBe('restart_service');
    expect(found.length).toBeLessThanOrEqual(3);
    expect(registry.preselect('跑一下测试')[0]!.contract.name).toBe('run_tests');
    expect(registry.preselect('今天天气')).toEqual([]);
    expect(() => registry.get('restrat_service')).toThrow(/没有名叫/);
  });
});
