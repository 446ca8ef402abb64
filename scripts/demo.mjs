// `npm run demo`: the main job on a temporary copy of the bundled shop, without a model.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { checkNode, ensureBuilt, ensureInstalled, root } from './ensure.mjs';

const REQUEST = '下单超时没付款的单子，关单时加一次重试';

checkNode();
ensureInstalled();
ensureBuilt();

// One copy a user, made afresh each time and left there, so that `xihe trace` on it works afterwards.
const copy = join(tmpdir(), `xihe-demo-${userInfo().username.replace(/\W/g, '_')}`);
rmSync(copy, { recursive: true, force: true });
cpSync(join(root, 'examples', 'mall'), copy, {
  recursive: true,
  filter: (source) => !/node_modules|\.xihe[\\/]state/.test(source),
});
console.log(`示例项目：examples/mall 的临时副本\n请求：${REQUEST}\n`);
const done = spawnSync(process.execPath, [join(root, 'bin', 'xihe'), 'run', REQUEST, '--no-model', '--repo', copy], {
  stdio: 'inherit',
});
if (done.status !== 0) process.exit(done.status ?? 1);
console.log(`
接下来试试（在本仓库目录里直接可用）：
  ./bin/xihe lookup ERR_TIMEOUT --repo examples/mall      按错误码查知识，带来源
  ./bin/xihe find 回调验签 --repo examples/mall            按中文意思找文件
  ./bin/xihe init --repo 你的项目                          给自己的项目写一份带注释的 .xihe/`);
