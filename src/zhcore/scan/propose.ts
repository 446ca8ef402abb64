import { splitIdentifier } from '../../text/index.js';
import { isAct } from './acts.js';
import type { Alignment } from './align.js';
import { type Group, homeOf, type ModuleOf, namedSymbols, type TypeIndex } from './groups.js';
import { CENTRALITY, coreOf, partsOf, shown } from './names.js';
import { hanCount } from './phrase.js';
import type { EvidenceKind, Proposal } from './types.js';
import { worthOf } from './worth.js';

/** What a dictionary adds that has the word for the name. */
const LEXICON_WEIGHT = 0.12;
/** Evidence that a proposal quotes. */
const MAX_EVIDENCE = 5;
/** A word for so many different things names none of them. */
const MAX_MEANINGS = 6;
/** A meaning with less than this share of a word's weight in the same module is a slip beside the main one. */
const MIN_SHARE = 0.55;
/** What a short word beside a name that many classes have is worth. */
const SHARED_MEMBER = 0.6;
/** Each further member of one class is worth this much of the one before: fifty columns of one table are no overview. */
const CROWDED = 0.97;
const CROWDED_MIN = 0.75;
/** Another word for the same symbol with this share of the main one's weight is an alias. */
const ALIAS_SHARE = 0.5;
/** And so much of its fit with the name: 订单原因 is explained by `OrderReturnReason` less than 退货原因. */
const ALIAS_FIT = 0.85;
/** Of the main word's score, for a word that is a part of it. */
const SHORT_SHARE = 0.3;
const MAX_ALIASES = 3;
/** Below this nothing is worth a person's look. */
const MIN_SCORE = 0.06;

interface Scored {
  group: Group;
  score: number;
  /** How well word and name explain each other, 0–1. */
  fit: number;
  module?: string;
  folder: string;
  aliases: Set<string>;
}

/** Turns groups into ranked proposals: one for each symbol, with the best word and its other words. */
export function propose(
  groups: readonly Group[],
  alignment: Alignment,
  types: TypeIndex,
  moduleOf: ModuleOf,
): Proposal[] {
  const scored = groups.map(
    (group): Scored => ({
      group,
      ...baseScore(group, alignment, types),
      aliases: new Set(),
      ...homeOf(group, moduleOf, types),
    }),
  );
  const best = onePerSymbol(scored.filter(({ score }) => score > 0));
  const strongest = strongestByWord(scored);
  const told = tellApart(best.filter((entry) => !meansAnother(entry, strongest)));
  const ids = new Set<string>();
  return spread(told)
    .filter(({ score }) => score >= MIN_SCORE)
    .map((entry) => toProposal(entry, ids));
}

const byScore = (a: Scored, b: Scored) => b.score - a.score || (a.group.word < b.group.word ? -1 : 1);

function spread(entries: Scored[]): Scored[] {
  const seen = new Map<string, number>();
  return entries
    .sort(byScore)
    .map((entry) => {
      const { container } = entry.group.symbols[0]!;
      if (container === undefined) return entry;
      const before = seen.get(container) ?? 0;
      seen.set(container, before + 1);
      return { ...entry, score: entry.score * Math.max(CROWDED_MIN, CROWDED ** before) };
    })
    .sort(byScore);
}

/** What the pair is worth by itself: its evidence, the shape of the word, and whether word and name explain each other. */
function baseScore(group: Group, alignment: Alignment, types: TypeIndex): Pick<Scored, 'score' | 'fit'> {
  const first = group.symbols[0]!;
  const name = first.role === 'key' || first.role === 'route' ? first.name.split('.').at(-1)! : first.name;
  const fit = Math.max(
    alignment.judge(group.word, name),
    group.nameKey.includes('.') && first.container !== undefined
      ? alignment.judge(group.word, `${first.container}_${first.name}`)
      : 0,
  );
  const worth = worthOf(group, types);
  const act = worth > 0 && isAct(group.word, first);
  const central = act ? 1 : 0.35 + 0.65 * CENTRALITY[first.role];
  // What a method is called is free: 批量发货 is `delivery`, 申请退货 is `create` of its class.
  const fitness = act ? 0.6 + 0.4 * fit : 0.35 + 0.65 * fit;
  // 邮箱 beside SysDept.email, when users have one too, means neither.
  const shared =
    group.nameKey.includes('.') &&
    hanCount(group.word) <= 2 &&
    new Set(types.fields(first.name).map(({ container }) => coreOf(container ?? ''))).size > 1;
  const weight = alignment.confirms(group.word, name) ? 1 - (1 - group.weight) * (1 - LEXICON_WEIGHT) : group.weight;
  const score = weight * shapeOf(group.word) * central * fitness * worth * (shared ? SHARED_MEMBER : 1);
  return { score, fit };
}

/** Two to six characters are a word; above that it gets a description. */
function shapeOf(word: string): number {
  const han = hanCount(word);
  if (han <= 1) return 0;
  if (han <= 4) return 1;
  return { 5: 0.97, 6: 0.93, 7: 0.8 }[han] ?? 0.65;
}

/** Several words for one symbol: the best one leads, those that come near it are aliases. */
function onePerSymbol(scored: readonly Scored[]): Scored[] {
  const bySymbol = new Map<string, Scored[]>();
  for (const entry of scored) {
    const list = bySymbol.get(entry.group.nameKey);
    if (list === undefined) bySymbol.set(entry.group.nameKey, [entry]);
    else list.push(entry);
  }
  return [...bySymbol.values()].map((list) => {
    list.sort((a, b) => b.score - a.score || a.group.word.length - b.group.word.length);
    const [main, ...others] = list as [Scored, ...Scored[]];
    for (const other of others) if (isAlias(other, main)) main.aliases.add(other.group.word);
    return main;
  });
}

