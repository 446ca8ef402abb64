// `npm run docs`: writes docs/json.md from the schemas, so that the page can't tell another story than the code.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { ALL_OUTPUT_SCHEMAS } from '../src/cli/schemas/index.js';

/** What these pages read of a JSON Schema. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
  required?: string[];
}

/** The page as Markdown. */
export function jsonDocs(): string {
  const head = [
    '# `--json` 的输出',
    '',
    '每个命令加 `--json` 后在标准输出打印恰好一个 JSON 文档，进度和日志在标准错误。本页由 `npm run docs` 从代码里的模式生成。',
    '',
    '`xihe watch --json` 一直在运行，每次重新加载打印一行 JSON。',
    '',
    '退出码：0 完成，1 失败，2 用法不对，3 在等你决定，130 被中断。字段只增不改名。',
    '',
  ];
  const pages = Object.entries(ALL_OUTPUT_SCHEMAS).map(([name, schema]) => {
    const rows = fields(z.toJSONSchema(schema) as Schema, '');
    const title = name.startsWith('（')
      ? name
      : name
          .split(' / ')
          .map((n) => `\`xihe ${n}\``)
          .join('、');
    return [`## ${title}`, '', '| 字段 | 类型 | 含义 |', '| --- | --- | --- |', ...rows, ''].join('\n');
  });
  return [...head, ...pages].join('\n');
}

/** A row for each field, those of inner objects behind it. */
export function fields(schema: Schema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const optional = schema.required?.includes(name) ? '' : '?';
    const path = `${prefix}${name}${optional}`;
    const inner = innerOf(property);
    const row = `| \`${path}\` | ${typeOf(property)} | ${property.description ?? ''} |`;
    return [row, ...(inner ? fields(inner.schema, `${path}${inner.many ? '[]' : ''}.`) : [])];
  });
}

/** The object inside a field, through arrays and nullables. */
function innerOf(s: Schema): { schema: Schema; many: boolean } | undefined {
  if (s.properties) return { schema: s, many: false };
  if (s.items?.properties) return { schema: s.items, many: true };
  const some = s.anyOf?.find((option) => option.properties);
  return some ? { schema: some, many: false } : undefined;
}

function typeOf(s: Schema): string {
  if (s.enum) return s.enum.map((v) => `\`${String(v)}\``).join(' / ');
  if (s.const !== undefined) return `\`${String(s.const)}\``;
  if (s.anyOf) return s.anyOf.map(typeOf).join(' / ');
  if (Array.isArray(s.type)) return s.type.map((type) => typeOf({ ...s, type })).join(' / ');
  if (s.type === 'array') return `${s.items ? typeOf(s.items) : '任意'} 的列表`;
  const names: Record<string, string> = {
    string: '文本',
    number: '数',
    integer: '整数',
    boolean: '真假',
    null: '空',
    object: '对象',
  };
  return names[String(s.type)] ?? '任意';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../docs/json.md', import.meta.url), jsonDocs());
}
