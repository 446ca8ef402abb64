import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { openZhCore, type ReloadEvent, type Watching, type ZhCore } from '../../src/zhcore/index.js';
import { document, tree, writeTree } from '../knowledge/support.js';
import { GENERAL, PROJECT } from './shop.js';

const ORDER = 'knowledge/terms/order.yaml';
/** Far above what a reload takes, on a slow machine as well. */
const LONGEST_WAIT_MS = 30_000;

let watching: Watching | undefined;
afterEach(async () => {
  await watching?.close();
  watching = undefined;
});

interface Watched {
  core: ZhCore;
  /** The folder `.xihe/`. */
  dir: string;
  events: ReloadEvent[];
  /** Resolves when what `wanted` asks holds. */
  until(wanted: () => boolean): Promise<void>;
  has(word: string): boolean;
}

const watched = (files: Record<string, string> = PROJECT): Promise<Watched> => watchedAt(tree(files));

async function watchedAt(root: string): Promise<Watched> {
  const dir = join(root, '.xihe');
  const core = openZhCore({ generalDir: tree(GENERAL), projectDir: dir });
  const events: ReloadEvent[] = [];
  watching = await core.watch({ onReload: (event) => events.push(event) });
  const until = async (wanted: () => boolean) => {
    for (let waited = 0; !wanted(); waited += 20) {
      if (waited > LONGEST_WAIT_MS) throw new Error(`nothing came of it; last: ${JSON.stringify(events.at(-1))}`);
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  const has = (word: string) =>
    core
      .query({ userIntent: word, codeSymbols: [], taskType: 'general' })
      .terms.some((hit) => hit.entry.keyword_ch === word);
  return { core, dir, events, until, has };
}

const term = (id: string, word: string) => `- id: ${id}\n  keyword_ch: ${word}\n  code_symbols: [x${id}]\n`;

describe('hot reload', () => {
  it('sees a file that is added, changed, renamed and deleted', async () => {
    const { dir, until, has, core } = await watched();
    const file = join(dir, 'knowledge/terms/new.yaml');
    writeFileSync(file, term('n1', '提货码'));
    await until(() => has('提货码'));
    writeFileSync(file, term('n1', '自提码'));
    await until(() => has('自提码') && !has('提货码'));
    renameSync(file, join(dir, 'knowledge/terms/renamed.yaml'));
    await until(() => core.entry('n1')?.entry.provenance.file === 'knowledge/terms/renamed.yaml');
    expect(has('自提码')).toBe(true);
    rmSync(join(dir, 'knowledge/terms/renamed.yaml'));
    await until(() => !has('自提码'));
    expect(has('超时关单')).toBe(true);
  });

  it('sees documents, playbooks, modules and a layer that is made only now', async () => {
    const { dir, until, has, core } = await watched({ 'README.md': 'x' });
    mkdirSync(join(dir, 'knowledge/terms'), { recursive: true });
    writeFileSync(join(dir, 'knowledge/terms/a.yaml'), term('a', '提货码'));
    await until(() => has('提货码'));
    writeFileSync(
      join(dir, 'knowledge/pickup.md'),
      document({ title: '提货码规则', keywords: '[提货码规则]', summary: '八位数字' }, '八位数字。'),
    );
    await until(() => core.lookup('提货码规则').found);
    mkdirSync(join(dir, 'playbooks'));
    writeFileSync(join(dir, 'playbooks/p.md'), '---\ntrigger_keywords: [改提货码]\nsteps: [先看规则]\n---\n');
    await until(() => core.playbookFor('改提货码') !== undefined);
    writeFileSync(join(dir, 'modules.yaml'), 'pickup: [src/pickup/**]\n');
    await until(() => core.moduleOfPath('src/pickup/a.ts') === 'pickup');
  });

  it('keeps the last good version of a file that breaks, says so, and recovers', async () => {
    const { dir, until, has, core, events } = await watched();
    const before = core.dataVersion;
    writeFileSync(join(dir, ORDER), '- id: close_timeout\n  aliases: [关单\n');
    await until(() => events.length > 0);
    expect(events.at(-1)).toMatchObject({ files: [ORDER], moved: false, dataVersion: before });
    expect(events.at(-1)?.problems).toMatchObject([{ file: `.xihe/${ORDER}`, keptLastGood: true }]);
    expect(has('超时关单')).toBe(true);
    writeFileSync(join(dir, ORDER), term('close_timeout', '超时关单'));
    await until(() => core.problems.length === 0);
    expect(core.dataVersion).not.toBe(before);
  });

  it('moves the data version only when content does', async () => {
    const { dir, until, core, events } = await watched();
    const before = core.dataVersion;
    writeFileSync(join(dir, ORDER), `# 只多了一行注释\n${PROJECT[`.xihe/${ORDER}`]}`);
    await until(() => events.length > 0);
    expect(events.every((event) => !event.moved && event.dataVersion === before)).toBe(true);
  });

  it('answers with the new content at once: nothing old comes out of the cache', async () => {
    const { dir, until, core } = await watched();
    const ask = () => core.query({ userIntent: '超时关单', codeSymbols: [], taskType: 'general' });
    const first = ask();
    expect(ask()).toBe(first);
    writeFileSync(join(dir, ORDER), term('close_timeout', '超时关单'));
    await until(() => core.dataVersion !== first.dataVersion);
    expect(ask().terms[0]?.entry.code_symbols).toEqual(['xclose_timeout']);
  });

  it('takes a thousand files saved at once', async () => {
    const { dir, until, core, events } = await watched();
    const before = core.counts().terms;
    for (let i = 0; i < 1000; i++) writeFileSync(join(dir, `knowledge/terms/t${i}.yaml`), term(`t${i}`, `单号${i}`));
    await until(() => core.counts().terms === before + 1000);
    // They come in a few batches, not one by one.
    expect(events.length).toBeLessThan(50);
  });

  /** How editors save: each leaves the new text in `file`. */
  const SAVES: Record<string, (file: string, text: string) => void | Promise<void>> = {
    'a temporary file renamed over it': (file, text) => {
      writeFileSync(`${file}.tmp`, text);
      renameSync(`${file}.tmp`, file);
    },
    'a hidden temporary file renamed over it': (file, text) => {
      const draft = join(dirname(file), `.${basename(file)}.swp`);
      writeFileSync(draft, text);
      renameSync(draft, file);
    },
    'vim: a backup, a new file, the backup deleted': (file, text) => {
      writeFileSync(join(dirname(file), '4913'), '');
      rmSync(join(dirname(file), '4913'));
      renameSync(file, `${file}~`);
      writeFileSync(file, text);
      rmSync(`${file}~`);
    },
    'JetBrains: two renames': (file, text) => {
      writeFileSync(`${file}___jb_tmp___`, text);
      renameSync(file, `${file}___jb_old___`);
      renameSync(`${file}___jb_tmp___`, file);
      rmSync(`${file}___jb_old___`);
    },
    'VS Code: emptied, then written': async (file, text) => {
      writeFileSync(file, '');
      await new Promise((done) => setTimeout(done, 30));
      writeFileSync(file, text);
    },
    'deleted and written anew': (file, text) => {
      rmSync(file);
      writeFileSync(file, text);
    },
    'in place': writeFileSync,
  };

  it('sees how editors save, again and again', async () => {
    const { dir, until, has, core, events } = await watched();
    let n = 0;
    for (const [how, save] of [...Object.entries(SAVES), ...Object.entries(SAVES)]) {
      n += 1;
      const word = `提货码${n}`;
      await save(join(dir, ORDER), term('close_timeout', word));
      await until(() => has(word)).catch((e: unknown) => expect.unreachable(`${how}: ${e}`));
      expect(core.problems).toEqual([]);
    }
    expect(events.flatMap(({ files }) => files).filter((file) => /\.swp|4913|~$|jb_|\.tmp$/.test(file))).toEqual([]);
  });

  it('says nothing of files that are no entries', async () => {
    const { dir, events, until, has } = await watched();
    for (const name of ['.order.yaml.swp', 'order.yaml~', '4913', 'notes.txt', '.DS_Store'])
      writeFileSync(join(dir, 'knowledge/terms', name), 'x');
    // As long as two looks at the folders take.
    await new Promise((done) => setTimeout(done, 2500));
    expect(events).toEqual([]);
    writeFileSync(join(dir, ORDER), term('a', '提货码'));
    await until(() => has('提货码'));
    expect(new Set(events.flatMap(({ files }) => files))).toEqual(new Set([ORDER]));
  });

  it('works beside links that loop, pipes and links to nowhere', async () => {
    const { dir, until, has } = await watched();
    const made = join(dir, 'knowledge/made');
    mkdirSync(join(made, 'deep'), { recursive: true });
    symlinkSync('../..', join(made, 'deep/up'));
    symlinkSync('self.md', join(made, 'self.md'));
    symlinkSync('nowhere', join(made, 'gone.yaml'));
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(made, 'pipe.md')]);
    const file = join(dir, 'knowledge/terms/late.yaml');
    writeFileSync(file, term('late', '提货码'));
    await until(() => has('提货码'));
    writeFileSync(file, term('late', '自提码'));
    await until(() => has('自提码'));
  });

  it('sees a folder that is replaced, and then changes inside the new one', async () => {
    const { dir, until, has } = await watched();
    for (const n of [1, 2, 3]) {
      rmSync(join(dir, 'knowledge'), { recursive: true });
      mkdirSync(join(dir, 'knowledge/terms'), { recursive: true });
      writeFileSync(join(dir, ORDER), term('a', `提货码${n}`));
      await until(() => has(`提货码${n}`));
      writeFileSync(join(dir, ORDER), term('a', `自提码${n}`));
      await until(() => has(`自提码${n}`));
    }
    const away = join(dir, '../away');
    renameSync(dir, away);
    await until(() => !has('自提码3'));
    renameSync(away, dir);
    await until(() => has('自提码3'));
    writeFileSync(join(dir, ORDER), term('a', '回来了码'));
    await until(() => has('回来了码'));
  });

  it('follows checkouts of thousands of files, and what is changed after them', async () => {
    const FILES = 3000;
    const root = tree({ '.xihe/README.md': '说明\n' });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.email=a@b.cn', '-c', 'user.name=测试', ...args], { cwd: root, stdio: 'pipe' });
    const branch = (name: string, folder: string) => {
      git('checkout', '-q', '-b', name);
      rmSync(join(root, '.xihe'), { recursive: true });
      const doc = (i: number) =>
        document({ title: `文档${i}`, keywords: `[KEY_${name}_${i}]`, summary: '说明' }, `${name} 的第 ${i} 篇。\n`);
      const pairs = Array.from({ length: FILES }, (_, i) => [`.xihe/knowledge/${folder}/d${i % 20}/f${i}.md`, doc(i)]);
      writeTree(root, Object.fromEntries(pairs));
      git('add', '-A');
      git('commit', '-q', '-m', name);
    };
    git('init', '-q', '-b', 'base');
    git('config', 'core.autocrlf', 'false');
    for (const [name, folder] of Object.entries({ A: 'area', B: 'area', C: 'other' })) branch(name, folder);

    const { core, dir, events, until } = await watchedAt(root);
    const documents = () => core.entries().filter(({ type }) => type === 'knowledge').length;
    const finds = (key: string) => core.lookup(key, undefined, { exactOnly: true }).primary !== null;
    const one = (name: string) => join(dir, `knowledge/${name === 'C' ? 'other' : 'area'}/d7/f7.md`);
    for (const name of ['B', 'A', 'C', 'B']) {
      events.length = 0;
      await promisify(execFile)('git', ['checkout', '-q', '-f', name], { cwd: root });
      await until(() => finds(`KEY_${name}_0`) && finds(`KEY_${name}_${FILES - 1}`));
      await until(() => documents() === FILES && core.problems.length === 0);
      expect(events.length).toBeLessThan(20);
      // In place: only a live watch on the file itself tells.
      writeFileSync(one(name), document({ title: '改了', keywords: `[CHANGED_${name}]`, summary: '改了' }, '改了。\n'));
      await until(() => finds(`CHANGED_${name}`));
    }
  });

  it('ends when it is told to', async () => {
    const stop = new AbortController();
    const dir = join(tree(PROJECT), '.xihe');
    const core = openZhCore({ generalDir: tree(GENERAL), projectDir: dir });
    const events: ReloadEvent[] = [];
    await core.watch({ onReload: (event) => events.push(event), signal: stop.signal });
    stop.abort();
    writeFileSync(join(dir, ORDER), term('x', '别的词'));
    await new Promise((done) => setTimeout(done, 400));
    expect(events).toEqual([]);
  });
});