/** Evidence that names a thing for itself; a label (form, interface text) says what it is in one place. */
const NAMES_IT: ReadonlySet<EvidenceKind> = new Set(['doc', 'annotation', 'sql', 'enum']);

/**
 * Whether another word of the same symbol is one that people may use for it: said of that very symbol, by more than one copied comment,
 * and as well explained by its name as the main word. What holds the main word is found by it anyway.
 */
function isAlias({ group, score, fit }: Scored, { group: main, score: best, fit: mainFit }: Scored): boolean {
  if (group.word.includes(main.word)) return false;
  const isType = main.nameKey.startsWith('t:');
  // 角色 of 后台用户角色 needs less: what it is short for says the rest.
  if (isType && main.word.includes(group.word) && group.evidence.some(({ kind }) => kind !== 'commit'))
    return score >= SHORT_SHARE * best;
  if (score < ALIAS_SHARE * best || fit < ALIAS_FIT * mainFit) return false;
  const places = new Set(group.evidence.filter(({ kind }) => kind !== 'commit').map(({ file }) => file));
  const named = group.evidence.some(({ kind }) => kind === 'sql' || kind === 'annotation' || kind === 'enum');
  if (!named && places.size < 2) return false;
  if (isType) return named || group.evidence.some(({ kind }) => kind !== 'commit' && kind !== 'form');
  const own = new Set(group.spoken);
  return group.evidence.some(({ kind }) => NAMES_IT.has(kind)) && main.spoken.some((symbol) => own.has(symbol));
}

/** The strongest meaning of each word, aliases of a symbol included. */
function strongestByWord(scored: readonly Scored[]): Map<string, Scored> {
  const strongest = new Map<string, Scored>();
  for (const entry of scored) {
    const known = strongest.get(entry.group.word);
    if (known === undefined || entry.score > known.score) strongest.set(entry.group.word, entry);
  }
  return strongest;
}

/** 商品品牌 is said of `PmsBrand`, where it is an alias of 品牌, more than of `ReturnApply.productBrand`. */
function meansAnother(entry: Scored, strongest: ReadonlyMap<string, Scored>): boolean {
  const other = strongest.get(entry.group.word);
  if (other === undefined || other.group.nameKey === entry.group.nameKey) return false;
  return (other.module ?? other.folder) === (entry.module ?? entry.folder) || isPartOf(other, entry);
}

/** 部门 beside `UserReq.deptId` is the 部门 of `Dept`, said once more. */
function isPartOf(main: Scored, other: Scored): boolean {
  const core = main.group.nameKey.slice(2).split(/[._]/);
  const parts = new Set(other.group.symbols.flatMap(({ name, container }) => partsOf(`${container ?? ''}_${name}`)));
  return parts.has(core.at(-1)!) || core.every((part) => parts.has(part));
}

/** One word for several symbols: in one module the strongest has it, in different modules each has its own record. */
function tellApart(entries: readonly Scored[]): Scored[] {
  const byWord = new Map<string, Scored[]>();
  for (const entry of entries) byWord.set(entry.group.word, [...(byWord.get(entry.group.word) ?? []), entry]);
  return [...byWord.values()].flatMap((list) => {
    if (list.length === 1) return list;
    const total = list.reduce((sum, { score }) => sum + score, 0);
    const homes = new Map<string, Scored>();
    const distinct = list
      .sort(byScore)
      .filter((entry, i) => !list.slice(0, i).some((better) => isPartOf(better, entry)));
    for (const entry of distinct) {
      const home = entry.module ?? entry.folder;
      const first = homes.get(home);
      if (first === undefined) homes.set(home, entry);
    }
    const kept = [...homes.values()].filter(({ score }) => score >= MIN_SHARE * list[0]!.score);
    const crowd = list.length > MAX_MEANINGS ? MAX_MEANINGS / list.length : 1;
    return kept.map((entry) => ({
      ...entry,
      score: entry.score * crowd * (0.75 + 0.25 * (entry.score / total)),
      ...(kept.length > 1 && entry.module === undefined && entry.folder !== '' ? { module: entry.folder } : {}),
    }));
  });
}

function toProposal({ group, score, module, aliases }: Scored, ids: Set<string>): Proposal {
  return {
    id: freeId(idOf(shown(group.symbols[0]!)) + (group.nameKey.startsWith('n:') ? `-${group.word}` : ''), ids),
    keyword_ch: group.word,
    aliases: [...aliases].slice(0, MAX_ALIASES),
    code_symbols: namedSymbols(group),
    ...(module === undefined ? {} : { module }),
    ...(group.note === undefined ? {} : { note: group.note }),
    score: Math.round(Math.min(1, score) * 1000) / 1000,
    evidence: group.evidence.slice(0, MAX_EVIDENCE),
  };
}

/** `s-refund-apply` for `RefundApply` and `refund_apply`: the same as long as the symbol keeps its name, whatever its module is called. */
export function idOf(symbol: string): string {
  const parts = splitIdentifier(symbol);
  return `s-${parts.join('-') || 'x'}`;
}

function freeId(id: string, ids: Set<string>): string {
  let free = id;
  for (let n = 2; ids.has(free); n++) free = `${id}-${n}`;
  ids.add(free);
  return free;
}
