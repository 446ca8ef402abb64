import { crc32 } from 'node:zlib';

const MAGIC = 'XHTK';
const VERSION = 1;
/** Magic, version, checksum of the rest, length of the JSON head. */
const FIRST_BYTES = 16;
const CHECKED_FROM = 12;

/** Bytes of a key: with 96 bits of SHA-256 two texts never meet. */
export const TOKEN_KEY_BYTES = 12;

/** Tokens of a field at most: far more than a chunk has, and little enough for a number gone wrong to do no harm. */
const FIELD_MAX = 1 << 16;

/** Tokens of one text, field by field. */
export type FieldTokens = readonly (readonly string[])[];

interface Head {
  cutter: string;
  taught: string[];
  vocabulary: string[];
  /** How many words the vocabulary had when it was last made of what is used only. */
  fresh: number;
  count: number;
}

/** A vocabulary that grew from file to file by this factor is made anew: words of texts that are gone have piled up in it. */
const STALE = 1.5;

/** What tokens in a file rest on, beside the text. */
export interface TokenOrigin {
  /** Names the rules of cutting. */
  cutter: string;
  /** Words that the cutter had been taught. */
  taught: Iterable<string>;
}

/** Collects tokens and makes a file of them. Their order is not kept, their number is. */
export class TokenWriter {
  private readonly numbers: Map<string, number>;
  private readonly base: TokenFile | undefined;
  private readonly keys = new Set<string>();
  private readonly ends: number[] = [];
  private bytes = Buffer.alloc(1 << 16);
  private at = 0;

  /** @param base the file that this one follows: what stays the same is copied */
  constructor(base?: TokenFile) {
    this.base = base?.isStale === false ? base : undefined;
    this.numbers = new Map(this.base?.vocabulary.map((word, i) => [word, i]));
  }

  /** How many texts there are. */
  get count(): number {
    return this.keys.size;
  }

  /** @param key {@link TOKEN_KEY_BYTES} as latin1; a second text of the same key is the same text */
  add(key: string, fields: FieldTokens): void {
    if (this.keys.has(key)) return;
    this.keys.add(key);
    this.number(fields.length);
    for (const tokens of fields) this.field(tokens);
    this.ends.push(this.at);
  }

  /** The same for a text of the base whose tokens are still right; `fields` are those tokens. */
  keep(key: string, fields: FieldTokens): void {
    const record = this.base?.record(key);
    if (record === undefined) this.add(key, fields);
    if (record === undefined || this.keys.has(key)) return;
    this.keys.add(key);
    this.reserve(record.length);
    this.at += record.copy(this.bytes, this.at);
    this.ends.push(this.at);
  }

  private field(tokens: readonly string[]): void {
    const numbers = Uint32Array.from(tokens, (token) => this.numberOf(token)).sort();
    let distinct = 0;
    for (let i = 0; i < numbers.length; i++) if (i === 0 || numbers[i] !== numbers[i - 1]) distinct += 1;
    this.number(distinct);
    let previous = 0;
    for (let i = 0, next = 0; i < numbers.length; i = next) {
      const number = numbers[i] as number;
      while (next < numbers.length && numbers[next] === number) next += 1;
      this.number(number - previous);
      this.number(next - i);
      previous = number;
    }
  }

  private numberOf(token: string): number {
    const known = this.numbers.get(token);
    if (known !== undefined) return known;
    this.numbers.set(token, this.numbers.size);
    return this.numbers.size - 1;
  }

  /** Seven bits a byte, the lowest first (LEB128). */
  private number(n: number): void {
    this.reserve(5);
    let rest = n;
    for (; rest > 127; rest >>>= 7) this.bytes[this.at++] = (rest & 127) | 128;
    this.bytes[this.at++] = rest;
  }

  private reserve(length: number): void {
    const needed = this.at + length;
    if (needed > this.bytes.length) this.bytes = Buffer.concat([this.bytes], Math.max(needed, 2 * this.bytes.length));
  }

  /** The file, in pieces. */
  toPieces({ cutter, taught }: TokenOrigin): Uint8Array[] {
    const vocabulary = [...this.numbers.keys()];
    const fresh = this.base?.fresh ?? vocabulary.length;
    const head: Head = { cutter, taught: [...taught].sort(), vocabulary, fresh, count: this.count };
    const json = Buffer.from(JSON.stringify(head));
    const first = Buffer.alloc(FIRST_BYTES);
    first.write(MAGIC, 'latin1');
    first.writeUInt32LE(VERSION, 4);
    first.writeUInt32LE(json.length, 12);
    const ends = Buffer.alloc(4 * this.count);
    for (const [i, end] of this.ends.entries()) ends.writeUInt32LE(end, 4 * i);
    const pieces = [first, json, Buffer.from([...this.keys].join(''), 'latin1'), ends, this.bytes.subarray(0, this.at)];
    let sum = crc32(first.subarray(CHECKED_FROM));
    for (const piece of pieces.slice(1)) sum = crc32(piece, sum);
    first.writeUInt32LE(sum, 8);
    return pieces;
  }
}

