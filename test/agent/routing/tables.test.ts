import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../../src/assets.js';
import { readPlainYaml } from '../../../src/knowledge/plainYaml.js';

/** What the `yaml` package says, with every scalar a string. */
const asStrings = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(asStrings)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, asStrings(v)]))
      : String(value);

describe('the tables of routing', () => {
  it.each(['lexicon.yaml', 'grammar.yaml', 'samples.yaml'])(
    '%s is plain enough for the fast reader, and says the same to the slow one',
    (name) => {
      const text = readFileSync(join(packageRoot(), 'src/agent/routing', name), 'utf8');
      const fast = readPlainYaml(text);
      expect(fast, 'use block style: no flow maps, no flow lists over several lines').toBeDefined();
      expect(fast!.value).toEqual(asStrings(parse(text)));
    },
  );
});
