import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configSchema, type XiheConfig } from '../../../src/config.js';
import { type Alert, Alerts } from '../../../src/integrations/alerts/index.js';
import { lockPath, withFileLock } from '../../../src/sandbox/index.js';

export function newStateDir(): string {
  return mkdtempSync(join(tmpdir(), 'xihe-alerts-'));
}

export const removed = (dir: string) => rmSync(dir, { recursive: true, force: true });

export function lockOf(stateDir: string): <T>(work: () => T) => T {
  return (work) => withFileLock(lockPath(stateDir, 'alerts'), work);
}

export function settings(more: Record<string, unknown>): XiheConfig['alerts'] {
  return configSchema.parse({ alerts: more }).alerts;
}

export function alertsOf(stateDir: string, more: Record<string, unknown>): Alerts {
  return Alerts.open({ config: settings(more), stateDir, lock: lockOf(stateDir) });
}

export function failureOf(n: number | string, more: Partial<Alert> = {}): Alert {
  return {
    id: `act-${n}`,
    trace: `t-${n}`,
    task: `回滚订单服务 ${n}`,
    reason: '退出码 1：镜像不存在',
    kind: 'failure',
    log: '拉取镜像\nnot found',
    durationMs: 12_345,
    at: Date.parse('2026-12-01T11:05:31Z'),
    ...more,
  };
}

/** Every byte that a state folder holds. */
export function allOf(dir: string): string {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

/** A process that uses the alerts, see `child.ts`. */
export function child(...args: string[]): ChildProcess {
  const script = fileURLToPath(new URL('child.ts', import.meta.url));
  return spawn(process.execPath, ['--import', 'tsx', script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
}

export function ended(process: ChildProcess): Promise<NodeJS.Signals | number | null> {
  return new Promise((done) => process.once('exit', (code, signal) => done(signal ?? code)));
}

/** Waits until something is so. */
export async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((done) => setTimeout(done, 10));
}
