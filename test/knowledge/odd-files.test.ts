import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { KnowledgeBase } from '../../src/knowledge/index.js';
import { document, tree } from './support.js';

const doc = (title: string) =>
  document({ title, keywords: `[${title}]`, summary: `${title}的说明` }, `${title}的正文。\n`);
const GOOD = doc('好文档');

/** A folder with one sound document and something else, loaded. What is sound must always be found. */
function beside(make: (dir: string) => void) {
  const dir = tree({ 'good.md': GOOD });
  make(dir);
  return { dir, ...opened(dir) };
}

function opened(dir: string) {
  const base = KnowledgeBase.open([{ dir, layer: 'project' }]);
  expect(base.lookup('好文档').primary?.content).toBe('好文档的正文。');
  return { base, ids: base.documents.map(({ id }) => id), problems: base.problems };
}

describe('folders and links', () => {
  it('that loop, or lead to themselves, end', () => {
    const { ids, problems } = beside((dir) => {
      mkdirSync(join(dir, 'a/b'), { recursive: true });
      writeFileSync(join(dir, 'a/in.md'), doc('里面'));
      symlinkSync('..', join(dir, 'a/b/up'));
      symlinkSync(dir, join(dir, 'a/top'));
      symlinkSync('two', join(dir, 'one'));
      symlinkSync('one', join(dir, 'two'));
      symlinkSync('self.md', join(dir, 'self.md'));
      symlinkSync('gone.md', join(dir, 'dangling.md'));
      symlinkSync('gone', join(dir, '.#good.md'));
    });
    expect(ids).toEqual(['a/in.md', 'good.md']);
    expect(problems).toMatchObject([
      { file: expect.stringMatching(/\/dangling\.md$/), line: 1, reason: '读不了：链接指向的文件不存在', code: 'READ' },
      { file: expect.stringMatching(/\/self\.md$/), line: 1, reason: '读不了：链接绕成了圈', code: 'READ' },
    ]);
  });

  it('named like a document are entered', () => {
    const { ids, problems } = beside((dir) => {
      mkdirSync(join(dir, 'x.md'));
      writeFileSync(join(dir, 'x.md/y.md'), doc('夹里'));
      mkdirSync(join(dir, 'empty.json'));
    });
    expect(ids).toEqual(['good.md', 'x.md/y.md']);
    expect(problems).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('pipes and devices are never read: they have no end', () => {
    const { ids, problems } = beside((dir) => {
      execFileSync('mkfifo', [join(dir, 'pipe.md')]);
      symlinkSync('/dev/zero', join(dir, 'zero.md'));
    });
    expect(ids).toEqual(['good.md']);
    expect(problems.map(({ reason }) => reason)).toEqual(['读不了：不是普通文件', '读不了：不是普通文件']);
  });

  it.skipIf(process.platform === 'win32')('with a line break in the name are told on one line and not loaded', () => {
    const { ids, problems } = beside((dir) => {
      writeFileSync(join(dir, 'a\nb.md'), doc('换行'));
      writeFileSync(join(dir, 'esc\u001b[31m.md'), doc('颜色'));
      mkdirSync(join(dir, 'c\rd'));
      writeFileSync(join(dir, 'c\rd/e.md'), doc('夹里'));
    });
    expect(ids).toEqual(['good.md']);
    expect(problems).toHaveLength(3);
    for (const { file, reason } of problems) {
      expect(file).not.toMatch(/\p{Cc}/u);
      expect(reason).toContain('改名');
    }
  });
});

/** Root reads everything: then somebody else tries. */
function asNobody<T>(dirs: readonly string[], act: () => T): T {
  if (process.getuid?.() !== 0) return act();
  for (const dir of dirs) chmodSync(dir, 0o777);
  process.seteuid?.(65534);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}

describe.skipIf(process.platform === 'win32')('without the right to read', () => {
  it('a file is a problem, and so is a folder', () => {
    const dir = tree({ 'good.md': GOOD, 'closed.md': doc('锁着'), 'shut/in.md': doc('夹里') });
    chmodSync(join(dir, 'closed.md'), 0);
    chmodSync(join(dir, 'shut'), 0);
    const { ids, problems } = asNobody([dir], () => opened(dir));
    chmodSync(join(dir, 'shut'), 0o755);
    expect(ids).toEqual(['good.md']);
    expect(problems).toMatchObject([
      { file: expect.stringMatching(/\/closed\.md$/), reason: '读不了：没有读权限' },
      { file: expect.stringMatching(/\/shut\/$/), reason: '读不了：没有读权限' },
    ]);
  });

  it('what was loaded before stays in force', () => {
    const dir = tree({ 'good.md': GOOD, 'shut/in.md': doc('夹里'), 'shut/deep/er.md': doc('更里') });
    const base = KnowledgeBase.open([{ dir, layer: 'project' }]);
    chmodSync(join(dir, 'shut'), 0);
    asNobody([dir], () => base.reload());
    expect(base.problems).toMatchObject([
      { file: expect.stringMatching(/\/shut\/$/), reason: expect.stringContaining('没有读权限') },
    ]);
    expect(base.lookup('更里', undefined, { exactOnly: true }).found).toBe(true);
    chmodSync(join(dir, 'shut'), 0o755);
    expect(base.reload()).toBe(false);
    expect(base.problems).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('last good versions between processes', () => {
  it('of files in a closed folder are not forgotten', () => {
    const dir = tree({ 'knowledge/good.md': GOOD, 'knowledge/shut/in.md': doc('夹里'), 'state/x': '' });
    const [knowledge, lastGoodDir] = [join(dir, 'knowledge'), join(dir, 'state')];
    const open = () => KnowledgeBase.open([{ dir: knowledge, layer: 'project', lastGoodDir }]);
    const finds = (base: KnowledgeBase) => base.lookup('夹里', undefined, { exactOnly: true }).found;
    chmodSync(lastGoodDir, 0o777);
    expect(finds(open())).toBe(true);
    chmodSync(join(knowledge, 'shut'), 0);
    expect(finds(asNobody([dir, knowledge, lastGoodDir], open))).toBe(false);
    chmodSync(join(knowledge, 'shut'), 0o755);
    writeFileSync(join(knowledge, 'shut/in.md'), '写坏了');
    const later = open();
    expect(finds(later)).toBe(true);
    expect(later.problems).toMatchObject([{ line: 1, keptLastGood: true }]);
  });
});

describe('bytes', () => {
  const text = document(
    { title: '编码说明', keywords: '[编码说明]', summary: '各种编码' },
    '这一段正文用来判断编码，多写几个字。\n',
  );

  it.each([
    ['GBK', iconv.encode(text, 'gbk')],
    ['GB18030', iconv.encode(`${text}㐀𠀀\n`, 'gb18030')],
    ['UTF-16LE', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16BE', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
    ['UTF-8 with a BOM', Buffer.from(`\uFEFF${text}`)],
  ])('%s are read; a BOM is told', (name, bytes) => {
    const { base, problems } = beside((dir) => writeFileSync(join(dir, 'a.md'), bytes));
    expect(base.lookup('编码说明', undefined, { exactOnly: true }).primary?.content).toContain('用来判断编码');
    const told = name.startsWith('GB') ? [] : [{ line: 1, level: 'warning', reason: expect.stringContaining('BOM') }];
    expect(problems).toMatchObject(told);
  });

  it.each([
    [
      'a PNG',
      Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from([0, 0, 0, 13]), Buffer.alloc(200, 1)]),
    ],
    ['a NUL in the front matter', Buffer.from(text.replace('编码', '编\0码'))],
    ['a NUL in the body', Buffer.from(text.replace('正文', '正\0文'))],
    [
      'UTF-32',
      Buffer.from([0xff, 0xfe, 0, 0, ...[...text].flatMap((c) => [c.charCodeAt(0) & 255, c.charCodeAt(0) >> 8, 0, 0])]),
    ],
    ['nothing', Buffer.alloc(0)],
    ['only a BOM', Buffer.from('\uFEFF')],
    ['more than 5 MB', Buffer.concat([Buffer.from(text), Buffer.alloc(5_000_000, '字')])],
  ])('%s: a problem with file, line and reason', (_, bytes) => {
    const { ids, problems } = beside((dir) => writeFileSync(join(dir, 'a.md'), bytes));
    expect(ids).toEqual(['good.md']);
    const [problem] = problems.filter(({ level }) => level === 'error');
    expect(problem).toMatchObject({ file: expect.stringMatching(/\/a\.md$/), line: 1 });
    expect(problem?.reason).toMatch(/\p{Script=Han}/u);
  });

  it('of almost 5 MB are read, cut into chunks and answered from', () => {
    const line = '对账差异先看时区，再看退款。\n';
    const big = `${text.replace('正文', line.repeat(110_000))}\n# 很后面\n\n最后的结论。\n`;
    const { base, ids, dir } = beside((at) => writeFileSync(join(at, 'a.md'), big));
    expect(readdirSync(dir)).toContain('a.md');
    expect(ids).toEqual(['a.md', 'good.md']);
    const { primary } = base.lookup('编码说明', '很后面', { exactOnly: true });
    expect(primary?.content).toBe('# 很后面\n\n最后的结论。');
    expect(base.chunks.every(({ content }) => content.length <= 800)).toBe(true);
  });
});
