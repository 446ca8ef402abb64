import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { packageRoot } from '../../src/assets.js';
import { configSchema, loadConfig } from '../../src/config.js';
import { fields } from '../../src/knowledge/index.js';
import { loadTeamTools } from '../../src/tools/index.js';
import { teamToolSchema } from '../../src/tools/team-tools.js';
import {
  LINT_RULES,
  lintLayers,
  modulesSchema,
  openZhCore,
  playbookSchema,
  termSchema,
  warningSchema,
} from '../../src/zhcore/index.js';
import { readRecord } from '../../src/zhcore/scan/record.js';
import { examplesOf, layerOf } from '../support/fenced.js';

const PAGE = join(packageRoot(), 'docs', 'data.md');
const page = readFileSync(PAGE, 'utf8');

/** The rows of the table below a mark (`<!-- fields: term -->`), head left out: first column without backticks → whole row. */
function rowsOf(mark: string): Map<string, string> {
  const [, table] =
    new RegExp(`^<!-- ${mark.replace('.', '\\.')} -->\\n\\|.*\\n\\|[ -|]*\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? [];
  const rows = (table ?? '').trim().split('\n');
  return new Map(rows.map((row) => [/^\| `([^`]+)`/.exec(row)?.[1] ?? row, row]));
}

/** The schema inside of preprocessing, lists, defaults and what may be missing. */
function inner(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPipe) return inner(schema.out as z.ZodType);
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return inner(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray) return inner(schema.element as z.ZodType);
  if (schema instanceof z.ZodRecord) return inner(schema.valueType as z.ZodType);
  if (schema instanceof z.ZodUnion) return inner(schema.options.at(-1) as z.ZodType);
  return schema;
}

/** The fields of an object schema. */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> {
  const found = inner(schema);
  if (!(found instanceof z.ZodObject)) throw new Error('no object schema');
  return found.shape as Record<string, z.ZodType>;
}

const SCHEMAS: Record<string, z.ZodType> = {
  term: termSchema,
  warning: warningSchema,
  'warning.when': shapeOf(warningSchema).when as z.ZodType,
  document: fields.documentSchema,
  block: fields.blockSchema,
  lexicon: fields.lexiconGroupSchema,
  playbook: playbookSchema,
  'playbook.required_checks': shapeOf(playbookSchema).required_checks as z.ZodType,
  'playbook.post_checks': shapeOf(playbookSchema).post_checks as z.ZodType,
  module: modulesSchema,
  tool: teamToolSchema,
  'tool.parameters': shapeOf(teamToolSchema).parameters as z.ZodType,
};

describe('docs/data.md, against the schemas', () => {
  it.each(Object.entries(SCHEMAS))('%s: each field that there is, and no other', (name, schema) => {
    expect([...rowsOf(`fields: ${name}`).keys()].sort()).toEqual(Object.keys(shapeOf(schema)).sort());
  });

  it.each(Object.entries(SCHEMAS))('%s: the values of fields that have only some', (name, schema) => {
    const rows = rowsOf(`fields: ${name}`);
    for (const [field, type] of Object.entries(shapeOf(schema))) {
      const only = inner(type);
      if (!(only instanceof z.ZodEnum)) continue;
      // 「见上」 leads to the table of what every entry may say.
      const row = rows.get(field)?.includes('见上') ? page : (rows.get(field) ?? '');
      for (const value of only.options)
        expect([field, row.includes(`\`${value}\``), value]).toEqual([field, true, value]);
    }
  });

  it.each(['term', 'warning', 'document', 'block', 'playbook'])('%s: marks what must be there', (name) => {
    const schema = SCHEMAS[name] as z.ZodType;
    const required = Object.keys(shapeOf(schema)).filter((field) => {
      const issues = schema.safeParse({}).error?.issues ?? [];
      return issues.some(({ path }) => path[0] === field);
    });
    const marked = [...rowsOf(`fields: ${name}`)].filter(([, row]) => row.split('|')[2]?.trim() === '是');
    expect(marked.map(([field]) => field).sort()).toEqual(required.sort());
  });

  it('scan.yaml: what the record knows', () => {
    const keys = [...rowsOf('fields: scan').keys()];
    expect(
      readRecord(
        keys
          .map((key) => `${key}: []\n`)
          .join('')
          .replace('proposed: []', 'proposed: {}'),
      ),
    ).toEqual({ ignore: [], proposed: new Map() });
    expect(keys).toHaveLength(Object.keys(readRecord(undefined)).length);
    expect(() => readRecord('other: []\n')).toThrow();
  });

  it('lists the rules of lint', () => {
    const titles = [...rowsOf('lint').values()].map((row) => row.split('|')[2]?.trim());
    expect([...rowsOf('lint').keys()]).toEqual(LINT_RULES.map(({ id }) => id));
    expect(titles).toEqual(LINT_RULES.map(({ title }) => title));
  });
});

