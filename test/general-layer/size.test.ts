import { describe, expect, it } from 'vitest';
import { chunkDocument } from '../../src/knowledge/index.js';
import { openZhCore } from '../../src/zhcore/index.js';

const core = openZhCore();
const of = <T extends ReturnType<typeof core.entries>[number]['type']>(type: T) =>
  core.entries().filter((item): item is Extract<typeof item, { type: T }> => item.type === type);

describe('what ships is enough to start with', () => {
  it('200 terms, each a candidate with its usual names', () => {
    const terms = of('term');
    expect(terms.length).toBeGreaterThanOrEqual(200);
    for (const { entry } of terms) expect([entry.id, entry.code_symbols.length > 0]).toEqual([entry.id, true]);
  });

  it('150 passages, each with an official page behind it, a licence, a confidence and a day of review', () => {
    const documents = of('knowledge').map(({ entry }) => entry);
    const chunks = documents.flatMap(chunkDocument);
    expect(chunks.length).toBeGreaterThanOrEqual(150);
    for (const { title, kind, provenance: p } of documents) {
      expect([title, kind]).toEqual([title, 'official']);
      expect([title, p.source]).toEqual([title, expect.stringMatching(/^https:\/\/\S+$/)]);
      expect([title, p.license, p.reviewedAt]).toEqual([title, 'Apache-2.0', expect.stringMatching(/^\d{4}-/)]);
      // Nobody is surer than "read in full".
      expect([title, p.confidence > 0 && p.confidence <= 0.95]).toEqual([title, true]);
    }
  });

  it('60 warnings that can fire on a diff', () => {
    const warnings = of('warning').filter(({ entry: { when } }) => when.added.length > 0 || when.paths.length > 0);
    expect(warnings.length).toBeGreaterThanOrEqual(60);
  });

  it('24 playbooks with triggers, steps and checks that a machine can run', () => {
    const playbooks = of('playbook').map(({ entry }) => entry);
    expect(playbooks.length).toBeGreaterThanOrEqual(24);
    for (const { id, steps, required_checks, post_checks } of playbooks) {
      expect([id, steps.length >= 4]).toEqual([id, true]);
      expect([id, required_checks.length > 0, post_checks.length > 0]).toEqual([id, true, true]);
    }
  });
});