describe('last good versions between processes', () => {
  it('keeps an entry in force in a process that starts while its file is broken', () => {
    const root = tree(PROJECT);
    const options = { generalDir: tree(GENERAL), projectDir: join(root, '.xihe'), cacheDir: join(root, '.xihe/state') };
    const good = openZhCore(options);
    writeFileSync(join(root, `.xihe/${ORDER}`), '- id: close_timeout\n  aliases: [关单\n');
    const later = openZhCore(options);
    expect(later.dataVersion).toBe(good.dataVersion);
    expect(later.problems).toMatchObject([{ file: `.xihe/${ORDER}`, keptLastGood: true }]);
    expect(later.problems[0]?.reason).toContain('上一个可用的版本继续生效');
  });

  it('keeps the one entry of a file that is wrong, and takes the changes of the others', () => {
    const root = tree({ '.xihe/knowledge/terms/a.yaml': term('a', '提货码') + term('b', '自提码') });
    const options = { generalDir: tree(GENERAL), projectDir: join(root, '.xihe'), cacheDir: join(root, '.xihe/state') };
    openZhCore(options);
    writeFileSync(join(root, '.xihe/knowledge/terms/a.yaml'), `- id: a\n  note: 没有词\n${term('b', '取货码')}`);
    const later = openZhCore(options);
    expect(later.entry('a')?.entry).toMatchObject({ keyword_ch: '提货码' });
    expect(later.entry('b')?.entry).toMatchObject({ keyword_ch: '取货码' });
  });

  it('forgets a file that is deleted', () => {
    const root = tree(PROJECT);
    const options = { generalDir: tree(GENERAL), projectDir: join(root, '.xihe'), cacheDir: join(root, '.xihe/state') };
    openZhCore(options);
    rmSync(join(root, `.xihe/${ORDER}`));
    const later = openZhCore(options);
    expect(later.problems).toEqual([]);
    expect(later.entry('refund_only')).toBeUndefined();
  });

  it('brings nothing back when a deleted file’s path is used again', () => {
    const root = tree(PROJECT);
    const options = { generalDir: tree(GENERAL), projectDir: join(root, '.xihe'), cacheDir: join(root, '.xihe/state') };
    openZhCore(options);
    rmSync(join(root, `.xihe/${ORDER}`));
    openZhCore(options);
    writeFileSync(join(root, `.xihe/${ORDER}`), '- id: refund_only\n  aliases: [坏\n');
    const later = openZhCore(options);
    expect(later.entry('refund_only')).toBeUndefined();
    expect(later.problems).toMatchObject([{ keptLastGood: false }]);
  });

  it('never puts a damaged copy in force, and makes it anew', () => {
    const root = tree(PROJECT);
    const kept = join(root, '.xihe/state/last-good');
    const options = { generalDir: tree(GENERAL), projectDir: join(root, '.xihe'), cacheDir: join(root, '.xihe/state') };
    openZhCore(options);
    for (const name of readdirSync(kept)) writeFileSync(join(kept, name), '- id: forged\n  keyword_ch: 假的\n');
    openZhCore(options);
    writeFileSync(join(root, `.xihe/${ORDER}`), '- id: refund_only\n  aliases: [坏\n');
    const later = openZhCore(options);
    expect(later.entry('forged')).toBeUndefined();
    expect(later.entry('refund_only')).toBeDefined();
  });

  it('works without a folder that can be written', () => {
    const root = tree({ ...PROJECT, '.xihe/state': 'a file where the folder should be' });
    const options = { generalDir: tree(GENERAL), projectDir: join(root, '.xihe'), cacheDir: join(root, '.xihe/state') };
    expect(openZhCore(options).problems).toEqual([]);
  });
});
