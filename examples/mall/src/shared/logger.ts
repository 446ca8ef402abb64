/**
 * 日志：一行一个 JSON，方便采集。手机号等个人信息打日志前先脱敏。
 */
import type { Clock } from './clock.js';
import { shanghaiDateTime } from './clock.js';

export type LogLevel = 'info' | 'warn' | 'error';
export type LogFields = Record<string, string | number | boolean | null | undefined>;
export type LogSink = (line: string) => void;

export class Logger {
  constructor(
    private readonly clock: Clock,
    private readonly sink: LogSink = (line) => process.stderr.write(`${line}\n`),
    private readonly scope = 'mall',
  ) {}

  /** 换一个模块名，其余共用。 */
  child(scope: string): Logger {
    return new Logger(this.clock, this.sink, scope);
  }

  info(message: string, fields: LogFields = {}): void {
    this.write('info', message, fields);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.write('warn', message, fields);
  }

  error(message: string, error: unknown, fields: LogFields = {}): void {
    this.write('error', message, { ...fields, error: error instanceof Error ? error.message : String(error) });
  }

  private write(level: LogLevel, message: string, fields: LogFields): void {
    const time = shanghaiDateTime(this.clock.now());
    this.sink(JSON.stringify({ time, level, scope: this.scope, message, ...fields }));
  }
}

/** 手机号脱敏：13812345678 → 138****5678。 */
export function maskPhone(phone: string): string {
  return phone.replace(/^(\d{3})\d{4}(\d{4})$/, '$1****$2');
}
