import { moduleOfPath } from '../modules.js';
import type { ModuleMap } from '../types.js';
import { folderModule } from './files.js';
import { CENTRALITY, coreOf, isPlainMember, nameKey, partsOf, roleOfType, shown, TYPE_ROLES } from './names.js';
import type { Evidence, EvidenceKind, Mention, SymbolRef, SymbolRole } from './types.js';

/** A word and one thing of the code that it stands beside, with everything that says so. */
export interface Group {
  word: string;
  nameKey: string;
  /** Most central first, each name once. */
  symbols: SymbolRef[];
  evidence: Evidence[];
  /** Symbols that the word itself stands beside, as people write them. */
  spoken: string[];
  note?: string;
  weight: number;
}

/** How much one kind of evidence says by itself: the chance that the word is the team's word for the symbol. Set by reading samples. */
export const KIND_WEIGHT: Record<EvidenceKind, number> = {
  sql: 0.5,
  annotation: 0.48,
  menu: 0.45,
  route: 0.45,
  doc: 0.4,
  enum: 0.42,
  form: 0.38,
  message: 0.34,
  i18n: 0.3,
  commit: 0.15,
};

/** All class-like symbols and fields of the repository, by what they are about. */
export class TypeIndex {
  readonly #canonical = new Map<string, string>();
  readonly #byFile = new Map<string, SymbolRef[]>();
  readonly #fields = new Map<string, SymbolRef[]>();
  readonly #byCore = new Map<string, SymbolRef[]>();
  readonly #bySuffix = new Map<string, Set<string>>();

  add(symbol: SymbolRef): void {
    this.#byFile.set(symbol.file, [...(this.#byFile.get(symbol.file) ?? []), symbol]);
    const core = coreOf(symbol.name);
    const list = this.#byCore.get(core);
    if (list === undefined) this.#byCore.set(core, [symbol]);
    else list.push(symbol);
    const cut = core.indexOf('_');
    // sys_user, OmsOrder: a menu or a key says user, order.
    if (cut > 0 && cut <= MAX_PREFIX) {
      const suffix = core.slice(cut + 1);
      const cores = this.#bySuffix.get(suffix) ?? new Set();
      this.#bySuffix.set(suffix, cores.add(core));
    }
  }

  addField(symbol: SymbolRef): void {
    const key = partsOf(symbol.name).join('_');
    const list = this.#fields.get(key);
    if (list === undefined) this.#fields.set(key, [symbol]);
    else if (list.length < MAX_FIELDS) list.push(symbol);
  }

  /** Fields of this name, in whatever class. */
  fields(name: string): readonly SymbolRef[] {
    return this.#fields.get(partsOf(name).join('_')) ?? [];
  }

