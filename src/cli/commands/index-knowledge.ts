import { setTimeout as sleep } from 'node:timers/promises';
import pc from 'picocolors';
import { defaultConfig, loadConfig, type XiheConfig } from '../../config.js';
import { XiheError } from '../../errors.js';
import type { VectorArm } from '../../knowledge/index.js';
import { EXIT } from '../exit-codes.js';
import { openCore, reportProblems } from '../open.js';
import { log, print, printJson, progressLog, visible } from '../output.js';
import type { CommonOptions } from './options.js';

interface IndexOptions extends CommonOptions {
  status?: boolean;
  rebuild?: boolean;
}

/** `xihe index`: makes the vectors that are missing; with Milvus, brings its index up to date. Interrupted, it goes on where it stopped. */
export async function index(options: IndexOptions): Promise<number> {
  const { core, layout } = await openCore(options.repo, { vectors: true, needsState: options.status !== true });
  const config = settings(layout.layerDir);
  const { providerOf } = await import('../../embed/index.js');
  const provider = providerOf(config.embedding);
  const stop = new AbortController();
  const onInterrupt = () =>
    stop.abort(new XiheError('CANCELLED', '已停下', { hint: '做好的都留着，再运行一次接着做。' }));
  process.once('SIGINT', onInterrupt);
  try {
    reportProblems(core.problems, options.json);
    const arm = core.vectors as VectorArm;
    const started = performance.now();
    const make = () => build(arm, options.rebuild === true, stop.signal);
    const made = provider === 'none' || options.status ? 0 : await alone(layout.stateDir, make, stop.signal);
    if (provider !== 'none') await arm.prepare(stop.signal);
    const { embedderId, chunks, ready } = await arm.state();
    const outcome: Outcome = {
      provider,
      ...(embedderId === undefined ? {} : { model: embedderId }),
      chunks,
      ready,
      made,
      seconds: Number(((performance.now() - started) / 1000).toFixed(1)),
      ...(config.milvus.address === undefined ? {} : { server: config.milvus.address }),
    };
    if (options.json) printJson(outcome);
    else print(textOf(outcome, options.status === true));
    return EXIT.done;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    log(pc.yellow('已停下。做好的都留着，再运行一次接着做。'));
    return EXIT.interrupted;
  } finally {
    process.removeListener('SIGINT', onInterrupt);
    await core.close();
  }
}

interface Outcome {
  provider: string;
  model?: string;
  chunks: number;
  ready: number;
  made: number;
  seconds: number;
  server?: string;
}

/** Between two looks at whether the other one is done, in milliseconds. */
const LOOK_AGAIN_MS = 300;

/** Of two at once the second waits, and finds made what the first one made. The lock of a process that died is taken over. */
async function alone<T>(stateDir: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const { lockPath, withAsyncFileLock } = await import('../../sandbox/index.js');
  for (let isWaiting = false; ; isWaiting = true) {
    let entered = false;
    const enter = () => {
      entered = true;
      return work();
    };
    try {
      return await withAsyncFileLock(lockPath(stateDir, 'index'), enter, { waitMs: 0 });
    } catch (e) {
      if (entered || !XiheError.is(e, 'LOCK_BUSY')) throw e;
    }
    if (!isWaiting) log(pc.dim('另一个 xihe index 正在建，等它做完再看还缺什么（按 Ctrl-C 不等了）'));
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** @returns texts whose vectors were made or written */
async function build(arm: VectorArm, rebuild: boolean, signal: AbortSignal): Promise<number> {
  const say = progressLog();
  let first: number | undefined;
  let last = 0;
  await arm.build({
    signal,
    rebuild,
    onProgress(done, total) {
      first ??= done;
      last = done;
      say(`正在建向量 ${done}/${total} 条文字，一个片段至少两条（按 Ctrl-C 停下，做好的留着）`);
    },
  });
  return last - (first ?? 0);
}

function settings(layerDir: string): XiheConfig {
  try {
    return loadConfig(layerDir);
  } catch {
    // What is wrong was told when the core was opened.
    return defaultConfig();
  }
}

function textOf({ provider, model = '', chunks, ready, made, seconds, server }: Outcome, isStatus: boolean): string {
  if (provider === 'none')
    return `embedding.provider 是 none，只按词查；${chunks} 个知识片段都没有向量。想按意思查，去掉这个设置。`;
  // Asking it would take seconds where it is down; what is here is known at once.
  const asked = isStatus ? '，它上面有多少没有问；运行 xihe index 会补齐' : '';
  const where = server === undefined ? '' : `，索引在 Milvus（${visible(server)}）${asked}`;
  const done = isStatus || made === 0 ? '' : `，这次建了 ${made} 条文字的（一个片段至少两条），用了 ${seconds} 秒`;
  const left = chunks - ready;
  const next = left > 0 && server === undefined ? `\n还有 ${left} 个没有：运行 xihe index 建好，在此之前按词查。` : '';
  return `${chunks} 个知识片段，${ready} 个在本机有向量（${visible(model)}）${where}${done}。${next}`;
}
