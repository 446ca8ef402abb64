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

/** Forms that are secrets wherever they stand. Group 1, where there is one, is kept. */
const SECRET_FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}/g, // OpenAI-style keys
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g, // GitHub
  /\bglpat-[A-Za-z0-9_-]{16,}/g, // GitLab
  /\b(?:AKIA|ASIA|LTAI)[A-Za-z0-9]{12,}/g, // AWS, Alibaba Cloud
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, // JSON Web Token
  /\b((?:Bearer|Basic)\s+)[A-Za-z0-9._~+/=-]{6,}/gi,
  /(:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/g, // user:password@host
  // name=value, name: value, --name value, "name": "value"
  /((?:^|[\s"'?&;,{(-])[\w-]*(?:token|secret|passw(?:or)?d|passwd|pwd|api[_-]?key|access[_-]?key|private[_-]?key|authorization|cookie)["']?\s*[=:]\s*["']?)[^\s"'&;,}]+/gi,
  /(--?[\w-]*(?:token|secret|password|passwd|api-?key|access-?key)\s+)["']?[^\s"']+/gi,
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
 */
export function maskSecrets(value: unknown): unknown {
  return maskInner(value, new Set());
}

function maskInner(value: unknown, above: Set<object>): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (above.has(value)) return '[循环引用]';
  above.add(value);
  const out = Array.isArray(value)
    ? value.map((v) => maskInner(v, above))
    : Object.fromEntries(
        Object.entries(value).map(([k, v]) => [k, isSecretName(k) && isHideable(v) ? MASK : maskInner(v, above)]),
      );
  above.delete(value);
  return out;
}

function isHideable(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null;
}
