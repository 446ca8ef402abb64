import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aboutOf, errorsByWeek, type Judgement, RunLog, type RunOutcome } from '../../../src/zhcore/index.js';

const outcome = (run: string, more: Partial<RunOutcome> = {}): RunOutcome => ({
  t: '2026-12-02T03:00:00.000Z',
  kind: 'run',
  thread: 't',
  run,
  index: 0,
  intent: 'edit',
  layer: 'rule',
  outcome: 'changes',
  ok: true,
  missing: false,
  ...more,
});
const word = (run: string, more: Partial<Judgement> = {}): Judgement => ({
  t: '2026-12-02T04:00:00.000Z',
  kind: 'feedback',
  thread: 't',
  run,
  verdict: 'bad',
  ...more,
});

describe('errors by week', () => {
  it('counts each run once, a word of a person before what the run said', () => {
    const { weeks, examples } = errorsByWeek(
      [
        outcome('fine'),
        outcome('praised', { ok: false, outcome: 'failed' }),
        word('praised', { verdict: 'good' }),
        outcome('failed', { ok: false, outcome: 'failed', code: 'MODEL_TIMEOUT' }),
        outcome('rejected', { outcome: 'rejected' }),
        outcome('asked', { intent: 'tool', ok: false, outcome: 'stopped', missing: true }),
        outcome('wrong'),
        word('wrong', { about: 'intent', why: '我只是问一下' }),
        outcome('two'),
        outcome('two', { index: 1, intent: 'tool', outcome: 'tool', ok: false }),
        outcome('before', { t: '2026-11-25T03:00:00.000Z' }),
      ],
      8,
    );
    expect(weeks.map(({ week, runs }) => [week, runs])).toEqual([
      ['2026-11-30', 7],
      ['2026-11-23', 1],
    ]);
    expect(weeks[0]).toMatchObject({ good: 1, counts: { intent: 1, parameter: 1, failed: 2, answer: 1 } });
    expect(examples.map(({ kind, why }) => `${kind} ${why}`)).toEqual([
      'intent 我只是问一下',
      'parameter 缺参数，没有补上',
      'failed 没有完成（MODEL_TIMEOUT）',
      'failed 没有成功',
      'answer 改动被拒绝',
    ]);
    expect(errorsByWeek([], 8)).toEqual({ weeks: [], examples: [] });
  });

  it.each([
    ['我只是想问一下', 'edit', 'intent'],
    ['没让你重启', 'tool', 'intent'],
    ['环境选错了', 'tool', 'parameter'],
    ['少写了一个判断', 'edit', 'edit'],
    ['说的是旧版本的接口', 'qa', 'answer'],
  ] as const)('what %s is about', (why, intent, about) => expect(aboutOf(why, intent)).toBe(about));
});

describe('the log of runs', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'xihe-runs-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('keeps one record a run and intent, the newest judgement, and no secrets; skips broken lines', () => {
    const log = new RunLog(dir);
    log.append(outcome('a'));
    log.append(outcome('a', { ok: false }));
    log.append(word('a', { why: '少了 token=abcdef1234567890abcdef' }));
    appendFileSync(join(dir, 'runs.jsonl'), '{"t":"torn');
    log.append(word('a', { verdict: 'good' }));
    expect(log.read()).toEqual([outcome('a', { ok: false }), word('a', { verdict: 'good' })]);
    expect(readFileSync(join(dir, 'runs.jsonl'), 'utf8')).not.toContain('abcdef1234567890abcdef');
  });
});
