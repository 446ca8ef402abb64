/**
 * Keys and passwords that were written down. Few and sure, where {@link maskText} hides whatever may be one: the documented
 * prefixes of the providers (OpenAI `sk-`, AWS `AKIA`, Alibaba Cloud `LTAI`, Tencent Cloud `AKID`, GitHub `ghp_`), PEM and JSON Web
 * Tokens, the addresses of robots (WeCom, DingTalk, Feishu), and what stands behind a name that says what it is.
 */

/** A secret in a text. */
export interface SecretFound {
  /** What it looks like, in Chinese; never the secret itself. */
  what: string;
  /** Of the secret alone, without its name. */
  start: number;
  end: number;
}

/** What a text is. In `code` a word without quotes behind a name is a variable; in `prose` and settings it is the value. */
export type SecretContext = 'prose' | 'code';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** Forms that are secrets wherever they stand. Group 1, where there is one, is the secret. */
const FORMS: readonly { pattern: RegExp; what: string }[] = [
  { pattern: /\bsk-[A-Za-z0-9_-]{20,}/g, what: '像是模型服务的密钥' },
  { pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, what: '像是 AWS 密钥' },
  { pattern: /\bLTAI[0-9A-Za-z]{12,}\b/g, what: '像是阿里云 AccessKey' },
  { pattern: /\bAKID[0-9A-Za-z]{28,36}\b/g, what: '像是腾讯云 SecretId' },
  { pattern: /\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}/g, what: '像是 GitHub 令牌' },
  { pattern: /\bglpat-[A-Za-z0-9_-]{20,}/g, what: '像是 GitLab 令牌' },
  { pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----\s*[A-Za-z0-9+/=\s]{40,}/g, what: '像是私钥' },
  // Header and payload are JSON, so both begin with `{"` in base64.
  { pattern: /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}/g, what: '像是登录令牌（JWT）' },
  {
    pattern: new RegExp(`qyapi\\.weixin\\.qq\\.com/[^\\s"'?]{1,80}\\?key=(${UUID})`, 'gi'),
    what: '像是企业微信机器人的 key',
  },
  {
    pattern: /oapi\.dingtalk\.com\/robot\/send\?access_token=([0-9a-f]{64})\b/gi,
    what: '像是钉钉机器人的 access_token',
  },
  {
    pattern: new RegExp(`open\\.(?:feishu\\.cn|larksuite\\.com)/open-apis/bot/(?:v2/)?hook/(${UUID})`, 'gi'),
    what: '像是飞书机器人的地址',
  },
];

/** Names that say that a password or key follows; longer names may end in them (`AWS_SECRET_ACCESS_KEY`, `spring.datasource.password`). */
const NAMES =
  'password|passwd|passphrase|pwd|secret(?:[_-]?access)?(?:[_-]?key)?|api[_-]?key|access[_-]?key(?:[_-]?secret)?|token|private[_-]?key';

