import { openApi, type Part } from './openapi.js';

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: Part }[];
  requestBody?: { content: Record<string, { schema: Schema; example: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}

interface Schema {
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  default?: unknown;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

let made: string | undefined;

/** `/docs`: the OpenAPI document for people, one page in Chinese that runs no script and loads nothing. */
export function docsPage(): string {
  made ??= page();
  return made;
}

function page(): string {
  const { info, paths } = openApi() as unknown as {
    info: { version: string; description: string };
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const list = operations.map(
    ({ path, method, operation }) =>
      `<li><a href="#${operation.operationId}"><code>${method} ${esc(path)}</code></a> ${esc(operation.summary)}</li>`,
  );
  return [
    '<!doctype html><html lang="zh-CN"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>羲和 HTTP 接口</title><style>${STYLE}</style></head><body><main>`,
    `<h1>羲和 HTTP 接口 <small>${esc(info.version)}</small></h1><p>${esc(info.description)}</p>`,
    '<p>有密钥时每个请求加 <code>Authorization: Bearer 密钥</code>；有几个项目时地址后面加 <code>?project=名字</code>。机器读的说明：<a href="/openapi.json">/openapi.json</a>。</p>',
    `<ul>${list.join('')}</ul>`,
    ...operations.map(({ path, method, operation }) => section(path, method, operation)),
    '</main></body></html>',
  ].join('\n');
}

function section(path: string, method: string, operation: Operation): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  const { content } = responses['200'] ?? {};
  const answer = content?.['application/json']?.schema;
  const places: Record<string, string> = { query: '地址', path: '路径', header: '请求头' };
  const given = parameters.map(({ name, in: at, required, description: text = '', schema }) =>
    row(`${name}${required ? '' : '?'}`, typeOf(schema as Schema), `${places[at]}。${text}`),
  );
  return [
    `<section id="${operationId}"><h2><code>${method} ${esc(path)}</code></h2><p>${esc(summary)}。${esc(description ?? '')}</p>`,
    given.length > 0 ? `<h3>参数</h3>${table(given)}` : '',
    body
      ? `<h3>请求体</h3>${table(rows(body.schema, ''))}<pre>${esc(JSON.stringify(body.example, null, 2))}</pre>`
      : '',
    answer?.properties ? `<h3>回答</h3>${table(rows(answer, ''))}` : '',
    `<h3>出错</h3>${table(
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, { description: codes }]) => row(status, '', codes)),
    )}</section>`,
  ].join('');
}

/** The fields of an object, inner ones with the path to them. */
function rows(schema: Schema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}${schema.required?.includes(name) ? '' : '?'}`;
    const inner = innerOf(field);
    const own = row(path, typeOf(field), `${field.description ?? ''}${defaultOf(field)}`);
    return inner ? [own, ...rows(inner.schema, `${path}${inner.isMany ? '[]' : ''}.`)] : [own];
  });
}

function innerOf(field: Schema): { schema: Schema; isMany: boolean } | undefined {
  if (field.properties) return { schema: field, isMany: false };
  if (field.items?.properties) return { schema: field.items, isMany: true };
  const some = field.anyOf?.find(({ properties }) => properties);
  return some && { schema: some, isMany: false };
}

function defaultOf({ default: value }: Schema): string {
  return value === undefined || Array.isArray(value) ? '' : `（默认 ${String(value)}）`;
}

const NAMES: Record<string, string> = {
  string: '文本',
  number: '数',
  integer: '整数',
  boolean: '真假',
  null: '空',
  object: '对象',
};

function typeOf(field: Schema): string {
  if (field.enum) return field.enum.map(String).join(' / ');
  if (field.const !== undefined) return String(field.const);
  if (field.anyOf) return field.anyOf.map(typeOf).join(' / ');
  if (field.type === 'array') return `${field.items ? typeOf(field.items) : '任意'} 的列表`;
  const name = [field.type]
    .flat()
    .map((type) => NAMES[String(type)] ?? '任意')
    .join(' / ');
  if (field.maxLength !== undefined) return `${name}，最长 ${field.maxLength}`;
  const hasRange =
    field.minimum !== undefined && field.maximum !== undefined && field.maximum < Number.MAX_SAFE_INTEGER;
  return hasRange ? `${name}，${field.minimum} 到 ${field.maximum}` : name;
}

function table(lines: readonly string[]): string {
  return `<table>${lines.join('')}</table>`;
}

function row(name: string, type: string, text: string): string {
  return `<tr><td><code>${esc(name)}</code></td><td>${esc(type)}</td><td>${esc(text)}</td></tr>`;
}

function esc(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const STYLE = `
body{margin:0;font:16px/1.6 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;color:#1c2024;background:#fff}
main{max-width:60rem;margin:0 auto;padding:1.5rem}
h2{margin-top:2.5rem;border-top:1px solid #d9dde2;padding-top:1.5rem}h3{margin:1rem 0 .3rem;font-size:1rem}
small{color:#6b7280;font-weight:normal}code,pre{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.9em}
pre{background:#f3f5f7;padding:.8rem;border-radius:6px;overflow-x:auto}
table{border-collapse:collapse;width:100%}td{border-top:1px solid #e7eaee;padding:.3rem .6rem .3rem 0;vertical-align:top}
td:first-child{white-space:nowrap}td:nth-child(2){color:#4b5563;min-width:7rem}
@media (prefers-color-scheme:dark){body{color:#e6e8eb;background:#15181b}h2,td{border-color:#333940}pre{background:#1f2429}td:nth-child(2){color:#a5adb8}a{color:#7cb7ff}}
`;
