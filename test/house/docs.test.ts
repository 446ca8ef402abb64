import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonDocs } from '../../scripts/json-docs.js';
import { packageRoot } from '../../src/assets.js';

describe('docs/json.md', () => {
  it('is what `npm run docs` writes today', () => {
    expect(readFileSync(join(packageRoot(), 'docs/json.md'), 'utf8')).toBe(jsonDocs());
  });
});
