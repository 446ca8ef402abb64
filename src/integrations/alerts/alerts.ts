import { setTimeout as sleep } from 'node:timers/promises';
import { XiheError } from '../../errors.js';
import type { XiheConfig } from '../../settings.js';
import { assertTrusted, isLoopback } from '../../trust.js';
import { shownWebhook } from '../../webhook.js';
import { gathered, single, type Told, toldOf } from './message.js';
import { PLATFORMS, platformOf } from './platforms.js';
import { keysOf, type Posted, post } from './post.js';
import { AlertQueue, type Lock, type Taken } from './queue.js';
import type { Alert, Message, Platform, Robot } from './types.js';

/** Requests for one message at most; WeCom asks for no more than three tries after -1. */
const ATTEMPTS = 3;
/** Pause before the second request, in milliseconds; each further one is twice as long. */
const BACKOFF_MS = 500;
/** Longest time that {@link Alerts.flush} goes on taking messages, in milliseconds: a run must end. */
const FLUSH_MS = 30_000;

/** What {@link Alerts.flush} did. */
export interface Flushed {
  /** Messages that the platform took. */
  messages: number;
  /** Alerts that still wait. */
  waiting: number;
  /** When the next may go, milliseconds since 1970, where the limit is the reason. */
  until?: number;
  /** What kept them from going, or made it unclear. */
  error?: XiheError;
}

/** What became of one alert. */
export interface Notified extends Flushed {
  /** `known`, `repeated`: see {@link AlertQueue.add}. `unclear`: sent, and no answer came. */
  state: 'sent' | 'queued' | 'known' | 'repeated' | 'unclear' | 'refused';
}

/** Where alerts of a project go. */
export interface AlertsOptions {
  config: XiheConfig['alerts'];
  stateDir: string;
  /** Short work while no other process does the same. */
  lock: Lock;
}

/** A project's alerts: one robot, one queue. */
export class Alerts {
  private readonly queue: AlertQueue;

  private constructor(
    private readonly robot: Robot,
    options: AlertsOptions,
  ) {
    this.queue = new AlertQueue(options.stateDir, options.lock, robot.timeoutMs);
  }

  /**
   * Opens the alerts that the settings name.
   *
   * @throws XiheError ALERT_NOT_CONFIGURED, ALERT_INVALID, UNTRUSTED_ADDRESS
   */
  static open(options: AlertsOptions): Alerts {
    return new Alerts(robotOf(options.config), options);
  }

  get platform(): Platform {
    return this.robot.platform;
  }

  /** The platform's name and the address without its key. */
  get target(): string {
    return `${PLATFORMS[this.robot.platform].name} ${shownWebhook(this.robot.address)}`;
  }

  /** What of an alert would be sent: masked, and cut where it is too long. */
  told(alert: Alert): Pick<Told, 'task' | 'reason'> {
    return toldOf(alert, keysOf(this.robot), Date.now());
  }

  /** The message that an alert would become. */
  preview(alert: Alert): string {
    return this.message({ flight: '', alerts: [toldOf(alert, keysOf(this.robot), Date.now())], notes: [] }).content;
  }

  /**
   * Alerts: into the queue, durably, then out with all that waits. The alert is safe once it is in the queue; whatever goes wrong with
   * sending is in the result.
   *
   * @param options.keep false takes it back when it could not be sent (a test)
   * @param options.signal cancels sending; what waits stays
   * @throws XiheError STATE_UNWRITABLE, LOCK_BUSY
   */
  async notify(alert: Alert, options: { signal?: AbortSignal; keep?: boolean } = {}): Promise<Notified> {
    const told = toldOf(alert, keysOf(this.robot), Date.now());
    const added = this.queue.add(told);
    const flushed = await this.flush(options.signal, told.id);
    const { own, ...rest } = flushed;
    if (added !== 'added') return { state: added, ...rest };
    if (own !== undefined) return { state: own, ...rest };
    if (this.queue.isDone(told.id)) return { state: 'sent', ...rest };
    if (options.keep !== false) return { state: 'queued', ...rest };
    this.queue.withdraw(told.id);
    return { state: 'queued', ...rest, waiting: this.queue.status().waiting };
  }

  /**
   * Sends what waits, one message after the other, until nothing does, the limit is reached, or it fails.
   *
   * @param watched an alert whose own fate the result tells as `own`
   * @returns never throws for what the platform or the network does
   * @throws XiheError STATE_UNWRITABLE, LOCK_BUSY
   */
  async flush(signal?: AbortSignal, watched?: string): Promise<Flushed & { own?: 'sent' | 'unclear' | 'refused' }> {
    const end = performance.now() + FLUSH_MS;
    let messages = 0;
    let own: 'sent' | 'unclear' | 'refused' | undefined;
    const result = (more: Partial<Flushed> = {}) => ({
      messages,
      waiting: this.queue.status().waiting,
      ...(own === undefined ? {} : { own }),
      ...more,
    });
    let error: XiheError | undefined;
    while (!signal?.aborted && performance.now() < end) {
      const next = this.queue.take();
      if (next.state === 'empty') break;
      if (next.state === 'wait') return result({ until: next.until, ...(error ? { error } : {}) });
      const posted = await this.deliver(next.taken, signal);
      const isOwn = next.taken.alerts.some(({ id }) => id === watched);
      if (posted.state === 'sent') {
        messages += 1;
        if (isOwn) own = 'sent';
        continue;
      }
      error = posted.error;
      const isRefused = posted.state === 'unsent' && posted.meaning === 'content';
      if (isOwn && posted.state === 'unknown') own = 'unclear';
      if (isOwn && isRefused) own = 'refused';
      // One that the platform does not like says nothing about the others.
      if (!isRefused) break;
    }
    return result(error ? { error } : {});
  }

