// `npm run bench:mcp [-- --json]`: how long `xihe mcp` takes to its first answer, and each tool warm over the wire beside the same function in
// process, on a copy of the example shop.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { packageRoot } from '../src/assets.js';
import { Workspace } from '../src/paths/index.js';
import type { ServedTool } from '../src/server/mcp/output-schemas.js';
import { openMcpProject } from '../src/server/mcp/project.js';
import { callServedTool } from '../src/server/mcp/tools.js';
import { QUESTIONS } from '../test/server/mcp/questions.js';
import { cleanEnv, copyMall, removeDir } from '../test/support/mall.js';

/** Starts after one warm-up, which also builds the caches of the copy; the median counts. */
const STARTS = 3;

const CALLS: [ServedTool, (question: string) => Record<string, unknown>][] = [
  ['zh_core_query', (user_intent) => ({ user_intent })],
  ['lookup_knowledge', (query_text) => ({ query_text })],
  ['lookup_file', (query) => ({ query })],
  ['load_context', () => ({})],
  ['expand_path', () => ({ path: 'src/order/order-service.ts' })],
];

const median = (list: number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
const mall = copyMall({ link: false });
// A repository, as projects are: without one git is asked at each look whether there is one by now.
for (const args of [
  ['init', '-q'],
  ['add', '-A'],
  ['-c', 'user.name=b', '-c', 'user.email=b@b', 'commit', '-qm', '商城'],
])
  spawnSync('git', args, { cwd: mall });

async function connect(embed: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' }, { capabilities: {} });
  const args = [join(packageRoot(), 'bin', 'xihe'), 'mcp', '--repo', mall];
  const env = cleanEnv({ XIHE_EMBED_PROVIDER: embed }) as Record<string, string>;
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  return client;
}

/** Milliseconds from the start of the process to the greeting, and to the first answer. */
async function coldStart(embed: string): Promise<{ greeting: number; answer: number }> {
  const times: { greeting: number; answer: number }[] = [];
  for (let i = 0; i <= STARTS; i++) {
    const started = performance.now();
    const client = await connect(embed);
    const greeting = performance.now() - started;
    await client.callTool({ name: 'zh_core_query', arguments: { user_intent: QUESTIONS[0] } });
    if (i > 0) times.push({ greeting, answer: performance.now() - started });
    await client.close();
  }
  return { greeting: median(times.map((t) => t.greeting)), answer: median(times.map((t) => t.answer)) };
}

/** Median milliseconds of each tool over the questions, unseen ones. */
async function timesOf(call: (name: ServedTool, args: Record<string, unknown>) => Promise<unknown>) {
  const rows: Record<string, number> = {};
  for (const [name, args] of CALLS) {
    const times: number[] = [];
    for (const question of QUESTIONS) {
      const started = performance.now();
      await call(name, args(question));
      times.push(performance.now() - started);
    }
    rows[name] = median(times);
  }
  return rows;
}

/** A bare start of Node, for the machine's share. */
function bareStart(): number {
  const times = Array.from({ length: STARTS }, () => {
    const started = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return performance.now() - started;
  });
  return median(times);
}

process.env.XIHE_EMBED_PROVIDER = 'none';
const bare = bareStart();
const cold = { words: await coldStart('none'), vectors: await coldStart('embedded') };
const client = await connect('none');
await client.callTool({ name: 'lookup_file', arguments: { query: '预热' } });
const wire = await timesOf((name, args) => client.callTool({ name, arguments: args }));
await client.close();
const project = await openMcpProject(mall, () => {});
await project.paths();
const site = {
  caller: { name: 'bench', roles: ['reader'] },
  thread: 'bench',
  workspace: new Workspace(),
  maxTokens: 1_000,
  signal: new AbortController().signal,
  progress: () => {},
};
const inProcess = await timesOf((name, args) => callServedTool(name, args, project, site));
await project.close();
removeDir(mall);

if (process.argv.includes('--json'))
  console.log(JSON.stringify({ bench: 'mcp', bare, cold, wire, inProcess }, null, 2));
else {
  const ms = (n: number | undefined) => (n ?? 0).toFixed(n !== undefined && n < 100 ? 1 : 0);
  console.log(
    `空 Node ${ms(bare)} 毫秒。冷启动（中位数，${STARTS} 次）：只按词 ${ms(cold.words.greeting)} 毫秒打招呼，${ms(cold.words.answer)} 毫秒第一个答案；`,
  );
  console.log(`带向量模型 ${ms(cold.vectors.greeting)}、${ms(cold.vectors.answer)}。\n`);
  console.log('| 工具 | 走 MCP（毫秒） | 进程内（毫秒） |\n| --- | --- | --- |');
  for (const name of Object.keys(wire)) console.log(`| \`${name}\` | ${ms(wire[name])} | ${ms(inProcess[name])} |`);
}
