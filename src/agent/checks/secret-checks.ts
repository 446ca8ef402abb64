import type { FileDiff } from '../../sandbox/index.js';
import { holdsPrivateKey, secretIn } from '../../text/index.js';
import type { Finding } from '../state.js';

/** Files where such literals are ordinary: tests and examples use made-up ones. */
const EXEMPT = /(^|\/)(tests?|__tests__|fixtures|examples?|docs?)\/|\.(test|spec)\.[a-z]+$|\.md$/;

/** Settings and scripts, where a value stands without quotes; in other code a bare word is a variable. */
const SETTINGS = /\.(?:properties|ya?ml|ini|conf|cfg|toml|env|sh|bash)$|(?:^|\/)(?:\.env[^/]*|Dockerfile)$/i;

/** Secrets on added lines; the finding never repeats the secret. */
export function secretFindings(diffs: FileDiff[]): Finding[] {
  return diffs
    .filter((d) => !EXEMPT.test(d.path))
    .flatMap((diff) =>
      diff.addedLines.flatMap((line): Finding[] => {
        const context = SETTINGS.test(diff.path) ? 'prose' : 'code';
        // The lines of a key come one by one: its head has to do.
        const what = holdsPrivateKey(line.text) ? '私钥' : secretIn(line.text, context);
        if (what === undefined) return [];
        const text = `${what}写进了代码，改成从配置或环境变量读取`;
        return [{ from: 'secret', severity: 'block', path: diff.path, line: line.line, text }];
      }),
    );
}
