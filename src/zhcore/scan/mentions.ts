import type { CodeSymbol, Outline } from '../../code/index.js';
import { foldKeepingCase, hasChinese } from '../../text/index.js';
import { saysAct } from './acts.js';
import { annotationsOf } from './annotations.js';
import { TRADITIONAL } from './folders.js';
import { labelsOf } from './labels.js';
import { roleOfType, TYPE_ROLES } from './names.js';
import { outcomesOf } from './outcomes.js';
import { type Described, phraseOf } from './phrase.js';
import { drivesPage, isOnPage, isPageTalk } from './plumbing.js';
import { rowsOf } from './rows.js';
import type { EvidenceKind, Mention, SymbolRef, SymbolRole } from './types.js';

/** A Chinese text beside a symbol, before a word is drawn out of it. */
export interface Saying {
  text: string;
  kind: EvidenceKind;
  describes: Described;
  symbol: SymbolRef;
  line: number;
  /** The same in simplified characters, where the text is the interface in traditional ones: the word is drawn out of this. */
  simplified?: string;
  /** The symbol is there for a page alone. */
  weak?: boolean;
}

/** An interface text that a page names by its key: `title: 'menu.container'` beside a route. */
export interface KeyUse {
  key: string;
  kind: EvidenceKind;
  symbol: SymbolRef;
  line: number;
}

/** What one file contributes. */
export interface FileSayings {
  mentions: Mention[];
  /** Class-like symbols, with or without a comment. */
  types: SymbolRef[];
  /** Fields of classes, with or without a comment. */
  fields: SymbolRef[];
  keyUses: KeyUse[];
}

/** Longest quotation of a file in evidence, in characters. */
const MAX_QUOTE = 80;
/** Mentions of one file at most; a locale file of a large system has some 6,000 texts. */
const MAX_MENTIONS = 12_000;

/**
 * Finds what Chinese stands beside which symbols in one file.
 *
 * @param path POSIX, relative
 * @param outline of the same text
 */
export function sayingsOf(path: string, text: string, outline: Outline): FileSayings {
  const symbols = outline.symbols.filter((symbol) => symbol.kind !== 'route');
  const refs = new Map(symbols.map((symbol) => [symbol, refOf(path, symbol, outline)]));
  const types = [...refs.values()].filter((ref) => TYPE_ROLES.has(ref.role));
  const fields = [...refs.values()].filter(({ role, container }) => role === 'field' && container !== undefined);
  const sayings: Saying[] = [];
  const keyUses: KeyUse[] = [];
  if (hasChinese(text) || outline.i18n !== undefined) {
    const annotated = annotationsOf(text, symbols, outline.language).map(({ symbol, ...found }) =>
      toSaying(found, refs.get(symbol)!),
    );
    sayings.push(...annotated, ...docs(path, symbols, refs, annotated, outline));
    sayings.push(...outcomesOf(outline, symbols, refs));
    if (outline.i18n !== undefined) sayings.push(...interfaceTexts(path, outline.i18n));
  }
  if (outline.i18n === undefined) {
    const labels = labelsOf(path, text, outline);
    sayings.push(...labels.sayings);
    keyUses.push(...labels.keyUses);
    if (outline.language === 'sql') sayings.push(...rowsOf(path, text));
  }
  for (const remark of remarks(path, outline)) {
    sayings.push(remark);
    if (remark.symbol.role === 'table') types.push(remark.symbol);
  }
  const mentions = sayings.slice(0, MAX_MENTIONS).flatMap((saying) => toMention(path, saying) ?? []);
  return { mentions, types, fields, keyUses };
}

/** The word that a saying holds, as a mention; undefined where there is none. */
export function toMention(path: string, saying: Saying): Mention | undefined {
  const phrase = phraseOf(saying.simplified ?? saying.text, saying.describes, saying.symbol.name);
  if (phrase === undefined) return undefined;
  const weak = phrase.weak || saying.weak === true;
  const quote = saying.text.replace(/\s+/g, ' ').trim();
  return {
    ...phrase,
    weak,
    symbol: saying.symbol,
    evidence: {
      file: path,
      line: saying.line,
      kind: saying.kind,
      text: quote.length > MAX_QUOTE ? `${quote.slice(0, MAX_QUOTE - 1)}…` : quote,
    },
  };
}

const ROLES: Partial<Record<CodeSymbol['kind'], SymbolRole>> = {
  'enum-member': 'enum-member',
  function: 'function',
  method: 'method',
  constant: 'constant',
  field: 'field',
};