/** A checksum says that nothing was lost on the way, not that it made sense when it was written. */
function isHead(value: unknown): value is Head {
  const head = value as Partial<Head> | null;
  const areTexts = (list: unknown) => Array.isArray(list) && list.every((item) => typeof item === 'string');
  const isCount = (n: unknown) => Number.isInteger(n) && (n as number) >= 0;
  return (
    typeof head?.cutter === 'string' &&
    areTexts(head.taught) &&
    areTexts(head.vocabulary) &&
    isCount(head.fresh) &&
    isCount(head.count)
  );
}

/** Tokens by key, from a file. */
export class TokenFile {
  readonly cutter: string;
  readonly taught: ReadonlySet<string>;
  /** Changes with the content. */
  readonly checksum: number;
  readonly vocabulary: readonly string[];
  readonly fresh: number;
  private readonly places = new Map<string, number>();
  private readonly ends: Buffer;
  private readonly records: Buffer;

  /**
   * @param bytes what {@link TokenWriter.toPieces} gave, joined
   * @throws Error when they are cut, damaged, foreign or of another version
   */
  constructor(bytes: Buffer) {
    if (bytes.length < FIRST_BYTES || bytes.toString('latin1', 0, 4) !== MAGIC) throw new Error('no file of tokens');
    if (bytes.readUInt32LE(4) !== VERSION) throw new Error('a file of tokens of another version');
    this.checksum = bytes.readUInt32LE(8);
    if (crc32(bytes.subarray(CHECKED_FROM)) !== this.checksum) throw new Error('a damaged file of tokens');
    const from = FIRST_BYTES + bytes.readUInt32LE(12);
    const head = JSON.parse(bytes.toString('utf8', FIRST_BYTES, from)) as unknown;
    if (!isHead(head)) throw new Error('a file of tokens whose head makes no sense');
    this.cutter = head.cutter;
    this.taught = new Set(head.taught);
    this.vocabulary = head.vocabulary;
    this.fresh = head.fresh;
    const endsAt = from + TOKEN_KEY_BYTES * head.count;
    const recordsAt = endsAt + 4 * head.count;
    if (recordsAt > bytes.length) throw new Error('a file of tokens that is too short');
    for (let i = 0; i < head.count; i++) {
      const at = from + TOKEN_KEY_BYTES * i;
      this.places.set(bytes.toString('latin1', at, at + TOKEN_KEY_BYTES), i);
    }
    this.ends = bytes.subarray(endsAt, recordsAt);
    this.records = bytes.subarray(recordsAt);
  }

  /** How many texts it knows. */
  get size(): number {
    return this.places.size;
  }

  /** Whether too many of its words are of texts that are gone. */
  get isStale(): boolean {
    return this.vocabulary.length > STALE * this.fresh;
  }

  /** The tokens of a text as they lie in the file. */
  record(key: string): Buffer | undefined {
    const place = this.places.get(key);
    if (place === undefined) return undefined;
    const start = place === 0 ? 0 : this.ends.readUInt32LE(4 * (place - 1));
    return this.records.subarray(start, this.ends.readUInt32LE(4 * place));
  }

  /**
   * The tokens of a text, each as often as it stands there, in no order.
   *
   * @throws Error when the record makes no sense
   */
  get(key: string): string[][] | undefined {
    const record = this.record(key);
    if (record === undefined) return undefined;
    let at = 0;
    const next = (): number => {
      let n = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = record.readUInt8(at++);
        n |= (byte & 127) << shift;
        if (byte < 128) return n;
      }
    };
    return Array.from({ length: next() }, () => {
      const tokens: string[] = [];
      let number = 0;
      for (let distinct = next(); distinct > 0; distinct--) {
        number += next();
        const [token, count] = [this.vocabulary[number], next()];
        if (token === undefined || tokens.length + count > FIELD_MAX) throw new Error('a damaged record of tokens');
        for (let i = 0; i < count; i++) tokens.push(token);
      }
      return tokens;
    });
  }
}
