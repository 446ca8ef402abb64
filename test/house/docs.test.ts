import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonDocs } from '../../scripts/json-docs.js';
import { PAGES, withOutputs } from '../../scripts/readme-outputs.js';
import { packageRoot } from '../../src/assets.js';

describe('docs/json.md', () => {
  it('is what `npm run docs` writes today', () => {
    expect(readFileSync(join(packageRoot(), 'docs/json.md'), 'utf8')).toBe(jsonDocs());
  });
});

describe('the outputs in the READMEs', () => {
  it.each(PAGES)('%s: are what the commands print today', (page) => {
    expect(withOutputs(page)).toBe(readFileSync(join(packageRoot(), page), 'utf8'));
  });
});
