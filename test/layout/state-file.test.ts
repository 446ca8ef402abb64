import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openVectorCache, VectorIndex } from '../../src/embed/index.js';
import { TokenFile, TokenWriter } from '../../src/knowledge/tokenFile.js';
import { openStateAppend, readStateFile, strangeFiles, writeAtomic } from '../../src/stateFile.js';
import { QueryLog, type QueryRecord } from '../../src/zhcore/index.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'xihe-state-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** What may stand in place of a file. */
const STRANGE: [string, (path: string) => void][] = [
  ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ['a folder', (path) => mkdirSync(path)],
  ['a link to a device that never ends', (path) => symlinkSync('/dev/zero', path)],
  ['a link to nothing', (path) => symlinkSync(join(dir, 'nothing'), path)],
];

describe.each(STRANGE)('%s in place of a file', (_what, make) => {
  it('reads as nothing, is replaced by what is written, and by what is added', () => {
    const file = join(dir, 'a.bin');
    make(file);
    expect(readStateFile(file)).toBeUndefined();
    expect(writeAtomic(file, ['one', Buffer.from(' two')])).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('one two');
    const log = join(dir, 'log.jsonl');
    make(log);
    expect(() => openStateAppend(log)).not.toThrow();
    expect(statSync(log).isFile()).toBe(true);
    expect(existsSync(join(dir, 'nothing'))).toBe(false);
  });

  it('as a segment of vectors keeps nobody from keeping and finding them', () => {
    const options = { dir, id: 'm', dimension: 2 };
    const first = openVectorCache(options);
    first.put('甲', 'passage', Float32Array.of(1, 0));
    first.close();
    const folder = join(dir, execFileSync('ls', [dir], { encoding: 'utf8' }).trim());
    rmSync(join(folder, '000001.vec'));
    make(join(folder, '000001.vec'));
    const cache = openVectorCache(options);
    expect(cache.getMany(['甲'], 'passage')).toEqual([undefined]);
    cache.put('乙', 'passage', Float32Array.of(0, 1));
    expect(cache.problem).toBeUndefined();
    expect(cache.getMany(['乙'], 'passage')[0]?.[1]).toBeCloseTo(1, 3);
    cache.close();
  });

  it('as the log of queries is a log again', () => {
    make(join(dir, 'queries.jsonl'));
    const log = new QueryLog(dir);
    expect(log.read()).toEqual([]);
    const record: QueryRecord = {
      t: new Date().toISOString(),
      kind: 'lookup',
      gate: true,
      text: '甲',
      hits: [],
      found: false,
      dataVersion: '',
    };
    log.append(record);
    expect(log.read().map(({ text }) => text)).toEqual(['甲']);
  });
});

it('a folder that holds something stays, and the vectors lie beside it', () => {
  const options = { dir, id: 'm', dimension: 2 };
  openVectorCache(options).close();
  const folder = join(dir, execFileSync('ls', [dir], { encoding: 'utf8' }).trim());
  mkdirSync(join(folder, '000001.vec', 'inner'), { recursive: true });
  const cache = openVectorCache(options);
  cache.put('乙', 'passage', Float32Array.of(0, 1));
  expect([cache.problem, cache.getMany(['乙'], 'passage')[0]?.length]).toEqual([undefined, 2]);
  expect(statSync(join(folder, '000001.vec', 'inner')).isDirectory()).toBe(true);
  cache.close();
});

it('a file is never written through a link that waits under its temporary name', () => {
  const outside = join(dir, 'outside');
  writeFileSync(outside, 'mine');
  symlinkSync(outside, join(dir, `a.bin.${process.pid}.tmp`));
  expect(writeAtomic(join(dir, 'a.bin'), ['new'])).toBe(true);
  expect([readFileSync(outside, 'utf8'), readFileSync(join(dir, 'a.bin'), 'utf8')]).toEqual(['mine', 'new']);
});

