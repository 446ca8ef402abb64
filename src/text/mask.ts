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
  // name=value, name: value, --name value, "name": "value"
  new RegExp(
    String.raw`(?=${VALUE_WORDS})(?<=(?:^|[\s"'?&;,{(-])${NAME_BEFORE})((?:${VALUE_WORDS})["']?\s*[=:]\s*["']?)[^\s"'&;,}]+`,
    'gi',
  ),
  new RegExp(String.raw`(?=${FLAG_WORDS})(?<=-${NAME_BEFORE})((?:${FLAG_WORDS})\s+)["']?[^\s"']+`, 'gi'),
  /([?&](?:key|sign|signature|access_token|webhook)=)[^\s"'&]+/gi, // robot webhooks carry their key in the query
];

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
