import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KnowledgeBase } from '../../src/knowledge/index.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'xihe-cache-'));
  mkdirSync(join(dir, 'k'));
  document('退款', '退款原路退回，三个工作日内到账。'.repeat(30));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function document(title: string, body: string): void {
  writeFileSync(
    join(dir, 'k', 'a.md'),
    `---\ntitle: ${title}\nkeywords: [无关]\nsummary: 摘要\n---\n\n# ${title}\n\n${body}\n`,
  );
}
const file = () => join(dir, 'state', 'index.bin');
const open = (salt = 'v1') =>
  KnowledgeBase.open([{ dir: join(dir, 'k'), layer: 'project' }], {
    cache: { file: file(), salt: () => salt },
  });
const ask = (base: KnowledgeBase) => base.search('退款多久到账', 3).map((hit) => [hit.chunk.id, hit.score.toFixed(3)]);

describe('the lexical index between processes', () => {
  it('is written once, and answers the same when it is read', () => {
    const fresh = ask(open());
    expect(fresh.length).toBeGreaterThan(0);
    const stored = statSync(file()).ino;
    expect(ask(open())).toEqual(fresh);
    expect(statSync(file()).ino).toBe(stored);
  });

  it('is made anew when a document or the taught words changed, and when the file is broken', () => {
    ask(open());
    const first = readFileSync(file());
    ask(open('v2'));
    expect(readFileSync(file()).equals(first)).toBe(false);
    document('发票', '发票在订单完成后开具。'.repeat(30));
    expect(ask(open('v2'))).toEqual([]);
    writeFileSync(file(), '{"key": "half');
    expect(open('v2').search('发票什么时候开具', 3)[0]?.chunk.title).toBe('发票');
  });

  it('that can not be written costs nothing but time', () => {
    writeFileSync(join(dir, 'state'), 'a file where the folder should be');
    expect(ask(open()).length).toBeGreaterThan(0);
    expect(existsSync(file())).toBe(false);
  });
});
