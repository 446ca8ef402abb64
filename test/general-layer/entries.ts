import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { assetPath } from '../../src/assets.js';

interface RawEntry {
  id: string;
  source?: string;
  status?: string;
  confidence?: string;
  reviewed_at?: string;
}

export interface RawTerm extends RawEntry {
  keyword_ch: string;
  aliases?: string[];
  code_symbols: string[];
  module?: string;
}

export interface RawWarning extends RawEntry {
  danger: string;
  severity: string;
  when: { added?: string[]; paths?: string[]; keywords?: string[]; symbols?: string[] };
}

function listOf<T>(folder: string): T[] {
  const dir = assetPath('knowledge', folder);
  return readdirSync(dir).flatMap((name) => parse(readFileSync(join(dir, name), 'utf8')) as T[]);
}

/** The terms that ship, as they are written. */
export const termsOf = () => listOf<RawTerm>('terms');
/** The warnings that ship, as they are written. */
export const warningsOf = () => listOf<RawWarning>('warnings');
