// `npm run dev`: the graph under the LangGraph dev server, for LangGraph Studio. Extra arguments go to the server.
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { checkNode, ensureInstalled, root } from './ensure.mjs';

/** The server's own defaults. */
const DEFAULT_PORT = '2024';
const DEFAULT_HOST = 'localhost';

checkNode();
ensureInstalled();
const port = optionOf('--port', '-p') ?? DEFAULT_PORT;
if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65535)
  fail(`端口「${port}」不是 1 到 65535 之间的整数。`);
// The server itself would print a stack and stay, waiting for a change of a file.
const fault = await portFault(Number(port), optionOf('--host', '-h') ?? DEFAULT_HOST);
if (fault === 'EADDRINUSE')
  fail(
    `端口 ${port} 已被占用：可能已经有一个 npm run dev 在运行。\n怎么办：先停掉它，或换一个端口：npm run dev -- --port ${port === '65535' ? 2024 : Number(port) + 1}`,
  );
if (fault === 'EACCES') fail(`没有权限用端口 ${port}。\n怎么办：换一个 1024 以上的端口：npm run dev -- --port 2025`);
const cli = join(root, 'node_modules', '@langchain', 'langgraph-cli', 'dist', 'cli', 'cli.mjs');
const child = spawn(process.execPath, [cli, 'dev', '--no-browser', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  // The server starts children of its own; in a process group of its own all of them can be ended together.
  detached: process.platform !== 'win32',
  // Neither usage statistics nor traces leave this machine unless the variables are set on purpose.
  env: { LANGGRAPH_CLI_NO_ANALYTICS: '1', LANGSMITH_TRACING: 'false', ...process.env },
});
const stop = (signal) => {
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
  } catch {
    // It has ended already.
  }
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop('SIGTERM'));
child.on('exit', (code) => {
  stop('SIGKILL');
  process.exit(code ?? 1);
});

/** The value of an option of the server: `--port 3000`, `--port=3000`, `-p 3000`. */
function optionOf(...names) {
  const args = process.argv.slice(2);
  for (const [i, arg] of args.entries()) {
    if (names.includes(arg)) return args[i + 1] ?? '';
    const name = names.find((n) => n.startsWith('--') && arg.startsWith(`${n}=`));
    if (name) return arg.slice(name.length + 1);
  }
  return undefined;
}

/** Why nobody can listen there now, as an error code; undefined when one can. */
function portFault(port, host) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (e) => resolve(e.code));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
}

function fail(text) {
  console.error(text);
  process.exit(1);
}
