import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FADE_AFTER_TURNS, FeedingLedger, Hotspots, openPaths, Workspace } from '../../src/paths/index.js';
import { Changeset } from '../../src/sandbox/index.js';
import { callTool, EXECUTE_TOOLS, type ToolContext } from '../../src/tools/index.js';
import { correctPaths } from '../../src/tools/shell-paths.js';

const FILES: Record<string, string> = {
  'src/pages/Login.tsx':
    "/** 登录页 */\nimport { Button } from '../components/Button';\nexport const Login = () => Button;\n",
  'src/pages/Home.tsx': '/** 首页 */\nexport const Home = 1;\n',
  'src/components/Button.tsx': '/** 通用按钮 */\nexport const Button = 1;\n',
  'src/components/Button.test.tsx': "import { Button } from './Button';\nvoid Button;\n",
  'src/styles/login.less': '/* 登录页样式 */\n.login { }\n',
  'README.md': '# 登录示例\n',
};

/** Calls tools by name as the loop does: one ledger, one window, turns that the test counts. */
class Run {
  readonly feeding = new FeedingLedger();
  readonly workspace = new Workspace();
  turn = 1;
  #calls = 0;

  private constructor(
    readonly root: string,
    readonly stateDir: string,
    readonly changeset: Changeset,
    readonly paths: Awaited<ReturnType<typeof openPaths>>,
    readonly hotspots: Hotspots,
  ) {}

  static async start(root: string, stateDir: string): Promise<Run> {
    const paths = await openPaths({ root, stateDir });
    return new Run(root, stateDir, Changeset.create(stateDir, root), paths, new Hotspots(stateDir));
  }

  async call(name: string, input: Record<string, unknown>) {
    const callId = `c${++this.#calls}`;
    const { root, stateDir, changeset, paths, hotspots, feeding, workspace, turn } = this;
    const ctx = {
      ...{
        root,
        stateDir,
        changeset,
        paths,
        hotspots,
        feeding,
        workspace,
        turn,
        callId,
        thread: 't',
        commandSeconds: 60,
      },
      caller: { name: 'tester', roles: ['reader', 'developer'] },
      fed: (entry) => feeding.record({ ...entry, call: callId }),
      audit: () => {},
      progress: () => {},
    } as Partial<ToolContext> as ToolContext;
    return callTool(EXECUTE_TOOLS.find((tool) => tool.name === name)!, input, ctx);
  }

  async text(name: string, input: Record<string, unknown>): Promise<string> {
    return (await this.call(name, input)).text;
  }
}

