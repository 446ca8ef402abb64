import { closest } from '../../../text/index.js';
import type { Term, Warning } from '../../types.js';
import type { LintModel } from '../model.js';
import type { Finding, LintEntry, Rule } from '../types.js';

const deadSymbol: Rule = {
  id: 'XL201',
  name: 'dead-symbol',
  level: 'error',
  title: '代码符号在仓库里找不到',
  help: '重构改了名字，或者抄错了。改成现在的名字；xihe scan 能看出它可能搬到了哪里。未确认的候选只算警告。',
  async check(model) {
    const findings: Finding[] = [];
    const known = new Map<string, boolean>();
    for (const { entry, symbol } of namedSymbols(model)) {
      const alive = known.get(symbol) ?? ((await model.options.symbols?.(symbol))?.length ?? 1) > 0;
      known.set(symbol, alive);
      if (alive) continue;
      const level = entry.status === 'verified' ? 'error' : 'warning';
      findings.push(
        model.at(deadSymbol, entry, `代码里找不到 ${symbol}：改成现在的名字，或去掉它`, { near: symbol, level }),
      );
    }
    return findings;
  },
};

/** Symbols of a project's own entries; those of what ships are usual names, in no repository all of them. */
function namedSymbols({ layers }: LintModel): { entry: LintEntry<Term | Warning>; symbol: string }[] {
  return layers
    .filter(({ layer }) => layer === 'project')
    .flatMap(({ terms, warnings }) => [
      ...terms.flatMap((entry) => entry.entry.code_symbols.map((symbol) => ({ entry, symbol }))),
      ...warnings.flatMap((entry) => entry.entry.when.symbols.map((symbol) => ({ entry, symbol }))),
    ]);
}

const unknownModule: Rule = {
  id: 'XL202',
  name: 'unknown-module',
  level: 'warning',
  title: 'module 不在 modules.yaml 里',
  help: '没有登记的模块永远不会成为焦点，这一条只能当不分模块的用。改正名字，或在 modules.yaml 里加上它。',
  check: (model) =>
    model.layers
      .filter(({ layer, modules }) => layer === 'project' && Object.keys(modules).length > 0)
      .flatMap(({ modules, terms, warnings, playbooks, documents }) =>
        [...terms, ...warnings, ...playbooks, ...documents].flatMap((entry) => {
          if (entry.module === undefined || entry.module in modules) return [];
          const [near] = closest(entry.module, Object.keys(modules), 1);
          const guess = near === undefined ? '' : `；是不是 ${near}？`;
          return [
            model.at(unknownModule, entry, `模块 ${entry.module} 不在 modules.yaml 里${guess}`, { near: entry.module }),
          ];
        }),
      ),
};

export const symbolRules: readonly Rule[] = [deadSymbol, unknownModule];
