import pc from 'picocolors';
import { packageRoot } from '../../assets.js';
import type { Stats } from '../../zhcore/index.js';
import { EXIT } from '../exit-codes.js';
import { openCore, reportProblems } from '../open.js';
import { print, printJson, visible } from '../output.js';
import type { CommonOptions } from './options.js';

interface StatsOptions extends CommonOptions {
  days: number;
}

/** Lines of each list; `--json` has them all. */
const SHOWN = 15;

/** `xihe stats`: what was asked, what it brought and what it cost, out of the query log. */
export async function stats(options: StatsOptions): Promise<number> {
  const { layout, core } = await openCore(options.repo);
  const { QueryLog, statsOf } = await import('../../zhcore/index.js');
  reportProblems(core.problems, options.json);
  const since = new Date(Date.now() - options.days * 86_400_000);
  const all = statsOf(new QueryLog(layout.stateDir).read({ since }), core.entries());
  // Most of what ships has nothing to do with a project: that it is not asked for says nothing.
  const ours = layout.root === packageRoot() ? 'general' : 'project';
  const result = { ...all, neverHit: all.neverHit.filter(({ layer }) => layer === ours) };
  if (options.json) printJson(toJson(result, options.days));
  else print(toText(result, options.days));
  return EXIT.done;
}

const TYPES = { term: '术语', warning: '警示', playbook: '流程模板', knowledge: '知识' } as const;
const PHASES = { plan: '计划', execute: '执行', postcheck: '后检', answer: '回答' } as const;

const percent = (share: number) => `${Math.round(share * 1000) / 10}%`;

function toText(s: Stats, days: number): string {
  if (s.records === 0)
    return `最近 ${days} 天没有查询记录。用 xihe run、core、lookup 时会自动记到 .xihe/state/queries.jsonl，只留在本机，不会提交。`;
  const { queries, lookups, latency } = s;
  const head = [
    pc.bold(`最近 ${days} 天：查询 ${queries.total} 次，查阅 ${lookups.total} 次`),
    ...(queries.total > 0
      ? [`闸门：放行 ${queries.gateOpen}，没放行 ${queries.gateClosed}，放行率 ${percent(queries.gateRate)}`]
      : []),
    ...(queries.gateOpen > 0
      ? [`查询：命中 ${queries.hits}，落空 ${queries.misses}，命中率 ${percent(queries.hitRate)}`]
      : []),
    ...(lookups.total > 0
      ? [`查阅：命中 ${lookups.hits}，落空 ${lookups.misses}，命中率 ${percent(lookups.hitRate)}`]
      : []),
    ...(latency ? [`耗时：一半不超过 ${latency.p50} 毫秒，95% 不超过 ${latency.p95} 毫秒（${latency.count} 次）`] : []),
    `读到的内容：约 ${s.tokens} token`,
  ].join('\n');
  return [
    head,
    list(
      '各阶段',
      s.phases.map((p) => `${PHASES[p.phase]}：查询 ${p.queries}，注入 ${p.injections} 次，约 ${p.tokens} token`),
    ),
    list(
      '花得最多的条目',
      s.entries.map(
        (e) =>
          `${TYPES[e.type]}「${e.title}」 ${e.uses} 次，约 ${e.tokens} token，占 ${percent(e.share)}  ${pc.dim(e.file)}`,
      ),
    ),
    list(
      '落空最多的词',
      s.missed.map(({ word, times }) => `${word}  ${times} 次`),
    ),
    list(
      '没有命中过的条目',
      s.neverHit.map((e) => `${TYPES[e.type]}「${e.title}」  ${pc.dim(`${e.file}:${e.line}`)}`),
    ),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function list(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  const rest = lines.length - SHOWN;
  const more = rest > 0 ? [pc.dim(`另有 ${rest} 条，用 --json 看全部`)] : [];
  return [pc.bold(title), ...lines.slice(0, SHOWN).map(visible), ...more].join('\n');
}

function toJson(s: Stats, days: number) {
  const { hitRate, gateOpen, gateClosed, gateRate, ...queries } = s.queries;
  const { hitRate: lookupRate, ...lookups } = s.lookups;
  return {
    days,
    records: s.records,
    queries: { ...queries, hit_rate: hitRate, gate_open: gateOpen, gate_closed: gateClosed, gate_rate: gateRate },
    lookups: { ...lookups, hit_rate: lookupRate },
    phases: s.phases,
    tokens: s.tokens,
    entries: s.entries.map(({ lastUsed, ...rest }) => ({ ...rest, last_used: lastUsed })),
    never_hit: s.neverHit,
    latency_ms: s.latency ?? null,
    missed: s.missed,
  };
}
