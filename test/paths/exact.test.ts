import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openPaths } from '../../src/paths/index.js';
import { cleanUp, initRepository, project, tempDir } from './support.js';
import { answers, Vandal, WORDS } from './vandal.js';

afterAll(cleanUp);

describe('after any changes, a refreshed context equals one that is built anew', () => {
  it.each([1, 2, 3, 4, 5, 6])('seed %d', async (seed) => {
    const { root, stateDir } = project();
    if (seed % 2 === 0) initRepository(root);
    const vandal = new Vandal(root, seed);
    let kept = await openPaths({ root, stateDir });
    for (let round = 0; round < 8; round++) {
      for (let i = 0; i < 6; i++) vandal.act();
      // Sometimes by a new process that only has the cache.
      if (round % 3 === 2) kept = await openPaths({ root, stateDir });
      else await kept.refresh();
      const fresh = await openPaths({ root, stateDir: join(tempDir(), 'state') });
      expect(await answers(kept)).toEqual(await answers(fresh));
    }
  });

  it('also when changes and refreshes run into each other', async () => {
    const { root, stateDir } = project();
    const vandal = new Vandal(root, 99);
    for (let i = 0; i < 30; i++) vandal.act();
    const kept = await openPaths({ root, stateDir });
    const running: Promise<unknown>[] = [];
    for (let i = 0; i < 20; i++) {
      vandal.act();
      running.push(kept.refresh(), kept.lookupFile('订单'));
      if (i % 5 === 0) await running.shift();
    }
    await Promise.all(running);
    await kept.refresh();
    expect(await answers(kept)).toEqual(await answers(await openPaths({ root, stateDir: join(tempDir(), 'state') })));
  });

  it('never names a path that is not there, without any refresh', async () => {
    const { root, stateDir } = project();
    const vandal = new Vandal(root, 5);
    for (let i = 0; i < 40; i++) vandal.act();
    const paths = await openPaths({ root, stateDir });
    for (let i = 0; i < 60; i++) {
      vandal.act();
      const named = [
        ...(await paths.lookupFile(WORDS[i % WORDS.length]!)).candidates.map(({ path }) => path),
        ...(await paths.findSymbol(`Order${i}`)).map(({ path }) => path),
        ...(await paths.searchCode('export')).map(({ path }) => path),
      ];
      for (const path of named) expect(() => readFileSync(join(root, path))).not.toThrow();
    }
  });
});
