import { type Outline, outline } from '../../code/index.js';
import { XiheError } from '../../errors.js';
import { throwIfCancelled } from '../../history/index.js';
import { foldKeepingCase } from '../../text/index.js';
import type { Term } from '../types.js';
import { Alignment } from './align.js';
import { addCommits, wordsOfCommits } from './commits.js';
import { isTooLarge, type SkipRule, skipRule } from './files.js';
import { TRADITIONAL } from './folders.js';
import { GoneSearch } from './gone.js';
import { groupMentions, moduleLookup, TypeIndex } from './groups.js';
import { hiddenPlace } from './hidden.js';
import { withoutKnown } from './known.js';
import { type KeyUse, sayingsOf, toMention } from './mentions.js';
import { nounGroups } from './nouns.js';
import { propose } from './propose.js';
import { type FileSay, sayRule } from './says.js';
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
  const missing = reader.gone.find(mentions, input.history);
  const gone = missing.filter(({ termId }) => !isHidden(termId, input.known, reader.unreadable));
  return {
    proposals,
    gone,
    stats: {
      ...reader.stats,
      unreadable: reader.unreadable,
      unchecked: missing.length - gone.length,
      mentions: mentions.length,
      known,
      ms: Date.now() - started,
    },
  };
}

/** What stands where nothing can be read is not gone. */
function isHidden(termId: string, known: readonly Term[], unreadable: readonly string[]): boolean {
  return (
    unreadable.length > 0 &&
    known.some(({ id, provenance }) => id === termId && hiddenPlace(provenance.source, unreadable) !== undefined)
  );
}

/** Scripts that are called like the interface in another language, and hold more than texts: `messages/id.ts`. */
function isProgram({ language, symbols }: Outline): boolean {
  return (
    /script|tsx/.test(language) &&
    symbols.some(({ kind }) => kind === 'class' || kind === 'interface' || kind === 'enum' || kind === 'function')
  );
}

/** Goes through the files, one at a time. */
class Reader {
  readonly mentions: Mention[] = [];
  readonly types = new TypeIndex();
  readonly gone: GoneSearch;
  readonly #skipped = new Map<SkipReason, { files: number; example: string }>();
  readonly #skipRule: SkipRule;
  readonly #sayOf: (path: string) => FileSay;
  readonly #texts = new Map<string, string>();
  readonly #keyUses: (KeyUse & { file: string })[] = [];
  /** Where the disk refused. What is no text is read, and says nothing. */
  readonly unreadable: string[];
  #read = 0;

  constructor(private readonly input: ScanInput) {
    this.#skipRule = skipRule(input.files);
    this.#sayOf = sayRule(input.files, this.#skipRule);
    this.gone = new GoneSearch(input.known, this.#sayOf);
    this.unreadable = [...(input.unreadable ?? [])];
    for (const path of this.unreadable) this.#skip('unreadable', path || '.');
  }

  get stats(): Pick<ScanStats, 'files' | 'skipped'> {
    const skipped = [...this.#skipped].map(([reason, rest]) => ({ reason, ...rest })).sort((a, b) => b.files - a.files);
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
    // What no file of the project's own has may stand in generated or vendored ones.
    const { presence } = this.gone;
    if (presence.gone.length > 0) {
      await presence.readAll(
        // Files that the scan itself leaves out, and that may hold a symbol all the same: settings in other languages come with them.
        files.filter((path) => this.#reason(path) !== undefined && this.#sayOf(path) !== 'none'),
        (path) => {
          throwIfCancelled(signal);
          return this.#text(path, true);
        },
      );
    }
    onProgress?.({ done: files.length, total: files.length });
    this.#resolveKeys();
    this.types.settle();
  }

  async #one(path: string): Promise<void> {
    const reason = this.#reason(path);
    if (reason !== undefined && reason !== 'other-language') {
      this.#skip(reason, path);
      return;
    }
    const text = this.#text(path);
    if (text === undefined) return;
    const shape = await outline(path, text);
    if (reason !== undefined && !isProgram(shape)) {
      this.#skip(reason, path);
      return;
    }
    this.#read++;
    this.gone.look(path, text, shape);
    const found = sayingsOf(path, text, shape);
    for (const type of found.types) this.types.add(type);
    for (const field of found.fields) this.types.addField(field);
    if (!this.#wanted(path)) return;
    for (const mention of found.mentions) this.mentions.push(mention);
    const texts = TRADITIONAL.test(path)
      ? shape.i18n?.map(({ key, text: said }) => ({ key, text: foldKeepingCase(said) }))
      : shape.i18n;
    for (const { key, text: said } of texts ?? []) if (!this.#texts.has(key)) this.#texts.set(key, said);
    for (const use of found.keyUses) this.#keyUses.push({ ...use, file: path });
  }

  /** @param quietly files that are only asked whether they hold a symbol are not counted */
  #text(path: string, quietly = false): string | undefined {
    const size = this.input.sizeOf?.(path);
    if (size !== undefined && isTooLarge(path, size)) return this.#skip('large', path, quietly);
    try {
      const text = this.input.read(path);
      if (text === undefined) return this.#skip('unreadable', path, quietly);
      return isTooLarge(path, text.length) ? this.#skip('large', path, quietly) : text;
    } catch (e) {
      if (XiheError.is(e, 'CANCELLED')) throw e;
      if (!XiheError.is(e)) this.unreadable.push(path);
      return this.#skip('unreadable', path, quietly);
    }
  }

  #skip(reason: SkipReason, path: string, quietly = false): undefined {
    if (quietly) return;
    const known = this.#skipped.get(reason);
    if (known === undefined) this.#skipped.set(reason, { files: 1, example: path });
    else known.files++;
  }

  #reason(path: string): SkipReason | undefined {
    return this.#skipRule(path, this.#namedAbove(path));
  }

  /** The longest of the folders that were asked for by name, and that a path lies in; undefined where there is none. */
  #namedAbove(path: string): string | undefined {
    const above = this.input.only?.filter(
      (prefix) => prefix !== '' && (path === prefix || path.startsWith(`${prefix}/`)),
    );
    return above?.sort((a, b) => b.length - a.length)[0];
  }

  #wanted(path: string): boolean {
    const { only } = this.input;
    return only === undefined || only.includes('') || this.#namedAbove(path) !== undefined;
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
