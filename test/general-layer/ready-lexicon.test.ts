import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { assetPath } from '../../src/assets.js';
import { Lexicon, loadLexicon, openReadyLexicon } from '../../src/knowledge/index.js';
import { lexiconStamp, readyLexicon, readyLexiconFile } from '../../src/knowledge/readyLexicon.js';
import { openZhCore } from '../../src/zhcore/index.js';
import { tree } from '../knowledge/support.js';

const DIR = assetPath('knowledge');
const { groups } = loadLexicon(DIR);

describe('the ready lexicon that ships', () => {
  it('is made of the files as they are now', () => {
    const same = readFileSync(readyLexiconFile(DIR), 'utf8') === readyLexicon(groups, lexiconStamp(DIR));
    expect(same, '词库变了：运行 npm run general:index，把 knowledge/ready/lexicon.index 一起提交').toBe(true);
  });

  it('answers as the lexicon that is read from the files, with groups of a project too', () => {
    const own = [{ equal: ['验证码', 'kaptcha', '水晶球'], near: ['crystal'], file: 'a.yaml', line: 1 }];
    const [ready, slow] = [new Lexicon(own, openReadyLexicon(DIR)), new Lexicon([...groups, ...own])];
    const words = groups.flatMap(({ equal, near }) => [...equal, ...near]).filter((_, i) => i % 11 === 0);
    for (const word of ['验证码', '水晶球', 'kaptcha', '码', ...words]) expect(ready.of(word)).toEqual(slow.of(word));
    for (let i = 0; i + 3 < words.length; i += 40) {
      const text = `${words[i]}的${words[i + 1]}和 ${words[i + 2]}${words[i + 3]}不对，水晶球`;
      expect(ready.expand(text)).toEqual(slow.expand(text));
    }
  });

  it('is not used for other files than it was made of', () => {
    const root = tree({});
    cpSync(DIR, join(root, 'knowledge'), { recursive: true });
    const copy = join(root, 'knowledge');
    expect(openReadyLexicon(copy)).toBeDefined();
    rmSync(join(copy, 'lexicon', 'git.yaml'));
    expect(openReadyLexicon(copy)).toBeUndefined();
    rmSync(readyLexiconFile(copy));
    expect(openReadyLexicon(copy)).toBeUndefined();
  });

  it('is what the core asks, and its groups are still to be had', () => {
    const core = openZhCore();
    expect(core.lexicon.of('验证码').map(({ word }) => word)).toContain('captcha');
    expect(core.lexiconGroups).toHaveLength(groups.length);
  });
});
