import { type CodeSymbol, type Outline, outline } from '../../code/index.js';
import { type FileSay, sayRule, withoutComments, withoutSentences } from './says.js';
import {
  type Definition,
  IDENTIFIER,
  type Place,
  parentsOf,
  SEPARATOR,
  squeezed,
  toWanted,
  type Wanted,
} from './wanted.js';

/** Names of one symbol whose definitions are kept. */
const MAX_PLACES = 40;
/** Files between two turns given away. */
const EVERY = 20;
/** How far up a class is asked for what it inherits. */
const MAX_ANCESTORS = 6;
const CLASS_LIKE: ReadonlySet<CodeSymbol['kind']> = new Set(['class', 'interface', 'enum', 'type']);

/**
 * Tells whether symbols still stand in a repository; the one rule for `scan`, `lint` and `stale`. Sees each file once.
 *
 * A member is there where its class (or one that it inherits from) defines it, or where nobody in the repository defines the name, its
 * class is not of this repository and both are used: a library's. A class, function or constant is there where it is defined, or used in
 * code outside of comments and of sentences in strings. Columns, tables, constants and keys may stand in settings, SQL and XML too.
 */
export class SymbolPresence {
  readonly wanted: Wanted[];
  readonly #bySymbol = new Map<string, Wanted>();
  readonly #byLast = new Map<string, Wanted[]>();
  readonly #containers = new Set<string>();
  readonly #literals: Wanted[];
  /** Definitions by name, of names that are asked for. */
  readonly #definitions = new Map<string, Definition[]>();
  readonly #classes = new Map<string, Set<string>>();
  readonly #tables = new Set<string>();
  /** Containers that code names. */
  readonly #used = new Set<string>();
  readonly #keys = new Map<string, string>();

