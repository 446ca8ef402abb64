import type { CodeSymbol, Outline } from '../../code/index.js';
import { closest, splitIdentifier } from '../../text/index.js';
import type { Term } from '../types.js';
import { shown, TYPE_ROLES } from './names.js';
import { SymbolPresence } from './presence.js';
import type { FileSay } from './says.js';
import { type ClassSeen, successorsOf } from './successors.js';
import type { GoneSymbol, Mention, MovedTo, ScanHistory } from './types.js';
import { type Definition, SEPARATOR, squeezed, type Wanted } from './wanted.js';
import { isBareVerb } from './worth.js';

/** Places that a gone symbol may have moved to, at most. */
const MAX_MOVED = 3;
/** A single word shorter than this (`create`) is the name of many things. */
const TELLING_LENGTH = 6;

/** A symbol that is gone, of one term. */
interface Asked {
  term: Term;
  wanted: Wanted;
}

/**
 * Finds the symbols of the project's own terms that stand nowhere any more ({@link SymbolPresence}), and where they seem to have gone.
 * Sees every file once, while the scan reads it.
 */
export class GoneSearch {
  readonly presence: SymbolPresence;
  readonly #terms: readonly Term[];
  /** Classes with their members; kept only where there are terms to ask about. */
  readonly #classes = new Map<string, ClassSeen>();
  readonly #bySource = new Map<string, Definition[]>();

  /** @param sayOf what each file may say, see {@link sayRule} */
  constructor(known: readonly Term[], sayOf: (path: string) => FileSay) {
    this.#terms = known.filter(({ provenance }) => provenance.layer === 'project');
    this.presence = new SymbolPresence(
      this.#terms.flatMap(({ code_symbols }) => code_symbols),
      sayOf,
    );
  }

  /** Takes in one file. */
  look(path: string, text: string, outline: Outline): void {
    if (this.presence.wanted.length === 0) return;
    this.presence.look(path, text, outline);
    for (const symbol of outline.symbols) if (symbol.kind !== 'route') this.#keep(path, symbol);
  }

