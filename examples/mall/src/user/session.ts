/**
 * 登录态
 *
 * 令牌两小时不用就失效，用一次续一次。令牌只在内存里，进程重启后要重新登录。
 */
import { randomBytes } from 'node:crypto';
import type { Clock, Timestamp } from '../shared/clock.js';
import { HOUR_MS } from '../shared/clock.js';

const SESSION_IDLE_MS = 2 * HOUR_MS;

export class SessionStore {
  private readonly sessions = new Map<string, { userId: string; expiresAt: Timestamp }>();

  constructor(private readonly clock: Clock) {}

  /** 发一个新令牌。 */
  open(userId: string): string {
    const token = randomBytes(24).toString('base64url');
    this.sessions.set(token, { userId, expiresAt: this.clock.now() + SESSION_IDLE_MS });
    return token;
  }

  /** 令牌有效就续期并返回用户号，否则返回 undefined。 */
  touch(token: string): string | undefined {
    const session = this.sessions.get(token);
    if (!session) return undefined;
    if (session.expiresAt <= this.clock.now()) {
      this.sessions.delete(token);
      return undefined;
    }
    session.expiresAt = this.clock.now() + SESSION_IDLE_MS;
    return session.userId;
  }

  close(token: string): void {
    this.sessions.delete(token);
  }
}
