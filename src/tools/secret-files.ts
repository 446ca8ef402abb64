import { XiheError } from '../errors.js';
import { holdsPrivateKey, holdsSecretValues, isKeyFileName, isPrivateKeyFile } from '../text/index.js';

export { holdsSecretValues } from '../text/index.js';

/** What replaces a value. */
const MASK = '***';

/**
 * Refuses private keys, which no task needs to see.
 *
 * @param text its content, for endings that hold public certificates too
 * @throws XiheError COMMAND_DENIED
 */
export function assertNoPrivateKey(path: string, text: string): void {
  if (!isPrivateKeyFile(path, () => text)) return;
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

/** The two sides of a patch as their headers name them; a name with quotes or tabs in it is written in quotes. */
const SIDES = [/^\+\+\+ "?b\/(.+?)"?\s*$/m, /^--- "?a\/(.+?)"?\s*$/m];

/**
 * A unified diff without the lines of files that hold secrets.
 *
 * @param patch of one file or of several, with the prefixes `a/` and `b/`
 */
export function maskPatch(patch: string): string {
  return patch
    .split(/^(?=diff --git )/m)
    .map((part) => {
      const paths = SIDES.map((side) => side.exec(part)?.[1]).filter((path) => path !== undefined);
      return paths.some((path) => holdsSecretValues(path) || isKeyFileName(path)) || holdsPrivateKey(part)
        ? `${paths[0] ?? ''}：有改动，内容涉及密钥，不展示。\n`
        : part;
    })
    .join('');
}
