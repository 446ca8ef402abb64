import picomatch from 'picomatch';
import { XiheError } from '../../errors.js';
import { type Role, roleOf } from '../../paths/index.js';

/** Kinds of files that a look-up can be narrowed to. */
export const KINDS = ['code', 'test', 'style', 'config', 'doc', 'sql'] as const;
type Kind = (typeof KINDS)[number];

/** Parts that are no code; everything else is. */
const KIND_OF: Partial<Record<Role, Kind | 'other'>> = {
  test: 'test',
  mock: 'test',
  style: 'style',
  config: 'config',
  ci: 'config',
  doc: 'doc',
  sql: 'sql',
  asset: 'other',
  i18n: 'other',
};

/** What narrows a look-up, as a test of paths; undefined where nothing does. @throws XiheError USAGE for a glob that is none */
export function filterOf(wanted: {
  kinds?: readonly Kind[] | undefined;
  exclude?: string | undefined;
  deleted: readonly string[];
}): ((path: string) => boolean) | undefined {
  const kinds = wanted.kinds && wanted.kinds.length > 0 ? new Set<string>(wanted.kinds) : undefined;
  const excluded = wanted.exclude ? globOf(wanted.exclude) : undefined;
  const deleted = new Set(wanted.deleted);
  if (kinds === undefined && excluded === undefined && deleted.size === 0) return undefined;
  return (path) =>
    !deleted.has(path) && !(excluded?.(path) ?? false) && (kinds?.has(KIND_OF[roleOf(path)] ?? 'code') ?? true);
}

/** A glob, or a folder with everything below. */
function globOf(exclude: string): (path: string) => boolean {
  const folder = exclude.replace(/\/+$/, '');
  try {
    return picomatch(/[*?{}[\]!]/.test(folder) ? folder : [folder, `${folder}/**`], { dot: true });
  } catch {
    throw new XiheError('USAGE', `排除的写法看不懂：${exclude}`, { hint: '写成 glob，例如 **/test/** 或 docs。' });
  }
}