  /** The class that a file is named after, or its only one. */
  mainOf(file: string): SymbolRef | undefined {
    const own = this.#byFile.get(file) ?? [];
    const stem = file.slice(file.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
    return own.find(({ name }) => name === stem) ?? (own.length === 1 ? own[0] : undefined);
  }

  about(core: string): readonly SymbolRef[] {
    return this.#byCore.get(core) ?? [];
  }

  /** To be called when all symbols are in: tables join the class that they are kept in, `sys_role` the class `Role`. */
  settle(): void {
    for (const [core, symbols] of this.#byCore) {
      const cut = core.indexOf('_');
      const suffix = core.slice(cut + 1);
      const own = this.#byCore.get(suffix);
      if (cut < 1 || cut > MAX_TABLE_PREFIX || own === undefined || !symbols.every(({ role }) => role === 'table'))
        continue;
      this.#canonical.set(core, suffix);
      own.push(...symbols);
    }
    // CouponQueryParam: where only parameters are called so, the one class behind a prefix (SmsCoupon) is what they are about.
    for (const [core, symbols] of this.#byCore) {
      const [whole, ...others] = [...(this.#bySuffix.get(core) ?? [])];
      const target = whole === undefined ? undefined : this.#byCore.get(whole);
      if (
        target === undefined ||
        others.length > 0 ||
        !symbols.every(({ role }) => role === 'layer' || role === 'page')
      )
        continue;
      if (!target.some(({ role }) => role === 'entity' || role === 'table')) continue;
      this.#canonical.set(core, whole!);
      target.push(...symbols);
    }
  }

  readonly canonical = (core: string): string => this.#canonical.get(core) ?? core;

  /** The core that a bare name means: itself, or the only one (of several the only one with a table) that has it behind a short prefix. */
  coreFor(name: string): string | undefined {
    const core = partsOf(name).join('_');
    if (this.#byCore.has(core)) return this.canonical(core);
    const cores = [...(this.#bySuffix.get(core) ?? [])];
    if (cores.length === 1) return cores[0];
    const stored = cores.filter((one) => this.about(one).some(({ role }) => role === 'table'));
    return stored.length === 1 ? stored[0] : undefined;
  }
}

/** Fields of one name that are kept: a name that more classes share belongs to none of them. */
const MAX_FIELDS = 20;
/** A prefix that only tables have is often longer: tool_, mnt_, yudao_. */
const MAX_TABLE_PREFIX = 6;
/** Prefixes of a system's tables and classes: sys, oms, t. */
const MAX_PREFIX = 4;
/** Symbols that one entry names; more than that is a list, not an answer. */
const MAX_SYMBOLS = 4;
/** Classes that may share a field before its name stands alone. */
const MAX_CONTAINERS = 2;

/** Which module a file belongs to, as `modules.yaml` says. */
export type ModuleOf = (path: string) => string | undefined;

export function moduleLookup(modules: ModuleMap | undefined): ModuleOf {
  const known = modules === undefined ? undefined : { globs: modules, titles: {} };
  return (path) => (known ? moduleOfPath(path, known) : undefined);
}

/**
 * Puts mentions together that say the same word of the same thing, wherever they stand. Interface keys and routes join the class that
 * they are named after.
 */
export function groupMentions(mentions: readonly Mention[], types: TypeIndex): Group[] {
  const groups = new Map<string, Group>();
  for (const mention of mentions) {
    if (mention.weak) continue;
    const { key, symbol } = placed(mention.symbol, types);
    const id = `${mention.word} ${key}`;
    let group = groups.get(id);
    if (group === undefined) {
      group = { word: mention.word, nameKey: key, symbols: [], evidence: [], spoken: [], weight: 0 };
      groups.set(id, group);
    }
    group.symbols.push(symbol);
    group.evidence.push(mention.evidence);
    group.spoken.push(shown(symbol));
    if (mention.note !== undefined) group.note ??= mention.note;
  }
  for (const group of groups.values()) settle(group, types);
  return [...groups.values()];
}

function placed(symbol: SymbolRef, types: TypeIndex): { key: string; symbol: SymbolRef } {
  const last = symbol.name.split('.').at(-1)!;
  if (symbol.role === 'key' || symbol.role === 'route') {
    const core = types.coreFor(last);
    if (core !== undefined) return { key: `t:${core}`, symbol };
  } else if (symbol.role !== 'field' || symbol.container !== undefined)
    return { key: nameKey(symbol, types.canonical), symbol };
  const [field] = isPlainMember(last) ? [] : types.fields(last);
  return { key: field === undefined ? nameKey(symbol, types.canonical) : nameKey(field, types.canonical), symbol };
}

function settle(group: Group, types: TypeIndex): void {
  if (group.nameKey.startsWith('t:'))
    group.symbols.push(...types.about(group.nameKey.slice(2)).filter(({ role }) => role !== 'layer'));
  else if (group.symbols.every(({ container }) => container === undefined))
    group.symbols.push(...types.fields(group.symbols[0]!.name.split('.').at(-1)!).slice(0, 3));
  const counts = new Map<string, number>();
  for (const symbol of group.symbols) counts.set(shown(symbol), (counts.get(shown(symbol)) ?? 0) + 1);
  const order = (s: SymbolRef) =>
    CENTRALITY[s.role] -
    (s.role === 'field' && s.container === undefined ? 0.1 : 0) +
    (s.container === undefined || TYPE_ROLES.has(s.role)
      ? 0
      : 0.1 * CENTRALITY[roleOfType(s.container, 'class', s.role === 'column')]) +
    0.02 * Math.min(5, counts.get(shown(s))!) -
    (s.name.length > 40 ? 0.1 : 0);
  const seen = new Set<string>();
  group.symbols = group.symbols
    .sort((a, b) => order(b) - order(a) || (a.file < b.file ? -1 : 1) || a.line - b.line)
    .filter((symbol) => !seen.has(shown(symbol)) && seen.add(shown(symbol)));
  group.evidence = dedupe(group.evidence);
  group.weight = combine(group.evidence);
}

/** Independent kinds add up; more of one kind says a little more, since comments are copied. */
function combine(evidence: readonly Evidence[]): number {
  const kinds = new Map<EvidenceKind, Set<string>>();
  for (const { kind, file } of evidence) kinds.set(kind, (kinds.get(kind) ?? new Set()).add(file));
  let doubt = 1;
  for (const [kind, files] of kinds) {
    const weight = KIND_WEIGHT[kind];
    doubt *= 1 - weight;
    for (let i = 1; i < Math.min(files.size, 5); i++) doubt *= 1 - weight * 0.3 ** i;
  }
  return 1 - doubt;
}

function dedupe(evidence: readonly Evidence[]): Evidence[] {
  const seen = new Set<string>();
  return evidence
    .filter(({ file, line, kind }) => !seen.has(`${file}:${line}:${kind}`) && seen.add(`${file}:${line}:${kind}`))
    .sort((a, b) => KIND_WEIGHT[b.kind] - KIND_WEIGHT[a.kind] || (a.file < b.file ? -1 : 1) || a.line - b.line);
}

/** The symbols that an entry should name: the most central, and its other spellings (`OmsOrder`, `oms_order`). */
export function namedSymbols(group: Group): string[] {
  const first = group.symbols[0]!;
  if (TYPE_ROLES.has(first.role)) return typeNames(group);
  const names = [...new Set(group.symbols.map(shown))];
  const containers = new Set(
    group.symbols.flatMap(({ container }) => (container === undefined ? [] : [coreOf(container)])),
  );
  // A telling name that many classes share is better named alone: order_sn stands in six tables.
  if (containers.size > MAX_CONTAINERS && !group.nameKey.includes('.')) {
    return spellings(group.symbols.map(({ name }) => name)).slice(0, 2);
  }
  return names.slice(0, MAX_SYMBOLS);
}

/** The class, its table, and one of each layer: nobody needs `OrderServiceImpl` beside `OrderService`. */
function typeNames({ symbols }: Group): string[] {
  const all = symbols.filter(({ role }) => role !== 'key' && role !== 'route');
  const taken = new Map<SymbolRole, number>();
  const kept = all.filter(({ name, role }) => {
    const before = taken.get(role) ?? 0;
    if (
      before >= (role === 'entity' ? 2 : 1) ||
      (/Impl$/.test(name) && all.some((other) => other.role === 'service' && other.name !== name))
    )
      return false;
    taken.set(role, before + 1);
    return true;
  });
  const names = spellings((kept.length > 0 ? kept : symbols).map(({ name }) => name));
  return names.slice(0, MAX_SYMBOLS);
}

/** Names that differ by more than letter case: `PullImage` of a struct and `pullImage` of a page are one. */
function spellings(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => !seen.has(name.toLowerCase()) && seen.add(name.toLowerCase()));
}

/** Where a group lives: by modules.yaml, or '' ; `folder` is for telling two meanings of a word apart. */
export function homeOf(group: Group, moduleOf: ModuleOf, types: TypeIndex): { module?: string; folder: string } {
  // A dump of the whole database lies in one place for all modules.
  const container = group.symbols[0]!.container;
  const classes = container === undefined ? [] : types.about(types.canonical(coreOf(container)));
  const file = (
    [...group.symbols, ...classes].find(({ role }) => role !== 'table' && role !== 'column') ?? group.symbols[0]!
  ).file;
  const module = moduleOf(file);
  return { folder: folderModule(file), ...(module === undefined ? {} : { module }) };
}
