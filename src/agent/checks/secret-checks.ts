import type { FileDiff } from '../../sandbox/index.js';
import type { Finding } from '../state.js';

/**
 * Keys and passwords on added lines. Patterns: the documented prefixes of the providers (OpenAI `sk-`, AWS `AKIA`, Alibaba
 * Cloud `LTAI`, GitHub `ghp_`), and PEM headers.
 */
const SECRETS: { pattern: RegExp; what: string }[] = [
  { pattern: /\bsk-[A-Za-z0-9_-]{20,}/, what: '像是模型服务的密钥' },
  { pattern: /\bAKIA[0-9A-Z]{16}\b/, what: '像是 AWS 密钥' },
  { pattern: /\bLTAI[0-9A-Za-z]{12,}\b/, what: '像是阿里云 AccessKey' },
  { pattern: /\bgh[pousr]_[A-Za-z0-9]{30,}/, what: '像是 GitHub 令牌' },
  { pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/, what: '私钥' },
];
/** A literal given to a name that says what it is. Group 1 is the name, group 2 the literal. */
const NAMED_LITERAL = /(password|passwd|secret|api_?key|access_?token)['"]?\s*[:=]\s*['"`]([^'"`${}\s]{8,})['"`]/gi;
/** What is written where a secret will be: words for people (Chinese), blanks to fill in, the name itself. */
const NO_SECRET = /[\u3400-\u9fff]|^[*x.•-]+$|^<.*>$|^(your|my|change|replace|todo|example|placeholder|dummy)[-_]?/i;

/** Files where such literals are ordinary: tests and examples use made-up ones. */
const EXEMPT = /(^|\/)(tests?|__tests__|fixtures|examples?|docs?)\/|\.(test|spec)\.[a-z]+$|\.md$/;

/** Secrets on added lines; the finding never repeats the secret. */
export function secretFindings(diffs: FileDiff[]): Finding[] {
  return diffs
    .filter((d) => !EXEMPT.test(d.path))
    .flatMap((diff) =>
      diff.addedLines.flatMap((line): Finding[] => {
        const what = secretIn(line.text);
        if (what === undefined) return [];
        const text = `${what}写进了代码，改成从配置或环境变量读取`;
        return [{ from: 'secret', severity: 'block', path: diff.path, line: line.line, text }];
      }),
    );
}

function secretIn(line: string): string | undefined {
  const known = SECRETS.find((s) => s.pattern.test(line));
  if (known) return known.what;
  const flat = (s: string) => s.toLowerCase().replace(/[^a-z]/g, '');
  for (const [, name, literal] of line.matchAll(NAMED_LITERAL))
    if (!NO_SECRET.test(literal!) && flat(literal!) !== flat(name!)) return '像是写死的口令或密钥';
  return undefined;
}
