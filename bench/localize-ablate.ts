// `bench:localize --ablate`: what each kind of evidence is worth, as the difference that leaving it out makes, request by request.
import { type Asked, type Case, placeOf, scoresOf } from './localize-data.js';
import type { FileFinder } from './localize-systems.js';
import { interval } from './retrieve-data.js';

/** Kinds that are left out together. */
export const ABLATIONS = {
  '提交历史（下面三种）': ['commits', 'messages', 'churn'],
  相似提交的投票: ['commits'],
  文件的全部提交说明: ['messages'],
  改动次数: ['churn'],
  '正文、注释、符号里的词': ['words'],
  请求里的标识符: ['identifiers'],
  '请求里的文件名、目录名': ['names'],
  '词库（下面两种）': ['lexicon', 'symbolLexicon'],
  '词库 → 正文': ['lexicon'],
  '词库 → 符号': ['symbolLexicon'],
  路径被说到的份额: ['pathShare'],
  文件种类的先验: ['priors'],
} as const;

/** What one request scores by each measure. */
function valuesOf(asked: Asked) {
  const place = placeOf(asked);
  return { hit5: Number(place > 0 && place <= 5), hit20: Number(place > 0), mrr: place > 0 ? 1 / place : 0 };
}

/** The measures without a kind of evidence, and how far that is from the whole (95 % interval by the bootstrap over requests). */
export function ablationRow(whole: readonly Asked[], without: readonly Asked[]) {
  const pairs = whole.map((asked, i) => [valuesOf(asked), valuesOf(without[i]!)] as const);
  const of = (measure: 'hit5' | 'hit20' | 'mrr') => {
    const differences = pairs.map(([all, less]) => less[measure] - all[measure]);
    const mean = differences.reduce((sum, value) => sum + value, 0) / Math.max(1, differences.length);
    return { difference: Number(mean.toFixed(4)), interval: interval(differences) };
  };
  const { hit5, hit20, mrr } = scoresOf(without);
  return { hit5, hit20, mrr, change: { hit5: of('hit5'), hit20: of('hit20'), mrr: of('mrr') } };
}

/** Asks all requests of a tree again without each kind; the lists grow in the order of the requests. */
export async function askWithout(
  finder: FileFinder,
  cases: readonly Case[],
  depth: number,
  into: Map<string, Asked[]>,
): Promise<void> {
  for (const [name, kinds] of Object.entries(ABLATIONS)) {
    const list = into.get(name) ?? [];
    into.set(name, list);
    for (const one of cases) list.push({ one, ranked: await finder.search(one.query, depth, kinds), ms: 0 });
  }
}
