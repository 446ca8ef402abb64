// `npm run -s bench:route -- --data DIR [--split S] [--errors] [--json]`: an utterance → what it wants, and which tool of a folder's
// contracts does it. Beside what the product does: keyword rules (any word of action is an act) and BM25 over the contracts.
import { parseArgs } from 'node:util';
import { actsOf, route } from '../src/agent/routing/index.js';
import { Bm25Index, cutWords } from '../src/text/index.js';
import { ToolIndex } from '../src/tools/preselect.js';
import { quantile } from './retrieve-data.js';
import { type Answer, type Case, readCases, readTools, scoreRoutes, scoreTools, type ToolCase } from './route-data.js';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    json: { type: 'boolean', default: false },
    errors: { type: 'boolean', default: false },
  },
});
const say = (text: string) => process.stderr.write(`${text}\n`);
if (values.data === undefined) {
  say('用法：npm run -s bench:route -- --data DIR [--split dev] [--errors] [--json]');
  process.exit(2);
}

/** The rules that a first version of any agent has: a word of action makes an act. */
const ACT_WORDS = /重启|部署|发布|回滚|搜索|修改|创建|删除/;
const keywords = (one: Case): Answer => ({ routes: [ACT_WORDS.test(one.text) ? 'tool' : 'qa'], ms: 0 });

const routed = ({ text, previous }: Case) => route(text, previous ? { previous } : {});

function product(one: Case): Answer {
  const started = performance.now();
  const { intents } = routed(one);
  const ms = performance.now() - started;
  return {
    routes: intents.map(({ kind }) => kind),
    why: intents.map(({ evidence }) => evidence).join('；'),
    ms,
  };
}

/** The act's own part of the utterance and its hint, as the product asks them of the preselection. */
function actPart(one: Case): { text: string; hint?: string } {
  const act = routed(one).intents.find(({ kind }) => kind === 'tool');
  return act ? { text: act.text, ...(act.toolHint ? { hint: act.toolHint } : {}) } : { text: one.text };
}

/** The textbook: words cut by a dictionary, over name, description and examples in one field. */
function bm25(tools: readonly ToolCase[]) {
  const cut = (text: string) =>
    cutWords(text.toLowerCase().replaceAll('_', ' ')).filter((w) => /[\p{L}\p{N}]/u.test(w));
  const index = new Bm25Index<number>({});
  tools.forEach((tool, i) => {
    index.add(i, { all: cut([tool.name, tool.description, ...tool.examples].join(' ')) });
  });
  index.finish();
  return (one: Case) => index.search(cut(one.text), 3).map(({ id }) => tools[id]!.name);
}

const cases = await readCases(values.data, values.split);
const tools = await readTools(values.data);
say(`${cases.length} 句话（${values.split}），${tools.length} 个工具`);
for (const one of cases.slice(0, 20)) product(one);

const answers = cases.map(product);
const routes = scoreRoutes(cases, answers);
const index = new ToolIndex(tools.map(({ examples, ...rest }) => ({ ...rest, keywords: examples })));
const chosen = scoreTools(cases, (one) => {
  const { text, hint } = actPart(one);
  return index.rank(text, 3, actsOf, hint).map((hit) => tools[hit.index]!.name);
});
const plain = scoreTools(cases, bm25(tools));
const times = answers.map(({ ms }) => ms);
const systems = {
  xihe: {
    ...routes.report,
    ...chosen.report,
    p50_ms: quantile(times, 0.5),
    p95_ms: quantile(times, 0.95),
    ...(values.errors ? { errors: routes.wrong, tool_errors: chosen.wrong } : {}),
  },
  keywords: scoreRoutes(cases, cases.map(keywords)).report,
  'bm25-jieba': plain.report,
};
const { xihe } = systems;
say(
  `xihe: 准确率 ${xihe.accuracy}，误作执行 ${xihe.dangerous}/${xihe.safeN}，漏掉执行 ${xihe.missed}/${xihe.toolN}，两件事 ${xihe.pairsRight}/${xihe.pairs}，` +
    `工具第一 ${xihe.tool_hit1}，前三 ${xihe.tool_hit3}`,
);
say(
  `keywords: 准确率 ${systems.keywords.accuracy}，误作执行 ${systems.keywords.dangerous}；bm25: ${JSON.stringify(plain.report)}`,
);
if (values.errors) {
  for (const { want, got, text, why, dangerous } of routes.wrong)
    say(`${dangerous ? '!!' : '  '} ${want} ← ${got}\t${text}\t${why ?? ''}`);
  for (const { want, got, text } of chosen.wrong) say(`   ${want} ← ${got.join(' ')}\t${text}`);
}
if (values.json) process.stdout.write(`${JSON.stringify({ bench: 'route', split: values.split, systems })}\n`);