describe('docs/data.md, the settings', () => {
  const rows = rowsOf('config');
  const cells = (key: string) => (rows.get(key) ?? '').split('|').map((cell) => cell.trim().replaceAll('`', ''));
  const empty = mkdtempSync(join(tmpdir(), 'xihe-data-'));
  afterAll(() => rmSync(empty, { recursive: true, force: true }));
  const sections = Object.entries(configSchema.shape) as [string, z.ZodType][];

  it('has every key with its default, and no other', () => {
    const keys = sections.flatMap(([section, schema]) =>
      Object.keys(shapeOf(schema)).map((key) => `${section}.${key}`),
    );
    expect([...rows.keys()].sort()).toEqual(keys.sort());
    const defaults = loadConfig(empty, {}) as unknown as Record<string, Record<string, unknown>>;
    for (const key of rows.keys()) {
      const [section = '', name = ''] = key.split('.');
      const value = defaults[section]?.[name];
      const shown =
        value === undefined ? '无' : value === '' ? '空' : Array.isArray(value) ? JSON.stringify(value) : String(value);
      expect([key, cells(key)[2]]).toEqual([key, shown]);
    }
  });

  it('names the variables that set them', () => {
    for (const key of rows.keys()) {
      const variable = cells(key)[3];
      if (!variable) continue;
      const [section = '', name = ''] = key.split('.');
      // Each is valid for some of the settings; one that does nothing leaves the default.
      const outcomes = [
        '2',
        '3',
        'lean',
        'none',
        'deepseek',
        'feishu',
        'markdown',
        'true',
        'http://localhost:1/v1',
      ].flatMap((value) => {
        try {
          return [
            (loadConfig(empty, { [variable]: value }) as unknown as Record<string, Record<string, unknown>>)[section]?.[
              name
            ],
          ];
        } catch {
          return [];
        }
      });
      const plain = (loadConfig(empty, {}) as unknown as Record<string, Record<string, unknown>>)[section]?.[name];
      expect([variable, outcomes.some((value) => value !== plain)]).toEqual([variable, true]);
    }
    const known = readFileSync(join(packageRoot(), 'src', 'config.ts'), 'utf8').match(/XIHE_[A-Z_]+/g) ?? [];
    for (const variable of known) expect(page).toContain(`\`${variable}\``);
  });
});

describe('docs/data.md, the examples', () => {
  const examples = examplesOf(PAGE);
  const layer = layerOf(examples);
  afterAll(() => rmSync(dirname(layer), { recursive: true, force: true }));

  it('are one of each kind of file', () => {
    const kinds = examples.map(({ path }) => path.replace(/[^/]+\.(\w+)$/, '*.$1'));
    expect(kinds).toEqual([
      'knowledge/terms/*.yaml',
      'knowledge/warnings/*.yaml',
      'knowledge/refund/*.md',
      'knowledge/bank/*.json',
      'knowledge/lexicon/*.yaml',
      'playbooks/*.md',
      '*.yaml',
      'tools/*.yaml',
      '*.yaml',
      '*.yaml',
    ]);
  });

  it('load without a problem', () => {
    const core = openZhCore({ generalDir: layer, projectDir: layer });
    expect(core.lexiconGroups).toHaveLength(6); // of both layers, which are the same here
    expect(core.problems).toEqual([]);
    expect(core.counts()).toMatchObject({ terms: 1, warnings: 3, playbooks: 1, documents: 2 });
    expect(Object.keys(core.modules)).toEqual(['order', 'refund', 'payment']);
    expect(loadTeamTools(layer)).toMatchObject({ problems: [], tools: [{ name: 'restart_service' }] });
    expect(loadConfig(layer, {}).core).toEqual({
      preset: 'lean',
      rerank: false,
      nameIdentifiers: false,
      chunkChars: 400,
      topK: 3,
    });
    expect(readRecord(readFileSync(join(layer, 'scan.yaml'), 'utf8')).ignore).toContain('首字母');
  });

  it('are content with lint', async () => {
    const { findings } = await lintLayers({ layers: [{ dir: layer, layer: 'project' }], today: '2026-12-01' });
    expect(findings).toEqual([]);
  });

  it('do what the page says of `when`', () => {
    const core = openZhCore({ generalDir: join(layer, 'nothing'), projectDir: layer });
    const on = (path: string, text: string) =>
      core.warningsForDiff([{ path, addedLines: [{ line: 1, text }] }]).map(({ warning }) => warning.id);
    const asked = (userIntent: string) =>
      core.query({ userIntent, codeSymbols: [], taskType: 'general' }).warnings.map(({ entry }) => entry.id);
    // Paths and added: both. Keywords don't count on a diff beside `added`.
    expect(on('src/refund/a.ts', 'state = REFUND_ONLY')).toEqual(['refund-only-is-not-a-state']);
    expect(on('src/web/a.ts', 'state = REFUND_ONLY')).toEqual([]);
    expect(on('src/refund/a.ts', '// 仅退款')).toEqual([]);
    // Paths alone: any change; without `added`, before it too.
    expect(on('legacy/a.csv', 'x')).toEqual(['legacy-is-gbk']);
    expect(core.warningsForFiles(['legacy/a.csv', 'src/refund/a.ts']).map(({ entry }) => entry.id)).toEqual([
      'legacy-is-gbk',
    ]);
    // Symbols or keywords, without added: on the line itself; the last name is enough.
    expect(on('src/a.ts', 'await keeper.release(no);')).toEqual(['stock-release-once']);
    expect(on('src/a.ts', '// 归还库存')).toEqual(['stock-release-once']);
    // On a request: one of them.
    expect(asked('加一个仅退款')).toEqual(['refund-only-is-not-a-state']);
    expect(asked('看看释放库存')).toEqual(['stock-release-once']);
    // Severity where it isn't written.
    expect(core.entry('stock-release-once')?.entry).toMatchObject({ severity: 'warn' });
  });
});
