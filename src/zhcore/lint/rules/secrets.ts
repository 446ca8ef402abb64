import { secretIn } from '../../../text/index.js';
import type { Finding, Rule } from '../types.js';

/** A PEM key needs its next lines to be told from a mention of one. */
const LINES_LOOKED_AT = 3;

const secret: Rule = {
  id: 'XL701',
  name: 'secret-in-entry',
  level: 'error',
  title: '条目里写了密钥或口令',
  help: '条目会进仓库，也会发给模型。删掉它，换成占位符；已经提交过的，到平台上作废重发。',
  check: (model) => {
    const files = new Map(model.entries.map((entry) => [entry.file, entry.layer]));
    for (const { layer, problems } of model.layers) for (const { file } of problems) files.set(file, layer);
    return [...files].flatMap(([file, layer]) => {
      const lines = model.linesOf(file);
      return lines.flatMap((line, i): Finding[] => {
        const text = line.includes('-----BEGIN') ? lines.slice(i, i + LINES_LOOKED_AT).join('\n') : line;
        const what = secretIn(text);
        if (what === undefined) return [];
        const message = `${what}：删掉它，换成占位符；已经提交过的要作废重发`;
        return [{ rule: secret.id, level: secret.level, layer, file, line: i + 1, message }];
      });
    });
  },
};

export const secretRules: readonly Rule[] = [secret];
