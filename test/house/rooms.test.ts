import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/assets.js';

const root = packageRoot();

describe('the rooms of the house', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'xihe-rooms-'));
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json'])
      cpSync(join(root, file), join(dir, file));
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
    put('src/errors.ts', 'export const e = 1;\n');
    put('src/text/index.ts', "import { e } from '../errors.js';\nexport const t = e;\n");
    put('src/agent/index.ts', "import { t } from '../text/index.js';\nexport const a = t;\n");
    put('graphs/g.ts', "import { a } from '../src/agent/index.js';\nexport const g = a;\n");
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function put(path: string, text: string): void {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }

  function check(): { code: number | null; out: string } {
    const bin = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const r = spawnSync(process.execPath, [bin, '--config', '.dependency-cruiser.cjs', 'src', 'graphs'], {
      cwd: dir,
      encoding: 'utf8',
    });
    return { code: r.status, out: r.stdout + r.stderr };
  }

  it('imports of rooms above pass', () => {
    expect(check()).toMatchObject({ code: 0 });
  });

  it.each([
    ['src/text/bad.ts', "import { a } from '../agent/index.js';\nexport const b = a;\n", 'room-text'],
    ['src/paths/index.ts', "import { z } from '../zhcore/index.js';\nexport const b = z;\n", 'room-paths'],
    ['src/text/lang.ts', "import { tool } from '@langchain/core/tools';\nexport const b = tool;\n", 'langchain-only'],
    [
      'src/cli/index.ts',
      "import { StateGraph } from '@langchain/langgraph';\nexport const b = StateGraph;\n",
      'langchain-only',
    ],
    ['src/errors.ts', "import { t } from './text/index.js';\nexport const e = t;\n", 'root-files-stand-alone'],
    ['graphs/g.ts', "import { t } from '../src/text/index.js';\nexport const g = t;\n", 'graphs-know-only-the-agent'],
  ])('%s: a forbidden import fails', (path, text, rule) => {
    put('src/zhcore/index.ts', 'export const z = 1;\n');
    put(path, text);
    const { code, out } = check();
    expect(code).not.toBe(0);
    expect(out).toContain(rule);
  });
});

describe('habits', () => {
  const walk = (at: string): string[] =>
    readdirSync(join(root, at)).flatMap((name) => {
      const path = join(at, name);
      return statSync(join(root, path)).isDirectory() ? walk(path) : [path];
    });

  it('every room has a README of one screen', () => {
    for (const room of readdirSync(join(root, 'src'), { withFileTypes: true }).filter((e) => e.isDirectory())) {
      const text = readFileSync(join(root, 'src', room.name, 'README.md'), 'utf8');
      expect(text.split('\n').length, room.name).toBeLessThanOrEqual(70);
    }
  });

  it('source files stay under about 300 lines', () => {
    const long = walk('src')
      .filter((f) => f.endsWith('.ts'))
      .map((f) => ({ f, lines: readFileSync(join(root, f), 'utf8').split('\n').length }))
      .filter((x) => x.lines > 320);
    expect(long).toEqual([]);
  });
});