  /** What waits, and what is unclear. */
  status(): ReturnType<AlertQueue['status']> {
    return this.queue.status();
  }

  private message({ alerts, notes }: Taken): Message {
    const { format, platform } = this.robot;
    const max = PLATFORMS[platform].maxBytes[format];
    const [only] = alerts;
    return only !== undefined && alerts.length === 1
      ? single(only, notes, format, max)
      : gathered(alerts, notes, format, max);
  }

  /** One message to its end: requests with pauses between them, and the outcome in the queue. */
  private async deliver(taken: Taken, signal?: AbortSignal): Promise<Posted> {
    const message = this.message(taken);
    const posted = await this.attempts(taken.flight, message, signal);
    const isRefused = posted.state === 'unsent' && posted.meaning === 'content';
    const pause = posted.state === 'unsent' && posted.retry === 'later' ? Date.now() + posted.afterMs : 0;
    this.queue.settle(taken.flight, isRefused ? 'refused' : posted.state, pause);
    return posted;
  }

  private async attempts(flight: string, message: Message, signal?: AbortSignal): Promise<Posted> {
    let posted: Posted = { state: 'unsent', retry: 'later', afterMs: 0, error: cancelled() };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) {
        const asked = posted.state === 'unsent' ? posted.afterMs : 0;
        await pauseFor(Math.max(asked, BACKOFF_MS * 2 ** (attempt - 1)), signal);
      }
      const begun = await this.begin(flight, signal);
      if (begun !== 'go') return begun === 'lost' ? { state: 'unknown', error: takenOver() } : posted;
      posted = await post(this.robot, message, signal);
      if (posted.state !== 'unsent' || posted.retry !== 'soon') return posted;
      this.queue.rest(flight);
    }
    // Limited although we kept to the limit: others write with the same robot.
    const isLimited = posted.state === 'unsent' && posted.meaning === 'limited';
    return isLimited ? { ...posted, retry: 'later', afterMs: PLATFORMS[this.platform].pauseMs } : posted;
  }

  /** Waits out the gap between two requests; a whole minute is for a later flush. */
  private async begin(flight: string, signal?: AbortSignal): Promise<'go' | 'lost' | 'later'> {
    for (;;) {
      if (signal?.aborted) return 'later';
      const begun = this.queue.begin(flight);
      if (typeof begun === 'string') return begun;
      if (begun.waitMs > 1_000) return 'later';
      await pauseFor(begun.waitMs, signal);
    }
  }
}

/** Ends early, without a throw, when it is cancelled. */
async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}

function cancelled(): XiheError {
  return new XiheError('CANCELLED', '没有发告警：停下了', {
    hint: '告警留在队列里，下次运行或 xihe alert flush 时发。',
  });
}

function takenOver(): XiheError {
  return new XiheError('ALERT_UNCERTAIN', '这条告警由另一个进程接手了', { hint: '到群里看一眼。' });
}

/**
 * Whether the settings name a robot.
 *
 * @throws nothing
 */
export function hasRobot(config: XiheConfig['alerts']): boolean {
  return config.webhook !== undefined;
}

/** @throws XiheError ALERT_NOT_CONFIGURED, ALERT_INVALID, UNTRUSTED_ADDRESS */
function robotOf(config: XiheConfig['alerts']): Robot {
  const { webhook: address, secret, format, timeoutSeconds } = config;
  if (address === undefined)
    throw new XiheError('ALERT_NOT_CONFIGURED', '没有配置告警机器人', {
      hint: '在群里加一个机器人，把它的地址放进环境变量 XIHE_ALERT_WEBHOOK。',
    });
  assertTrusted(config.untrusted, 'alerts.webhook');
  if (!/^https:/i.test(address) && !isLoopback(address))
    throw invalid('告警机器人的地址要用 https', '地址里有密钥，不能明文发；改成 https:// 开头的。');
  const platform = config.platform ?? platformOf(address);
  if (platform === undefined)
    throw invalid(
      `认不出 ${shownWebhook(address)} 是哪个平台的机器人`,
      '设置 alerts.platform（或 XIHE_ALERT_PLATFORM）：wecom、dingtalk 或 feishu。',
    );
  return { platform, address, format, timeoutMs: timeoutSeconds * 1000, ...(secret ? { secret } : {}) };
}

function invalid(message: string, hint: string): XiheError {
  return new XiheError('ALERT_INVALID', message, { hint });
}
