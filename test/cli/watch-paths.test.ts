import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { keepPathsFresh } from '../../src/cli/commands/watch-paths.js';
import { openLayout } from '../../src/layout.js';
import type { TermLookup } from '../../src/paths/index.js';
import { readStore } from '../../src/paths/store.js';
import { cleanUp, project } from '../paths/support.js';

afterAll(cleanUp);

const NO_TERMS: TermLookup = { symbolsFor: () => [], moduleOf: () => undefined };
/** More files than are written at every change: one more is below a hundredth of them. */
const MANY = Object.fromEntries(Array.from({ length: 420 }, (_, i) => [`src/f${i}.txt`, `第 ${i} 个\n`]));

describe('keepPathsFresh', () => {
  it('writes what changed for the next process, and what came last when it ends', async () => {
    const layout = openLayout(project(MANY).root);
    const kept = () => readStore(layout.stateDir)?.files.map(({ path }) => path) ?? [];
    const stop = new AbortController();
    let running: Promise<void> | undefined;
    const files = await new Promise<number>((ready) => {
      running = keepPathsFresh(layout, NO_TERMS, stop.signal, ready);
    });
    expect(files).toBe(420);
    expect(kept()).toHaveLength(420);
    writeFileSync(join(layout.root, 'src/new.txt'), '新的\n');
    await expect.poll(kept).toContain('src/new.txt');
    writeFileSync(join(layout.root, 'src/last.txt'), '最后\n');
    stop.abort();
    await running;
    expect(kept()).toContain('src/last.txt');
  });
});
