import { createHash } from 'node:crypto';
import { assetPath, packageVersion } from '../assets.js';
import { stateBytes, writeAtomic } from '../stateFile.js';
import { fold, taughtWords } from '../text/index.js';
import { type FieldTokens, TOKEN_KEY_BYTES, TokenFile, TokenWriter } from './tokenFile.js';
import type { Chunk } from './types.js';

/** Cuts a text into tokens. */
export type Cut = (text: string) => readonly string[];

/** The fields of a chunk in the index, in the order in which their tokens are kept. */
export const FIELDS = ['body', 'heading', 'keywords'] as const;

/** Where the tokens of the general layer ship, made by `npm run general:index`. */
export const READY_FILE = () => assetPath('knowledge', 'ready', 'tokens.bin');

/**
 * Tokens of chunks, cut only where no file has them: those of the general layer ship, a project's are kept from one index to the
 * next, so that a changed document costs its own chunks. Jieba is nearly all of what an index costs.
 *
 * Tokens depend on the words that the cutter was taught, too. Kept ones are taken when the words taught then and now are the same,
 * or when none that makes the difference stands in the text: a new term costs the chunks that it stands in.
 */
export class TokenCache {
  private readonly ready: Source | undefined;
  private readonly kept: Source | undefined;
  private readonly cutter: string;
  private readonly writer: TokenWriter;
  private readonly wordsAtStart = taughtWords().size;
  /** Chunks that had to be cut. */
  cutNow = 0;

  /**
   * @param file where the project's tokens are kept, absolute; undefined keeps none
   * @param readyFile the tokens that ship; undefined does without
   */
  constructor(
    private readonly file: string | undefined,
    readyFile: string | undefined,
    private readonly cut: Cut,
  ) {
    const ready = readTokens(readyFile);
    // When the rules of cutting change, so do the tokens that ship (a test sees to that), and with them this name.
    this.cutter = `${packageVersion()} ${ready?.checksum ?? 'none'}`;
    const kept = readTokens(file);
    this.ready = ready && new Source(ready);
    this.kept = kept?.cutter === this.cutter ? new Source(kept) : undefined;
    this.writer = new TokenWriter(this.kept?.file);
  }

  /** The tokens of a chunk, field by field as in {@link FIELDS}. */
  of(chunk: Chunk): FieldTokens {
    const known = this.known(chunk);
    if (known !== undefined) return known;
    this.cutNow += 1;
    const tokens = cutFields(chunk, this.cut);
    if (this.file !== undefined) this.writer.add(tokenKey(chunk), tokens);
    return tokens;
  }

  /** The same when a file has them. */
  known(chunk: Chunk): FieldTokens | undefined {
    const key = tokenKey(chunk);
    const shipped = this.ready?.get(key, chunk);
    if (shipped !== undefined) return shipped;
    const kept = this.kept?.get(key, chunk);
    if (kept !== undefined) this.writer.keep(key, kept);
    return kept;
  }

  /** Whether a word was taught meanwhile: then nobody can say which tokens are right, and none are kept. */
  get isOutdated(): boolean {
    return taughtWords().size !== this.wordsAtStart;
  }

  /** Keeps the tokens of all chunks that were asked for, and no others. */
  save(): void {
    const same =
      this.kept === undefined
        ? this.writer.count === 0
        : this.kept.upToDate && this.writer.count === this.kept.file.size;
    const changed = this.cutNow > 0 || !same;
    if (this.file === undefined || !changed || this.isOutdated) return;
    writeAtomic(this.file, this.writer.toPieces({ cutter: this.cutter, taught: taughtWords() }));
  }
}

/** A file of tokens, with the words that were taught then and not now, or the other way round. */
class Source {
  private readonly doubtful: WordsInText;

  constructor(readonly file: TokenFile) {
    const now = taughtWords();
    const differing = [
      ...[...now].filter((word) => !file.taught.has(word)),
      ...[...file.taught].filter((word) => !now.has(word)),
    ];
    this.doubtful = new WordsInText(differing);
  }

  /** Whether the same words were taught as now. */
  get upToDate(): boolean {
    return this.doubtful.size === 0;
  }

  get(key: string, chunk: Chunk): string[][] | undefined {
    try {
      const tokens = this.file.get(key);
      return tokens !== undefined && this.doubtful.standIn(chunk) ? undefined : tokens;
    } catch {
      return undefined;
    }
  }
}

/** Tells whether one of some words stands in a chunk, by their first two characters. */
class WordsInText {
  private readonly byStart = new Map<string, string[]>();
  readonly size: number;

  /** @param words folded, at least two characters each */
  constructor(words: readonly string[]) {
    this.size = words.length;
    for (const word of words) {
      const start = word.slice(0, 2);
      this.byStart.set(start, [...(this.byStart.get(start) ?? []), word]);
    }
  }

  standIn(chunk: Chunk): boolean {
    if (this.size === 0) return false;
    const text = fold(textsOf(chunk).flat().join('\n'));
    for (let i = 0; i + 1 < text.length; i++) {
      const words = this.byStart.get(text.slice(i, i + 2));
      if (words?.some((word) => text.startsWith(word, i))) return true;
    }
    return false;
  }
}

/** What is cut for each of {@link FIELDS}. */
function textsOf({ content, title, heading, keywords }: Chunk): readonly (readonly string[])[] {
  return [[content], [title, heading], keywords];
}

/** Cuts a chunk, field by field. */
export function cutFields(chunk: Chunk, cut: Cut): FieldTokens {
  return textsOf(chunk).map((texts) => texts.flatMap((text) => cut(text)));
}

/** The tokens of what ships, as a file: the words that the cutter was taught must be those of the general layer. */
export function readyTokens(chunks: readonly Chunk[], cut: Cut): Buffer {
  const writer = new TokenWriter();
  for (const chunk of chunks) writer.add(tokenKey(chunk), cutFields(chunk, cut));
  return Buffer.concat(writer.toPieces({ cutter: '', taught: taughtWords() }));
}

/** Names what a chunk's tokens are cut from. */
export function tokenKey(chunk: Chunk): string {
  const digest = createHash('sha256')
    .update(JSON.stringify(textsOf(chunk)))
    .digest();
  return digest.toString('latin1', 0, TOKEN_KEY_BYTES);
}

function readTokens(file: string | undefined): TokenFile | undefined {
  if (file === undefined) return undefined;
  try {
    return new TokenFile(stateBytes(file));
  } catch {
    // Not there, cut off by a crash, or of another version: cut anew.
    return undefined;
  }
}
