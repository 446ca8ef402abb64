import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type YAMLError } from 'yaml';

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
};

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
    const doc = parseDocument(text, { lineCounter: counter, schema, logLevel: 'silent' });
    const [error] = doc.errors;
    if (error) return { ok: false, line: toLine(error.pos[0]), reason: explain(error) };
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
    // Unresolved aliases, alias bombs and bottomless nesting surface here, without a position.
    const deep = e instanceof RangeError;
    const reason = deep ? '嵌套太深' : `引用（&、*）有误：${e instanceof Error ? e.message : String(e)}`;
    return { ok: false, line: firstLine, reason: `不是合法的 YAML：${reason}` };
  }
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
  return `不是合法的 YAML：${known ?? (error.message.split('\n')[0] as string)}`;
}
