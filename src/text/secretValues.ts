/**
 * Keys and passwords that were written down. Few and sure, where {@link maskText} hides whatever may be one: the documented
 * prefixes of the providers (OpenAI `sk-`, AWS `AKIA`, Alibaba Cloud `LTAI`, GitHub `ghp_`), and PEM headers.
 */
const SECRETS: readonly { pattern: RegExp; what: string }[] = [
  { pattern: /\bsk-[A-Za-z0-9_-]{20,}/, what: '像是模型服务的密钥' },
  { pattern: /\bAKIA[0-9A-Z]{16}\b/, what: '像是 AWS 密钥' },
  { pattern: /\bLTAI[0-9A-Za-z]{12,}\b/, what: '像是阿里云 AccessKey' },
  { pattern: /\bgh[pousr]_[A-Za-z0-9]{30,}/, what: '像是 GitHub 令牌' },
  { pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*[A-Za-z0-9+/=\s]{40,}/, what: '像是私钥' },
];

/** A literal given to a name that says what it is. Group 1 is the name, group 2 the literal. */
const NAMED_LITERAL = /(password|passwd|secret|api_?key|access_?token)['"]?\s*[:=]\s*['"`]([^'"`${}\s]{8,})['"`]/gi;

/** What is written where a secret will be: words for people (Chinese), blanks to fill in, the name itself. */
const NO_SECRET = /[\u3400-\u9fff]|^[*x.•-]+$|^<.*>$|^(your|my|change|replace|todo|example|placeholder|dummy)[-_]?/i;

/** The same letter or two over and over (`sk-xxxxxxxx`, `AKIA0000…`), or the alphabet: no key looks like that. */
function isMadeUp(value: string): boolean {
  const letters = value.toLowerCase().replace(/[^a-z0-9]/g, '');
  return new Set(letters).size <= 4 || /0123456|123456789|abcdefgh|example|yourkey|xxxx/.test(letters);
}

/**
 * Whether a text holds a key or password that looks real.
 *
 * @returns what it looks like, in Chinese; never the secret itself
 */
export function secretIn(text: string): string | undefined {
  for (const { pattern, what } of SECRETS) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined && !isMadeUp(found)) return what;
  }
  const flat = (s: string) => s.toLowerCase().replace(/[^a-z]/g, '');
  for (const [, name = '', literal = ''] of text.matchAll(NAMED_LITERAL)) {
    if (!NO_SECRET.test(literal) && !isMadeUp(literal) && flat(literal) !== flat(name)) return '像是写死的口令或密钥';
  }
  return undefined;
}
