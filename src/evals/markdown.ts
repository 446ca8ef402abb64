import type { ArmSummary, EvalSummary } from './summary.js';

/** Half of a report's width in a table: percent without decimals say all that 40 tasks can. */
const percent = (share: number) => `${Math.round(share * 100)}%`;
const signed = (n: number, digits: number, unit: string) =>
  `${n >= 0 ? '+' : '−'}${Math.abs(n).toFixed(digits)}${unit}`;
const KINDS: Record<string, string> = {
  term: '术语',
  knowledge: '知识',
  warning: '警示',
  step: '流程步骤',
  file: '文件',
};

/** The report as Markdown, for a pull request. */
export function toMarkdown(summary: EvalSummary, { stopped }: { stopped: string | null }): string {
  const arms = Object.entries(summary.arms);
  const withModel = arms.some(([, arm]) => arm.model);
  return [
    `# 羲和评测：${summary.tasks} 个任务${summary.model ? `，模型 ${summary.model}，各 ${summary.repeats} 次` : '，没有模型'}`,
    ...(stopped ? [`> 没有跑完：${stopped}`] : []),
    withModel
      ? '“成功”指隐藏测试全过、该有的事实都有、没有错误的事实。'
      : '没有模型时只看：决定成败的术语、知识、警示、流程步骤和文件，有多少在交给模型之前就摆出来了。**这不是任务成功率。**',
    armTable(arms, withModel),
    kindTable(arms),
    ...(summary.comparisons.length > 0 ? [comparisonTable(summary, withModel)] : []),
  ].join('\n\n');
}

function armTable(arms: [string, ArmSummary][], withModel: boolean): string {
  const head = withModel
    ? [
        '对照组',
        '次数',
        '成功',
        '错误事实',
        '违反警示',
        '多余改动',
        '读入 token',
        '写出 token',
        '打开文件',
        '轮数',
        '秒',
        '摆出的',
      ]
    : ['对照组', '次数', '摆出的', '全部摆出', 'MRR', '预案 token'];
  return table(
    head,
    arms.map(([name, arm]) => {
      const first = [`${arm.title}（${name}）`, String(arm.runs)];
      const { model } = arm;
      if (!withModel || !model)
        return [...first, percent(arm.support), percent(arm.whole), arm.mrr.toFixed(2), String(Math.round(arm.tokens))];
      return [
        ...first,
        percent(model.success),
        percent(model.wrong_facts),
        percent(model.violated),
        percent(model.unneeded),
        ...[model.input, model.output].map((n) => String(Math.round(n))),
        ...[model.opened, model.turns, model.seconds].map((n) => n.toFixed(1)),
        percent(arm.support),
      ];
    }),
  );
}

function kindTable(arms: [string, ArmSummary][]): string {
  const kinds = Object.keys(KINDS).filter((kind) => arms.some(([, arm]) => arm.by_kind[kind] !== undefined));
  const classes = [
    ...new Set(arms.flatMap(([, arm]) => Object.keys(arm.by_class))),
  ] as (keyof ArmSummary['by_class'])[];
  return table(
    ['摆出的比例', ...kinds.map((kind) => KINDS[kind]!), ...classes],
    arms.map(([name, arm]) => [
      name,
      ...kinds.map((kind) => percent(arm.by_kind[kind] ?? 0)),
      ...classes.map((one) => percent(arm.by_class[one] ?? 0)),
    ]),
  );
}

function comparisonTable({ comparisons }: EvalSummary, withModel: boolean): string {
  const rows = comparisons.flatMap((one) => {
    const name = `${one.against} 比 ${one.arm}`;
    const interval = (d: { low: number; high: number }, scale: number, digits: number) =>
      `${(d.low * scale).toFixed(digits)} 到 ${(d.high * scale).toFixed(digits)}`;
    const verdict = (d: { real: boolean }) => (d.real ? '有差别' : '看不出差别');
    const { support, tokens, success } = one;
    return [
      [name, '摆出的', signed(support.mean * 100, 1, ' 点'), interval(support, 100, 1), verdict(support)],
      [name, withModel ? 'token' : '预案 token', signed(tokens.mean, 0, ''), interval(tokens, 1, 0), verdict(tokens)],
      ...(success
        ? [
            [
              name,
              '成功',
              signed(success.difference.mean * 100, 1, ' 点'),
              interval(success.difference, 100, 1),
              `${verdict(success.difference)}（McNemar：${success.mcnemar.onlyA} 对 ${success.mcnemar.onlyB}，p=${success.mcnemar.p.toFixed(3)}）`,
            ],
          ]
        : []),
    ];
  });
  return `${table(['比较', '量', '平均差', '95% 区间', '结论'], rows)}\n\n同一任务成对比较，按任务重抽样；区间含 0 就不说有差别。`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
