import type { CodeSymbol, Outline } from '../../code/index.js';
import { closest, splitIdentifier } from '../../text/index.js';
import type { Term } from '../types.js';
import { shown, TYPE_ROLES } from './names.js';
import type { GoneSymbol, Mention, MovedTo, ScanHistory } from './types.js';

/** Places that a gone symbol may have moved to, at most. */
const MAX_MOVED = 3;
/** Definitions of one name that are kept. */
const MAX_PLACES = 20;

interface Definition {
  name: string;
  container?: string;
  file: string;
  line: number;
}

/** A symbol of a term, cut into what code says. */
interface Wanted {
  term: Term;
  symbol: string;
  /** Last name, and the one before it; undefined for what is no identifier (a path, a route, a key). */
  last: string;
  container?: string;
  literal: boolean;
  /** Its name stands somewhere in code, outside of comments. */
  seen: boolean;
  /** It is defined as the term says: with that container, or without one where none is asked. */
  defined: boolean;
}

const IDENTIFIER = /[A-Za-z_$\p{Script=Han}][\w$\p{Script=Han}]*/gu;

/** `gmtCreate`, `gmt_create`, `GMT_CREATE`: one name. */
const keyOf = (name: string) => splitIdentifier(name.replace(/\(.*$/, '')).join('_');

/**
 * Finds the symbols of the project's own terms that stand nowhere any more, and where they seem to have gone. Sees every file once,
 * while the scan reads it.
 */
export class GoneSearch {
  readonly #wanted: Wanted[];
  readonly #byLast = new Map<string, Wanted[]>();
  readonly #literals: Wanted[];
  /** Definitions by name key, of names that a gone symbol has. */
  readonly #definitions = new Map<string, Definition[]>();
  /** What a class extends or implements, by its key: a member may stand there. */
  readonly #parents = new Map<string, Set<string>>();
  /** Definitions of the files that terms name as their source, to look for the most similar name in. */
  readonly #bySource = new Map<string, Definition[]>();
  /** Containers of wanted symbols that code names. */
  readonly #containers = new Set<string>();
  readonly #wantedContainers: Set<string>;
  readonly #bySymbol = new Map<string, Wanted[]>();

  constructor(known: readonly Term[]) {
    const own = known.filter(({ provenance }) => provenance.layer === 'project');
    this.#wanted = own.flatMap((term) => term.code_symbols.map((symbol) => toWanted(term, symbol)));
    for (const wanted of this.#wanted) {
      this.#byLast.set(wanted.last, [...(this.#byLast.get(wanted.last) ?? []), wanted]);
      this.#bySymbol.set(wanted.symbol, [...(this.#bySymbol.get(wanted.symbol) ?? []), wanted]);
    }
    this.#wantedContainers = new Set(this.#wanted.flatMap(({ container }) => container ?? []));
    this.#literals = this.#wanted.filter(({ literal }) => literal);
  }

  /** Takes in one file. */
  look(path: string, text: string, outline: Outline): void {
    if (this.#wanted.length === 0) return;
    for (const wanted of this.#literals) wanted.seen ||= text.includes(wanted.symbol);
    for (const { key } of outline.i18n ?? []) for (const wanted of this.#bySymbol.get(key) ?? []) wanted.defined = true;
    for (const symbol of outline.symbols) this.#take(path, symbol);
    this.#tokens(text);
  }

  #take(path: string, symbol: CodeSymbol): void {
    const definition = {
      name: symbol.name,
      file: path,
      line: symbol.line,
      ...(symbol.container ? { container: symbol.container } : {}),
    };
    this.#define(definition);
    if (symbol.kind === 'class' || symbol.kind === 'interface' || symbol.kind === 'enum' || symbol.kind === 'type') {
      const key = keyOf(symbol.name);
      const parents =
        /\b(?:extends|implements|with)\b([^{]*)|:\s*(?:public\s+)?([\w.,\s<>]+)$|\(([\w.,\s]+)\)\s*:?$/
          .exec(symbol.signature ?? '')
          ?.slice(1)
          .join(' ') ?? '';
      const known = this.#parents.get(key) ?? new Set();
      for (const [name] of parents.matchAll(IDENTIFIER)) known.add(keyOf(name));
      this.#parents.set(key, known);
    }
    if (symbol.kind !== 'route') {
      const list = this.#bySource.get(path);
      if (list === undefined) this.#bySource.set(path, [definition]);
      else list.push(definition);
    }
  }

  #define(definition: Definition): void {
    const key = keyOf(definition.name);
    const whole = this.#byLast.get(key);
    if (whole === undefined) return;
    const list = this.#definitions.get(key) ?? [];
    if (list.length < MAX_PLACES) this.#definitions.set(key, [...list, definition]);
    const container = definition.container === undefined ? undefined : keyOf(definition.container.split('.').at(-1)!);
    for (const wanted of whole) wanted.defined ||= wanted.container === undefined || wanted.container === container;
  }

  /** Names that stand in code: a line that begins as a comment says nothing of what is there. */
  #tokens(text: string): void {
    for (const [token] of text.replace(/^[ \t]*(?:\/\/|\*|#|--|\/\*).*$/gm, '').matchAll(IDENTIFIER)) {
      const key = keyOf(token);
      if (this.#wantedContainers.has(key)) this.#containers.add(key);
      for (const wanted of this.#byLast.get(key) ?? []) wanted.seen = true;
    }
  }

  /** All gone symbols; to be asked when every file was seen. */
  find(mentions: readonly Mention[], history: ScanHistory | undefined): GoneSymbol[] {
    return this.#wanted
      .filter((wanted) => this.#isGone(wanted))
      .map((wanted) => {
        const { term, symbol } = wanted;
        const movedTo = this.#candidates(wanted, mentions, history);
        return {
          termId: term.id,
          keyword_ch: term.keyword_ch,
          symbol,
          file: term.provenance.file,
          line: term.provenance.line,
          ...(movedTo.length > 0 ? { movedTo } : {}),
        };
      });
  }

  #isGone(wanted: Wanted): boolean {
    if (wanted.literal) return !wanted.seen && !wanted.defined;
    if (wanted.defined) return false;
    if (!wanted.seen) return true;
    const { container } = wanted;
    if (container === undefined) return false;
    // The name stands in code, yet not as a member of that class. Where the class is not of this repository, or a class that it
    // extends has the member, that is as it should be.
    const elsewhere = this.#definitions.get(wanted.last) ?? [];
    // Defined by nobody here: a library's, as long as its class is named somewhere.
    if (elsewhere.length === 0) return !this.#containers.has(container);
    const parents = this.#parents.get(container);
    if (parents === undefined) return true;
    return !elsewhere.some(
      (definition) => definition.container !== undefined && parents.has(keyOf(definition.container)),
    );
  }

  /** Where it may have gone: the same name elsewhere, the same words on another symbol, the most similar name in its file. */
  #candidates(wanted: Wanted, mentions: readonly Mention[], history: ScanHistory | undefined): MovedTo[] {
    const sameName = this.#sameName(wanted);
    const all = [...sameName, ...sameWord(wanted, mentions), ...this.#nearest(wanted, history)];
    const seen = new Set([wanted.symbol]);
    return all.filter(({ symbol }) => !seen.has(symbol) && seen.add(symbol)).slice(0, MAX_MOVED);
  }

  #sameName({ symbol, last, container }: Wanted): MovedTo[] {
    const places = new Map((this.#definitions.get(last) ?? []).map((definition) => [nameOf(definition), definition]));
    places.delete(symbol);
    const telling = last.includes('_') || last.length >= TELLING_LENGTH;
    return [...places].map(([name, definition]) => ({
      symbol: name,
      file: definition.file,
      line: definition.line,
      why: container === undefined ? '还有同名的定义' : `同名，现在在 ${definition.container ?? definition.file} 里`,
      certain: telling && places.size === 1,
    }));
  }

  /** Renames that git knows are followed. */
  #nearest({ term, symbol }: Wanted, history: ScanHistory | undefined): MovedTo[] {
    const source = sourceFile(term);
    if (source === undefined) return [];
    const today = history?.nowCalled?.(source) ?? source;
    const there = this.#bySource.get(today) ?? [];
    const [nearest] = closest(symbol.split(SEPARATOR).at(-1)!, new Set(there.map(({ name }) => name)), 1);
    const definition = there.find(({ name }) => name === nearest);
    if (definition === undefined) return [];
    const why = today === source ? `${source} 里最像的名字` : `${source} 改名为 ${today}，其中最像的名字`;
    return [{ symbol: nameOf(definition), file: definition.file, line: definition.line, why, certain: false }];
  }
}

const SEPARATOR = /[.#]|::/;
/** A single word shorter than this (`create`) is the name of many things. */
const TELLING_LENGTH = 6;

function nameOf({ name, container }: Definition): string {
  return container === undefined ? name : `${container}.${name}`;
}

/** Symbols whose comment says the term's word, classes for classes and members for members. */
function sameWord({ term, symbol, container }: Wanted, mentions: readonly Mention[]): MovedTo[] {
  const words = new Set([term.keyword_ch, ...term.aliases]);
  const isType = container === undefined && /^[A-Z]/.test(symbol);
  return mentions
    .filter(({ word, weak, symbol: { role } }) => !weak && words.has(word) && role !== 'key' && role !== 'route')
    .filter(({ symbol: { role } }) => TYPE_ROLES.has(role) === isType)
    .map(({ word, symbol: now, evidence }) => ({
      symbol: shown(now),
      file: evidence.file,
      line: now.line,
      why: `那里的说明也是「${word}」`,
      certain: false,
    }));
}

function toWanted(term: Term, symbol: string): Wanted {
  const bare = symbol.trim();
  const literal = !/^[\w$\p{Script=Han}.#:]+(?:\(.*\))?$/u.test(bare);
  const parts = bare
    .replace(/\(.*$/, '')
    .split(SEPARATOR)
    .filter((part) => part !== '');
  const container = parts.length > 1 && !literal ? keyOf(parts.at(-2)!) : undefined;
  const base = { term, symbol: bare, literal, seen: false, defined: false };
  return literal
    ? { ...base, last: keyOf(bare) }
    : { ...base, last: keyOf(parts.at(-1) ?? bare), ...(container ? { container } : {}) };
}

/** The file that an entry came from: `repo://src/order/order.ts#L12` → `src/order/order.ts`. */
function sourceFile({ provenance }: Term): string | undefined {
  return /^repo:\/\/([^#]+)/.exec(provenance.source)?.[1];
}
