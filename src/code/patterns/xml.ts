import { hasChinese } from '../../text/index.js';
import type { OutlineBuilder } from '../builder.js';
import { type SourceText, spanOf } from '../source.js';
import type { CodeSymbol } from '../types.js';
import { scanComments } from './scan.js';

const STATEMENT = /<(select|insert|update|delete|sql|resultMap|parameterMap|cache-ref)\b([^>]{0,2000})>/g;
const TEXT = />([^<>]+)</g;

/** A statement is looked at so far for its end, in characters. */
const MAX_STATEMENT = 50_000;

/** XML: MyBatis mappers give their namespace and statement ids; any XML gives comments and Chinese texts. */
export function scanXml(source: SourceText): OutlineBuilder {
  const out = scanComments(source, 'xml')!;
  const { text } = source;
  const mapper = /<mapper\b[^>]{0,500}?\bnamespace\s*=\s*["']([^"'<>]{1,200})["']/.exec(text);
  if (mapper !== null) addMapper(out, source, mapper);
  for (const match of text.matchAll(TEXT)) {
    const content = match[1]!.trim();
    // Mapper bodies are SQL; their comments were taken already.
    if (content.length <= 200 && hasChinese(content)) {
      out.strings.push({ line: source.lineAt(match.index + match[0].indexOf(content)), text: content });
    }
  }
  return out;
}

function addMapper(out: OutlineBuilder, source: SourceText, mapper: RegExpExecArray): void {
  const namespace = mapper[1]!;
  const name = namespace.slice(namespace.lastIndexOf('.') + 1);
  const line = source.lineAt(mapper.index);
  out.addSymbol(spanOf(source, mapper.index, source.text.length), { text: name, line }, 'interface', {
    exported: true,
    signature: `mapper ${namespace}`,
  });
  // The mapper implements the Java interface of that name: whoever changes one changes the other.
  out.imports.push({ source: namespace, names: [name], line });
  for (const match of source.text.matchAll(STATEMENT)) {
    const id = /\bid\s*=\s*["']([^"']+)["']/.exec(match[2]!)?.[1];
    if (id === undefined) continue;
    addStatement(out, source, name, match[1]!, id, match);
  }
}

function addStatement(
  out: OutlineBuilder,
  source: SourceText,
  mapper: string,
  tag: string,
  id: string,
  match: RegExpExecArray,
): CodeSymbol {
  const close = match[2]!.endsWith('/')
    ? -1
    : source.text.slice(0, match.index + MAX_STATEMENT).indexOf(`</${tag}>`, match.index);
  const end = close < 0 ? match.index + match[0].length : close + tag.length + 3;
  const isStatement = /^(?:select|insert|update|delete)$/.test(tag);
  const type = /\b(?:resultType|resultMap|parameterType|type)\s*=\s*["']([^"']+)["']/.exec(match[2]!)?.[1];
  return out.addSymbol(
    spanOf(source, match.index, end),
    { text: id, line: source.lineAt(match.index) },
    isStatement ? 'method' : 'constant',
    {
      exported: true,
      container: mapper,
      signature: `${tag} ${id}${type === undefined ? '' : `: ${type}`}`,
    },
  );
}
