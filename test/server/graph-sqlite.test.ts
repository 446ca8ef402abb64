import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { itServes } from './graph-scenarios.js';

describe('processes that share a folder', () => {
  const dir = mkdtempSync(join(tmpdir(), 'xihe-store-'));
  itServes(() => dir);
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
});
