/**
 * 日活：一天内访问过的用户数，同一个用户一天只算一次
 */
import { shanghaiDays } from '../shared/clock.js';
import type { Table } from '../shared/db.js';
import type { VisitRow } from '../user/user.js';

export interface ActiveUsers {
  date: string;
  activeUsers: number;
}

export class ActiveUserService {
  constructor(private readonly visits: Table<VisitRow>) {}

  /** 从 from 到 to（都包含）每天的日活，没人访问的日子是 0，不跳过。 */
  async daily(from: string, to: string): Promise<ActiveUsers[]> {
    const usersByDay = new Map<string, Set<string>>();
    for (const day of shanghaiDays(from, to)) usersByDay.set(day, new Set());
    for (const visit of await this.visits.list()) {
      const day = new Date(visit.visited_at).toISOString().slice(0, 10);
      usersByDay.get(day)?.add(visit.user_id);
    }
    return [...usersByDay].map(([date, users]) => ({ date, activeUsers: users.size }));
  }
}
