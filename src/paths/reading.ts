import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stableHash } from '../text/index.js';
import { analyse, listedOnly } from './analyse.js';
import { isReadable } from './rules.js';
import type { IndexedFile } from './types.js';
import type { Vocabulary } from './vocabulary.js';
import type { WalkedFile } from './walk.js';

/** A file that is to be looked at, and the hash of its bytes as they were before. */
export interface ToRead extends WalkedFile {
  before?: string;
}

/** What a look at a file says: it is gone, holds the bytes that it held, or is what it is now. `read`: whether its bytes were read. */
export type Looked =
  | { path: string; is: 'gone'; read: boolean }
  | { path: string; is: 'same'; read: true; checkedAt: number }
  | { path: string; is: 'other'; read: boolean; file: IndexedFile };

/** Looks at one file: reads it where it is to be read, and works out what finds it. Nothing in a file makes it throw. */
export async function lookAt(root: string, wanted: ToRead, vocabulary: Vocabulary): Promise<Looked> {
  const { before, ...walked } = wanted;
  const { path } = walked;
  const checkedAt = Date.now();
  const byName = (): Looked => ({
    path,
    is: 'other',
    read: false,
    file: listedOnly(walked, checkedAt, '', vocabulary),
  });
  if (!isReadable(path, walked.size)) return byName();
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(root, path));
  } catch (e) {
    return (e as NodeJS.ErrnoException).code === 'ENOENT' ? { path, is: 'gone', read: false } : byName();
  }
  const hash = stableHash(bytes);
  if (before === hash) return { path, is: 'same', read: true, checkedAt };
  return { path, is: 'other', read: true, file: await analyse(walked, bytes, checkedAt, hash, vocabulary) };
}
