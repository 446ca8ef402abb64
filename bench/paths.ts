// `npm run bench:paths [-- --repos DIR… --json]`: tokens of the map, of expansions and of whole walks through the tools, beside one full
// tree of the same files. `--repos` takes work trees, or bare git directories, whose newest commit is checked out into a temporary folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type History, openHistory } from '../src/history/index.js';
import { FeedingLedger, Hotspots, openPaths, type PathContext, Workspace } from '../src/paths/index.js';
import { estimateTokens } from '../src/text/index.js';
import { callTool, READ_TOOLS, type ToolContext } from '../src/tools/index.js';
import { writeFixture } from './paths-fixture.js';

/** Requests whose walks are averaged. */
const WALKS = 20;
/** Files and folders that are expanded for the figures of `expand_path`, spread over the list. */
const SAMPLE = 300;
/** What a walk must save of a full tree, in percent. */
const BAR = 70;

const { values, positionals } = parseArgs({
  options: { repos: { type: 'string', multiple: true, default: [] }, json: { type: 'boolean', default: false } },
  allowPositionals: true,
});

interface Row {
  name: string;
  commit: string;
  files: number;
  /** As `tree` prints it. */
  full_tree: number;
  /** Names and one space a level. */
  full_tree_barest: number;
  /** One path a line. */
  path_list: number;
  skeleton: number;
  skeleton_nodes: number;
  expand_mean: number;
  expand_max: number;
  walk_mean: number;
  walk_max: number;
  walks: number;
  saved_percent: number;
  saved_of_barest_percent: number;
  /** The same where every text is sent again with each later turn, as conversations are. */
  saved_resent_percent: number;
}

/** One conversation: tools are called as the loop calls them, every text that comes back is counted. */
class Walk {
  tokens = 0;
  /** Tokens over all turns, each text in every turn after its own too. */
  resent = 0;
  turn = 0;
  private readonly feeding = new FeedingLedger();
  private readonly workspace = new Workspace();

  constructor(
    private readonly paths: PathContext,
    private readonly hotspots: Hotspots,
    private readonly thread: string,
  ) {}

  async call(name: string, input: Record<string, unknown>): Promise<unknown> {
    this.turn += 1;
    const { paths, hotspots, thread, feeding, workspace, turn } = this;
    const ctx = {
      ...{ paths, hotspots, thread, feeding, workspace, turn, callId: `${turn}` },
      caller: { name: 'bench', roles: ['reader'] },
      fed: (entry) => feeding.record(entry),
      audit: () => {},
      progress: () => {},
    } as Partial<ToolContext> as ToolContext;
    const { ok, text, output } = await callTool(READ_TOOLS.find((tool) => tool.name === name)!, input, ctx);
    if (!ok) throw new Error(text);
    this.tokens += estimateTokens(text);
    this.resent += this.tokens;
    return output;
  }
}

/** The tree as `tree` prints it; what is ignored is left out already. */
function fullTree(files: readonly string[]): string {
  return printed(files, '').join('\n');
}

function printed(files: readonly string[], indent: string): string[] {
  const below = new Map<string, string[]>();
  for (const file of files) {
    const slash = file.indexOf('/');
    const name = slash < 0 ? file : file.slice(0, slash);
    below.set(name, [...(below.get(name) ?? []), ...(slash < 0 ? [] : [file.slice(slash + 1)])]);
  }
  return [...below].flatMap(([name, inside], i) => {
    const isLast = i === below.size - 1;
    const lines = inside.length > 0 ? printed(inside, `${indent}${isLast ? '    ' : '│   '}`) : [];
    return [`${indent}${isLast ? '└── ' : '├── '}${name}`, ...lines];
  });
}

/** The same names, indented by one space a level: the cheapest that a full tree can be. */
function barest(tree: string): string {
  return tree
    .split('\n')
    .map((line) => line.replace(/^((?: {4}|│ {3})*)[├└]── /, (_, levels: string) => ' '.repeat(levels.length / 4)))
    .join('\n');
}

/** The walk of somebody who knows nothing yet: the map, a look-up, the best file, what it is tied to, the folder around it. */
async function walkFor(request: string, walk: Walk): Promise<void> {
  await walk.call('load_context', { depth: 2, max_tokens: 300 });
  const { candidates } = (await walk.call('lookup_file', { query: request })) as { candidates: { path: string }[] };
  const [best, second] = candidates;
  if (best === undefined) return;
  const { expansion } = (await walk.call('expand_path', { path: best.path })) as {
    expansion: { importsOut: { path: string }[]; companions: { path: string }[] };
  };
  const tied = expansion.importsOut[0]?.path ?? expansion.companions[0]?.path ?? second?.path;
  if (tied !== undefined) await walk.call('expand_path', { path: tied });
  await walk.call('expand_path', { path: dirname(best.path) });
}

/** The walk that the fixture is made for; it has to get where it goes. */
async function loginWalk(walk: Walk): Promise<void> {
  await walk.call('load_context', { depth: 2, max_tokens: 300 });
  const login = (await walk.call('expand_path', { path: 'src/pages/Login.tsx' })) as { text: string };
  if (!login.text.includes('src/components/Button.tsx')) throw new Error('登录页的展开里没有按钮');
  await walk.call('expand_path', { path: 'src/components/Button.tsx' });
  await walk.call('expand_path', { path: 'src/styles/global.css' });
  const found = (await walk.call('lookup_file', { query: '按钮尺寸' })) as { candidates: { path: string }[] };
  if (!found.candidates.some(({ path }) => path === 'src/components/Button.tsx')) throw new Error('按钮没有找到');
}

