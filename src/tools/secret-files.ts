import { basename } from 'node:path/posix';
import { XiheError } from '../errors.js';

/** What replaces a value. */
const MASK = '***';

/** Files that are a private key as a whole: the names that ssh-keygen(1), openssl(1) and Java's keytool give them. */
const KEY_FILE = /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$|\.(p12|pfx|jks|keystore|ppk)$/i;
/** Endings that hold a private key as often as a public certificate: the content decides. */
const MAY_BE_KEY = /\.(pem|key|der|p8)$/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** Files of names and secret values: dotenv, package registries, netrc(5), pgpass, htpasswd, cloud credentials. */
const VALUE_FILE =
  /^\.env(\..+)?$|\.env$|^\.(npmrc|yarnrc|pypirc|netrc|pgpass|htpasswd|git-credentials)$|^_netrc$|^credentials$|^(secrets?|credentials?|service-?account[\w-]*)\.(ya?ml|json|toml|ini|properties)$/i;
/** Templates are there to be read. */
const TEMPLATE = /[.-](example|sample|template|dist|defaults?)$/i;

/** Whether a file is one of names and secret values, of which only the names are shown. */
export function holdsSecretValues(path: string): boolean {
  const name = basename(path);
  return VALUE_FILE.test(name) && !TEMPLATE.test(name);
}

/**
 * Refuses private keys, which no task needs to see.
 *
 * @param text its content, for endings that hold public certificates too
 * @throws XiheError COMMAND_DENIED
 */
export function assertNoPrivateKey(path: string, text: string): void {
  const name = basename(path);
  if (!KEY_FILE.test(name) && !(MAY_BE_KEY.test(name) && PRIVATE_KEY.test(text))) return;
  throw new XiheError('COMMAND_DENIED', `${path} 是私钥，不读也不改`, {
    hint: '改代码用不到私钥的内容；要用它的地方写路径或环境变量名。',
  });
}

/**
 * One line of a file of secrets with its value masked: `KEY=***`, `"key": "***"`. Names, sections, brackets and plain comments
 * stay; a line that is neither is masked whole, because it may be the rest of a value.
 */
export function maskLine(line: string): string {
  if (/^[\s{}[\],]*$/.test(line) || /^\s*\[[^\]]*\]\s*$/.test(line)) return line;
  const pair = /^([^=]*?[\w.\]"'-]\s*=\s*)(\S.*)$/.exec(line) ?? /^(.*?[\w.\]"'-]\s*:\s+)(\S.*)$/.exec(line);
  if (pair) return /^[{[|>][-+]?\s*$/.test(pair[2]!) ? line : `${pair[1]}${MASK}${/,\s*$/.test(pair[2]!) ? ',' : ''}`;
  if (/^\s*(export\s+)?["']?[\w.-]+["']?\s*[=:]\s*$/.test(line)) return line;
  if (/^\s*[#;]/.test(line)) return line;
  return /^(\s*(?:- )?)/.exec(line)![1] + MASK;
}

/** A unified diff without the lines of files that hold secrets. */
export function maskPatch(patch: string): string {
  return patch
    .split(/^(?=diff --git )/m)
    .map((part) => {
      const path =
        [/^\+\+\+ b\/(.+)$/m, /^--- a\/(.+)$/m].map((side) => side.exec(part)?.[1]?.trim()).find(Boolean) ?? '';
      return holdsSecretValues(path) || KEY_FILE.test(basename(path)) || PRIVATE_KEY.test(part)
        ? `${path}：有改动，内容涉及密钥，不展示。\n`
        : part;
    })
    .join('');
}
