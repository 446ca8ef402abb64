import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toldOf } from '../../../src/integrations/alerts/message.js';
import { AlertQueue, type Take } from '../../../src/integrations/alerts/queue.js';
import { type RobotServer, startRobot } from './robot-server.js';
import { alertsOf, child, ended, failureOf, lockOf, newStateDir, removed, until } from './support.js';

let stateDir: string;
let robot: RobotServer;
let now: number;
beforeEach(() => {
  stateDir = newStateDir();
  now = Date.now();
});
afterEach(async () => {
  removed(stateDir);
  await robot?.close();
});

const queueOf = () => new AlertQueue(stateDir, lockOf(stateDir), 10_000, () => now);
const told = (n: number, trace = `t-${n}`) => toldOf(failureOf(n, { trace }), [], now);
const taken = (take: Take) => (take.state === 'taken' ? take.taken : undefined);

/** Takes and "sends" all that may go now; returns how many alerts each message held. */
function drain(queue: AlertQueue): number[] {
  const sizes: number[] = [];
  for (let next = taken(queue.take()); next !== undefined; next = taken(queue.take())) {
    now += 300;
    expect(queue.begin(next.flight)).toBe('go');
    queue.settle(next.flight, 'sent');
    sizes.push(next.alerts.length);
  }
  return sizes;
}

describe('one message a trace in five minutes', () => {
  it('counts repetitions while the first waits, and drops them once it is out', () => {
    const queue = queueOf();
    expect([queue.add(told(1, 'a')), queue.add(told(2, 'a')), queue.add(told(3, 'a'))]).toEqual([
      'added',
      'repeated',
      'repeated',
    ]);
    expect(taken(queueOf().take())?.alerts.map(({ repeats }) => repeats)).toEqual([2]);
  });

  it('opens again after five minutes, from the message on, repetitions not counted', () => {
    const queue = queueOf();
    queue.add(told(1, 'a'));
    drain(queue);
    now += 299_000;
    expect(queue.add(told(2, 'a'))).toBe('repeated');
    now += 2_000;
    expect(queue.add(told(3, 'a'))).toBe('added');
  });

  it('takes the same act once, hours later as well', () => {
    const queue = queueOf();
    queue.add(told(1));
    drain(queue);
    now += 3 * 3_600_000;
    expect(queueOf().add(told(1))).toBe('known');
  });
});

describe('twenty messages a minute', () => {
  it('gathers in the last place of a minute what is more', () => {
    const queue = queueOf();
    for (let n = 0; n < 26; n++) queue.add(told(n));
    expect(drain(queue)).toEqual([...Array(19).fill(1), 7]);
    queue.add(told(30));
    expect(queue.take()).toMatchObject({ state: 'wait' });
  });

  it('gathers what had to wait for the next minute', () => {
    const queue = queueOf();
    for (let n = 0; n < 20; n++) {
      queue.add(told(n));
      drain(queue);
    }
    for (let n = 20; n < 23; n++) {
      queue.add(told(n));
      expect(queue.take().state).toBe('wait');
    }
    now += 60_000;
    expect(drain(queueOf())).toEqual([3]);
  });

  it('against a real robot: 24 alerts are 20 messages, and all are told', async () => {
    robot = await startRobot('wecom');
    const queue = new AlertQueue(stateDir, lockOf(stateDir), 10_000);
    for (let n = 1; n <= 24; n++) queue.add(told(n));
    const flushed = await alertsOf(stateDir, { webhook: robot.address, platform: 'wecom' }).flush();
    expect([flushed.messages, flushed.waiting, robot.bodies.length]).toEqual([20, 0, 20]);
    for (let n = 1; n <= 24; n++)
      expect(robot.group.filter((text) => text.includes(`t-${n}）`) || text.includes(`t-${n}\n`))).toHaveLength(1);
  });

  it('keeps the newest 200 that wait, and says how many were dropped', () => {
    const queue = queueOf();
    for (let n = 0; n < 203; n++) queue.add(told(n));
    expect(queue.status()).toMatchObject({ waiting: 200, unclear: 3 });
  });
});

