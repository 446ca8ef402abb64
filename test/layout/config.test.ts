import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.js';

describe('settings that can not be read', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'xihe-config-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const level = (n: number) => `a${n}: &a${n} [${Array.from({ length: 9 }, () => `*a${n - 1}`).join(', ')}]`;
  it.each([
    ['an alias bomb', ['a0: &a0 [x, x]', ...[1, 2, 3, 4, 5, 6, 7, 8].map(level), ''].join('\n')],
    ['an alias of nothing', 'model: *nobody\n'],
    ['a list', '- a\n'],
    ['bottomless nesting', `model: ${'['.repeat(20_000)}\n`],
    ['bytes that are no text', '\u0000\u0001: {'],
  ])('%s is a fault of the file, with its name', (_name, text) => {
    writeFileSync(join(dir, 'config.yaml'), text);
    expect(() => loadConfig(dir, {})).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('config.yaml') }),
    );
  });
});

describe('budgets of the core', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'xihe-config-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('start from a preset, and a setting beside it wins', () => {
    expect(loadConfig(dir, {}).core).toMatchObject({ chunkChars: 800, topK: 5 });
    expect(loadConfig(dir, { XIHE_CORE_PRESET: 'lean' }).core).toMatchObject({ chunkChars: 400, topK: 3 });
    writeFileSync(join(dir, 'config.yaml'), 'core:\n  preset: lean\n  topK: 4\n');
    expect(loadConfig(dir, {}).core).toMatchObject({ chunkChars: 400, topK: 4 });
  });

  it('cap the commits that are read', () => {
    expect(loadConfig(dir, {}).history).toEqual({ maxCommits: 2000 });
    writeFileSync(join(dir, 'config.yaml'), 'history:\n  maxCommits: 60000\n');
    expect(() => loadConfig(dir, {})).toThrow(/maxCommits/);
  });

  it('refuse a preset that is none', () => {
    expect(() => loadConfig(dir, { XIHE_CORE_PRESET: 'tiny' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('XIHE_CORE_PRESET') }),
    );
  });
});
