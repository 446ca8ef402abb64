// `npm run route:train [-- --report]`: trains the classifier of routing on its utterances and writes src/agent/routing/model.json.
// `--report` writes nothing: cross-validation, and what each threshold would do.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gramsOf } from '../../src/agent/routing/features.js';
import { LinearModel, type Scored } from '../../src/agent/routing/linear.js';
import { routeByRules } from '../../src/agent/routing/rules.js';
import { packageRoot } from '../../src/assets.js';
import { type Example, type FitOptions, fitWeights } from './fit.js';
import { readTraining, shippedSamples, type TrainingUtterance, trainingHash, tunedUtterances } from './training.js';

const KINDS: FitOptions = { rare: 4, pull: 0.1, steps: 200 };
const ACTS: FitOptions = { rare: 2, pull: 0.02, steps: 120 };
const FOLDS = 5;

const firstKind = (want: string) => want.split('+')[0]!;

/**
 * Each utterance twice: its words alone, and its words with what the rules saw; so the words learn to stand on their own, and
 * the two can be asked apart. The rules were written for the tuned utterances, so what they say of those proves nothing.
 */
function kindExamples({ text, want, file }: TrainingUtterance): Example[] {
  const label = firstKind(want);
  const grams = gramsOf(text);
  const alone = { features: grams, label };
  return file === 'utterances.tsv' ? [alone] : [alone, { features: [...grams, ...routeByRules(text).marks], label }];
}

const { values } = parseArgs({ options: { report: { type: 'boolean', default: false } } });
const own = readTraining();
const samples = shippedSamples();
const tuned = tunedUtterances();
const acts = [...own, ...samples]
  .filter(({ want, tag, file }) => want === 'tool' && tag !== '' && file !== 'long.txt')
  .map(({ text, tag }): Example => ({ features: gramsOf(text), label: tag }));

if (values.report) report();
else {
  const kinds = fitWeights([...own, ...samples, ...tuned].flatMap(kindExamples), KINDS);
  const model = { trainedOn: trainingHash(), kinds, acts: fitWeights(acts, ACTS) };
  const path = join(packageRoot(), 'src/agent/routing/model.json');
  const text = `${JSON.stringify(model, null, 2)}\n`;
  writeFileSync(path, text);
  process.stderr.write(
    `${path}：${own.length + samples.length + tuned.length} 句，${Math.round(text.length / 1024)} KB\n`,
  );
}

/** Every fifth utterance is left out in turn; shares of each kind for those that were. */
function report(): void {
  const rows: { u: TrainingUtterance; shares: Record<string, number>; words: number }[] = [];
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const train = own.filter((_, i) => i % FOLDS !== fold);
    const model = new LinearModel(fitWeights([...train, ...samples, ...tuned].flatMap(kindExamples), KINDS));
    own.forEach((u, i) => {
      if (i % FOLDS !== fold) return;
      const [words, both] = kindExamples(u).map(({ features }) => model.shares(features)) as [Scored[], Scored[]];
      const shares = Object.fromEntries(both.map(({ label, p }) => [label, p]));
      rows.push({ u, shares, words: words.find(({ label }) => label === 'tool')!.p });
    });
  }
  const best = (shares: Record<string, number>) => Object.entries(shares).sort((a, b) => b[1] - a[1])[0]![0];
  const right = rows.filter(({ u, shares }) => best(shares) === firstKind(u.want)).length;
  process.stdout.write(`分类器单独（留出五分之一）：${(right / rows.length).toFixed(3)}\n`);
  const safe = rows.filter(({ u }) => !u.want.includes('tool'));
  const asked = rows.filter(({ u }) => u.want === 'tool');
  for (const share of [0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8]) {
    const ruled = (list: typeof rows, want: boolean) =>
      list.filter(({ u }) => routeByRules(u.text).intents.some(({ kind }) => kind === 'tool') === want);
    const openOnes = (list: typeof rows) => ruled(list, false).filter(({ u }) => routeByRules(u.text).open);
    const above = (list: typeof rows) =>
      `${list.filter(({ shares }) => shares.tool! >= share).length}·${list.filter(({ words }) => words >= share).length}·${list.filter(({ shares, words }) => (shares.tool! + words) / 2 >= share).length}·${list.filter(({ shares, words }) => Math.sqrt(shares.tool! * words) >= share).length}`;
    process.stdout.write(
      `${share}: 规则说执行——误 ${above(ruled(safe, true))}/${ruled(safe, true).length}，留 ${above(ruled(asked, true))}/${ruled(asked, true).length}；` +
        `只有动词——误 ${above(openOnes(safe))}/${openOnes(safe).length}，得 ${above(openOnes(asked))}/${openOnes(asked).length}\n`,
    );
  }
}
