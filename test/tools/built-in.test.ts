import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/assets.js';
import { type AnyContract, BUILTIN_NAMES, contractFaults } from '../../src/tools/index.js';

// No start of the command checks these contracts again.
it('the contract of every tool that ships is in order', async () => {
  const folder = join(packageRoot(), 'src', 'tools', 'builtin');
  const parts = await Promise.all(
    readdirSync(folder).map((name) => import(pathToFileURL(join(folder, name)).href) as Promise<object>),
  );
  const tools = parts
    .flatMap((part): unknown[] => Object.values(part))
    .filter((one): one is AnyContract => typeof one === 'object' && one !== null && 'examples' in one);
  expect(new Set(tools.map(({ name }) => name))).toEqual(BUILTIN_NAMES);
  expect(tools.flatMap((tool) => contractFaults(tool).map(({ reason }) => `${tool.name}: ${reason}`))).toEqual([]);
});
