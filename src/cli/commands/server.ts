import { join } from 'node:path';
import { XiheError } from '../../errors.js';
import { openLayout } from '../../layout.js';
import { authentication } from '../../server/graph/auth.js';
import { startGraphServer } from '../../server/graph/server.js';
import { openLocalStore, openPostgresStore } from '../../server/graph/store.js';
import { isLoopbackHost } from '../../server/http/guards.js';
import { EXIT } from '../exit-codes.js';
import { log, printJson } from '../output.js';
import type { CommonOptions } from './options.js';

export interface ServerCommandOptions extends CommonOptions {
  host: string;
  port: number;
  runs: number;
  worker?: boolean;
  cors?: string[];
}

/** How long a process that says nothing keeps its runs, in milliseconds: others take them over after that. */
const LEASE_MS = 10_000;

/** `xihe server`: serves until it is told to stop. What happens is told on stderr, a JSON line each. */
export async function server(options: ServerCommandOptions): Promise<number> {
  const { root, stateDir } = openLayout(options.repo);
  const env: NodeJS.ProcessEnv = { ...process.env, XIHE_REPO: process.env.XIHE_REPO || root };
  const note = (event: string, facts: Record<string, unknown>) => {
    process.stderr.write(`${JSON.stringify({ t: new Date().toISOString(), msg: event, ...facts })}\n`);
  };
  const { authenticate, asksWho } = authentication(env, [root], (why) => note('keys', { error: why }));
  if (!options.worker && !asksWho && !isLoopbackHost(options.host)) {
    throw new XiheError('KEYS_REQUIRED', `${options.host} 别的机器也连得到，没有认证不能开：谁都能改你的仓库`, {
      hint: '先发密钥：xihe keys add 名字 --role developer；或设置 XIHE_OIDC_ISSUER 和 XIHE_OIDC_AUDIENCE；只给本机用就不写 --host。',
    });
  }
  const url = env.XIHE_DATABASE_URL;
  const store = url
    ? await openPostgresStore(url, env, (e) => note('store.failed', { error: e.message }))
    : await openLocalStore(join(stateDir, 'server'), env);
  const running = await startGraphServer(store, {
    host: options.host,
    port: options.port,
    concurrency: options.worker ? Math.max(1, options.runs) : options.runs,
    workerOnly: options.worker ?? false,
    leaseMs: LEASE_MS,
    authenticate,
    cors: options.cors ?? [],
    log: note,
  });
  if (options.json) printJson({ url: running.url });
  else log(`羲和在 ${running.url}，按 Ctrl-C 停止`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });
  await running.close();
  return EXIT.done;
}
