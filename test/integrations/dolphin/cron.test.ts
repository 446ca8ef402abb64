import { describe, expect, it } from 'vitest';
import { checkedCron, checkedSchedule, checkedTimezone } from '../../../src/integrations/dolphin/index.js';

const wrong = (expression: string) => {
  try {
    return checkedCron(expression);
  } catch (e) {
    return e as { code: string; message: string };
  }
};

describe('a cron expression', () => {
  it.each([
    '0 0 2 * * ?',
    '0 0/15 9-18 ? * MON-FRI',
    '0 30 8 1,15 * ?',
    '0 0 0 L * ?',
    '0 0 0 LW * ?',
    '0 0 0 15W * ?',
    '0 0 9 ? * 2#1',
    '0 0 9 ? * FRIL',
    '0 0 0 1 JAN ? 2027-2030',
    '*/10 * * * * ?',
  ])('%s holds', (expression) => {
    expect(checkedCron(expression)).toBe(expression);
  });

  it('is put in order', () => {
    expect(checkedCron('  0  0 9 ? * mon ')).toBe('0 0 9 ? * MON');
  });

  it.each([
    ['0 3 * * *', '前面要加秒：0 0 3 * * ?'],
    ['30 9 * * 1-5', '前面要加秒：0 30 9 ? * MON-FRI'],
    ['0 0 2 * * *', '恰好有一个写 ?'],
    ['0 0 2 ? * ?', '恰好有一个写 ?'],
    ['0 60 2 * * ?', '「分」这一段 60 超出范围，应当在 0 到 59 之间'],
    ['0 0 24 * * ?', '「时」'],
    ['0 0 0 32 * ?', '「日」'],
    ['0 0 0 1 13 ?', '「月」'],
    ['0 0 0 ? * 8', '「周」'],
    ['0 0/0 0 * * ?', '间隔'],
    ['0 0 0 * FOO ?', '看不懂'],
    ['? 0 0 * * ?', '「秒」'],
    ['0 0 0 1- * ?', '看不懂'],
    ['每天两点', '有 1 段'],
    ['', '有 1 段'],
  ])('%j is refused: %s', (expression, reason) => {
    const e = wrong(expression);
    expect(e).toMatchObject({ code: 'CRON_INVALID' });
    expect((e as { message: string }).message).toContain(reason);
  });
});

describe('a schedule', () => {
  it('holds from today in its own time zone, for a hundred years', () => {
    const evening = new Date('2026-12-01T20:00:00Z');
    expect(checkedSchedule({ crontab: '0 0 3 * * ?' }, evening)).toEqual({
      crontab: '0 0 3 * * ?',
      timezoneId: 'Asia/Shanghai',
      startTime: '2026-12-02 00:00:00',
      endTime: '2126-01-01 00:00:00',
    });
    expect(checkedSchedule({ crontab: '0 0 3 * * ?', timezone: 'UTC' }, evening).startTime).toBe('2026-12-01 00:00:00');
  });

  it('refuses times that are none, or end before they begin, and unknown time zones', () => {
    const crontab = '0 0 3 * * ?';
    for (const bad of [
      { start: '2026-02-30' },
      { start: '明天' },
      { start: '2026-12-01T08:00' },
      { start: '2026-12-02', end: '2026-12-01' },
      { timezone: 'Asia/Peking' },
    ])
      expect(() => checkedSchedule({ crontab, ...bad })).toThrow(expect.objectContaining({ code: 'CRON_INVALID' }));
    expect(checkedTimezone('Asia/Shanghai')).toBe('Asia/Shanghai');
  });
});
