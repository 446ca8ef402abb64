import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  armsNamed,
  changesSince,
  type EvalOptions,
  Evaluation,
  loadTasks,
  readBaseline,
  summarise,
  toHtml,
  toJUnit,
  writeReport,
} from '../../src/evals/index.js';
import { asks, calmReview } from '../agent/scenarios/scripts.js';
import { type ModelServer, type Reply, startModelServer } from '../support/model-server.js';
import { ASK, CLOSE, makeTasks } from './support.js';

const dirs: string[] = [];
let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function optionsOf(tasks: Record<string, string>, more: Partial<EvalOptions> = {}): EvalOptions {
  const dir = makeTasks(tasks);
  const outDir = mkdtempSync(join(tmpdir(), 'xihe-eval-out-'));
  dirs.push(dir, outDir);
  return {
    tasks: loadTasks(dir),
    arms: armsNamed(['on', 'off']),
    repeats: 1,
    model: false,
    modelName: null,
    seed: 1,
    parallel: 2,
    outDir,
    env: { ...process.env, XIHE_EMBED_PROVIDER: 'none' },
    ...more,
  };
}

/** A model that edits as it is told to, and then is done. */
async function worker(replace: string): Promise<Partial<EvalOptions>> {
  const steps: Reply[] = [
    { toolCalls: [{ name: 'read_file', args: { path: 'src/close.mjs' } }] },
    { toolCalls: [{ name: 'edit_file', args: { path: 'src/close.mjs', edits: [{ search: 'at + 30', replace }] } }] },
    { text: '改好了。' },
  ];
  server = await startModelServer({
    rules: [
      calmReview,
      {
        when: asks.execute,
        reply: ({ messages }) => steps[messages.filter((m) => m.role === 'assistant').length] ?? '改好了。',
      },
      { when: { test: () => true }, reply: '45 分钟。' },
    ],
  });
  const env = { ...process.env, XIHE_EMBED_PROVIDER: 'none', XIHE_BASE_URL: server.baseUrl, XIHE_MODEL: 'scripted' };
  return { model: true, modelName: 'scripted', env };
}

describe('without a model', () => {
  it('the core puts what decides before whoever works; off it does not; a run once made is kept', async () => {
    const options = optionsOf({ close: CLOSE, ask: ASK });
    const { runs, stopped } = await new Evaluation(options).run();
    expect(stopped).toBeNull();
    expect(runs.map(({ name, outcome }) => [name, outcome])).toEqual(
      ['ask--off--1', 'ask--on--1', 'close--off--1', 'close--on--1'].map((name) => [name, null]),
    );
    const { arms } = summarise(runs, options.arms, { model: null, seed: 1 });
    expect(arms.on).toMatchObject({ support: 1, whole: 1, by_kind: { term: 1, warning: 1, file: 1 } });
    expect(arms.off!.by_kind).toMatchObject({ term: 0, warning: 0 });
    let made = 0;
    await new Evaluation(options).run(() => made++);
    expect(made).toBe(0);
    // A task that has changed is run anew, and so is every run whose record was cut.
    const [ask] = options.tasks;
    writeFileSync(ask!.file, ASK.replace('是多久', '要多久'));
    writeFileSync(join(options.outDir, 'runs', 'close--on--1.json'), '{"task":');
    await new Evaluation({ ...options, tasks: loadTasks(join(ask!.file, '..')) }).run(() => made++);
    expect(made).toBe(3);
  });

  it('stopped, it keeps what was made and goes on from there', async () => {
    const options = optionsOf({ close: CLOSE, ask: ASK }, { parallel: 1 });
    const stop = new AbortController();
    const first = new Evaluation(options).run(() => stop.abort(), stop.signal);
    await expect(first).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(readdirSync(join(options.outDir, 'runs')).filter((name) => !name.includes('trace'))).toHaveLength(1);
    let made = 0;
    const { runs } = await new Evaluation(options).run(() => made++);
    expect([made, runs.length]).toEqual([3, 4]);
  });
});

describe('with a model', () => {
  it('right work succeeds, and its run leads to its steps', async () => {
    const options = optionsOf({ close: CLOSE }, { ...(await worker('at + 45')), arms: armsNamed(['on']) });
    const { runs } = await new Evaluation(options).run();
    expect(runs).toMatchObject([
      {
        status: 'done',
        outcome: {
          success: true,
          hidden: true,
          missing: [],
          wrong: [],
          violated: [],
          unneeded: [],
          changed: ['src/close.mjs'],
        },
        opened: 1,
        turns: 3,
      },
    ]);
    expect(runs[0]!.usage.calls).toBeGreaterThanOrEqual(3);
    const trace = JSON.parse(readFileSync(join(options.outDir, 'runs', `${runs[0]!.name}.trace.json`), 'utf8'));
    expect(trace.diff).toContain('+    return order.at + 45 <= now;');
    expect(trace.lines).toMatchObject([{ path: 'src/close.mjs', step: 2 }]);
  });

  it('wrong work does not, and what it broke is told', async () => {
    const options = optionsOf({ close: CLOSE }, { ...(await worker('Date.now() + 30')), arms: armsNamed(['on']) });
    const { runs } = await new Evaluation(options).run();
    expect(runs[0]!.outcome).toMatchObject({ success: false, hidden: false, violated: ['no-now'] });
    expect(runs[0]!.outcome!.output).not.toBe('');
    expect(toJUnit(runs)).toMatch(/<failure message="隐藏测试没过/);
  });

  it('an answer with a wrong fact is none', async () => {
    const options = optionsOf({ ask: ASK }, { ...(await worker('')), arms: armsNamed(['on']) });
    const { runs } = await new Evaluation(options).run();
    expect(runs[0]!.outcome).toMatchObject({ success: false, hidden: null, wrong: ['45'], missing: ['30|三十'] });
  });

  it('no run starts beyond the cap', async () => {
    const options = optionsOf(
      { close: CLOSE },
      { ...(await worker('at + 45')), repeats: 5, parallel: 1, maxTokens: 1 },
    );
    const { runs, stopped } = await new Evaluation(options).run();
    expect(runs).toHaveLength(1);
    expect(stopped).toMatch(/到了上限 1/);
  });
});

describe('a report', () => {
  it('is written in four forms, escaped, and held against an earlier one', async () => {
    const options = optionsOf({ close: CLOSE.replace('关单改成四十五分钟\n', '<b>\n') });
    const { runs } = await new Evaluation(options).run();
    const summary = summarise(runs, options.arms, { model: null, seed: 1 });
    const report = { ...summary, stopped: '<停>', runs };
    writeReport(report, options.outDir);
    for (const name of ['report.json', 'report.md', 'report.html', 'junit.xml'])
      expect(existsSync(join(options.outDir, name)), name).toBe(true);
    expect(toHtml(report)).toContain('&lt;停&gt;');
    expect(toHtml(report)).not.toMatch(/https?:/);
    const before = readBaseline(join(options.outDir, 'report.json'));
    before.arms.on!.support = 0.5;
    expect(changesSince(before, summary)).toContainEqual({ arm: 'on', measure: 'support', before: 0.5, now: 1 });
    expect(() => readBaseline(join(options.outDir, 'report.md'))).toThrowError(
      expect.objectContaining({ code: 'USAGE' }),
    );
  });
});
