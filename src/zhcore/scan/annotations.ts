import type { CodeSymbol, Language } from '../../code/index.js';
import { hasChinese } from '../../text/index.js';

/** An annotation, decorator or tag with Chinese, and the symbol that it stands on. */
export interface Annotated {
  text: string;
  /** 1-based. */
  line: number;
  symbol: CodeSymbol;
  /** Stands on several methods of the class: it names the class's part of the system (`@Log(title = "用户管理")`), and no method. */
  weak?: boolean;
}

/** How many lines below an annotation its declaration may begin: others stand between. */
const REACH = 15;

/**
 * Annotations whose text names what they stand on: Swagger 2 and 3, EasyExcel and POI wrappers, operation logs, NestJS, TypeORM,
 * ASP.NET. The text is the first Chinese literal of one of the named arguments, else of the first argument.
 */
const JAVA_LIKE =
  /@(Api|ApiOperation|ApiModel|ApiModelProperty|ApiParam|ApiProperty|ApiPropertyOptional|ApiTags|Tag|Operation|Schema|Excel|ExcelProperty|ExcelColumn|ExcelField|Log|SysLog|OperLog|OperateLog|OperationLog|AutoLog|ControllerLog|TableName|TableField|Column|Entity|Comment|Dict|FieldDoc|Title|Description|DisplayName|Doc)\s*\(((?:[^()"'`]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`[^`]{0,400}`|\([^()]{0,400}\)){1,1500}?)\)/g;
/** `[Display(Name = "订单号")]`, `[Description("已支付")]`. */
const CSHARP =
  /\[(?:Display|Description|DisplayName|Comment|SwaggerOperation|SwaggerSchema|ExcelColumn(?:Name)?)\s*\(([^\]\n]{1,400})\)\s*\]/g;
/** Go struct tags. */
const GO_TAG = /(?:comment|label|description|title|zh|cn):\s*\\?"?([^"`;\n]{2,60})/g;
/** Django, SQLAlchemy, Pydantic, Peewee: a name for the field that is assigned on this line. */
const PYTHON =
  /\b(?:verbose_name|comment|description|title|label|help_text)\s*=\s*(?:_\()?[uf]?(["'])([^"'\n]{2,60})\1/g;

/** Arguments that hold the name, best first. */
const NAMED = [
  /\b(?:tags|name|value|summary|title|description|comment|headers|prompt|module)\s*[:=]\s*(?:new\s+String\s*\[\]\s*)?[{[]?\s*(["'`])((?:\\.|(?!\1)[^\\\n]){1,200})\1/g,
];
const LITERAL = /(["'`])((?:\\.|(?!\1)[^\\\n]){1,200})\1/g;

/** Finds annotations with Chinese, each with the symbol below it. */
export function annotationsOf(text: string, symbols: readonly CodeSymbol[], language: Language): Annotated[] {
  const found: { text: string; index: number }[] = [];
  if (/^(?:java|kotlin|typescript|tsx|javascript|php)$/.test(language)) {
    for (const match of text.matchAll(JAVA_LIKE)) {
      const literal = nameIn(match[2]!);
      if (literal !== undefined) found.push({ text: literal, index: match.index });
    }
  } else if (language === 'csharp') {
    for (const match of text.matchAll(CSHARP)) {
      const literal = nameIn(match[1]!);
      if (literal !== undefined) found.push({ text: literal, index: match.index });
    }
  } else if (language === 'go' || language === 'python') {
    return sameLine(text, symbols, language);
  }
  return markRepeated(attach(text, found, symbols));
}

/** Marks what stands on several methods of one class. */
function markRepeated(found: readonly Annotated[]): Annotated[] {
  const key = ({ text, symbol }: Annotated) => `${symbol.container} ${text}`;
  const methods = new Map<string, Set<CodeSymbol>>();
  for (const one of found)
    if (one.symbol.kind === 'method') methods.set(key(one), (methods.get(key(one)) ?? new Set()).add(one.symbol));
  return found.map((one) => ((methods.get(key(one))?.size ?? 0) > 1 ? { ...one, weak: true } : one));
}

function nameIn(args: string): string | undefined {
  if (!hasChinese(args)) return undefined;
  for (const pattern of [...NAMED, LITERAL]) {
    for (const match of args.matchAll(pattern)) if (hasChinese(match[2]!)) return match[2]!;
  }
  return undefined;
}

function attach(
  text: string,
  found: readonly { text: string; index: number }[],
  symbols: readonly CodeSymbol[],
): Annotated[] {
  const ordered = [...symbols].sort((a, b) => a.line - b.line);
  const out: Annotated[] = [];
  let line = 1;
  let at = 0;
  for (const { text: literal, index } of found) {
    for (; at < index; at++) if (text.charCodeAt(at) === 10) line++;
    const symbol = ordered.find((candidate) => candidate.line >= line);
    if (symbol !== undefined && symbol.line - line <= REACH) out.push({ text: literal, line, symbol });
  }
  return out;
}

/** Struct tags and field options stand on the line of the field. */
function sameLine(text: string, symbols: readonly CodeSymbol[], language: 'go' | 'python'): Annotated[] {
  const byLine = new Map(symbols.map((symbol) => [symbol.line, symbol]));
  const out: Annotated[] = [];
  for (const [i, content] of text.split('\n').entries()) {
    if (content.length > 600 || !hasChinese(content)) continue;
    const symbol = byLine.get(i + 1);
    if (symbol === undefined) continue;
    for (const match of content.matchAll(language === 'go' ? GO_TAG : PYTHON)) {
      const literal = match[language === 'go' ? 1 : 2]!;
      if (!hasChinese(literal)) continue;
      out.push({ text: literal, line: i + 1, symbol });
      break;
    }
  }
  return out;
}
