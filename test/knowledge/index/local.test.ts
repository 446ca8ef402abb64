import { describe, expect, it } from 'vitest';
import { LocalIndex, rowHash } from '../../../src/knowledge/index.js';
import { contract } from './contract.js';
import { DIMENSION } from './corpus.js';

describe('LocalIndex', () => {
  // Exact vectors: the loss of int8 is measured in the embed room.
  contract(
    async ({ embedderId = 'test', dimension = DIMENSION }) =>
      new LocalIndex({ embedderId, dimension, encoding: 'float32' }),
  );
});

describe('rowHash', () => {
  it('changes with the text, the words and what filters know', () => {
    const facts = { layer: 'project', status: 'verified' } as const;
    const others = [
      rowHash('文', ['文'], facts),
      rowHash('文字', ['文'], facts),
      rowHash('文', ['文', '文'], facts),
      rowHash('文', ['文'], { ...facts, layer: 'general' }),
      rowHash('文', ['文'], { ...facts, status: 'candidate' }),
      rowHash('文', ['文'], { ...facts, module: 'order' }),
      rowHash('文', ['文'], { ...facts, versionUntil: 'order' }),
    ];
    expect(new Set(others).size).toBe(others.length);
    expect(rowHash('文', ['文'], { ...facts })).toBe(others[0]);
  });
});
