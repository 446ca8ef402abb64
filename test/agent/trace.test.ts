import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blame } from '../../src/agent/trace/blame.js';
import { Changeset, fileHistory } from '../../src/sandbox/index.js';

describe('which edit wrote a line', () => {
  let root: string;
  let state: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'xihe-blame-'));
    state = mkdtempSync(join(tmpdir(), 'xihe-blame-state-'));
  });
  afterEach(() => {
    for (const dir of [root, state]) rmSync(dir, { recursive: true, force: true });
  });
  const origins = (path: string) =>
    blame(fileHistory(state, 'c', path)).map(({ line, text, key }) => `${line} ${text} ${key ?? '-'}`);

  it('follows lines through later edits of the same file, in any encoding', () => {
    writeFileSync(join(root, 'a.txt'), Buffer.from('d2bb0d0ab6fe0d0ac8fd0d0a', 'hex')); // 一 二 三 in GBK, CRLF
    const changeset = Changeset.create(state, root, 'c');
    changeset.stage({ kind: 'edit', path: 'a.txt', edits: [{ start: 3, end: 4, text: '两' }] }, 'call-1');
    changeset.stage({ kind: 'write', path: 'a.txt', text: '零\n一\n两\n三\n四\n' }, 'call-2');
    changeset.stage({ kind: 'write', path: 'b.txt', text: '新\n' }, 'call-3');
    expect(origins('a.txt')).toEqual(['1 零 call-2', '2 一 -', '3 两 call-1', '4 三 -', '5 四 call-2']);
    expect(origins('b.txt')).toEqual(['1 新 call-3']);
    expect(origins('c.txt')).toEqual([]);
    changeset.stage({ kind: 'delete', path: 'a.txt' }, 'call-4');
    expect(origins('a.txt')).toEqual([]);
  });
});
