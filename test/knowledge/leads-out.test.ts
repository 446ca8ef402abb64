import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configFaults } from '../../src/config.js';
import { openZhCore } from '../../src/zhcore/index.js';
import { xihe } from '../support/mall.js';

const DOC = (word: string) => `---\ntitle: ${word}\nkeywords: [${word}]\nsummary: ${word}。\n---\n\n${word}的内容。\n`;
const TERM = '- id: t-out\n  keyword_ch: 外面的词\n  code_symbols: [Out]\n';

let dir: string;
let layer: string;
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
};
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'xihe-out-')));
  layer = join(dir, 'repo', '.xihe');
  put('outside/secret.md', DOC('绝密口令'));
  put('outside/terms.yaml', TERM);
  put('outside/modules.yaml', 'out: [src/**]\n');
  put('outside/config.yaml', 'password: hunter2\n');
  put('repo/docs/inside.md', DOC('里面的约定'));
  put('repo/.xihe/knowledge/own.md', DOC('自己的约定'));
  mkdirSync(join(layer, 'knowledge', 'terms'), { recursive: true });
  symlinkSync(join(dir, 'outside', 'secret.md'), join(layer, 'knowledge', 'file.md'));
  symlinkSync(join(dir, 'outside'), join(layer, 'knowledge', 'folder'));
  symlinkSync('../../../../outside/terms.yaml', join(layer, 'knowledge', 'terms', 'out.yaml'));
  symlinkSync('../../docs', join(layer, 'knowledge', 'docs'));
  symlinkSync('../../outside', join(layer, 'playbooks'));
  symlinkSync('../../outside/modules.yaml', join(layer, 'modules.yaml'));
  symlinkSync('../../outside/config.yaml', join(layer, 'config.yaml'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('links of a repository', () => {
  it('that lead out of it are not read, and told; those that stay inside are followed', () => {
    const core = openZhCore({ projectDir: layer });
    const titles = core.entries().map(({ entry }) => ('title' in entry ? entry.title : ''));
    expect(titles).toEqual(expect.arrayContaining(['自己的约定', '里面的约定']));
    expect(titles).not.toContain('绝密口令');
    expect([core.entry('t-out'), core.modules]).toEqual([undefined, {}]);
    const told = core.problems.filter(({ reason }) => reason.includes('项目外面')).map(({ file }) => file);
    expect(new Set(told)).toEqual(
      new Set([
        '.xihe/knowledge/file.md',
        '.xihe/knowledge/folder/',
        '.xihe/knowledge/terms/out.yaml',
        '.xihe/playbooks/',
        '.xihe/modules.yaml',
      ]),
    );
  });

  it('of the settings are refused without a word of what they lead to', () => {
    const [fault] = configFaults(layer, join(dir, 'repo'));
    expect(fault?.reason).toContain('项目外面');
    expect(JSON.stringify(fault)).not.toContain('password');
  });

  it('are faults for lint', async () => {
    const { stdout, code } = await xihe(['lint', '--ci', '--repo', join(dir, 'repo')]);
    expect(code).toBe(1);
    for (const name of ['knowledge/file.md', 'knowledge/folder/', 'modules.yaml', 'config.yaml'])
      expect(stdout).toMatch(new RegExp(`\\.xihe/${name}:1 .*项目外面`));
    expect(stdout).not.toContain('hunter2');
  });
});
