// What every entry of a checkout needs before it runs: dependencies and a fresh build. Plain Node, no dependency.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The oldest Node that all pinned dependencies declare (see `engines`). */
const MIN_NODE = [20, 19];

/** Stops with a plain message when Node is too old. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return;
  console.error(`羲和需要 Node ${MIN_NODE.join('.')} 或更新，当前是 ${process.versions.node}。请先升级 Node。`);
  process.exit(1);
}

/**
 * Runs `npm ci` when node_modules is missing or belongs to another lock file.
 *
 * A hash of the lock file is left in node_modules, so that a later `git pull` that moves a pin installs again.
 */
export function ensureInstalled() {
  const stamp = join(root, 'node_modules', '.xihe-lock');
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  // Also where a pull moved the lock and everything is there already: `npm ci` would take it away under running work.
  if (sameTree()) {
    writeFileSync(stamp, lock);
    return;
  }
  console.error('正在安装依赖（npm ci，只在第一次或锁文件变化后）…');
  // `--ignore-scripts`: no dependency needs an install script, and ours only builds, which comes next.
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...(process.stderr.isTTY ? ['--progress'] : [])]);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, lock);
}

/** True when node_modules was installed by npm from the same lock (npm's own hidden lock has the same packages). */
function sameTree() {
  const hidden = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(hidden)) return false;
  const installed = JSON.parse(readFileSync(hidden, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional || entry.peer || installed[path]?.version === entry.version,
  );
}

/** What a build is made of: code, its packages, and the general layer, which is parsed and cut ahead. */
const BUILT_FROM = [['src'], ['scripts', 'build.mjs'], ['package-lock.json'], ['knowledge'], ['playbooks']].map(
  (parts) => join(root, ...parts),
);

/** Builds dist/ when something that it is made of is newer than the last build. */
export function ensureBuilt() {
  const stamp = join(root, 'dist', '.built');
  const built = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
  if (built > 0 && BUILT_FROM.every((path) => newest(path) <= built)) return;
  run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
}

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  let latest = 0;
  for (const name of readdirSync(path)) latest = Math.max(latest, newest(join(path, name)));
  return latest;
}

/** Runs a command with its output on stderr; ends this process with its code when it fails. */
export function run(command, args, options = {}) {
  const windows = process.platform === 'win32';
  const done = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: windows && command === 'npm',
    ...options,
  });
  if (done.error) {
    console.error(`无法运行 ${command}：${done.error.message}`);
    process.exit(1);
  }
  if (done.status !== 0) {
    console.error(`失败：${command} ${args.join(' ')}（退出码 ${done.status ?? done.signal}）`);
    process.exit(done.status ?? 1);
  }
}
