import { join } from 'node:path';
import { XiheError } from '../../errors.js';
import { openLayout } from '../../layout.js';
import { localCallers } from '../../server/graph/auth.js';
import { startGraphServer } from '../../server/graph/server.js';
import { openLocalStore } from '../../server/graph/store.js';
import { EXIT } from '../exit-codes.js';
import { log, printJson } from '../output.js';
import type { CommonOptions } from './options.js';

export interface ServerCommandOptions extends CommonOptions {
  host: string;
  port: number;
  runs: number;
  worker?: boolean;
}

/** How long a process that says nothing keeps its runs, in milliseconds: others take them over after that. */
const LEASE_MS = 10_000;
/** Addresses that only this machine reaches. */
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** `xihe server`: serves until it is told to stop. What happens is told on stderr, a JSON line each. */
export async function server(options: ServerCommandOptions): Promise<number> {
  const { root, stateDir } = openLayout(options.repo);
  if (!options.worker && !LOOPBACK.has(options.host)) {
    throw new XiheError('USAGE', `没有认证，不能在 ${options.host} 上监听：谁都能改你的仓库`, {
      hint: '用 127.0.0.1。',
    });
  }
  const env = { ...process.env, XIHE_REPO: process.env.XIHE_REPO || root };
  const store = await openLocalStore(join(stateDir, 'server'), env);
  const running = await startGraphServer(store, {
    host: options.host,
    port: options.port,
    concurrency: options.worker ? Math.max(1, options.runs) : options.runs,
    workerOnly: options.worker ?? false,
    leaseMs: LEASE_MS,
    authenticate: localCallers(env),
    log: (event, facts) => {
      process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), event, ...facts })}\n`);
    },
  });
  if (options.json) printJson({ url: running.url });
  else log(`羲和在 ${running.url}，按 Ctrl-C 停止`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await running.close();
  return EXIT.done;
}
