import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import type * as z from 'zod';
import { loadConfig } from '../../config.js';
import { quoted, XiheError } from '../../errors.js';
import type { Alert, Alerts, Notified } from '../../integrations/index.js';
import { openLayout } from '../../layout.js';
import { EXIT } from '../exit-codes.js';
import { inCommands, log, print, printJson, visible } from '../output.js';
import type { alertJson } from '../schemas/alert.js';
import type { CommonOptions } from './options.js';

type Outcome = z.infer<typeof alertJson>;

/** `xihe alert test|flush`. */
export async function alert(act: string, options: CommonOptions): Promise<number> {
  if (act === 'test') return test(options);
  if (act === 'flush') return flush(options);
  throw new XiheError('USAGE', `没有这个动作：${quoted(act)}`, { hint: '可用：xihe alert test、xihe alert flush。' });
}

/** `xihe alert test`: shows what goes where, sends it, and says what became of it. A test that fails leaves nothing in the queue. */
async function test(options: CommonOptions): Promise<number> {
  const { alerts, name } = await open(options);
  const trial: Alert = {
    id: `test-${randomBytes(6).toString('hex')}`,
    trace: `test-${randomBytes(3).toString('hex')}`,
    task: `xihe alert test（项目 ${name}）`,
    reason: `${hostname()} 上的人在试告警能不能送到，不用处理。`,
    kind: 'notice',
    at: Date.now(),
  };
  const message = alerts.preview(trial);
  if (!options.json) print(`发到：${alerts.target}\n\n${visible(message)}\n`);
  const done = await cancellable((signal) => alerts.notify(trial, { signal, keep: false }));
  return told({ target: alerts.target, message, ...done }, options, done.state === 'sent');
}

/** `xihe alert flush`: sends what waits. */
async function flush(options: CommonOptions): Promise<number> {
  const { alerts } = await open(options);
  const done = await cancellable((signal) => alerts.flush(signal));
  return told({ target: alerts.target, ...done }, options, done.waiting === 0 && done.error === undefined);
}

async function open(options: CommonOptions): Promise<{ alerts: Alerts; name: string }> {
  const layout = openLayout(options.repo);
  const { openAlerts } = await import('../../tools/index.js');
  return { alerts: openAlerts(loadConfig(layout.layerDir).alerts, layout.stateDir), name: basename(layout.root) };
}

/** Ctrl-C stops sending; what waits stays in its queue. */
async function cancellable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once('SIGINT', onInterrupt);
  try {
    return await work(stop.signal);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

type Done = { target: string; message?: string } & Partial<Pick<Notified, 'state'>> & Omit<Notified, 'state'>;

function told(done: Done, options: CommonOptions, ok: boolean): number {
  const { target, message, messages, waiting, until, error } = done;
  const outcome: Outcome = {
    ok,
    target,
    ...(message === undefined ? {} : { message }),
    messages,
    waiting,
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    ...(error === undefined ? {} : { error: error.toJSON() }),
  };
  if (options.json) printJson(outcome);
  else {
    print(ok ? `发出 ${messages} 条。` : `没有都发出去：发出 ${messages} 条，还有 ${waiting} 条在排队。`);
    if (until !== undefined)
      log(`一分钟的条数用完了或平台要求暂停，${new Date(until).toLocaleTimeString('zh-CN')} 之后再试。`);
    if (error !== undefined)
      log(`原因（${error.code}）：${visible(error.message)}\n怎么办：${visible(inCommands(error.hint))}`);
  }
  return ok ? EXIT.done : EXIT.failed;
}