it('tells what is strange in a state, and nothing of what belongs there', () => {
  for (const name of ['queries.jsonl', 'embedding.json']) writeFileSync(join(dir, name), '');
  mkdirSync(join(dir, 'vectors', 'm-int8', '000001.vec'), { recursive: true });
  execFileSync('mkfifo', [join(dir, 'knowledge-index.bin')]);
  mkdirSync(join(dir, 'scratch'));
  execFileSync('mkfifo', [join(dir, 'scratch', 'theirs')]);
  expect(strangeFiles(dir)).toEqual(['knowledge-index.bin（管道、套接字或设备）', 'vectors/m-int8/000001.vec（目录）']);
  expect(strangeFiles(join(dir, 'nowhere'))).toEqual([]);
});

describe('a file whose checksum is right and whose content makes no sense', () => {
  const index = () => {
    const made = new VectorIndex({ embedderId: 'm', dimension: 2, encoding: 'float32' });
    made.add('a', Float32Array.of(1, 0));
    return made;
  };
  /** The same bytes with another head or tail, and a checksum that fits. */
  const forged = (bytes: Uint8Array, checkAt: number, checkedFrom: number, change: (copy: Buffer) => Buffer) => {
    const copy = change(Buffer.from(bytes));
    copy.writeUInt32LE(crc32(copy.subarray(checkedFrom)), checkAt);
    return copy;
  };
  /** Replaces the JSON head, whose length stands at byte 12. */
  const withHead = (bytes: Buffer, edit: (head: Record<string, unknown>) => unknown): Buffer => {
    const end = 16 + bytes.readUInt32LE(12);
    const json = Buffer.from(JSON.stringify(edit(JSON.parse(bytes.toString('utf8', 16, end)))));
    const out = Buffer.concat([bytes.subarray(0, 16), json, bytes.subarray(end)]);
    out.writeUInt32LE(json.length, 12);
    return out;
  };

  it('is no snapshot: vectors that are no numbers, a head without what it needs', () => {
    const bytes = index().toBytes();
    expect(
      VectorIndex.fromBytes(
        forged(bytes, 8, 12, (copy) => copy),
        'm',
      ).size,
    ).toBe(1);
    const broken: ((copy: Buffer) => Buffer)[] = [
      (copy) => {
        copy.writeFloatLE(Number.NaN, copy.length - 4);
        return copy;
      },
      (copy) => withHead(copy, (head) => ({ ...head, ids: undefined })),
      (copy) => withHead(copy, (head) => ({ ...head, ids: [5] })),
      (copy) => withHead(copy, (head) => ({ ...head, dimension: 0.5 })),
      (copy) => withHead(copy, () => null),
    ];
    for (const change of broken)
      expect(() => VectorIndex.fromBytes(forged(bytes, 8, 12, change), 'm')).toThrow(
        expect.objectContaining({ code: 'STATE_CORRUPT' }),
      );
  });

  it('is no file of tokens', () => {
    const writer = new TokenWriter();
    writer.add('k'.repeat(12), [['甲', '乙']]);
    const bytes = Buffer.concat(writer.toPieces({ cutter: 'c', taught: ['x'] }));
    expect(new TokenFile(forged(bytes, 8, 12, (copy) => copy)).size).toBe(1);
    for (const edit of [
      (head: object) => ({ ...head, vocabulary: undefined }),
      (head: object) => ({ ...head, taught: [5] }),
      (head: object) => ({ ...head, count: 9e9 }),
      (head: object) => ({ ...head, count: '1' }),
      () => null,
    ])
      expect(() => new TokenFile(forged(bytes, 8, 12, (copy) => withHead(copy, edit)))).toThrow();
  });

  it('is no cached vector: it is made again, and the new one counts', () => {
    const options = { dir, id: 'm', dimension: 2, encoding: 'float32' as const };
    const cache = openVectorCache(options);
    cache.put('甲', 'passage', Float32Array.of(Number.NaN, 0));
    expect(cache.getMany(['甲'], 'passage')).toEqual([undefined]);
    cache.put('甲', 'passage', Float32Array.of(0, 1));
    expect([...(cache.getMany(['甲'], 'passage')[0] ?? [])]).toEqual([0, 1]);
    cache.close();
  });
});
