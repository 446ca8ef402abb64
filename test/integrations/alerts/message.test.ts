import { describe, expect, it } from 'vitest';
import { bytesOf, cutStartToBytes, cutToBytes } from '../../../src/integrations/alerts/bytes.js';
import { gathered, single, toldOf } from '../../../src/integrations/alerts/message.js';
import { failureOf } from './support.js';

const FAMILY = '👨‍👩‍👧‍👦';

describe('cutting in bytes', () => {
  const text = `a超${FAMILY}é𠮷${FAMILY}e\u0301b`;

  it('keeps to every limit, on boundaries of what people see', () => {
    const seen = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
    for (let max = 0; max <= bytesOf(text) + 1; max++) {
      const [head, tail] = [cutToBytes(text, max), cutStartToBytes(text, max)];
      expect(bytesOf(head)).toBeLessThanOrEqual(max);
      expect(bytesOf(tail)).toBeLessThanOrEqual(max);
      if (max >= bytesOf(text)) expect([head, tail]).toEqual([text, text]);
      else if (max >= 3) {
        const heads = seen.map((_, i) => `${seen.slice(0, i).join('')}…`);
        const tails = [...seen.map((_, i) => `…${seen.slice(i + 1).join('')}`)];
        expect(heads).toContain(head);
        expect(tails).toContain(tail);
      }
    }
  });
});

describe('a message', () => {
  it('has the last 20 lines at most', () => {
    const log = Array.from({ length: 50 }, (_, i) => `line ${i}`).join('\n');
    const { content } = single(toldOf(failureOf(1, { log }), [], 0), [], 'text', 2048);
    expect(content).toContain('最后 20 行：\nline 30\n');
    expect(content).not.toContain('line 29');
  });

  it('fills what is left with the end of the log', () => {
    const log = Array.from({ length: 20 }, (_, i) => `${i} ${'日志'.repeat(40)}`).join('\n');
    const { content } = single(toldOf(failureOf(1, { log }), [], 0), [], 'text', 2048);
    expect(bytesOf(content)).toBeLessThanOrEqual(2048);
    expect(bytesOf(content)).toBeGreaterThan(1700);
    expect(content).toMatch(/\n19 (日志){40}$/);
  });

  it('fits with every field at its longest, in both formats', () => {
    const long = '字'.repeat(5_000);
    const alert = toldOf(failureOf(1, { task: long, reason: long, trace: long, log: long }), [], 0);
    const notes = Array.from({ length: 9 }, () => ({
      task: long.slice(0, 80),
      trace: long.slice(0, 40),
      why: 'unknown' as const,
    }));
    for (const format of ['text', 'markdown'] as const)
      for (const max of [2048, 4096]) {
        expect(bytesOf(single(alert, notes, format, max).content)).toBeLessThanOrEqual(max);
        expect(bytesOf(gathered(Array(200).fill(alert), notes, format, max).content)).toBeLessThanOrEqual(max);
      }
  });

  it('of several alerts has a line each, and counts what does not fit', () => {
    const alerts = Array.from({ length: 60 }, (_, i) => toldOf(failureOf(i), [], 0));
    const { content, title } = gathered(alerts, [], 'text', 2048);
    const shown = content.match(/^- /gm)?.length ?? 0;
    expect(title).toBe('【羲和告警】60 条合并');
    expect(shown).toBeGreaterThan(10);
    expect(content).toContain(`还有 ${60 - shown} 条没有列出`);
    expect(content).toContain('t-59');
  });

  it('has no colours and control characters', () => {
    const { content } = single(
      toldOf(failureOf(1, { log: '\u001b[31mred\u001b[0m\u0007\r\nx\u202ey' }), [], 0),
      [],
      'text',
      2048,
    );
    expect(content).toContain('red\nxy');
  });
});