describe('processes that die', () => {
  beforeEach(async () => {
    robot = await startRobot('wecom');
  });
  const open = () => alertsOf(stateDir, { webhook: robot.address, platform: 'wecom' });

  it('killed before the request: it is sent by the next one', async () => {
    new AlertQueue(stateDir, lockOf(stateDir), 10_000).add(told(1));
    expect(await ended(child('die-taken', stateDir))).toBe('SIGKILL');
    expect(await open().flush()).toMatchObject({ messages: 1, waiting: 0 });
    expect(robot.group[0]).toContain('t-1');
  });

  it('killed while the request is on its way: never sent again, the next message mentions it', async () => {
    robot.next.push({ hang: true });
    const killed = child('notify', stateDir, robot.address, 'wecom', '1');
    await until(() => robot.bodies.length > 0);
    killed.kill('SIGKILL');
    await ended(killed);
    expect(await open().flush()).toMatchObject({ messages: 0, waiting: 0 });
    expect(await open().notify(failureOf(1))).toMatchObject({ state: 'known' });
    await open().notify(failureOf(2));
    expect(robot.group).toHaveLength(2);
    expect(robot.group[1]).toContain('不知道有没有送到：回滚订单服务 1');
  });

  it('killed in the pause after a refusal of the server: surely not sent, so it is sent', async () => {
    robot.next.push({ status: 503, headers: { 'retry-after': '3' } });
    const killed = child('notify', stateDir, robot.address, 'wecom', '1');
    const file = join(stateDir, 'alerts.json');
    const isResting = () => /"requested":false/.test(readFileSync(file, 'utf8'));
    await until(() => robot.bodies.length > 0 && isResting());
    killed.kill('SIGKILL');
    await ended(killed);
    expect(await open().flush()).toMatchObject({ messages: 1, waiting: 0 });
    expect(robot.group).toHaveLength(1);
  });

  it('a lease that is over counts as dead, even if the number is used again', () => {
    const queue = queueOf();
    queue.add(told(1));
    const first = taken(queue.take())!;
    expect(queue.take().state).toBe('empty');
    now += 31_000;
    expect(taken(queue.take())?.alerts.map(({ id }) => id)).toEqual(['act-1']);
    expect(queue.begin(first.flight)).toBe('lost');
  });

  it('two processes at once send each alert once', async () => {
    const queue = new AlertQueue(stateDir, lockOf(stateDir), 10_000);
    for (let n = 1; n <= 10; n++) queue.add(told(n));
    const both = [1, 2].map(() => child('flush', stateDir, robot.address, 'wecom'));
    await Promise.all(both.map(ended));
    const traces = robot.group.map((text) => /追踪：(t-\d+)/.exec(text)?.[1]);
    expect(traces.sort()).toEqual(Array.from({ length: 10 }, (_, i) => `t-${i + 1}`).sort());
  });
});

describe('the file', () => {
  it('that is broken is set aside, and alerts go on', () => {
    const file = join(stateDir, 'alerts.json');
    writeFileSync(file, '{"waiting": [{"id": 1}]}');
    expect(queueOf().status()).toMatchObject({ waiting: 0 });
    expect(queueOf().add(told(1))).toBe('added');
    expect(readFileSync(`${file}.bad`, 'utf8')).toContain('"id": 1');
  });

  it('with times of a clock that was ahead does not stop alerts', () => {
    const file = join(stateDir, 'alerts.json');
    const ahead = now + 10 * 24 * 3_600_000;
    writeFileSync(file, JSON.stringify({ requests: Array(20).fill(ahead), pausedUntil: ahead }));
    const queue = queueOf();
    queue.add(told(1));
    expect(drain(queue)).toEqual([1]);
  });
});
