import type { CodeSymbol, Outline } from '../../code/index.js';
import { hasChinese } from '../../text/index.js';
import type { KeyUse, Saying } from './mentions.js';
import { isPlainMember } from './names.js';
import type { EvidenceKind, SymbolRef, SymbolRole } from './types.js';

/**
 * Labels in code: enums with a text, maps from a value to its text, form fields and table columns, titles of routes. Regular
 * expressions over the whole text, each bounded, since these stand in templates, objects and annotations of every framework.
 */

const STRING = String.raw`(?:"((?:\\.|[^"\\\n]){1,120})"|'((?:\\.|[^'\\\n]){1,120})')`;
/** `PAID(1, "已支付")` in a Java, Kotlin or PHP enum, at the beginning of a line or after a comma. */
const ENUM_WITH_TEXT = /(?:^|[,{;]|\n)\s*([A-Z][A-Z0-9_]*)\s*\(([^()\n]{1,300})\)/g;
/** `const STATUS_TEXT: Record<…> = { … }`, `var names = map[…]string{ … }`. */
const MAP =
  /(?:\b(?:const|let|var|val|static|readonly|final)\s+)?\b([A-Za-z_$][\w$]*)\s*(?::\s*[^=;\n{}]{1,120})?=\s*(?:Object\.freeze\(\s*)?(?:map\[[^\]\n]{1,40}\]\w+\s*)?\{((?:[^{}]|\$\{[^{}]{0,80}\}){1,4000}?)\}/g;
const PAIR = new RegExp(String.raw`(?:^|[,{\n])\s*(?:\[\s*)?["']?([A-Za-z_$][\w$.]*)["']?\s*\]?\s*:\s*${STRING}`, 'g');
/** One flat object: a column of a table, a field of a form, an option. */
const FLAT_OBJECT = /\{((?:[^{}]){4,400}?)\}/g;
const OBJECT_LABEL = new RegExp(
  String.raw`\b(?:label|title|text|header)\s*:\s*(?:(?:this\.|i18n\.(?:global\.)?)?\$?t\(\s*)?${STRING}`,
);
const OBJECT_NAME = /\b(?:prop|dataIndex|field|key|name|model|property)\s*:\s*["']([A-Za-z_][\w.]{1,60})["']/;
const OBJECT_VALUE = /\bvalue\s*:\s*(?:["']([A-Za-z_][\w.-]{1,60})["']|([A-Z][\w$]*\.[A-Za-z_][\w$]*))/;
/** A tag with a label and the field that it shows: `<el-table-column label="订单编号" prop="orderSn">`. */
const TAG =
  /<([A-Za-z][\w.-]*)((?:\s+[^\s=>"'/]+(?:\s*=\s*(?:"[^"]{0,300}"|'[^']{0,300}'|\{[^{}]{0,200}\}))?){1,20})\s*\/?>/g;
const ATTRIBUTE = /([^\s=>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
/** `meta: { title: '用户管理' }`, and what a route is called before it. */
const ROUTE_PART =
  /\b(path|name)\s*:\s*["']([^"'\n]{1,80})["']|\bmeta\s*:\s*\{[^{}]{0,300}?\btitle\s*:\s*["']([^"'\n]{1,80})["']/g;

const KEY_SHAPE = /^[A-Za-z_][\w-]*(?:[.:][\w-]+)+$/;

interface Found {
  sayings: Saying[];
  keyUses: KeyUse[];
}

interface Beside {
  text: string;
  kind: EvidenceKind;
  role: SymbolRole;
  name: string;
  container?: string;
  index: number;
}

/** Finds the labels of one file. */
export function labelsOf(path: string, text: string, outline: Outline): Found {
  const { language } = outline;
  const beside: Beside[] = [];
  const isScript = /^(?:typescript|tsx|javascript|vue|html)$/.test(language);
  if (/^(?:java|kotlin|php|csharp)$/.test(language) && hasChinese(text))
    beside.push(...enumTexts(text, outline.symbols));
  if (isScript || ((language === 'go' || language === 'python') && hasChinese(text))) beside.push(...mapTexts(text));
  if (isScript) beside.push(...objects(text), ...tags(text), ...routes(path, text));
  const lineAt = lineCounter(text);
  const found: Found = { sayings: [], keyUses: [] };
  for (const { text: said, kind, role, name, container, index } of beside.sort((a, b) => a.index - b.index)) {
    const line = lineAt(index);
    // A label beside `name` or `port` alone says nothing of which name it is.
    if (kind === 'form' && isPlainMember(name)) continue;
    const symbol: SymbolRef = { name, role, file: path, line, ...(container ? { container } : {}) };
    if (hasChinese(said))
      found.sayings.push({ text: said, kind, describes: kind === 'route' ? 'title' : 'label', symbol, line });
    else if (KEY_SHAPE.test(said)) found.keyUses.push({ key: said, kind, symbol, line });
  }
  return found;
}

function enumTexts(text: string, symbols: readonly CodeSymbol[]): Beside[] {
  const members = new Map(symbols.filter(({ kind }) => kind === 'enum-member').map((member) => [member.name, member]));
  if (members.size === 0) return [];
  const out: Beside[] = [];
  for (const match of text.matchAll(ENUM_WITH_TEXT)) {
    const member = members.get(match[1]!);
    const literal = [...match[2]!.matchAll(new RegExp(STRING, 'g'))].map((m) => m[1] ?? m[2]!).find(hasChinese);
    if (member === undefined || literal === undefined) continue;
    out.push({
      text: literal,
      kind: 'enum',
      role: 'enum-member',
      name: member.name,
      index: match.index + match[0].indexOf(match[1]!),
      ...(member.container ? { container: member.container } : {}),
    });
  }
  return out;
}

/** `{ PAID: '已支付', [OrderState.CLOSED]: '已关闭' }`; the map itself is the container where the key names none. */
function mapTexts(text: string): Beside[] {
  const out: Beside[] = [];
  for (const match of text.matchAll(MAP)) {
    const body = match[2]!;
    const from = match.index + match[0].lastIndexOf(body);
    const pairs = [...body.matchAll(PAIR)];
    const chinese = pairs.filter((pair) => hasChinese(pair[2] ?? pair[3]!));
    // One text among other settings is a label of the object, not of the key.
    if (chinese.length < 2 || chinese.length < pairs.length / 2) continue;
    for (const pair of chinese) {
      const path = pair[1]!.split('.');
      const name = path.at(-1)!;
      if (/^(?:label|title|text|name|desc|description|message|msg|placeholder|content|value)$/i.test(name)) continue;
      out.push({
        text: pair[2] ?? pair[3]!,
        kind: 'enum',
        role: 'enum-member',
        name,
        container: path.at(-2) ?? match[1]!,
        index: from + pair.index + pair[0].indexOf(pair[1]!),
      });
    }
  }
  return out;
}

function objects(text: string): Beside[] {
  const out: Beside[] = [];
  for (const match of text.matchAll(FLAT_OBJECT)) {
    const label = OBJECT_LABEL.exec(match[1]!);
    if (label === null) continue;
    const said = label[1] ?? label[2]!;
    const name = OBJECT_NAME.exec(match[1]!)?.[1];
    const value = OBJECT_VALUE.exec(match[1]!);
    if (name !== undefined)
      out.push({ text: said, kind: 'form', role: 'field', name: name.split('.').at(-1)!, index: match.index });
    else if (value?.[2] !== undefined) {
      const [container, member] = value[2].split('.') as [string, string];
      out.push({ text: said, kind: 'enum', role: 'enum-member', name: member, container, index: match.index });
    }
  }
  return out;
}

const NAMING = ['prop', 'v-model', 'name', 'field', 'dataIndex', 'v-model:value', 'ng-model', 'wx:model', 'path'];

function tags(text: string): Beside[] {
  const out: Beside[] = [];
  for (const match of text.matchAll(TAG)) {
    const attributes = new Map([...match[2]!.matchAll(ATTRIBUTE)].map((a) => [a[1]!, a[2] ?? a[3]!]));
    const literal = attributes.get('label') ?? attributes.get('title');
    const bound = attributes.get(':label') ?? attributes.get(':title') ?? attributes.get('v-bind:label');
    const said =
      literal ?? (bound === undefined ? undefined : /^\$?t\(\s*['"]([^'"]+)['"]\s*\)$/.exec(bound.trim())?.[1]);
    if (said === undefined) continue;
    const naming = NAMING.map((attribute) => attributes.get(attribute)).find(
      (value) => value !== undefined && /^[A-Za-z_][\w.]*$/.test(value),
    );
    const name = naming?.split('.').at(-1);
    if (name !== undefined) out.push({ text: said, kind: 'form', role: 'field', name, index: match.index });
  }
  return out;
}

/** Titles of routes; the name (else the last part of the path) that stands nearest before belongs to them. */
function routes(path: string, text: string): Beside[] {
  if (!/rout|menu|nav|pages?\.json|config/i.test(path) && !/\bmeta\s*:\s*\{/.test(text)) return [];
  const out: Beside[] = [];
  let route: { path?: string; name?: string } = {};
  for (const match of text.matchAll(ROUTE_PART)) {
    const [, part, value, title] = match;
    if (part === 'path') route = { path: value! };
    else if (part === 'name') route.name = value!;
    else if (title !== undefined) {
      const name = route.name ?? lastStatic(route.path);
      if (name !== undefined && /^[A-Za-z][\w-]*$/.test(name))
        out.push({ text: title, kind: 'route', role: 'route', name, index: match.index });
      route = {};
    }
  }
  return out;
}

/** The last part of a path that is no parameter. */
export function lastStatic(path: string | undefined): string | undefined {
  return path
    ?.split('/')
    .filter((part) => /^[A-Za-z][\w-]*$/.test(part) && !/^(?:index|list|detail)$/.test(part))
    .at(-1);
}

function lineCounter(text: string): (index: number) => number {
  let line = 1;
  let at = 0;
  return (index) => {
    if (index < at) {
      line = 1;
      at = 0;
    }
    for (; at < index; at++) if (text.charCodeAt(at) === 10) line++;
    return line;
  };
}
