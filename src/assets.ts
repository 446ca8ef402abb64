import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let cachedRoot: string | undefined;

/**
 * The folder that holds Xihe's own package.json.
 *
 * Code runs from `src/` (tests, `langgraphjs dev`) and from bundles of any depth in `dist/`, so nothing may count `..`
 * from its own file: it asks here.
 *
 * @returns an absolute path
 */
export function packageRoot(): string {
  if (cachedRoot !== undefined) return cachedRoot;
  let dir = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const manifest = join(dir, 'package.json');
    if (existsSync(manifest) && (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: string }).name === 'xihe') {
      cachedRoot = dir;
      return dir;
    }
    const parent = dirname(dir);
    if (parent === dir) throw new Error('Xihe cannot find its own package.json');
    dir = parent;
  }
}

/** Absolute path of something that ships in the package, e.g. `assetPath('knowledge')`. */
export function assetPath(...parts: string[]): string {
  return join(packageRoot(), ...parts);
}

/** The version in package.json. */
export function packageVersion(): string {
  version ??= (JSON.parse(readFileSync(assetPath('package.json'), 'utf8')) as { version: string }).version;
  return version;
}

let version: string | undefined;
