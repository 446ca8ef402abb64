// `npm run docs`: writes docs/events.md from the schemas of the events and the lines of a real run.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { envelopeSchema, eventSchema } from '../src/agent/events.js';
import { fields, type Schema } from './json-docs.js';

const EXAMPLES = new URL('../test/agent/fixtures/events.ndjson', import.meta.url);

/** The recorded events, one a line. */
export function recordedEvents(): { type: string }[] {
  const lines = readFileSync(EXAMPLES, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as { type: string });
}

/** The page as Markdown. */
export function eventsDocs(): string {
  const recorded = recordedEvents();
  const table = (schema: Schema) => ['| 字段 | 类型 | 含义 |', '| --- | --- | --- |', ...fields(schema, '')];
  const head = [
    '# 运行的事件',
    '',
    '`xihe run --events`（和 `xihe resume --events`）在标准输出逐行打印，一行一个 JSON；LangGraph 服务上是 `custom` 流，内容相同。',
    '命令行自己的进度也只读这一条流。本页由 `npm run docs` 从代码里的模式生成，例子来自一次真实的运行。',
    '',
    '种类和字段只增不改；读的时候跳过不认识的。`v` 变了才是不兼容。每个事件都有：',
    '',
    ...table(z.toJSONSchema(envelopeSchema) as Schema),
    '',
  ];
  const pages = eventSchema.options.map((option) => {
    const schema = z.toJSONSchema(option) as Schema;
    const type = option.shape.type.value;
    const { type: _type, ...properties } = schema.properties ?? {};
    const example = recorded.find((event) => event.type === type);
    const shown = example ? ['', '```json', JSON.stringify(example), '```'] : [];
    return [
      `## \`${type}\``,
      '',
      `${schema.description}。`,
      '',
      ...table({ ...schema, properties }),
      ...shown,
      '',
    ].join('\n');
  });
  return [...head, ...pages].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('../docs/events.md', import.meta.url), eventsDocs());
