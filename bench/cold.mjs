// `npm run bench:cold [-- --json]`: whole-process times of commands on a copy of the example shop, each beside a bare Node
// start in the same run, because only the ratio says something on a shared machine.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from '../scripts/ensure.mjs';

/** Runs of each command after one warm-up; the median is shown. */
const RUNS = 9;

ensureInstalled();
ensureBuilt();
const mall = mkdtempSync(join(tmpdir(), 'xihe-bench-'));
cpSync(join(root, 'examples', 'mall'), mall, {
  recursive: true,
  filter: (p) => !/node_modules|\.xihe[\\/]state/.test(p),
});
const xihe = join(root, 'bin', 'xihe');
const request = '下单超时没付款的单子，关单时加一次重试';
const commands = {
  'node -e 0': ['-e', '0'],
  'xihe lookup ERR_TIMEOUT': [xihe, 'lookup', 'ERR_TIMEOUT', '--repo', mall],
  'xihe find 回调验签': [xihe, 'find', '回调验签', '--repo', mall],
  'xihe core 结算': [xihe, 'core', '结算', '--repo', mall],
  'xihe run --no-model': [xihe, 'run', request, '--no-model', '--repo', mall],
};

const rows = {};
const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
for (let i = 0; i <= RUNS; i++) {
  // In turn, so that a slow minute of the machine falls on all of them.
  for (const [name, args] of Object.entries(commands)) {
    const started = performance.now();
    spawnSync(process.execPath, args, { stdio: 'ignore' });
    if (i > 0) times[name].push(performance.now() - started);
  }
}
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const bare = median(times['node -e 0']);
for (const [name, list] of Object.entries(times))
  rows[name] = { ms: Math.round(median(list)), ratio: Number((median(list) / bare).toFixed(1)) };

const brief = JSON.parse(
  spawnSync(process.execPath, [xihe, 'run', request, '--no-model', '--json', '--repo', mall], { encoding: 'utf8' })
    .stdout,
);
const sizeOf = (dir) =>
  readdirSync(dir, { withFileTypes: true }).reduce(
    (n, e) => n + (e.isDirectory() ? sizeOf(join(dir, e.name)) : e.isFile() ? statSync(join(dir, e.name)).size : 0),
    0,
  );
const result = {
  bench: 'cold',
  node: process.versions.node,
  runs: RUNS,
  rows,
  briefTokens: brief.tokens.total,
  modulesMB: Math.round(sizeOf(join(root, 'node_modules')) / 1e6),
};
rmSync(mall, { recursive: true, force: true });

if (process.argv.includes('--json')) console.log(JSON.stringify(result, null, 2));
else {
  console.log(`| 命令 | 毫秒（中位数，${RUNS} 次） | 相对空 Node |\n| --- | --- | --- |`);
  for (const [name, r] of Object.entries(rows)) console.log(`| \`${name}\` | ${r.ms} | ${r.ratio}× |`);
  console.log(
    `\n预案 ${result.briefTokens} token；node_modules（含开发依赖）${result.modulesMB} MB；Node ${result.node}`,
  );
}
