import {
  Composer,
  type CST,
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type Scalar,
  type YAMLError,
} from 'yaml';
import { messageOf } from './errors.js';

/** A YAML text that was read. */
export interface YamlFile {
  ok: true;
  value: unknown;
  /**
   * 1-based line of a place in the file.
   *
   * @param path keys and indexes from the top; the nearest place that exists answers
   */
  lineOf(path: readonly PropertyKey[]): number;
}

/** A YAML text that could not be read, and why (in Chinese). */
export interface YamlFault {
  ok: false;
  line: number;
  reason: string;
}

/** What the error codes of the `yaml` package mean, for people. */
const REASONS: Record<string, string> = {
  BAD_INDENT: '缩进不对，或方括号没有配对',
  TAB_AS_INDENT: '缩进用了制表符，YAML 只认空格',
  DUPLICATE_KEY: '同一层里有重复的键',
  MISSING_CHAR: '缺少引号、冒号或括号',
  BLOCK_AS_IMPLICIT_KEY: '一行里有两个「键: 值」；值里有冒号时要加引号',
  MULTILINE_IMPLICIT_KEY: '这一行应当是「键: 值」（冒号后要有空格）',
  UNEXPECTED_TOKEN: '这里出现了多余的内容',
  BAD_SCALAR_START: '值不能以 @ 或 ` 开头，要加引号',
  BAD_DQ_ESCAPE: '双引号里有不认识的转义，改用单引号',
  BAD_ALIAS: '引用（*名字）有误；值以 * 开头时要加引号',
  BLOCK_IN_FLOW: '方括号或花括号里的写法有误',
  BAD_COLLECTION_TYPE: '列表或键值的类型标记有误',
  MULTIPLE_DOCS: '一个文件里只能有一份 YAML（有多余的 ---）',
  RESOURCE_EXHAUSTION: '嵌套太深或引用太多',
  ALIAS_PROPS: '引用（*名字）前后不能再有标记；值以 * 开头时要加引号',
  BAD_DIRECTIVE: '以 % 开头的行是 YAML 指令，这里不认；值以 % 开头时要加引号',
  BAD_PROP_ORDER: '标记（& 或 !）的位置不对；值以 & 或 ! 开头时要加引号',
  KEY_OVER_1024_CHARS: '一行里的键超过 1024 个字符，多半是值里的冒号没有加引号',
  MULTIPLE_ANCHORS: '一个值前有两个 & 标记；值以 & 开头时要加引号',
  MULTIPLE_TAGS: '一个值前有两个 ! 标记；值以 ! 开头时要加引号',
  NON_STRING_KEY: '键应当是文字；键以 [ 或 { 开头时要加引号',
  TAG_RESOLVE_FAILED: '不认识的 ! 标记；值以 ! 开头时要加引号',
};

/** What the `yaml` package throws while aliases are put in, for people. */
const ALIAS_REASONS: readonly [test: RegExp, reason: (match: RegExpExecArray) => string][] = [
  [/^Excessive alias count/, () => '引用（*名字）套着引用，展开后太大：删掉引用，把内容直接写出来'],
  [
    /^Unresolved alias[^:]*: *(\S+)/,
    ([, name]) => `引用 *${name} 前面没有 &${name}：先定义再引用；值以 * 开头时要加引号`,
  ],
];

/**
 * Levels of lists and maps in one another. Entry files have five; the `yaml` package goes down a level by calling itself, and out of
 * stack it does not throw but may take the process down (V8 can't compile a regular expression there).
 */
const DEPTH_MAX = 100;

/** Thrown inside this file only. */
class TooDeepError extends Error {
  constructor(readonly offset: number) {
    super('too deep');
  }
}

/**
 * Reads YAML without ever throwing.
 *
 * @param text the YAML, without BOM
 * @param schema `core` knows numbers and true/false; with `failsafe` every scalar is a string
 * @param firstLine the 1-based line of its first line in the file (2 for front matter)
 */
