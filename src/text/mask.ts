import { looksRandom } from './secretValues.js';

/**
 * Secrets out of whatever is logged. A list of shapes, not a proof: it knows the usual names and the usual forms of
 * keys, and would rather hide too much than too little.
 */

const MASK = '***';

/** Names under which secrets are kept: in settings, environment variables, headers, query strings. */
const SECRET_NAME =
  /(^|[^a-z])(token|secret|passw(or)?d|passwd|passphrase|pwd|api[_-]?key|access[_-]?key(_?id)?|private[_-]?key|authorization|auth[_-]?key|cookie|session[_-]?id|credentials?|sk|ak)([^a-z]|$)/i;

/** Environment variables and JSON keys also run words together (`apiKey`, `DBPASSWORD`, `GITHUB_PAT`). */
const SECRET_NAME_JOINED = /(apikey|accesskey|secretkey|privatekey|password|passwd|_pat$|^pgpassword$|_dsn$)/i;

/** Words that say "secret" in `name=value`; what stands around them in the name is looked at only where one of them is found. */
const VALUE_WORDS =
  'token|secret|passw(?:or)?d|passwd|pwd|api[_-]?key|access[_-]?key|private[_-]?key|authorization|cookie';
const FLAG_WORDS = 'token|secret|password|passwd|api-?key|access-?key';
/** Longest part of a name before such a word. */
const NAME_BEFORE = String.raw`[\w-]{0,200}`;

/**
 * Forms that are secrets wherever they stand. Group 1, where there is one, is kept.
 *
 * Each takes time in proportion to the text: an open run (`[\w-]*`) never stands before what decides, because it would be
 * run through again from each of its characters.
 */
const SECRET_FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}/g, // OpenAI-style keys
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g, // GitHub
  /\bglpat-[A-Za-z0-9_-]{16,}/g, // GitLab
  /\b(?:AKIA|ASIA|LTAI)[A-Za-z0-9]{12,}/g, // AWS, Alibaba Cloud
  /\beyJ[A-Za-z0-9_-]{8,1000}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g, // JSON Web Token; its first part is a short header
  /\b((?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{6,}/gi,
  /(:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/g, // user:password@host
  // name=value, name: value, --name value, "name": "value"; in a Chinese sentence without a blank before it
  new RegExp(
    String.raw`(?=${VALUE_WORDS})(?<=(?:^|[\s"'?&;,{(\-\u3000-\u303f\u4e00-\u9fff\uff00-\uff65“‘])${NAME_BEFORE})((?:${VALUE_WORDS})["']?\s*[=:]\s*["']?)[^\s"'&;,}，。；、）】」』”]+`,
    'gi',
  ),
  new RegExp(String.raw`(?=${FLAG_WORDS})(?<=-${NAME_BEFORE})((?:${FLAG_WORDS})\s+)["']?[^\s"']+`, 'gi'),
  /([?&](?:key|sign|signature|access_token|webhook)=)[^\s"'&]+/gi, // robot webhooks carry their key in the query
  /(\/bot\/v2\/hook\/)[\w-]+/g, // … and Feishu's in the path
];

/**
 * Numbers and addresses of people. Each is bounded by what is no digit, so that a longer number is taken as a whole: mobile phones of
 * the mainland, then whatever has 13 digits or more (identity cards 18, bank cards 13–19, blanks or hyphens between groups).
 */
const PERSONAL: readonly RegExp[] = [
  /(?<![\w.])(?:\+?86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?![\w.]\d)(?!\d)/g,
  /(?<![\w.])\d{4}(?:[ -]?\d{3,4}){2,4}(?:[ -]?\d{1,3})?[Xx]?(?!\w)/g,
  /(?<![\w.])\d{13,24}[Xx]?(?!\w)/g,
  /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g,
];

/** Names before a password in a sentence: 「密码是 …」, 「用密码 …」, `token: …`. */
const TOLD =
  /(密码|密碼|口令|密钥|密鑰|秘钥|令牌|(?<![\w$])(?:password|passwd|passphrase|pwd|token|secret|api[ _-]?key)(?![\w$]))([ \t]{0,5}(?:(?:是|为|為|叫|设为|设成|改成)[:：]?|[:：=＝]|is\b)[ \t]{0,5}|[ \t]{0,5})([`'"“「]?)([\x21\x23-\x26\x28-\x5f\x61-\x7e]{1,200})/gi;
/** A password that only a blank sets apart has so many characters; shorter ones may be versions and numbers. */
const TOLD_MIN = 6;
/** What people say of a token instead of naming it. */
const TOLD_WORD =
  /^(?:null|undefined|none|empty|true|false|nan|expired|invalid|required|missing|string|number|wrong)\b/i;

/**
 * A text with what people say about themselves and their accounts replaced by `***`: phones, identity and bank cards, e-mail
 * addresses, passwords told in a sentence. Error codes, versions, dates and identifiers stay. For logs: long order numbers go too.
 */
export function maskPersonal(text: string): string {
  const told = text.replace(TOLD, (all: string, name: string, between: string, quote: string, value: string) => {
    // Right behind the name, or after a blank, may as well come the next word of the sentence.
    const isTold = /\S/.test(between) ? !TOLD_WORD.test(value) : value.length >= TOLD_MIN && looksRandom(value);
    return isTold ? `${name}${between}${quote}${MASK}` : all;
  });
  return PERSONAL.reduce((t, form) => t.replace(form, (number) => (isPersonal(number) ? MASK : number)), told);
}

/** Dates and times are no account (`2026-11-30 12`), and groups of digits only from 13 digits on. */
function isPersonal(found: string): boolean {
  if (found.includes('@')) return true;
  const digits = found.replace(/\D/g, '').length;
  return (
    digits >= 11 && !/^(?:19|20)\d\d-\d\d-\d\d/.test(found) && (digits >= 13 || /^(?:\+?86[ -]?)?1[3-9]/.test(found))
  );
}

/** Whether a key or variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/_/g, ' ');
  return SECRET_NAME.test(words) || SECRET_NAME.test(name) || SECRET_NAME_JOINED.test(name);
}

/** A text with every known form of a secret replaced by `***`. */
export function maskText(text: string): string {
  return SECRET_FORMS.reduce(
    (t, form) => t.replace(form, (_all, kept) => (typeof kept === 'string' ? kept : '') + MASK),
    text,
  );
}

/**
 * A JSON-like value with secrets masked: strings by form, and whole values whose key names a secret.
 * Numbers stay (`tokens: 1200` is a count).
 *
 * @param shorten what is done to each string first, where long ones are not worth looking through
 */
export function maskSecrets(value: unknown, shorten: (text: string) => string = (text) => text): unknown {
  return maskInner(value, new Set(), shorten);
}

function maskInner(value: unknown, above: Set<object>, shorten: (text: string) => string): unknown {
  if (typeof value === 'string') return maskText(shorten(value));
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (above.has(value)) return '[循环引用]';
  above.add(value);
  const out = Array.isArray(value)
    ? value.map((v) => maskInner(v, above, shorten))
    : Object.fromEntries(
        Object.entries(value).map(([k, v]) => [
          k,
          isSecretName(k) && isHideable(v) ? MASK : maskInner(v, above, shorten),
        ]),
      );
  above.delete(value);
  return out;
}

function isHideable(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null;
}
