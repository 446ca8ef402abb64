import * as z from 'zod';
import zhCN from 'zod/v4/locales/zh-CN.js';

/**
 * Zod in Chinese for the whole product: whoever defines a schema whose messages people or models read imports this file.
 * Only one locale is loaded (4 KB); `zod/locales` would load fifty.
 */
const { localeError } = zhCN();

/** What the types are called for people who write YAML or JSON. */
const TYPE_NAMES: Record<string, string> = {
  string: '文字',
  number: '数字',
  int: '整数',
  boolean: 'true 或 false',
  array: '列表',
  object: '「键: 值」',
  record: '「键: 值」',
};

z.config({ localeError: (issue) => inPlainWords(issue) ?? localeError(issue) });

/** Zod's own Chinese keeps type names in English and speaks of instances; what is met most gets words of its own. */
function inPlainWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return `缺少，应当是${typeName(issue.expected)}`;
      return `应当是${typeName(issue.expected)}`;
    case 'invalid_value':
      return `只能是 ${issue.values.map(String).join('、')}${issue.values.length > 1 ? ' 之一' : ''}`;
    case 'unrecognized_keys':
      return `不认识的键 ${issue.keys.join('、')}`;
    case 'too_small':
      if (issue.origin === 'number' || issue.origin === 'int')
        return issue.inclusive ? `不能小于 ${issue.minimum}` : `必须大于 ${issue.minimum}`;
      return Number(issue.minimum) <= 1 ? '不能为空' : undefined;
    case 'too_big':
      if (issue.origin === 'number' || issue.origin === 'int')
        return issue.inclusive ? `不能大于 ${issue.maximum}` : `必须小于 ${issue.maximum}`;
      return undefined;
    default:
      return undefined;
  }
}

function typeName(expected: string): string {
  return TYPE_NAMES[expected] ?? expected;
}

/** One thing that is wrong with a value, in Chinese. */
export interface SchemaFault {
  path: PropertyKey[];
  reason: string;
}

/**
 * What is wrong with a value that a person wrote, one fault for each key, mistyped keys with the nearest known one.
 *
 * @param schema the one that refused the value
 */
export function faultsOf(error: z.ZodError, schema: z.ZodType): SchemaFault[] {
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys')
      return [{ path: issue.path, reason: `${placeOf(issue.path)}：${issue.message}` }];
    return issue.keys.map((key) => {
      const near = nearest(key, knownKeys(schema, issue.path));
      const path = [...issue.path, key];
      return { path, reason: `不认识的键 ${placeOf(path)}${near ? `；是不是 ${near}？` : ''}` };
    });
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.') || '（顶层）';
}

interface SchemaInside {
  shape?: Record<string, SchemaInside>;
  def?: { innerType?: SchemaInside; out?: SchemaInside; valueType?: SchemaInside; element?: SchemaInside };
}

/** Keys that the schema knows at a place; [] where it has none. */
export function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: SchemaInside | undefined = unwrapped(schema as unknown as SchemaInside);
  for (const key of path) at = unwrapped(at?.shape?.[String(key)] ?? at?.def?.valueType ?? at?.def?.element);
  return Object.keys(at?.shape ?? {});
}

/** Without defaults, optionals and preprocessing around it. */
function unwrapped(schema: SchemaInside | undefined): SchemaInside | undefined {
  let at = schema;
  for (let inner = at?.def?.innerType ?? at?.def?.out; inner !== undefined; inner = at?.def?.innerType ?? at?.def?.out)
    at = inner;
  return at;
}

/** Edits that a slip of the fingers makes; with more it is another word. */
const MAX_SLIPS = 2;

function nearest(key: string, known: readonly string[]): string | undefined {
  const wanted = plain(key);
  const scored = known
    .map((candidate) => ({ candidate, edits: editsBetween(wanted, plain(candidate)) }))
    .filter(({ candidate, edits }) => edits <= MAX_SLIPS || plain(candidate).startsWith(wanted))
    .sort((a, b) => a.edits - b.edits);
  return scored[0]?.candidate;
}

/** `base_url`, `base-url` and `baseUrl` are one word. */
function plain(key: string): string {
  return key.toLowerCase().replace(/[_-]/g, '');
}

/** Levenshtein's distance; keys are short. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
