// `npm run -s bench:localize -- --data DIR [--trees DIR] [--split S] [--json] [--systems a,b] [--cache DIR] [--errors] [--ablate]`: a change request →
// the files that changed. Each tree stands at a commit before the changes; `xihe` is what the product does by default.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ablationRow, askWithout } from './localize-ablate.js';
import { type Asked, type Case, placeOf, readCases, scoresOf } from './localize-data.js';
import { SYSTEMS } from './localize-systems.js';
import { quantile } from './retrieve-data.js';

/** Files that are asked for: the measures look at 20. */
const DEPTH = 20;
/** Requests that warm up code and caches before any is timed. */
const WARM_UP = 5;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    trees: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    json: { type: 'boolean', default: false },
    systems: { type: 'string', default: 'xihe,xihe-no-history,bm25,rg-terms,fuse' },
    cache: { type: 'string' },
    errors: { type: 'boolean', default: false },
    ablate: { type: 'boolean', default: false },
  },
});
const say = (text: string) => process.stderr.write(`${text}\n`);
function stop(text: string): never {
  say(text);
  process.exit(2);
}
if (values.data === undefined)
  stop('用法：npm run -s bench:localize -- --data DIR [--trees DIR] [--split dev] [--json] [--systems xihe,bm25]');
const trees = resolve(values.trees ?? join(values.data, 'trees'));
const cases = readCases(values.data, values.split);
if (cases.size === 0) stop(`cases.jsonl 里没有 split 为 ${values.split} 的条目`);
for (const tree of cases.keys()) if (!existsSync(join(trees, tree))) stop(`缺少 ${join(trees, tree)}：先导出这棵树`);
// Without --cache every index is built anew, so that `build_s` is a first build.
const state = values.cache === undefined ? mkdtempSync(join(tmpdir(), 'xihe-localize-')) : resolve(values.cache);

async function measure(name: string) {
  const open = SYSTEMS[name] ?? stop(`没有系统 ${name}；可选：${Object.keys(SYSTEMS).join('、')}`);
  const asked: Asked[] = [];
  const less = new Map<string, Asked[]>();
  let buildMs = 0;
  for (const [tree, own] of cases) {
    const folder = join(state, name, tree);
    mkdirSync(folder, { recursive: true });
    const started = performance.now();
    const finder = await open(join(trees, tree), folder);
    for (const { query } of own.slice(0, WARM_UP)) await finder.search(query, DEPTH);
    buildMs += performance.now() - started;
    for (const one of own) asked.push(await ask(finder, one));
    if (values.ablate && name === 'xihe') await askWithout(finder, own, DEPTH, less);
  }
  const of = (verbatim: boolean) => scoresOf(asked.filter(({ one }) => (one.split === 'verbatim') === verbatim));
  const main = (list: readonly Asked[]) => list.filter(({ one }) => one.split !== 'verbatim');
  const ablations = [...less].map(([kind, list]) => [kind, ablationRow(main(asked), main(list))] as const);
  const times = asked.map(({ ms }) => ms);
  const report = {
    main: of(false),
    verbatim: of(true),
    p50_ms: quantile(times, 0.5),
    p95_ms: quantile(times, 0.95),
    build_s: Number((buildMs / 1000).toFixed(2)),
    ...(ablations.length > 0 ? { ablations: Object.fromEntries(ablations) } : {}),
  };
  return { report, asked };
}

async function ask(finder: { search(request: string, depth: number): Promise<string[]> }, one: Case): Promise<Asked> {
  const started = performance.now();
  const ranked = await finder.search(one.query, DEPTH);
  return { one, ranked, ms: performance.now() - started };
}

const systems: Record<string, unknown> = {};
try {
  for (const name of values.systems.split(',').map((one) => one.trim())) {
    const { report, asked } = await measure(name);
    systems[name] = report;
    const { main, verbatim } = report;
    say(
      `${name}: main (${main.n}) Hit@1 ${main.hit1} Recall@1 ${main.recall1} Hit@5 ${main.hit5} Hit@20 ${main.hit20} MRR ${main.mrr}; verbatim (${verbatim.n}) MRR ${verbatim.mrr}; p50 ${report.p50_ms} ms, p95 ${report.p95_ms} ms, build ${report.build_s} s`,
    );
    for (const [kind, row] of Object.entries(report.ablations ?? {})) say(ablationLine(kind, row));
    if (values.errors) for (const one of asked) if (placeOf(one) === 0 || placeOf(one) > 5) say(errorLine(one));
  }
} finally {
  if (values.cache === undefined) rmSync(state, { recursive: true, force: true });
}
if (values.json) process.stdout.write(`${JSON.stringify({ bench: 'localize', split: values.split, systems })}\n`);
process.exit(0);

function ablationLine(kind: string, { hit5, hit20, mrr, change }: ReturnType<typeof ablationRow>): string {
  const of = (measure: keyof typeof change) => {
    const { difference, interval } = change[measure];
    return `${difference} (${interval.join(' … ')})`;
  };
  return `  没有${kind}: Hit@5 ${hit5} ${of('hit5')} Hit@20 ${hit20} ${of('hit20')} MRR ${mrr} ${of('mrr')}`;
}

function errorLine(row: Asked): string {
  const { one, ranked } = row;
  return `  ${placeOf(row) || '>20'}\t${one.id}\t${one.query}\t${one.gold.slice(0, 3).join(' ')}\t✗ ${ranked.slice(0, 3).join(' ')}`;
}
