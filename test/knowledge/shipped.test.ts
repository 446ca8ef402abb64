import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetPath, packageRoot } from '../../src/assets.js';
import { type LoadedFiles, loadKnowledge } from '../../src/knowledge/index.js';
import { preparedFile } from '../../src/knowledge/shipped.js';
import { loadLayer } from '../../src/zhcore/load.js';
import { cleanEnv } from '../support/mall.js';
import { tree } from './support.js';

const built = (part: string) => JSON.parse(readFileSync(preparedFile(assetPath('dist'), part), 'utf8'));

describe('what a build makes ready', () => {
  const knowledge = loadKnowledge(assetPath('knowledge'), 'general');
  const layer = loadLayer({ dir: packageRoot(), layer: 'general' });

  it.each<[string, LoadedFiles<unknown>]>([
    ['knowledge', knowledge.files],
    ['knowledge/terms', layer.terms],
    ['knowledge/warnings', layer.warnings],
    ['playbooks', layer.playbooks],
  ])('of %s is what its files say', (folder, files) => {
    const plain = [...files.values()].map(({ path, hash, entries, problems }) => ({ path, hash, entries, problems }));
    expect(plain.length).toBeGreaterThan(3);
    expect(built(folder)).toEqual(plain);
  });

  it('cuts documents as they are cut without it', () => {
    expect(Object.values(built('chunks')).flat()).toEqual(knowledge.chunks);
  });
});

describe('the package as users have it', () => {
  const root = mkdtempSync(join(tmpdir(), 'xihe-package-'));
  const document = join(root, 'knowledge', 'mirror', 'npm-registry.md');
  beforeAll(() => {
    for (const part of ['bin', 'dist', 'knowledge', 'playbooks', 'package.json'])
      cpSync(assetPath(part), join(root, part), { recursive: true, filter: (path) => !path.includes('vendor') });
    symlinkSync(assetPath('node_modules'), join(root, 'node_modules'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const lookup = (query: string) => {
    const project = tree({ 'a.txt': '' });
    const args = [join(root, 'bin', 'xihe'), 'lookup', query, '--json', '--repo', project];
    const { stdout, stderr } = spawnSync(process.execPath, args, { env: cleanEnv(), encoding: 'utf8' });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };

  it('answers by a document as it is now, not as it was when it was built', () => {
    const before = readFileSync(document, 'utf8');
    writeFileSync(
      document,
      before.replace(/^keywords: \[/m, 'keywords: [孔雀开屏配置, ').concat('\n孔雀开屏时先看日志。\n'),
    );
    const { primary } = lookup('孔雀开屏配置');
    expect([primary?.source, primary?.match_type]).toEqual(['knowledge/mirror/npm-registry.md', 'exact_L0']);
    writeFileSync(document, before);
    expect(lookup('孔雀开屏配置').primary).toBeNull();
  });

  it('answers the same when what the build made is torn or gone', () => {
    const question = '分页查询翻到后面很慢怎么办';
    const whole = lookup(question);
    expect(whole.found).toBe(true);
    writeFileSync(preparedFile(join(root, 'dist'), 'chunks'), '{"mirror/npm-registry.md":[');
    rmSync(preparedFile(join(root, 'dist'), 'knowledge'));
    expect(lookup(question)).toEqual(whole);
  });
});

it('a second project of one process has the documents of the first, and their chunks, not copies', () => {
  const [one, other] = [1, 2].map(() => loadKnowledge(assetPath('knowledge'), 'general'));
  expect(other!.documents[0]).toBe(one!.documents[0]);
  expect(other!.chunks[0]).toBe(one!.chunks[0]);
});
