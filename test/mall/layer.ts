import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../src/assets.js';

/** The shop and its layer, read with nothing but `fs` and `yaml`, so that these tests don't lean on what they feed. */
export const MALL = join(packageRoot(), 'examples', 'mall');
export const LAYER = join(MALL, '.xihe');

export interface TermEntry {
  id: string;
  keyword_ch: string;
  aliases: string[];
  code_symbols: string[];
  module: string;
  status: string;
  source: string;
  reviewed_at: string;
}

export interface WarningEntry {
  id: string;
  danger: string;
  severity: string;
  status: string;
  source: string;
  when: { symbols: string[]; paths: string[]; added: string[]; keywords: string[] };
}

export interface Check {
  type: string;
  path?: string;
  command?: string;
  pattern?: string;
  on_missing?: string;
  purpose: string;
}

export interface Front {
  title: string;
  keywords: string[];
  summary: string;
  sections: Record<string, string>;
  module: string;
  source: string;
  status: string;
  trigger_keywords: string[];
  required_checks: Check[];
  steps: string[];
  post_checks: Check[];
}

/** Files below a folder, POSIX paths relative to the shop, sorted. */
export function filesUnder(dir: string, ext: string): string[] {
  return readdirSync(join(MALL, dir), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ext))
    .map((entry) => relative(MALL, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.includes('node_modules/') && !path.includes('.xihe/state/'))
    .sort();
}

export const read = (path: string): string => readFileSync(join(MALL, path), 'utf8');

const listOf = <T>(folder: string): T[] => filesUnder(folder, '.yaml').flatMap((path) => parse(read(path)) as T[]);

export const terms = listOf<TermEntry>('.xihe/knowledge/terms');
export const warnings = listOf<WarningEntry>('.xihe/knowledge/warnings');
/** Module → globs of its files. */
export const modules: Record<string, string[]> = Object.fromEntries(
  Object.entries(parse(read('.xihe/modules.yaml')) as Record<string, { paths: string[] }>).map(([name, { paths }]) => [
    name,
    paths,
  ]),
);

/** Front matter and body of a Markdown file; the front matter starts at byte 0. */
export function markdown(path: string): { front: Front; body: string } {
  const match = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(read(path));
  if (!match) throw new Error(`no front matter: ${path}`);
  return { front: parse(match[1] ?? '') as Front, body: match[2] ?? '' };
}

export const playbooks = filesUnder('.xihe/playbooks', '.md');
export const documents = filesUnder('.xihe/knowledge', '.md');

/** Every source file of the shop with its text. */
export const sources = filesUnder('src', '.ts').map((path) => ({ path, text: read(path) }));

/**
 * Whether the code declares a symbol: `Name` anywhere, or `Owner.member` inside the block of a class, interface or enum
 * called `Owner`.
 */
export function isDeclared(symbol: string): boolean {
  const [owner = '', member] = symbol.split('.');
  if (member === undefined) {
    const top = new RegExp(`\\b(?:class|interface|enum|type|const|function)\\s+${owner}\\b`);
    const field = new RegExp(`^\\s+(?:readonly\\s+)?${owner}\\??:`, 'm');
    return sources.some(({ text }) => top.test(text) || field.test(text));
  }
  const block = new RegExp(`\\b(?:class|interface|enum)\\s+${owner}\\b[^{]*\\{([\\s\\S]*?)\\n\\}`);
  const inside = new RegExp(`^  (?:(?:private|readonly|async|static|get)\\s+)*${member}\\b\\??\\s*[(:=<]`, 'm');
  return sources.some(({ text }) => inside.test(block.exec(text)?.[1] ?? ''));
}
