import { readFileSync } from 'node:fs';

/** The model has 512 positions; two of them go to the start and end marks. */
export const MAX_TOKENS = 512;

/** SentencePiece's sign for a space. */
const META = '\u2581';
/**
 * Code points that are looked at. The longest piece has 16, so 510 tokens end before 8,160; the rest of the window lets the best
 * path settle, so that cutting here gives the same first tokens as reading a megabyte to its end (but for thousands of one and the
 * same character, where the last one decides how all are paired).
 */
const WINDOW = 12_288;

interface TokenizerJson {
  pieces: string[];
  scores: number[];
  special: { bos: number; eos: number; pad: number; unk: number };
  norm: Record<string, string>;
  unk: number;
}

/**
 * The unigram tokenizer of multilingual-e5, on the cut vocabulary.
 *
 * Normalise each code point by the table, fold runs of spaces, write ▁ for a space and before the text, then take the sequence of
 * pieces whose scores have the greatest sum. A code point that no piece covers is one `<unk>`.
 */
export class Tokenizer {
  readonly size: number;
  private readonly ids = new Map<string, number>();
  private readonly scores: Float64Array;
  private readonly norm = new Map<number, string>();
  private readonly special: TokenizerJson['special'];
  private readonly unkScore: number;
  /** Longest piece that starts with this UTF-16 unit, in code units: ends most look-ups early. */
  private readonly longest = new Uint8Array(65536);

  constructor(file: string) {
    const json = JSON.parse(readFileSync(file, 'utf8')) as TokenizerJson;
    this.size = json.pieces.length;
    this.special = json.special;
    this.unkScore = json.unk;
    this.scores = Float64Array.from(json.scores);
    const { bos, eos, pad, unk } = json.special;
    json.pieces.forEach((piece, id) => {
      // The marks are no text: someone who writes "<s>" means three characters.
      if (id === bos || id === eos || id === pad || id === unk) return;
      this.ids.set(piece, id);
      const first = piece.charCodeAt(0);
      if (piece.length > this.longest[first]!) this.longest[first] = piece.length;
    });
    for (const [codePoint, text] of Object.entries(json.norm)) this.norm.set(Number(codePoint), text);
  }

  /**
   * @param text any text, prefix included; lone surrogates and control characters do no harm
   * @returns token ids with the start and end marks, at most `MAX_TOKENS`; what is longer is cut at the end
   */
  encode(text: string): number[] {
    const pieces = this.bestPath(this.normalise(text));
    const { bos, eos } = this.special;
    return [bos, ...pieces.slice(0, MAX_TOKENS - 2), eos];
  }

  private normalise(text: string): string {
    let out = META;
    let afterSpace = true;
    let count = 0;
    for (const char of text) {
      for (const c of this.norm.get(char.codePointAt(0)!) ?? char) {
        if (c === ' ' && afterSpace && count > 0) continue;
        afterSpace = c === ' ';
        // The ▁ before the text stands for a space that the text may begin with.
        if (!(afterSpace && count === 0)) out += afterSpace ? META : c;
        count++;
      }
      if (count >= WINDOW) break;
    }
    return out;
  }

  /** Viterbi over UTF-16 units, with whole code points as the only steps into the unknown. */
  private bestPath(text: string): number[] {
    const n = text.length;
    const best = new Float64Array(n + 1).fill(Number.NEGATIVE_INFINITY);
    const piece = new Int32Array(n + 1);
    const from = new Int32Array(n + 1);
    best[0] = 0;
    for (let i = 0; i < n; i++) {
      const here = best[i]!;
      if (here === Number.NEGATIVE_INFINITY) continue;
      const first = text.charCodeAt(i);
      const end = Math.min(n, i + this.longest[first]!);
      for (let e = i + 1; e <= end; e++) {
        const id = this.ids.get(text.slice(i, e));
        if (id === undefined) continue;
        const score = here + this.scores[id]!;
        if (score > best[e]!) {
          best[e] = score;
          piece[e] = id;
          from[e] = i;
        }
      }
      const next = i + (isPairStart(text, i, first) ? 2 : 1);
      if (here + this.unkScore > best[next]!) {
        best[next] = here + this.unkScore;
        piece[next] = this.special.unk;
        from[next] = i;
      }
    }
    const path: number[] = [];
    for (let i = n; i > 0; i = from[i]!) path.push(piece[i]!);
    return path.reverse();
  }
}

function isPairStart(text: string, i: number, unit: number): boolean {
  if (unit < 0xd800 || unit > 0xdbff || i + 1 >= text.length) return false;
  const low = text.charCodeAt(i + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}
