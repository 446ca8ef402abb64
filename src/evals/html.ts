import type { EvalReport } from './report-files.js';
import type { EvalRun } from './result.js';

/** Light and dark, no network, readable on paper. */
const STYLE = `
:root{color-scheme:light dark;--fg:#1f2328;--bg:#fff;--dim:#656d76;--line:#d0d7de;--soft:#f6f8fa;--bar:#3b82c4;--bad:#b35900}
@media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--dim:#8d96a0;--line:#30363d;--soft:#161b22;--bar:#58a6ff;--bad:#e3a15b}}
body{margin:0 auto;max-width:76rem;padding:1.5rem;font:15px/1.6 system-ui,"PingFang SC","Microsoft YaHei",sans-serif;color:var(--fg);background:var(--bg)}
h1{font-size:1.3rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid var(--line);padding:.3rem .5rem;text-align:left;vertical-align:top}
.dim{color:var(--dim)}.bad{color:var(--bad)}.bar{fill:var(--bar)}.track{fill:var(--soft)}
svg text{fill:var(--fg);font:13px system-ui,sans-serif}code{font:13px ui-monospace,Consolas,monospace}
`;
const KINDS: Record<string, string> = {
  term: '术语',
  knowledge: '知识',
  warning: '警示',
  step: '流程步骤',
  file: '文件',
};

/** The report as one page that needs no network: arms as bars, every number down to its runs, every run to its trace. */
export function toHtml(report: EvalReport): string {
  const withModel = Object.values(report.arms).some((arm) => arm.model);
  const title = `羲和评测：${report.tasks} 个任务`;
  return `<!doctype html>
<html lang="zh-CN"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${esc(title)}</title><style>${STYLE}</style></head><body>
<h1>${esc(title)}</h1>
<p class="dim">${report.model === null ? '没有模型：只看决定成败的东西有多少摆在了模型面前，这不是任务成功率。' : `模型 ${esc(report.model)}，各 ${report.repeats} 次。`}${report.stopped ? ` <span class="bad">没有跑完：${esc(report.stopped)}</span>` : ''}</p>
${withModel ? `<h2>成功</h2>${bars(report, (arm) => arm.model?.success ?? 0)}` : ''}
<h2>摆出的比例</h2>${bars(report, (arm) => arm.support)}
<h2>按种类</h2>${kinds(report)}
<h2>和第一组比</h2>${comparisons(report)}
<h2>每一次</h2>${runTable(report.runs)}
</body></html>
`;
}

/** Pixels of a bar chart: names, then a track of 100 %. */
const CHART = { name: 240, track: 420, row: 26 };

function bars(report: EvalReport, value: (arm: EvalReport['arms'][string]) => number): string {
  const rows = Object.entries(report.arms).map(([name, arm], i) => {
    const share = value(arm);
    const y = i * CHART.row;
    const width = Math.round(share * CHART.track);
    return `<text x="0" y="${y + 16}">${esc(arm.title)}（${esc(name)}）</text><rect class="track" x="${CHART.name}" y="${y + 4}" width="${CHART.track}" height="16"/><rect class="bar" x="${CHART.name}" y="${y + 4}" width="${width}" height="16"/><text x="${CHART.name + CHART.track + 8}" y="${y + 16}">${Math.round(share * 100)}%</text>`;
  });
  const height = rows.length * CHART.row;
  return `<svg role="img" viewBox="0 0 ${CHART.name + CHART.track + 60} ${height}" width="100%" style="max-width:${CHART.name + CHART.track + 60}px">${rows.join('')}</svg>`;
}

function kinds(report: EvalReport): string {
  const arms = Object.entries(report.arms);
  const head = ['对照组', ...Object.values(KINDS), 'MRR', 'token'];
  const rows = arms.map(([name, arm]) => [
    name,
    ...Object.keys(KINDS).map((kind) =>
      arm.by_kind[kind] === undefined ? '—' : `${Math.round(arm.by_kind[kind]! * 100)}%`,
    ),
    arm.mrr.toFixed(2),
    String(Math.round(arm.model ? arm.model.input + arm.model.output : arm.tokens)),
  ]);
  return table(
    head,
    rows.map((row) => row.map(esc)),
  );
}

function comparisons({ comparisons: list }: EvalReport): string {
  if (list.length === 0) return '<p>（只有一组）</p>';
  const rows = list.flatMap((one) => {
    const measures = [
      ['摆出的', one.support, 100],
      ['token', one.tokens, 1],
      ...(one.success ? [['成功', one.success.difference, 100] as const] : []),
    ] as const;
    return measures.map(([name, d, scale]) =>
      [
        `${one.against} 比 ${one.arm}`,
        name,
        (d.mean * scale).toFixed(1),
        `${(d.low * scale).toFixed(1)} 到 ${(d.high * scale).toFixed(1)}`,
        d.real ? '有差别' : '看不出差别',
      ].map(esc),
    );
  });
  return table(['比较', '量', '平均差', '95% 区间', '结论'], rows);
}

function runTable(runs: readonly EvalRun[]): string {
  const rows = runs.map((run) => {
    const absent = run.support.items
      .filter((item) => item.rank === null)
      .map((item) => `${KINDS[item.kind]} ${item.id}`);
    const result =
      run.outcome === null ? `${Math.round(run.support.support * 100)}%` : run.outcome.success ? '成功' : '没成功';
    const why = run.outcome === null ? absent : [...run.outcome.missing, ...run.outcome.wrong, ...run.outcome.violated];
    return [
      esc(run.task),
      esc(run.class),
      esc(run.arm),
      esc(result),
      `<span class="dim">${esc(why.join('、'))}</span>`,
      String(run.usage.calls > 0 ? run.usage.input + run.usage.output : run.support.tokens),
      `<a href="runs/${encodeURIComponent(run.name)}.trace.json">追溯</a>`,
    ];
  });
  return table(['任务', '类', '对照组', '结果', '缺的、错的', 'token', ''], rows);
}

/** @param rows cells are HTML */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${line(head.map(esc), 'th')}${rows.map((row) => line(row, 'td')).join('')}</table>`;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const esc = (text: string): string => text.replace(/[&<>"']/g, (c) => ESCAPES[c]!);
