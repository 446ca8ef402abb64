/**
 * 定时任务
 *
 * 同一个任务上一轮没跑完就跳过这一轮，避免关单之类的任务叠着跑。
 * 单机版；线上多实例部署时由调度平台保证同一任务只有一个实例在跑。
 */
import type { Logger } from './logger.js';

export type Job = () => Promise<void>;

interface Entry {
  name: string;
  intervalMs: number;
  job: Job;
  running: boolean;
  timer?: NodeJS.Timeout;
}

export class Scheduler {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly logger: Logger) {}

  /** 登记一个按固定间隔执行的任务；同名任务只能登记一次。 */
  every(name: string, intervalMs: number, job: Job): void {
    if (this.entries.has(name)) throw new Error(`定时任务重名：${name}`);
    this.entries.set(name, { name, intervalMs, job, running: false });
  }

  get jobs(): { name: string; intervalMs: number }[] {
    return [...this.entries.values()].map(({ name, intervalMs }) => ({ name, intervalMs }));
  }

  start(): void {
    for (const entry of this.entries.values()) {
      entry.timer ??= setInterval(() => void this.run(entry), entry.intervalMs).unref();
    }
  }

  stop(): void {
    for (const entry of this.entries.values()) {
      clearInterval(entry.timer);
      delete entry.timer;
    }
  }

  /** 立即执行一次；返回 false 表示上一轮还没跑完，这一轮跳过。 */
  async runNow(name: string): Promise<boolean> {
    const entry = this.entries.get(name);
    if (!entry) throw new Error(`没有这个定时任务：${name}`);
    return this.run(entry);
  }

  /** 任务抛错只记日志：一次失败不能让后面的轮次都停掉。 */
  private async run(entry: Entry): Promise<boolean> {
    if (entry.running) {
      this.logger.warn('上一轮尚未结束，跳过', { job: entry.name });
      return false;
    }
    entry.running = true;
    try {
      await entry.job();
    } catch (error) {
      this.logger.error('定时任务失败', error, { job: entry.name });
    } finally {
      entry.running = false;
    }
    return true;
  }
}
