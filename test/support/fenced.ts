import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A fenced example of a page that says which file it is: the path stands behind the language, relative to `.xihe/`. */
export interface Example {
  path: string;
  text: string;
}

const EXAMPLE = /^```(?:yaml|markdown|json) (\S+)\n([\s\S]*?)^```$/gm;

/** The examples of a Markdown page, in order. */
export function examplesOf(file: string): Example[] {
  return [...readFileSync(file, 'utf8').matchAll(EXAMPLE)].map(([, path = '', text = '']) => ({ path, text }));
}

/** Writes examples as the `.xihe/` of a fresh folder. @returns its path; the caller removes the folder around it */
export function layerOf(examples: readonly Example[]): string {
  const layer = join(mkdtempSync(join(tmpdir(), 'xihe-data-')), '.xihe');
  for (const { path, text } of examples) {
    mkdirSync(dirname(join(layer, path)), { recursive: true });
    writeFileSync(join(layer, path), text);
  }
  return layer;
}
