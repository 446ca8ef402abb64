import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventsDocs, recordedEvents } from '../../scripts/events-docs.js';
import { jsonDocs } from '../../scripts/json-docs.js';
import { PAGES, withOutputs } from '../../scripts/readme-outputs.js';
import { parseEvent } from '../../src/agent/events.js';
import { packageRoot } from '../../src/assets.js';

describe('docs/json.md', () => {
  it('is what `npm run docs` writes today', () => {
    expect(readFileSync(join(packageRoot(), 'docs/json.md'), 'utf8')).toBe(jsonDocs());
  });
});

describe('docs/events.md', () => {
  it('is what `npm run docs` writes today, and its examples are events', () => {
    expect(readFileSync(join(packageRoot(), 'docs/events.md'), 'utf8')).toBe(eventsDocs());
    for (const event of recordedEvents()) expect(parseEvent(event)).toEqual(event);
  });
});

describe('the outputs in the READMEs', () => {
  it.each(PAGES)('%s: are what the commands print today', (page) => {
    expect(withOutputs(page)).toBe(readFileSync(join(packageRoot(), page), 'utf8'));
  });
});