  #keep(path: string, symbol: CodeSymbol): void {
    const definition: Definition = { name: symbol.name, file: path, line: symbol.line };
    if (symbol.container) definition.container = symbol.container;
    const list = this.#bySource.get(path);
    if (list === undefined) this.#bySource.set(path, [definition]);
    else list.push(definition);
    const isClass = /^(?:class|interface|enum|type)$/.test(symbol.kind);
    const owner = isClass ? symbol.name : symbol.container?.split(SEPARATOR).at(-1);
    if (owner === undefined) return;
    const key = squeezed(owner);
    const known = this.#classes.get(key) ?? {
      name: owner,
      file: path,
      line: symbol.line,
      members: [],
      isDefined: false,
    };
    if (isClass && !known.isDefined)
      Object.assign(known, { name: owner, file: path, line: symbol.line, isDefined: true });
    if (!isClass) known.members.push(definition);
    this.#classes.set(key, known);
  }

  /** All gone symbols; to be asked when every file was seen. */
  find(mentions: readonly Mention[], history: ScanHistory | undefined): GoneSymbol[] {
    const gone = new Map(this.presence.gone.map((wanted) => [wanted.symbol, wanted]));
    return this.#terms.flatMap((term) =>
      term.code_symbols.flatMap((symbol) => {
        const wanted = gone.get(symbol.trim());
        if (wanted === undefined) return [];
        const movedTo = this.#candidates({ term, wanted }, mentions, history);
        return [
          {
            termId: term.id,
            keyword_ch: term.keyword_ch,
            symbol,
            file: term.provenance.file,
            line: term.provenance.line,
            ...(movedTo.length > 0 ? { movedTo } : {}),
          },
        ];
      }),
    );
  }

  #candidates(asked: Asked, mentions: readonly Mention[], history: ScanHistory | undefined): MovedTo[] {
    const { container, symbol } = asked.wanted;
    const own = container === undefined ? undefined : this.#classes.get(container);
    const all =
      container === undefined
        ? [
            ...(/^[A-Z]/.test(symbol) ? this.#renamedClass(symbol, asked, mentions, history) : []),
            ...this.#sameName(asked),
            ...sameWord(asked, mentions),
            ...this.#nearestInSource(asked, history),
          ]
        : own?.isDefined
          ? [...sameWord(asked, mentions, own.name), ...this.#nearestMember(asked, own), ...this.#sameName(asked)]
          : [...this.#inSuccessor(asked, mentions, history), ...this.#sameName(asked), ...sameWord(asked, mentions)];
    const seen = new Set([symbol]);
    return all.filter((moved) => !seen.has(moved.symbol) && seen.add(moved.symbol)).slice(0, MAX_MOVED);
  }

  /** The same name in other classes, where the name says enough: `.add` of any class is no candidate. */
  #sameName({ wanted: { last, container, symbol } }: Asked): MovedTo[] {
    const name = symbol.split(SEPARATOR).at(-1)!;
    const parts = splitIdentifier(name);
    if (container !== undefined && (isBareVerb(name) || (parts.length < 2 && last.length < TELLING_LENGTH))) return [];
    const places = new Map(this.presence.definitionsOf(last).map((definition) => [nameOf(definition), definition]));
    places.delete(symbol);
    const telling = parts.length > 1 || last.length >= TELLING_LENGTH;
    return [...places].map(([moved, definition]) => ({
      symbol: moved,
      file: definition.file,
      line: definition.line,
      why: container === undefined ? '还有同名的定义' : `同名，现在在 ${definition.container ?? definition.file} 里`,
      certain: telling && places.size === 1,
    }));
  }

  /** A typo, or a member that was renamed: the most similar one of the same class. */
  #nearestMember({ wanted }: Asked, own: ClassSeen): MovedTo[] {
    const name = wanted.symbol.split(SEPARATOR).at(-1)!;
    const written = wanted.symbol.split(SEPARATOR).at(-2)!;
    // A class and its table are one here; the member is named as the entry names its class.
    const exact = own.members.filter(({ container }) => container?.split(SEPARATOR).at(-1) === written);
    return nearest(name, exact.length > 0 ? exact : own.members, `${written} 里最像的名字`);
  }

  #inSuccessor(asked: Asked, mentions: readonly Mention[], history: ScanHistory | undefined): MovedTo[] {
    const { wanted } = asked;
    const parts = wanted.symbol.split(SEPARATOR);
    const name = parts.at(-1)!.replace(/\(.*$/, '');
    const found = this.#successors(parts.at(-2)!, asked, mentions, history);
    return found.flatMap(({ seen, why, certain }) => {
      const same = seen.members.find((member) => squeezed(member.name) === wanted.last);
      if (same === undefined) return nearest(name, seen.members, `${why}，其中最像的名字`);
      return [{ symbol: nameOf(same), file: same.file, line: same.line, why, certain: certain && found.length === 1 }];
    });
  }

  #renamedClass(name: string, asked: Asked, mentions: readonly Mention[], history: ScanHistory | undefined): MovedTo[] {
    const found = this.#successors(name, asked, mentions, history);
    return found.map(({ seen, why, certain }) => ({
      symbol: seen.name,
      file: seen.file,
      line: seen.line,
      why,
      certain: certain && found.length === 1,
    }));
  }

  #successors(name: string, { term }: Asked, mentions: readonly Mention[], history: ScanHistory | undefined) {
    const key = squeezed(name);
    const wanted = this.presence.wanted;
    const members = wanted.filter(({ container }) => container === key).map(({ last }) => last);
    const terms = this.#terms.filter(({ code_symbols }) =>
      code_symbols.some((symbol) => squeezed(symbol) === key || squeezed(symbol.split(SEPARATOR).at(-2) ?? '') === key),
    );
    const words = new Set(
      terms.filter(({ code_symbols }) => code_symbols.includes(name)).map(({ keyword_ch }) => keyword_ch),
    );
    const sources = new Set([term, ...terms].flatMap((one) => sourceFile(one) ?? []));
    return successorsOf({ name, members, words, sources, classes: this.#classes.values(), mentions, history });
  }

  /** The most similar name in the file that the term came from; renames that git knows are followed. */
  #nearestInSource({ term, wanted: { symbol } }: Asked, history: ScanHistory | undefined): MovedTo[] {
    const source = sourceFile(term);
    if (source === undefined) return [];
    const today = history?.nowCalled?.(source) ?? source;
    const why = today === source ? `${source} 里最像的名字` : `${source} 改名为 ${today}，其中最像的名字`;
    return nearest(symbol.split(SEPARATOR).at(-1)!, this.#bySource.get(today) ?? [], why);
  }
}

function nearest(name: string, definitions: readonly Definition[], why: string): MovedTo[] {
  const [found] = closest(name, new Set(definitions.map((definition) => definition.name)), 1);
  const definition = definitions.find((one) => one.name === found);
  if (definition === undefined) return [];
  return [{ symbol: nameOf(definition), file: definition.file, line: definition.line, why, certain: false }];
}

function nameOf({ name, container }: Definition): string {
  return container === undefined ? name : `${container}.${name}`;
}

/**
 * Symbols whose comment says the term's word, classes for classes and members for members.
 *
 * @param owner only members of this class
 */
function sameWord(
  { term, wanted: { symbol, container } }: Asked,
  mentions: readonly Mention[],
  owner?: string,
): MovedTo[] {
  const words = new Set([term.keyword_ch, ...term.aliases]);
  const isType = container === undefined && /^[A-Z]/.test(symbol);
  return mentions
    .filter(({ word, weak, symbol: { role } }) => !weak && words.has(word) && role !== 'key' && role !== 'route')
    .filter(
      ({ symbol: { role, container: its } }) =>
        TYPE_ROLES.has(role) === isType && (owner === undefined || its === owner),
    )
    .map(({ word, symbol: now, evidence }) => ({
      symbol: shown(now),
      file: evidence.file,
      line: now.line,
      why: `那里的说明也是「${word}」`,
      certain: false,
    }));
}

/** The file that an entry came from: `repo://src/order/order.ts#L12` → `src/order/order.ts`. */
function sourceFile({ provenance }: Term): string | undefined {
  return /^repo:\/\/([^#]+)/.exec(provenance.source)?.[1];
}
