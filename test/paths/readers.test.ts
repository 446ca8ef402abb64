import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readFiles } from '../../src/paths/readers.js';
import type { ToRead } from '../../src/paths/reading.js';
import { Vocabulary } from '../../src/paths/vocabulary.js';
import { SHOP } from './shop.js';
import { cleanUp, project } from './support.js';

afterAll(cleanUp);

const FILES: Record<string, string | Uint8Array> = {
  ...SHOP,
  'a/A.java': 'package a;\n/** 订单 */\npublic class A { public void close() {} }\n',
  'a/b.go': 'package a\n\n// 退款\nfunc Refund() {}\n',
  'a/c.py': 'def pay():\n    """支付"""\n',
  'a/picture.png': new Uint8Array([137, 80, 78, 71, 0, 1]),
};

function toRead(root: string, before: Record<string, string> = {}): ToRead[] {
  return Object.keys(FILES).map((path) => {
    const { mtimeMs, ctimeMs, size } = statSync(join(root, path));
    return { path, mtimeMs, ctimeMs, size, ...(before[path] ? { before: before[path] } : {}) };
  });
}

/** Everything about the files, words by themselves instead of by their numbers. */
async function read(root: string, files: readonly ToRead[], threadsFrom: number) {
  const vocabulary = new Vocabulary();
  const { found, read: count } = await readFiles(root, files, vocabulary, { threadsFrom });
  const plain = [...found].map(([path, file]) => {
    if (typeof file === 'number') return [path, 'same'] as const;
    const { words, detail, checkedAt: _, rawDetail: __, i18n: ___, ...rest } = file;
    const counted = [...words.tokens].map((id, i) => `${vocabulary.token(id)} ${words.counts[i]}`).sort();
    return [path, { ...rest, counted, detail: detail() }] as const;
  });
  return { count, files: Object.fromEntries(plain.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

describe('reading in threads', () => {
  it('gives what reading in one gives', async () => {
    const { root } = project(FILES);
    const files = toRead(root);
    const alone = await read(root, files, Number.POSITIVE_INFINITY);
    expect(Object.keys(alone.files)).toHaveLength(files.length);
    expect(await read(root, files, 1)).toEqual(alone);
  });

  it('leaves out what is gone, and tells what is as it was', async () => {
    const { root } = project(FILES);
    const path = 'a/A.java';
    const vocabulary = new Vocabulary();
    const { found } = await readFiles(root, toRead(root), vocabulary);
    const known = found.get(path);
    const hash = typeof known === 'object' ? known.hash : '';
    const files = [...toRead(root, { [path]: hash }), { path: 'gone.ts', mtimeMs: 1, ctimeMs: 1, size: 3 }];
    const alone = await read(root, files, Number.POSITIVE_INFINITY);
    expect(alone.files[path]).toBe('same');
    expect(alone.files).not.toHaveProperty(['gone.ts']);
    expect(await read(root, files, 1)).toEqual(alone);
  });

  it('ends when it is cancelled', async () => {
    const { root } = project(FILES);
    const signal = AbortSignal.abort();
    const reading = readFiles(root, toRead(root), new Vocabulary(), { signal, threadsFrom: 1 });
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
