import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fold } from '../text/index.js';

const HAN = '\\u3400-\\u9FFF\\uF900-\\uFAFF';
/** White space with a Chinese character or full-width mark on either side, or at the edge beside one. */
const SPACE_BESIDE_CHINESE = new RegExp(`(?<=[${HAN}\\u3000-\\u303F])\\s+|\\s+(?=[${HAN}\\u3000-\\u303F])`, 'g');
const HAN_CHARACTER = new RegExp(`[${HAN}]`, 'g');
const FULL_WIDTH = /[\uFF01-\uFF5E\u3000]/g;
const FULL_WIDTH_OFFSET = 0xfee0;

/** Full-width letters, digits, marks and the ideographic space → their ASCII forms; nothing else of NFKC (① stays ①). */
export function toHalfWidth(s: string): string {
  return s.replace(FULL_WIDTH, (c) =>
    c === '\u3000' ? ' ' : String.fromCharCode(c.charCodeAt(0) - FULL_WIDTH_OFFSET),
  );
}

/**
 * What two spellings of one file name have in common (DESIGN §4): NFC, half-width, simplified characters, no spaces that a
 * model put between Chinese and its neighbours. Letter case counts, and so do all other characters.
 *
 * Characters are simplified one by one, because as a word 資料 would become 数据, which is another name.
 */
export function repairKey(name: string): string {
  return toHalfWidth(name.normalize('NFC'))
    .replace(SPACE_BESIDE_CHINESE, '')
    .replace(HAN_CHARACTER, (c) => fold(c));
}

/** Candidates that one repair looks at, at most; more than one is ambiguous already. */
const ENOUGH = 8;

/** Files that a changeset holds: they count as there, or as gone, whatever the disk says. */
export interface PathOverlay {
  added?: readonly string[];
  deleted?: readonly string[];
}

/**
 * Real paths whose every segment has the key of the wanted one, by looking at the disk (so never a stale path).
 *
 * @param root absolute, symlinks resolved
 * @param wanted POSIX, normalised, relative
 */
export function repairCandidates(root: string, wanted: string, overlay: PathOverlay = {}): string[] {
  const keys = wanted.split('/').map(repairKey);
  let found = [''];
  for (const key of keys) {
    const next: string[] = [];
    for (const folder of found) {
      for (const name of childNames(root, folder, overlay)) {
        if (repairKey(name) === key) next.push(folder === '' ? name : `${folder}/${name}`);
      }
    }
    found = next.slice(0, ENOUGH);
  }
  const deleted = new Set(overlay.deleted ?? []);
  return found.filter((path) => !deleted.has(path));
}

function childNames(root: string, folder: string, overlay: PathOverlay): Set<string> {
  const names = new Set<string>();
  try {
    for (const name of readdirSync(join(root, folder))) names.add(name);
  } catch {
    // Not a folder, or one that only the changeset has.
  }
  const prefix = folder === '' ? '' : `${folder}/`;
  for (const path of overlay.added ?? []) {
    if (path.startsWith(prefix)) names.add(path.slice(prefix.length).split('/')[0] ?? '');
  }
  return names;
}
