// `npm run dev`: the graph under the LangGraph dev server, for LangGraph Studio. Extra arguments go to the server.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { checkNode, ensureInstalled, root } from './ensure.mjs';

checkNode();
ensureInstalled();
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