function refOf(path: string, symbol: CodeSymbol, outline: Outline): SymbolRef {
  const isSql = outline.language === 'sql';
  const isPage = outline.language === 'vue' && symbol.kind === 'class';
  const role = isPage
    ? 'page'
    : isSql && symbol.kind === 'field'
      ? 'column'
      : (ROLES[symbol.kind] ?? typeRole(symbol, isSql));
  return {
    name: symbol.name,
    role,
    file: path,
    line: symbol.line,
    ...(symbol.container ? { container: symbol.container } : {}),
  };
}

function typeRole({ name, kind }: CodeSymbol, isSql: boolean): SymbolRole {
  return roleOfType(name, kind === 'interface' || kind === 'type' || kind === 'enum' ? kind : 'class', isSql);
}

function toSaying(found: { text: string; line: number; weak?: boolean }, symbol: SymbolRef): Saying {
  return { ...found, kind: 'annotation', describes: describes(symbol), symbol };
}

/** What the text beside a symbol describes. */
export function describes({ role }: SymbolRef): Described {
  if (TYPE_ROLES.has(role)) return 'type';
  return role === 'method' || role === 'function' ? 'action' : 'member';
}

const ACCESSOR = /^(?:get|set|is|has|with)(?:[A-Z_]|$)/;

/** Doc comments; those that only repeat an annotation are left out, and so are accessors and test-like names. */
function docs(
  path: string,
  symbols: readonly CodeSymbol[],
  refs: Map<CodeSymbol, SymbolRef>,
  annotated: readonly Saying[],
  outline: Outline,
): Saying[] {
  const said = new Set(annotated.map(({ symbol, text }) => `${symbol.line} ${text}`));
  // What stands on several methods is about none of them, also where it is read as their doc.
  const repeated = new Set(annotated.flatMap(({ weak, text }) => (weak ? [text] : [])));
  return symbols.flatMap((symbol) => {
    const { doc, line, kind, name } = symbol;
    if (doc === undefined || !hasChinese(doc) || said.has(`${line} ${doc}`) || repeated.has(doc)) return [];
    if (kind === 'method' && ACCESSOR.test(name) && /不能|长度|必须|格式|^$/.test(doc)) return [];
    const symbolRef = refs.get(symbol)!;
    const saying: Saying = {
      text: doc,
      kind: outline.language === 'sql' ? 'sql' : 'doc',
      describes: describes(symbolRef),
      symbol: symbolRef,
      line: symbol.docLine ?? line,
    };
    return [
      drivesPage(symbol, outline.language, path) || isHandler(saying, outline, path)
        ? { ...saying, weak: true }
        : saying,
    ];
  });
}

/** Comments of tables and columns that are defined elsewhere. */
function remarks(path: string, outline: Outline): Saying[] {
  return (outline.remarks ?? [])
    .filter(({ text }) => hasChinese(text))
    .map(({ name, container, text, line }) => {
      const symbol: SymbolRef = {
        name,
        role: container === undefined ? 'table' : 'column',
        file: path,
        line,
        ...(container === undefined ? {} : { container }),
      };
      return { text, kind: 'sql', describes: describes(symbol), symbol, line };
    });
}

/** A function of a page that does what pages do: 重置表单, 切换设备. What people do there (批量发货) stays. */
function isHandler({ text, symbol: { role, name } }: Saying, { language }: Outline, path: string): boolean {
  if (!isOnPage(language, path) || (role !== 'function' && role !== 'method')) return false;
  const word = phraseOf(text, 'action', name)?.word;
  return word === undefined || isPageTalk(word) || !saysAct(word);
}

/** Keys of hints, errors and placeholders: their texts are sentences, or halves of them. */
const NOT_A_NAME =
  /(?:helper|tips?|hint|desc(?:ription)?|placeholder|msg|message|error|err|warn(?:ing)?|confirm|rule|success|fail(?:ed|ure)?|invalid|required|title\d|content|info)\d*$|^(?:Err|Error|Msg)[A-Z]/i;

/** What a file of all languages calls the Chinese ones, before each of their keys. */
const CHINESE_KEYS = /^zh(?:[-_]?(?:CN|Hans|TW|HK|MO|Hant))?(?:[-_](?:CN|TW|HK|MO))?\./i;

function interfaceTexts(path: string, entries: NonNullable<Outline['i18n']>): Saying[] {
  return entries
    .filter(({ key }) => !NOT_A_NAME.test(key.slice(key.lastIndexOf('.') + 1)) && !/\.\d+(?:\.|$)/.test(key))
    .map(({ key, text, line }) => ({
      text,
      kind: 'i18n',
      describes: 'label',
      line,
      symbol: { name: key.replace(CHINESE_KEYS, ''), role: 'key', file: path, line },
      ...(TRADITIONAL.test(path) || TRADITIONAL.test(key) ? { simplified: foldKeepingCase(text) } : {}),
    }));
}
