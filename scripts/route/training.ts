// The training utterances of routing: `src/agent/routing/training/*.txt`, and the samples that ship.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSamples } from '../../src/agent/routing/index.js';
import { packageRoot } from '../../src/assets.js';
import { stableHash } from '../../src/text/index.js';

export interface TrainingUtterance {
  text: string;
  /** Kinds in order: `edit`, `edit+tool`. */
  want: string;
  /** Kind of act, or what makes it awkward. */
  tag: string;
  file: string;
}

const FOLDER = 'src/agent/routing/training';

/** Reads the files: `@want tag` labels the lines below it, `#` is a comment, `\n` and `\t` stand for themselves. */
export function readTraining(): TrainingUtterance[] {
  const folder = join(packageRoot(), FOLDER);
  const out: TrainingUtterance[] = [];
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.txt')) continue;
    let label: { want: string; tag: string } | undefined;
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      const head = /^@([\w+]+) ?(\S*)$/.exec(line);
      if (head) label = { want: head[1]!, tag: head[2]! };
      else if (line.trim() !== '' && !line.startsWith('#')) {
        if (!label) throw new Error(`${file}: ${line} stands before any label`);
        out.push({ text: line.replaceAll('\\n', '\n').replaceAll('\\t', '\t'), ...label, file });
      }
    }
  }
  return out;
}

/** The samples of the similarity layer, as training utterances. */
export function shippedSamples(): TrainingUtterance[] {
  return loadSamples().map(({ text, kind, tool }) => ({ text, want: kind, tag: tool ?? '', file: 'samples.yaml' }));
}

/** The utterances that the rules were written for (`test/agent/routing/utterances.tsv`). */
export function tunedUtterances(): TrainingUtterance[] {
  const text = readFileSync(join(packageRoot(), 'test/agent/routing/utterances.tsv'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => line.split('\t') as [want: string, text: string])
    .map(([want, said]) => ({ text: said, want, tag: '', file: 'utterances.tsv' }));
}

/** A hash of all that the classifier is trained on; model.json carries it. */
export function trainingHash(): string {
  const all = [...readTraining(), ...shippedSamples(), ...tunedUtterances()];
  return stableHash(JSON.stringify(all.map(({ text, want, tag }) => [text, want, tag])));
}