  /** @param sayOf see {@link sayRule} */
  constructor(
    symbols: Iterable<string>,
    private readonly sayOf: (path: string) => FileSay,
  ) {
    for (const symbol of symbols) if (!this.#bySymbol.has(symbol)) this.#bySymbol.set(symbol, toWanted(symbol));
    this.wanted = [...this.#bySymbol.values()];
    for (const one of this.wanted) {
      this.#byLast.set(one.last, [...(this.#byLast.get(one.last) ?? []), one]);
      if (one.container !== undefined) this.#containers.add(one.container);
    }
    this.#literals = this.wanted.filter(({ literal }) => literal);
  }

  /** Whether a text holds anything that is asked for; its outline need not be made where it does not. */
  holdsAny(text: string): boolean {
    for (const [token] of text.matchAll(IDENTIFIER)) {
      const key = this.#key(token);
      if (this.#byLast.has(key) || this.#containers.has(key)) return true;
    }
    return this.#literals.some(
      ({ symbol }) => text.includes(symbol) || text.includes(symbol.slice(symbol.lastIndexOf('.') + 1)),
    );
  }

  /** Takes in files, as far as they hold anything that is asked for; `read` may throw to stop. */
  async readAll(files: Iterable<string>, read: (path: string) => string | undefined): Promise<void> {
    let done = 0;
    for (const path of this.wanted.length === 0 ? [] : files) {
      // Lets Ctrl-C in: promises alone never give the turn to signals.
      if (++done % EVERY === 0) await new Promise((resolve) => setImmediate(resolve));
      const text = read(path);
      if (text !== undefined && this.holdsAny(text)) this.look(path, text, await outline(path, text));
    }
  }

  /** Takes in one file. */
  look(path: string, text: string, shape: Outline): void {
    const say = this.sayOf(path);
    if (this.wanted.length === 0 || say === 'none') return;
    for (const symbol of shape.symbols) this.#define(path, symbol);
    if (shape.language === 'sql')
      for (const { kind, name } of shape.symbols) if (CLASS_LIKE.has(kind)) this.#tables.add(this.#key(name));
    for (const { key, line } of shape.i18n ?? []) {
      const asked = this.#bySymbol.get(key);
      if (asked !== undefined) asked.definition ??= { path, line };
    }
    const bare = withoutComments(text, shape.language);
    this.#literal(path, bare, say);
    this.#tokens(path, bare, ({ inData }) => inData);
    if (say !== 'data') {
      this.#tokens(path, withoutSentences(bare), ({ inData }) => !inData);
      this.#insideOf(path, text, shape);
    }
  }

  /** Where the symbol stands: its definitions, else a place that uses it; [] when it is gone. */
  placesOf(symbol: string): Place[] {
    const asked = this.#bySymbol.get(symbol);
    if (asked === undefined || this.isGone(asked)) return [];
    const place = asked.definition ?? asked.seen;
    if (place !== undefined) return [place];
    const [inherited] = this.definitionsOf(asked.last);
    return inherited === undefined ? [] : [{ path: inherited.file, line: inherited.line }];
  }

  /** Symbols that are nowhere so far. */
  get gone(): Wanted[] {
    return this.wanted.filter((one) => this.isGone(one));
  }

  isGone(one: Wanted): boolean {
    if (one.definition !== undefined) return false;
    const { container, last, seen } = one;
    if (seen === undefined) return true;
    if (container === undefined) return false;
    if (one.inData) return this.#tables.has(container);
    // Not a class of this repository: alive where code names it, beside the member where others define that.
    if (!this.#classes.has(container))
      return !this.#used.has(container) || (this.definitionsOf(last).length > 0 && one.besideIn !== true);
    const { names, leavesRepository } = this.#ancestors(container);
    if (
      this.definitionsOf(last).some(
        ({ container: owner }) => owner !== undefined && names.has(squeezed(lastPart(owner))),
      )
    )
      return false;
    return !(leavesRepository && this.definitionsOf(last).length === 0);
  }

  /** Definitions of a name that was asked for, whatever their class. @param last as {@link squeezed} */
  definitionsOf(last: string): readonly Definition[] {
    return this.#definitions.get(last) ?? [];
  }

  /** Whether the repository defines a class of this name. @param container as {@link squeezed} */
  hasClass(container: string): boolean {
    return this.#classes.has(container);
  }

  #ancestors(container: string): { names: Set<string>; leavesRepository: boolean } {
    const names = new Set<string>();
    let leavesRepository = false;
    let level = [container];
    for (let depth = 0; depth < MAX_ANCESTORS && level.length > 0; depth++) {
      const next = level.flatMap((one) => [...(this.#classes.get(one) ?? [])]).filter((one) => !names.has(one));
      for (const one of next) names.add(one);
      leavesRepository ||= next.some((one) => !this.#classes.has(one));
      level = next;
    }
    return { names, leavesRepository };
  }

  #define(path: string, symbol: CodeSymbol): void {
    const key = this.#key(symbol.name);
    if (CLASS_LIKE.has(symbol.kind)) {
      const parents = this.#classes.get(key) ?? new Set<string>();
      for (const parent of parentsOf(symbol)) if (parent !== key) parents.add(parent);
      this.#classes.set(key, parents);
    }
    const asked = this.#byLast.get(key) ?? (symbol.kind === 'route' ? this.#byLast.get(symbol.name) : undefined);
    if (asked === undefined) return;
    const definition: Definition = { name: symbol.name, file: path, line: symbol.line };
    if (symbol.container) definition.container = symbol.container;
    const list = this.#definitions.get(key) ?? [];
    if (list.length < MAX_PLACES && symbol.kind !== 'route') this.#definitions.set(key, [...list, definition]);
    // Where a module exports functions, its own name stands for a class.
    const owner = symbol.container === undefined ? stemOf(path) : lastPart(symbol.container);
    for (const one of asked) {
      if (one.container === undefined || one.container === this.#key(owner) || isNested(symbol, one))
        one.definition ??= { path, line: symbol.line };
    }
  }

  /** `fieldLabels.approver`: a key of an object, a function of a store, where the name before it is a constant or a function. */
  #insideOf(path: string, text: string, shape: Outline): void {
    const holders = shape.symbols.filter(
      ({ kind, name }) => (kind === 'constant' || kind === 'function') && this.#containers.has(this.#key(name)),
    );
    if (holders.length === 0) return;
    const lines = text.split('\n');
    for (const { name, line, endLine } of holders) {
      const body = new Set(
        [
          ...lines
            .slice(line - 1, endLine)
            .join('\n')
            .matchAll(IDENTIFIER),
        ].map(([token]) => this.#key(token)),
      );
      for (const one of this.wanted)
        if (one.container === this.#key(name) && body.has(one.last)) one.definition ??= { path, line };
    }
  }

  #literal(path: string, text: string, say: FileSay): void {
    for (const one of this.#literals) {
      if (one.seen !== undefined || (say === 'data' && !one.inData)) continue;
      // `order.time-out` stands in YAML as its last part only.
      const isKey = say === 'data' && /^[a-z][\w-]*(?:\.[\w-]+)+$/.test(one.symbol);
      const at = text.indexOf(isKey ? one.symbol.slice(one.symbol.lastIndexOf('.') + 1) : one.symbol);
      if (at >= 0) one.seen = { path, line: lineAt(text, at) };
    }
  }

  #tokens(path: string, text: string, counts: (one: Wanted) => boolean): void {
    const containers = new Set<string>();
    const found: { one: Wanted; at: number }[] = [];
    for (const match of text.matchAll(IDENTIFIER)) {
      const key = this.#key(match[0]);
      if (this.#containers.has(key)) containers.add(key);
      for (const one of this.#byLast.get(key) ?? [])
        if (!one.literal && counts(one)) found.push({ one, at: match.index });
    }
    if (this.sayOf(path) !== 'data') for (const container of containers) this.#used.add(container);
    for (const { one, at } of found) {
      const beside = one.container === undefined || containers.has(one.container);
      // A column is its table's: `oms_order.status` is not alive because some table has a status.
      if (one.inData && !beside) continue;
      if (one.seen === undefined || (beside && !one.besideIn)) {
        one.seen = { path, line: lineAt(text, at) };
        if (beside) one.besideIn = true;
      }
    }
  }

  #key(token: string): string {
    let key = this.#keys.get(token);
    if (key === undefined) {
      key = squeezed(token);
      this.#keys.set(token, key);
    }
    return key;
  }
}

/**
 * Looks for symbols in files, each read once: programs and settings first, generated and vendored ones only for what is still missing.
 *
 * @param files relative POSIX paths
 * @param read decoded text; undefined for what can't be read
 */
export async function findPresence(
  symbols: Iterable<string>,
  files: readonly string[],
  read: (path: string) => string | undefined,
): Promise<SymbolPresence> {
  const sayOf = sayRule(files);
  const presence = new SymbolPresence(symbols, sayOf);
  for (const say of ['code', 'data', 'late'] as const) {
    if (say === 'late' && presence.gone.length === 0) break;
    await presence.readAll(
      files.filter((path) => sayOf(path) === say),
      read,
    );
  }
  return presence;
}

/** `Order.Item.total` is `Item.total` too, and `Order.total` where the entry leaves a level out. */
function isNested({ container }: CodeSymbol, { container: asked }: Wanted): boolean {
  return container?.split(SEPARATOR).some((part) => squeezed(part) === asked) ?? false;
}

function lastPart(container: string): string {
  return container.split(SEPARATOR).at(-1)!;
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '');
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++;
  return line;
}
