import { languageOf, type Outline, outline } from '../code/index.js';
import { XiheError } from '../errors.js';
import { eachToken } from '../history/index.js';
import { decodeText, truncateToTokens } from '../text/index.js';
import { isChineseLocale, keyCandidates, localeEntries } from './locale.js';
import { FIELDS, type Field, packCount } from './postings.js';
import { type Role, roleOf } from './roles.js';
import { baseOf, MINIFIED_LINE_CHARS } from './rules.js';
import { parsedLater } from './store.js';
import type { FileDetail, IndexedFile, TermCounts } from './types.js';
import type { Vocabulary } from './vocabulary.js';
import type { WalkedFile } from './walk.js';

/** Tokens of a summary (DESIGN: one line, 10–20 tokens). */
export const MAX_SUMMARY_TOKENS = 20;
/** Below this size a file is read whatever its lines look like. In characters. */
const MINIFIED_FROM = 20_000;

const NO_WORDS: TermCounts = { tokens: new Uint32Array(0), counts: new Uint16Array(0) };
const NO_DETAIL: FileDetail = { keys: [] };

/** A file that is listed by its name only: images, lock files, data, what is too large or binary. */
export function listedOnly(file: WalkedFile, checkedAt: number, hash: string, vocabulary: Vocabulary): IndexedFile {
  const counter = new FieldCounter(vocabulary);
  counter.add('path', file.path);
  return {
    ...file,
    checkedAt,
    hash,
    language: languageOf(file.path),
    role: roleOf(file.path),
    lines: 0,
    summary: summaryByPath(file.path),
    imports: [],
    words: counter.counts(),
    i18n: NO_WORDS,
    detail: () => NO_DETAIL,
  };
}

/**
 * Reads a file's evidence out of its bytes: symbols, imports, Chinese comments and strings, words by field, keys of interface
 * texts. A file that is binary, minified or not to be outlined is listed by name; nothing here throws for bad content.
 */
export async function analyse(
  file: WalkedFile,
  bytes: Uint8Array,
  checkedAt: number,
  hash: string,
  vocabulary: Vocabulary,
): Promise<IndexedFile> {
  const text = textOf(bytes);
  if (text === undefined || isMinified(text)) return listedOnly(file, checkedAt, hash, vocabulary);
  const seen = await outline(file.path, text);
  const detail: FileDetail = { outline: seen, keys: keyCandidates(text) };
  if (isChineseLocale(file.path)) detail.locale = localeEntries(file.path, seen);
  // As bytes from the beginning: 100,000 outlines as objects take a gigabyte, and the collector's time.
  const rawDetail = Buffer.from(JSON.stringify(detail));
  return {
    ...file,
    checkedAt,
    hash,
    language: seen.language,
    role: roleOf(file.path),
    lines: countLines(text),
    summary: truncateToTokens(seen.summary.trim() || summaryByPath(file.path), MAX_SUMMARY_TOKENS).text,
    imports: seen.imports.map(({ source, line }) => [source, line]),
    words: wordsOf(file.path, text, seen, vocabulary),
    i18n: NO_WORDS,
    rawDetail,
    detail: parsedLater(rawDetail),
  };
}

/** The text of a file, whatever its encoding, or undefined when it has none. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decodeText(bytes).text;
  } catch (e) {
    if (XiheError.is(e)) return undefined;
    throw e;
  }
}

function isMinified(text: string): boolean {
  return text.length > MINIFIED_FROM && text.length / countLines(text) > MINIFIED_LINE_CHARS;
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return text.endsWith('\n') && text.length > 1 ? lines - 1 : lines;
}

function wordsOf(path: string, text: string, seen: Outline, vocabulary: Vocabulary): TermCounts {
  const counter = new FieldCounter(vocabulary);
  counter.add('path', path);
  for (const symbol of seen.symbols) counter.add('symbols', symbol.name);
  for (const comment of seen.comments) counter.add('comments', comment.text);
  for (const string of seen.strings) counter.add('strings', string.text);
  counter.addRest(text);
  return counter.counts();
}

/** Counts tokens by field; the rest of a text is what its comments and strings have not counted already. */
class FieldCounter {
  readonly #vocabulary: Vocabulary;
  readonly #fields = new Map<Field, Map<number, number>>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  add(field: Field, text: string): void {
    const counts = this.#fields.get(field) ?? new Map<number, number>();
    this.#fields.set(field, counts);
    eachToken(text, (token) => {
      const id = this.#vocabulary.intern(token);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    });
  }

  addRest(text: string): void {
    this.add('rest', text);
    const rest = this.#fields.get('rest')!;
    for (const field of ['comments', 'strings'] as const) {
      for (const [id, count] of this.#fields.get(field) ?? []) {
        const left = (rest.get(id) ?? 0) - count;
        if (left > 0) rest.set(id, left);
        else rest.delete(id);
      }
    }
  }

  counts(): TermCounts {
    let size = 0;
    for (const counts of this.#fields.values()) size += counts.size;
    const packed: TermCounts = { tokens: new Uint32Array(size), counts: new Uint16Array(size) };
    let at = 0;
    for (const [field, counts] of this.#fields) {
      for (const [id, count] of counts) {
        packed.tokens[at] = id;
        packed.counts[at++] = packCount(FIELDS.indexOf(field), count);
      }
    }
    return packed;
  }
}

/** Words of the texts behind keys, as the `i18n` field. */
export function i18nWords(values: Iterable<string>, vocabulary: Vocabulary): TermCounts {
  const counter = new FieldCounter(vocabulary);
  for (const value of values) counter.add('i18n', value);
  return counter.counts();
}

const ROLE_NAMES: Record<Role, string> = {
  '': '源文件',
  test: '测试',
  mock: '测试数据',
  i18n: '界面文案',
  doc: '文档',
  style: '样式',
  asset: '资源文件',
  ci: '持续集成配置',
  config: '配置',
  sql: '数据库脚本',
  mapper: '数据访问',
  controller: '接口入口',
  service: '业务服务',
  'data-layer': '接口调用',
  page: '页面',
  layout: '布局',
  ui: '界面组件',
  route: '路由',
  store: '状态管理',
  hook: '组合函数',
  middleware: '中间件',
  job: '后台任务',
  model: '数据模型',
  types: '类型定义',
  helper: '工具函数',
  entry: '入口',
  script: '脚本',
  example: '示例',
};

/** What can be said of a file by its name: its role in Chinese. */
export function summaryByPath(path: string): string {
  return `${ROLE_NAMES[roleOf(path)]} ${baseOf(path)}`;
}
