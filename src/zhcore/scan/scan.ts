import { outline } from '../../code/index.js';
import { XiheError } from '../../errors.js';
import { throwIfCancelled } from '../../history/index.js';
import { Alignment } from './align.js';
import { addCommits, wordsOfCommits } from './commits.js';
import { isTooLarge, skipReason } from './files.js';
import { GoneSearch } from './gone.js';
import { groupMentions, moduleLookup, TypeIndex } from './groups.js';
import { withoutKnown } from './known.js';
import { type KeyUse, sayingsOf, toMention } from './mentions.js';
import { nounGroups } from './nouns.js';
import { propose } from './propose.js';
import type { Mention, ScanInput, ScanResult, ScanStats, SkipReason } from './types.js';

/** Files between two looks at the signal and two reports. */
const EVERY = 20;
/** Commits whose messages are looked at, newest first. */
const MAX_COMMITS = 2_000;

/**
 * Proposes a team's Chinese words out of its own repository, and says which symbols of its terms are gone.
 *
 * Reads one file at a time and keeps only what it says: a text is never held longer than its own turn.
 *
 * @returns all proposals, best first; entries of the project's own terms are left out
 * @throws XiheError CANCELLED
 */
export async function scanRepository(input: ScanInput): Promise<ScanResult> {
  const started = Date.now();
  const reader = new Reader(input);
  await reader.readAll();
  const { mentions, types } = reader;
  const alignment = new Alignment(input.bilingual);
  for (const { word, symbol } of mentions)
    alignment.learn(word, symbol.role === 'key' ? symbol.name.split('.').at(-1)! : symbol.name);
  const commits = input.history?.recent(MAX_COMMITS) ?? [];
  const groups = groupMentions([...mentions, ...wordsOfCommits(commits, types)], types);
  groups.push(...nounGroups(mentions, groups, types));
  addCommits(groups, commits);
  const moduleOf = moduleLookup(input.modules);
  const { proposals, known } = withoutKnown(propose(groups, alignment, types, moduleOf), input.known, input.recorded);
  return {
    proposals,
    gone: reader.gone.find(mentions, input.history),
    stats: { ...reader.stats, mentions: mentions.length, known, ms: Date.now() - started },
  };
}

/** Goes through the files, one at a time. */
class Reader {
  readonly mentions: Mention[] = [];
  readonly types = new TypeIndex();
  readonly gone: GoneSearch;
  readonly #skipped = new Map<SkipReason, number>();
  readonly #texts = new Map<string, string>();
  readonly #keyUses: (KeyUse & { file: string })[] = [];
  #read = 0;

  constructor(private readonly input: ScanInput) {
    this.gone = new GoneSearch(input.known);
  }

  get stats(): Pick<ScanStats, 'files' | 'skipped'> {
    const skipped = [...this.#skipped].map(([reason, files]) => ({ reason, files })).sort((a, b) => b.files - a.files);
    return { files: this.#read, skipped };
  }

  async readAll(): Promise<void> {
    const { files, signal, onProgress } = this.input;
    for (const [i, path] of files.entries()) {
      if (i % EVERY === 0) {
        // Lets Ctrl-C in: promises alone never give the turn to signals.
        await new Promise((resolve) => setImmediate(resolve));
        throwIfCancelled(signal);
        onProgress?.({ done: i, total: files.length });
      }
      await this.#one(path);
    }
    onProgress?.({ done: files.length, total: files.length });
    this.#resolveKeys();
    this.types.settle();
  }

  async #one(path: string): Promise<void> {
    const reason = skipReason(path);
    if (reason !== undefined) {
      this.#skip(reason);
      return;
    }
    const text = this.#text(path);
    if (text === undefined) return;
    this.#read++;
    const shape = await outline(path, text);
    this.gone.look(path, text, shape);
    const found = sayingsOf(path, text, shape);
    for (const type of found.types) this.types.add(type);
    for (const field of found.fields) this.types.addField(field);
    if (!this.#wanted(path)) return;
    for (const mention of found.mentions) this.mentions.push(mention);
    for (const { key, text: said } of shape.i18n ?? []) if (!this.#texts.has(key)) this.#texts.set(key, said);
    for (const use of found.keyUses) this.#keyUses.push({ ...use, file: path });
  }

  #text(path: string): string | undefined {
    const size = this.input.sizeOf?.(path);
    if (size !== undefined && isTooLarge(path, size)) return this.#skip('large');
    try {
      const text = this.input.read(path);
      if (text === undefined) return this.#skip('unreadable');
      return isTooLarge(path, text.length) ? this.#skip('large') : text;
    } catch (e) {
      if (XiheError.is(e, 'CANCELLED')) throw e;
      return this.#skip('unreadable');
    }
  }

  #skip(reason: SkipReason): undefined {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + 1);
  }

  #wanted(path: string): boolean {
    const { only } = this.input;
    return (
      only === undefined || only.some((prefix) => prefix === '' || path === prefix || path.startsWith(`${prefix}/`))
    );
  }

  /** Titles of routes and labels of fields that name an interface text by its key. */
  #resolveKeys(): void {
    for (const { key, kind, symbol, line, file } of this.#keyUses) {
      const text = this.#texts.get(key);
      const mention =
        text === undefined
          ? undefined
          : toMention(file, { text, kind, describes: kind === 'route' ? 'title' : 'label', symbol, line });
      if (mention) this.mentions.push(mention);
    }
  }
}