export function parseYaml(text: string, schema: 'core' | 'failsafe', firstLine = 1): YamlFile | YamlFault {
  const counter = new LineCounter();
  const toLine = (offset: number) => Math.max(counter.linePos(offset).line, 1) + firstLine - 1;
  try {
    const doc = documentOf(text, schema, counter);
    const [error] = doc.errors;
    if (error) return { ok: false, line: toLine(error.pos[0]), reason: explain(error) };
    const again = repeatedKey(doc.contents);
    if (again !== undefined)
      return { ok: false, line: toLine(again.range?.[0] ?? 0), reason: `不是合法的 YAML：${REASONS.DUPLICATE_KEY}` };
    const value: unknown = doc.toJS({ maxAliasCount: 100 });
    const lineOf = (path: readonly PropertyKey[]): number => {
      for (let length = path.length; length > 0; length--) {
        const offset = offsetOf(doc, path.slice(0, length));
        if (offset !== undefined) return toLine(offset);
      }
      return firstLine;
    };
    return { ok: true, value, lineOf };
  } catch (e) {
    // Unresolved aliases and alias bombs surface here, without a position.
    const line = e instanceof TooDeepError ? toLine(e.offset) : firstLine;
    return { ok: false, line, reason: `不是合法的 YAML：${thrown(e)}` };
  }
}

/** What `parseDocument` of the `yaml` package does, but for the depth. */
function documentOf(text: string, schema: 'core' | 'failsafe', counter: LineCounter): Document.Parsed {
  // The package compares each key with all before it; `repeatedKey` looks them up.
  const composer = new Composer({ lineCounter: counter, schema, logLevel: 'silent', uniqueKeys: false });
  // The first document counts, and there always is one.
  const [first] = composer.compose(tokensOf(text, counter), true, text.length);
  return first as Document.Parsed;
}

/** The first key that its map has already. */
function repeatedKey(node: unknown): Scalar | undefined {
  const children: unknown[] = [];
  if (isMap(node)) {
    const seen = new Set<unknown>();
    for (const { key, value } of node.items) {
      if (isScalar(key)) {
        if (seen.has(key.value)) return key;
        seen.add(key.value);
      } else children.push(key);
      children.push(value);
    }
  } else if (isSeq(node)) for (const item of node.items) children.push(item);
  for (const child of children) {
    const found = repeatedKey(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @throws TooDeepError beyond {@link DEPTH_MAX} levels */
function* tokensOf(text: string, counter: LineCounter): Generator<CST.Token> {
  const parser = new Parser(counter.addNewLine);
  counter.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > DEPTH_MAX) throw new TooDeepError(parser.offset);
  }
  yield* parser.end();
}

function thrown(e: unknown): string {
  if (e instanceof TooDeepError || e instanceof RangeError)
    return `嵌套太深（最多 ${DEPTH_MAX} 层）：检查括号有没有配对、缩进对不对`;
  const message = messageOf(e);
  for (const [test, reason] of ALIAS_REASONS) {
    const match = test.exec(message);
    if (match !== null) return reason(match);
  }
  return `引用（&、*）有误（${message}）：删掉引用，把内容直接写出来`;
}

/** Where a key, or without one a list item, starts. */
function offsetOf(doc: Document, path: readonly PropertyKey[]): number | undefined {
  const parent = path.length === 1 ? doc.contents : doc.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  if (isMap(parent)) {
    const pair = parent.items.find((item) => isScalar(item.key) && item.key.value === last);
    return isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
  }
  const item = isSeq(parent) ? parent.items[Number(last)] : undefined;
  return isNode(item) ? item.range?.[0] : undefined;
}

function explain(error: YAMLError): string {
  const known = REASONS[error.code];
  return `不是合法的 YAML：${known ?? `这一行写得不对（${error.message.split('\n')[0] as string}）`}`;
}