describe('tools that look at the tree', () => {
  let dir: string;
  let run: Run;
  beforeEach(async () => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-path-tools-')));
    for (const [path, content] of Object.entries(FILES)) {
      mkdirSync(dirname(join(dir, 'shop', path)), { recursive: true });
      writeFileSync(join(dir, 'shop', path), content);
    }
    run = await Run.start(join(dir, 'shop'), join(dir, 'state'));
  });
  afterEach(() => {
    run.hotspots.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('feed a path once a turn, one line in later turns, and in full when it has faded', async () => {
    const full = await run.text('expand_path', { path: 'src/pages/Login.tsx' });
    expect(full).toContain('引入 src/components/Button.tsx:2');
    expect(await run.text('expand_path', { path: './src/pages/Login.tsx' })).toBe(
      'src/pages/Login.tsx 本轮已经给过，见上文。',
    );
    run.turn = 2;
    const shorter = await run.text('expand_path', { path: 'src/pages/Login.tsx' });
    expect(shorter.split('\n')).toEqual([full.split('\n')[0], expect.stringContaining('没有变化')]);
    run.turn = 1 + FADE_AFTER_TURNS + 1;
    run.feeding.forget(new Set(['c3']));
    expect(await run.text('expand_path', { path: 'src/pages/Login.tsx' })).toBe(full);
  });

  it('feed in full again what changed, staged or on disk, and what was cut out of the conversation', async () => {
    await run.call('expand_path', { path: 'src/pages/Login.tsx' });
    await run.call('edit_file', { path: 'src/pages/Login.tsx', edits: [{ search: '登录页', replace: '登录与注册' }] });
    run.turn = 2;
    expect(await run.text('expand_path', { path: 'src/pages/Login.tsx' })).toMatch(/登录与注册[\s\S]*引入/);
    await run.call('expand_path', { path: 'src/pages/Home.tsx' });
    writeFileSync(join(dir, 'shop/src/pages/Home.tsx'), '/** 新首页 */\n');
    run.turn = 3;
    expect(await run.text('expand_path', { path: 'src/pages/Home.tsx' })).toMatch(/新首页[\s\S]*同目录/);
    run.turn = 4;
    run.feeding.forget(new Set(['c4', 'c5']));
    expect(await run.text('expand_path', { path: 'src/pages/Home.tsx' })).toMatch(/新首页[\s\S]*同目录/);
  });

  it('a look-up names a candidate again without its summary, the map is said to be the same', async () => {
    expect(await run.text('lookup_file', { query: '登录页' })).toContain('src/pages/Login.tsx：登录页');
    run.turn = 2;
    expect(await run.text('lookup_file', { query: 'Login.tsx' })).toMatch(/1\. src\/pages\/Login\.tsx（/);
    const map = await run.text('load_context', {});
    expect(map).toContain('Login.tsx [page]');
    run.turn = 3;
    expect(await run.text('load_context', {})).toContain('前面给过，没有变化');
    writeFileSync(join(dir, 'shop/src/pages/Cart.tsx'), '');
    await run.paths.refresh();
    expect(await run.text('load_context', {})).toContain('Cart.tsx [page]');
  });

  it('narrow a look-up by folder, kind and glob, five unless told otherwise', async () => {
    const paths = async (input: Record<string, unknown>) => {
      const { output } = await run.call('lookup_file', { query: 'Button 按钮 登录', ...input });
      return (output as { candidates: { path: string }[] }).candidates.map(({ path }) => path);
    };
    expect((await paths({})).length).toBeLessThanOrEqual(5);
    expect(await paths({ kinds: ['test'] })).toEqual(['src/components/Button.test.tsx']);
    expect(await paths({ scope: 'src/styles' })).toEqual(['src/styles/login.less']);
    expect(await paths({ exclude: 'src/components' })).not.toContain('src/components/Button.tsx');
    expect(await paths({ exclude: '**/*.test.tsx', kinds: ['code'], top_k: 1 })).toHaveLength(1);
  });

  it('move the window up and back, and say so where there is nowhere to go', async () => {
    expect(await run.text('expand_path', { move: 'back' })).toContain('失败（USAGE）');
    await run.call('expand_path', { path: 'src/pages/Login.tsx' });
    expect(await run.text('expand_path', { move: 'up' })).toMatch(/^src\/pages\/（2 项）/);
    expect(await run.text('expand_path', { move: 'up' })).toMatch(/^src\//);
    expect(run.workspace.focus).toBe('src');
    await run.call('expand_path', { move: 'back' });
    expect(run.workspace.focus).toBe('src/pages');
    await run.call('delete_file', { path: 'src/pages/Login.tsx' });
    // What was there before is staged to be deleted: there is nothing behind it.
    expect(await run.text('expand_path', { move: 'back' })).toContain('还没有可以去的位置');
    await run.call('read_file', { path: 'README.md' });
    expect(run.workspace.focus).toBe('README.md');
    expect(await run.text('load_context', {})).toContain('当前位置：README.md');
  });

  it('name what was used last as the first candidates of the next step', async () => {
    await run.call('read_file', { path: 'src/styles/login.less' });
    await run.call('edit_file', { path: 'src/components/Button.tsx', edits: [{ search: '= 1', replace: '= 2' }] });
    // A sub-agent of the same run, in another process.
    const sub = await Run.start(run.root, run.stateDir);
    const text = await sub.text('load_context', { max_tokens: 200 });
    expect(text).toMatch(
      /最近用过：\n- src\/components\/Button\.tsx：通用按钮.*\n- src\/styles\/login\.less：登录页样式/,
    );
    sub.hotspots.close();
  });

  it('correct what was renamed or deleted before anything acts on it', async () => {
    await run.call('delete_file', { path: 'src/pages/Home.tsx' });
    for (const [name, input] of [
      ['expand_path', { path: 'src/pages/Home.tsx' }],
      ['read_file', { path: 'src/pages/Home.tsx' }],
      ['load_context', { focus: 'src/page' }],
      ['lookup_file', { query: '首页', scope: 'src/page' }],
      ['search_code', { pattern: 'x', scope: 'src/page' }],
    ] as const)
      expect(await run.text(name, input), name).toContain('失败（PATH_NOT_FOUND）');
    const { output } = await run.call('lookup_file', { query: '首页 Home' });
    expect((output as { candidates: { path: string }[] }).candidates.map(({ path }) => path)).not.toContain(
      'src/pages/Home.tsx',
    );
  });

  it('put right the paths of a shell line that mean one real file, and leave all else', async () => {
    writeFileSync(join(dir, 'shop/src/订单服务.ts'), '// 独一份\n');
    writeFileSync(join(dir, 'shop/src/old.ts'), '// 要改名\n');
    await run.paths.refresh();
    renameSync(join(dir, 'shop/src/old.ts'), join(dir, 'shop/src/new.ts'));
    await run.paths.refresh();
    const corrected = (command: string) => correctPaths({ paths: run.paths } as ToolContext, command);
    expect(corrected("cat 'src/订单 服务.ts'")).toEqual({
      command: "cat 'src/订单服务.ts'",
      notes: ['命令里的路径已更正：「src/订单 服务.ts」→「src/订单服务.ts」，以后请用后者'],
    });
    expect(corrected('head -3 src/old.ts').command).toBe('head -3 src/new.ts');
    expect(corrected('cat src／pages／Home.tsx').command).toBe('cat src/pages/Home.tsx');
    for (const same of [
      'cat src/pages/Home.tsx',
      'mkdir -p src/made/new',
      'echo a > src/out.txt',
      'ls src/*.ts',
      'curl https://example.com/src/old.ts',
      'cat src/old.ts src/old.ts.bak',
      'cat "src/old.ts',
    ])
      expect(corrected(same).command, same).toBe(same);
  });
});