/** A literal given to such a name. Group 1 is the name, group 2 the literal. */
const NAMED_LITERAL = /(password|passwd|secret|api_?key|access_?token)['"]?\s*[:=]\s*['"`]([^'"`${}\s]{8,})['"`]/dgi;
/** The same without quotes, as in settings and prose: 「password: Hq7z…」. A value ends at white space, Chinese and what closes. */
const NAMED_BARE = new RegExp(
  String.raw`(${NAMES})["']?[ \t]{0,20}[:：=][ \t]{0,20}([^\s"'\u0060,，。；;、）)\]】」<>\u3400-\u9fff]{8,200})`,
  'dgi',
);
/** 「密码是 …」,「口令：…」. */
const NAMED_CHINESE =
  /(密码|口令|密钥|秘钥|令牌)[ \t]{0,5}(?:(?:是|为|设为)[:：]?|[:：=])[ \t]{0,5}[`'"“「]?([\x21\x23-\x26\x28-\x5f\x61-\x7e]{6,200})/dg;
/** `jdbc:mysql://root:…@host`, `redis://:…@host`. */
const IN_ADDRESS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/([^\s/:@"'<>]{0,80}):([^\s/@"'<>]{1,100})@/dgi;
/** `jdbc:mysql://host/db?user=root&password=…`. */
const IN_JDBC = /\bjdbc:[^\s"']{1,300}?[?&;](password)=([^\s"'&;<>]{3,100})/dgi;

/** What is written where a secret will be: words for people (Chinese), blanks to fill in, references, the name itself. */
const NO_SECRET =
  /[\u3400-\u9fff]|^[*x.•-]+$|^<.*>$|[*•]{3}|…|\.{3}|[$#@]\{|\{\{|^[$%@]|^(your|my|change|replace|todo|example|placeholder|dummy)[-_]?|[-_](here|placeholder)$/i;
/** Words that stand for a password in addresses. */
const WORDS =
  /^(?:(?:my|your)?pass(?:word|wd)?|pwd|secret|token|x+|user(?:name)?|test|guest|root|admin|postgres|mysql)$/i;

/** The same letter or two over and over (`sk-xxxxxxxx`, `AKIA0000…`), or the alphabet: no key looks like that. */
function isMadeUp(value: string): boolean {
  const letters = value.toLowerCase().replace(/[^a-z0-9]/g, '');
  return (
    new Set(letters).size <= 4 ||
    letters.replace(/(.)\1+/g, '') === '' ||
    /0123456|123456789|abcdefgh|example|yourkey|xxxx/.test(letters)
  );
}

const ALGORITHMS =
  /sha-?\d+|hs\d+|rs\d+|md5|aes-?\d*|rsa-?\d*|des3?|sm[234]|base64|utf-?8|oauth2|ipv[46]|p12|pkcs\d*/gi;

/**
 * Whether a word without quotes looks like a password or key, and not like a name in code or a word: digits among letters
 * (`hunter2hunter2`), marks beside both, or letters too mixed to be a name.
 */
export function looksRandom(word: string): boolean {
  // Calls, places in objects, paths and the like are code.
  if (/[()[\]{}<>\\]|^[\w$]+(?:\.[A-Za-z_$][\w$]*)+$|::|->|^[./~]|^https?:/i.test(word)) return false;
  const rest = word.replace(ALGORITHMS, '').replace(/[vV]\d(?=[A-Z_.-]|$)/g, '');
  const digits = rest.match(/\d/g)?.length ?? 0;
  if (digits === 0 || !/[A-Za-z]/.test(rest)) return false;
  if (/^\d{4}-\d{2}-\d{2}/.test(rest)) return false;
  const parts = rest.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  const mixed = rest.length / parts.length < 3;
  return digits >= 2 || mixed || /[!#$%^&*+=@~]/.test(rest);
}

/**
 * Keys and passwords in a text that look real, in order of their kinds.
 *
 * @param context see {@link SecretContext}
 */
export function secretsIn(text: string, context: SecretContext = 'prose'): SecretFound[] {
  const found: SecretFound[] = [];
  for (const { pattern, what } of FORMS) {
    for (const match of text.matchAll(pattern)) {
      const secret = match[1] ?? match[0];
      const start = match.index + match[0].length - secret.length;
      if (!isMadeUp(secret)) found.push({ what, start, end: start + secret.length });
    }
  }
  const named = (pattern: RegExp, what: string, isReal: (value: string, name: string) => boolean) => {
    for (const match of text.matchAll(pattern)) {
      const [, name = '', value = ''] = match;
      const [start, end] = match.indices?.[2] ?? [0, 0];
      if (!NO_SECRET.test(value) && isReal(value, name)) found.push({ what, start, end });
    }
  };
  const isRandom = (value: string) => !isMadeUp(value) && looksRandom(value);
  const flat = (s: string) => s.toLowerCase().replace(/[^a-z]/g, '');
  named(NAMED_LITERAL, '像是写死的口令或密钥', (value, name) => !isMadeUp(value) && flat(value) !== flat(name));
  named(NAMED_CHINESE, '像是写死的口令或密钥', isRandom);
  named(IN_JDBC, '像是数据库口令', (value) => !WORDS.test(value));
  named(IN_ADDRESS, '像是地址里的口令', (value) => !WORDS.test(value));
  if (context === 'prose') named(NAMED_BARE, '像是写死的口令或密钥', isRandom);
  return found;
}

/**
 * Whether a text holds a key or password that looks real.
 *
 * @returns what it looks like, in Chinese; never the secret itself
 */
export function secretIn(text: string, context: SecretContext = 'prose'): string | undefined {
  return secretsIn(text, context)[0]?.what;
}

/** A text with every key and password that looks real replaced by `***`; all else stays as it is. */
export function withoutSecrets(text: string): string {
  const found = secretsIn(text).sort((a, b) => a.start - b.start);
  let out = '';
  let from = 0;
  for (const { start, end } of found) {
    if (end <= from) continue;
    out += `${text.slice(from, Math.max(from, start))}***`;
    from = end;
  }
  return out + text.slice(from);
}
