import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { halfToNumber } from '../../src/embed/half.js';
import { MODEL_DIMENSION, modelFiles } from '../../src/embed/modelFiles.js';
import { MAX_TOKENS, Tokenizer } from '../../src/embed/tokenizer.js';
import { WordTable } from '../../src/embed/wordTable.js';
import { fixture, random } from './support.js';

const files = modelFiles();
const tokenizer = new Tokenizer(files.tokenizer);
const json = JSON.parse(readFileSync(files.tokenizer, 'utf8')) as { pieces: string[]; special: { unk: number } };
/** Text (or a piece of text and how often it stands there) and the ids of `query: ` + text, see fixtures/make.py. */
const expected = fixture<[string | [string, number], string]>('tokens.jsonl');

const pieces = (text: string): string[] => tokenizer.encode(text).map((id) => json.pieces[id]!);

describe('tokenizer', () => {
  it('gives the ids of the reference for every text of the fixture', () => {
    expect(expected.length).toBeGreaterThan(200);
    for (const [text, packed] of expected) {
      const bytes = Buffer.from(packed, 'base64');
      const ids = Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readUInt16LE(2 * i));
      const whole = typeof text === 'string' ? text : text[0].repeat(text[1]);
      expect(tokenizer.encode(`query: ${whole}`), JSON.stringify(text)).toEqual(ids);
    }
  });

  it('has the words of the prefixes whole, as the model was trained', () => {
    expect(pieces('passage: 库存').slice(0, 3)).toEqual(['<s>', '▁passage', ':']);
    expect(pieces('query: 库存').slice(0, 4)).toEqual(['<s>', '▁que', 'ry', ':']);
  });

  it('takes one <unk> for a character that no piece covers, also outside the basic plane', () => {
    const unknown = (text: string) => tokenizer.encode(text).filter((id) => id === json.special.unk).length;
    expect(unknown('𠮷')).toBe(1);
    expect(unknown('👍👍')).toBe(2);
    expect(unknown('\ud800')).toBe(1);
    expect(unknown('한글')).toBe(2);
    expect(unknown('库存扣减')).toBe(0);
  });

  it('reads the names of its marks as text', () => {
    const { special } = JSON.parse(readFileSync(files.tokenizer, 'utf8'));
    const ids = tokenizer.encode('<s></s><pad>');
    expect(ids[0]).toBe(special.bos);
    expect(ids.at(-1)).toBe(special.eos);
    expect(ids.slice(1, -1)).not.toContain(special.bos);
    expect(ids.slice(1, -1)).not.toContain(special.pad);
  });

  it('never gives more than 512 ids, and the first ones do not depend on what is cut off', () => {
    const long = '订单 order 超时 timeout，'.repeat(1000);
    const ids = tokenizer.encode(long);
    expect(ids).toHaveLength(MAX_TOKENS);
    expect(tokenizer.encode(long.repeat(50))).toEqual(ids);
  });

  it('takes any string: ids are in range and spaces at the start, alone or many, are one', () => {
    const next = random(7);
    for (let round = 0; round < 300; round++) {
      const units = Array.from({ length: Math.floor(next() * 60) }, () => Math.floor(next() ** 3 * 0x10000));
      const ids = tokenizer.encode(String.fromCharCode(...units));
      expect(ids.length).toBeGreaterThanOrEqual(2);
      expect(ids.every((id) => id >= 0 && id < tokenizer.size)).toBe(true);
    }
    expect(tokenizer.encode('   库存')).toEqual(tokenizer.encode('库存'));
    expect(tokenizer.encode('扣减  库存')).toEqual(tokenizer.encode('扣减 库存'));
  });
});

describe('word table', () => {
  it('decodes a row as its description says', () => {
    const table = new WordTable(files.words, MODEL_DIMENSION);
    expect(table.rows).toBe(tokenizer.size);
    const bytes = readFileSync(files.words);
    const out = new Float32Array(2 * MODEL_DIMENSION);
    for (const id of [0, 3, 17, 20_000, table.rows - 1]) {
      table.decode(id, out, MODEL_DIMENSION);
      for (let i = 0; i < MODEL_DIMENSION; i++) {
        const block = id * 216 + Math.floor(i / 32) * 18;
        const j = i % 32;
        const pair = bytes[block + 2 + (j % 16)]!;
        const value = ((j < 16 ? pair & 15 : pair >> 4) - 8) * halfToNumber(bytes.readUInt16LE(block));
        expect(out[MODEL_DIMENSION + i]).toBeCloseTo(value, 6);
      }
    }
    expect(out.subarray(0, MODEL_DIMENSION).every((x) => x === 0)).toBe(true);
  });

  it('knows half precision, subnormal and special values included', () => {
    const known: [number, number][] = [
      [0x0000, 0],
      [0x3c00, 1],
      [0xc000, -2],
      [0x3555, 0.333251953125],
      [0x0001, 2 ** -24],
      [0x03ff, 1023 * 2 ** -24],
      [0x0400, 2 ** -14],
      [0x7bff, 65504],
      [0x7c00, Number.POSITIVE_INFINITY],
    ];
    for (const [bits, value] of known) expect(halfToNumber(bits)).toBe(value);
    expect(halfToNumber(0x7e00)).toBeNaN();
  });
});
