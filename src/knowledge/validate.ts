import type * as z from 'zod';
import { closest } from '../text/index.js';
import { knownKeys } from '../zod-zh.js';
import { isNothing } from './schema.js';

/** One thing that is wrong with a value, in Chinese. */
export interface Fault {
  path: PropertyKey[];
  reason: string;
  /** True when the value can be used all the same. */
  harmless: boolean;
}

/** The outcome of {@link validate}: `value` is there whenever it can be used. */
export interface Validated<T> {
  value?: T;
  faults: Fault[];
}

/**
 * Checks a value that a person wrote. Unknown keys are reported and left out, so that a typo neither takes an entry down
 * nor goes unnoticed; anything else that is wrong makes the value unusable. Never throws.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown): Validated<T> {
  const first = schema.safeParse(value);
  if (first.success) return { value: first.data, faults: [] };
  const faults = first.error.issues.flatMap((issue) => explain(issue, value, schema));
  // A key that is not known is often the one that is missed: both are told.
  if (!faults.every((fault) => fault.harmless)) return { faults: faults.map(unusable) };
  const pruned = structuredClone(value);
  for (const { path } of faults) removeAt(pruned, path);
  const second = schema.safeParse(pruned);
  if (second.success) return { value: second.data, faults };
  return {
    faults: [...faults.map(unusable), ...second.error.issues.flatMap((issue) => explain(issue, pruned, schema))],
  };
}

/** Of a value that is not used, no key is left out. */
function unusable(fault: Fault): Fault {
  return { ...fault, reason: fault.reason.replace(IGNORED, '') };
}

function removeAt(root: unknown, path: readonly PropertyKey[]): void {
  let at = root as Record<PropertyKey, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<PropertyKey, unknown>;
  delete at[path.at(-1) as PropertyKey];
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let at = root;
  for (const key of path) at = (at as Record<PropertyKey, unknown> | null | undefined)?.[key];
  return at;
}

const IGNORED = '，已忽略';

const TYPE_NAMES: Record<string, string> = {
  string: '一段文字',
  number: '数字',
  array: '列表',
  object: '「键: 值」',
  record: '「键: 值」',
  boolean: 'true 或 false',
};

function explain(issue: z.core.$ZodIssue, value: unknown, schema: z.ZodType): Fault[] {
  const field = issue.path.map(String).join('.');
  const at = field === '' ? '' : `字段 ${field} `;
  const fault = (reason: string): Fault[] => [{ path: issue.path, reason, harmless: false }];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...issue.path, key],
        reason: unknownKey(key, issue.path, schema),
        harmless: true,
      }));
    case 'invalid_type':
      if (isNothing(valueAt(value, issue.path))) return fault(field === '' ? '内容是空的' : `缺少必填字段 ${field}`);
      return fault(`${at}应当是${TYPE_NAMES[issue.expected] ?? issue.expected}`);
    case 'invalid_value':
      return fault(`${at}只能是 ${issue.values.map(String).join('、')} 之一`);
    case 'too_small':
      return fault(issue.origin === 'number' ? `${at}不能小于 ${issue.minimum}` : `${at}不能为空`);
    case 'too_big':
      return fault(`${at}不能大于 ${issue.maximum}`);
    case 'invalid_union':
      return fault(`${at}的写法不认识`);
    default:
      return fault(`${at}${issue.message}`);
  }
}

function unknownKey(key: string, path: readonly PropertyKey[], schema: z.ZodType): string {
  const [near] = closest(key, knownKeys(schema, path), 1);
  const named = [...path, key].map(String).join('.');
  return `不认识的字段 ${named}${IGNORED}${near === undefined ? '' : `；是不是 ${near}？`}`;
}
