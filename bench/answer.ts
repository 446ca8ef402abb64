// `npm run -s bench:answer [-- --json]`: how long a process that stays (an agent, a service) takes for one `lookup_knowledge` once the
// model is loaded: questions it has not seen, and the same again. On a copy of the example shop, beside what ships.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../src/assets.js';
import { loadConfig } from '../src/config.js';
import { openZhCore } from '../src/zhcore/index.js';

/** A question may wait as long as it likes here: the time is what is measured. */
const BUDGET_MS = 60_000;

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const { answered, unanswered } = JSON.parse(
  readFileSync(join(packageRoot(), 'bench', 'faq', 'questions.json'), 'utf8'),
) as { answered: [string, string][]; unanswered: string[] };
const questions = [...answered.map(([question]) => question), ...unanswered];
const quantile = (list: readonly number[], q: number) =>
  Number([...list].sort((a, b) => a - b)[Math.floor(list.length * q)]!.toFixed(1));

const mall = mkdtempSync(join(tmpdir(), 'xihe-bench-answer-'));
try {
  cpSync(join(packageRoot(), 'examples', 'mall'), mall, {
    recursive: true,
    filter: (path) => !/node_modules|\.xihe[\\/]state/.test(path),
  });
  const core = openZhCore({
    projectDir: join(mall, '.xihe'),
    cacheDir: join(mall, '.xihe', 'state'),
    vectors: { embedding: loadConfig(mall).embedding },
  });
  await core.vectors?.build();
  await core.askLookup('预热', undefined, { budgetMs: BUDGET_MS });
  const rows: Record<string, { p50_ms: number; p95_ms: number; degraded: number }> = {};
  for (const round of ['first', 'again']) {
    const times: number[] = [];
    let degraded = 0;
    for (const question of questions) {
      const started = performance.now();
      const { degraded: isDegraded } = await core.askLookup(question, undefined, { budgetMs: BUDGET_MS });
      times.push(performance.now() - started);
      if (isDegraded) degraded++;
    }
    rows[round] = { p50_ms: quantile(times, 0.5), p95_ms: quantile(times, 0.95), degraded };
  }
  await core.close();
  if (values.json) process.stdout.write(`${JSON.stringify({ bench: 'answer', questions: questions.length, rows })}\n`);
  else
    for (const [round, { p50_ms, p95_ms }] of Object.entries(rows))
      process.stdout.write(`${round === 'first' ? '没问过的' : '再问一遍'}：p50 ${p50_ms} ms，p95 ${p95_ms} ms\n`);
} finally {
  rmSync(mall, { recursive: true, force: true });
}