async function measure(
  name: string,
  commit: string,
  root: string,
  state: string,
  walks?: ((walk: Walk) => Promise<void>)[],
): Promise<Row> {
  const history = await openHistory(root, state);
  const paths = await openPaths({ root, stateDir: state, history });
  const hotspots = new Hotspots(state);
  const skeleton = paths.loadContext();
  const expansions = await expansionsOf(paths);
  const costs: number[] = [];
  const resent: number[] = [];
  const tree = fullTree(paths.files);
  const full = estimateTokens(tree);
  const bare = estimateTokens(barest(tree));
  for (const [i, go] of (
    walks ?? requestsOf(root, history, paths).map((r) => (walk: Walk) => walkFor(r, walk))
  ).entries()) {
    const walk = new Walk(paths, hotspots, `walk-${i}`);
    await go(walk);
    costs.push(walk.tokens);
    resent.push(1 - walk.resent / (full * walk.turn));
  }
  hotspots.close();
  return {
    name,
    commit,
    files: paths.files.length,
    full_tree: full,
    full_tree_barest: bare,
    path_list: estimateTokens(paths.files.join('\n')),
    skeleton: skeleton.tokens,
    skeleton_nodes: skeleton.nodes,
    expand_mean: mean(expansions),
    expand_max: Math.max(...expansions),
    walk_mean: mean(costs),
    walk_max: Math.max(...costs),
    walks: costs.length,
    saved_percent: saved(mean(costs), full),
    saved_of_barest_percent: saved(mean(costs), bare),
    saved_resent_percent: mean(resent.map((share) => 1000 * share)) / 10,
  };
}

/** What the last commits said that they did: requests as people of this project word them. */
function requestsOf(root: string, history: History, paths: PathContext): string[] {
  const said = history.available
    ? execFileSync('git', ['log', '--no-merges', '-400', '--format=%s'], { cwd: root, encoding: 'utf8' }).split('\n')
    : [];
  const requests = [...new Set(said)].filter((subject) => /[\u4e00-\u9fff]{4}|\w+ \w+ \w+/.test(subject));
  // A tree without history is asked about its own files.
  const spread = paths.files.filter((_, i) => i % Math.ceil(paths.files.length / WALKS) === 0);
  return (requests.length >= 5 ? requests : spread.map((path) => paths.summary(path) ?? path)).slice(0, WALKS);
}

async function expansionsOf(paths: PathContext): Promise<number[]> {
  const places = [...new Set(paths.files.flatMap((path) => [path, dirname(path)]))].sort();
  const step = Math.max(1, Math.floor(places.length / SAMPLE));
  const tokens: number[] = [];
  for (let i = 0; i < places.length; i += step) tokens.push((await paths.expandPath(places[i]!)).tokens);
  return tokens;
}

/** In percent. */
function saved(cost: number, full: number): number {
  return Math.round(1000 * (1 - cost / full)) / 10;
}

function mean(numbers: readonly number[]): number {
  return Math.round(numbers.reduce((sum, n) => sum + n, 0) / Math.max(1, numbers.length));
}

/** A work tree, or the newest commit of a bare git directory checked out into a temporary folder. */
function checkedOut(dir: string, temp: string): { root: string; commit: string; name: string } {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: dir, encoding: 'utf8' }).trim();
  const name = basename(dir) === 'repo' ? basename(dirname(dir)).replace('+', '/') : basename(dir);
  if (existsSync(join(dir, '.git'))) return { root: dir, commit, name };
  const root = join(temp, name.replace('/', '+'));
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', dir, root], { stdio: 'ignore' });
  execFileSync('git', ['read-tree', 'HEAD'], { cwd: root });
  // A copy may lack its largest files; the others are written all the same.
  spawnSync('git', ['checkout-index', '--all', '--quiet'], { cwd: root });
  return { root, commit, name };
}

function table(rows: readonly Row[]): string {
  const head = [
    '仓库',
    '提交',
    '文件',
    '整棵树',
    '（只缩进）',
    '路径清单',
    '骨架（节点）',
    'expand_path 平均',
    '最多',
    '一次寻路平均',
    '最多',
    '寻路次数',
    '省',
    '比只缩进的省',
    '按轮累计省',
  ];
  const lines = rows.map((r) => [
    r.name,
    r.commit,
    r.files,
    r.full_tree,
    r.full_tree_barest,
    r.path_list,
    `${r.skeleton}（${r.skeleton_nodes}）`,
    r.expand_mean,
    r.expand_max,
    r.walk_mean,
    r.walk_max,
    r.walks,
    `${r.saved_percent} %`,
    `${r.saved_of_barest_percent} %`,
    `${r.saved_resent_percent} %`,
  ]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const temp = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-bench-paths-')));
try {
  const fixture = join(temp, 'fixture');
  mkdirSync(fixture);
  writeFixture(fixture);
  const rows = [await measure('登录按钮（生成）', '—', fixture, join(temp, 'state'), [loginWalk])];
  for (const dir of [...values.repos, ...positionals]) {
    process.stderr.write(`${dir}…\n`);
    const { root, commit, name } = checkedOut(resolve(dir), temp);
    rows.push(await measure(name, commit, root, join(temp, `state-${rows.length}`)));
  }
  process.stdout.write(values.json ? `${JSON.stringify({ bench: 'paths', bar: BAR, rows })}\n` : `${table(rows)}\n`);
  process.exitCode = rows.every(({ saved_percent }) => saved_percent >= BAR) ? 0 : 1;
} finally {
  rmSync(temp, { recursive: true, force: true });
}
