import * as z from 'zod';
import { fields } from '../knowledge/index.js';
import { compilePattern } from '../text/index.js';

const { confidence, day, isNothing, optionalText, status, text, textList } = fields;

/** An id is typed by people and shown in ledgers: no white space in it. */
const id = z.preprocess(
  (v) => (typeof v === 'number' ? String(v) : v),
  z.string().trim().min(1).regex(/^\S+$/, '不能有空格'),
);

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.preprocess((v) => (isNothing(v) ? undefined : v), z.enum(values).optional());

const pattern = text.superRefine((source, ctx) => {
  const compiled = compilePattern(source);
  if (!(compiled instanceof RegExp))
    ctx.addIssue({ code: 'custom', message: `不是合法的正则表达式：${compiled.reason}` });
});

const patternList = z.preprocess(
  (v) => (isNothing(v) ? [] : Array.isArray(v) ? v : [v]),
  z.array(pattern),
) as z.ZodType<string[]>;

/** What every entry may say about where it comes from. */
const origin = {
  source: optionalText,
  license: optionalText,
  status,
  reviewed_at: day,
  version_since: optionalText,
  version_until: optionalText,
};

/** An entry of `terms/*.yaml` (DESIGN §2). */
export const termSchema = z.strictObject({
  id,
  keyword_ch: text,
  aliases: textList,
  code_symbols: textList,
  module: optionalText,
  note: optionalText,
  risk: textList,
  confidence: oneOf(['high', 'medium', 'low']),
  ...origin,
});

/** An entry of `warnings/*.yaml`. */
export const warningSchema = z.strictObject({
  id,
  danger: text,
  when: z
    .strictObject({ symbols: textList, paths: textList, added: patternList, keywords: textList })
    .refine((when) => Object.values(when).some((list) => list.length > 0), {
      message: 'symbols、paths、added、keywords 至少写一种',
    }),
  severity: oneOf(['block', 'warn']),
  module: optionalText,
  confidence,
  ...origin,
});

const requiredCheck = z
  .strictObject({
    type: z.enum(['file_exists', 'read_file', 'command']),
    path: optionalText,
    command: optionalText,
    on_missing: oneOf(['ask_user_first', 'warn', 'stop']),
    purpose: optionalText,
  })
  .refine((check) => (check.type === 'command' ? check.command : check.path) !== undefined, {
    message: 'file_exists 和 read_file 要写 path，command 要写 command',
  });

const postCheck = z
  .strictObject({
    type: z.enum(['file_changed', 'command', 'no_match']),
    path: optionalText,
    command: optionalText,
    pattern: z.preprocess((v) => (isNothing(v) ? undefined : v), pattern.optional()),
    purpose: optionalText,
  })
  .refine(
    (check) =>
      check[({ file_changed: 'path', command: 'command', no_match: 'pattern' } as const)[check.type]] !== undefined,
    {
      message: 'file_changed 要写 path，command 要写 command，no_match 要写 pattern',
    },
  );

const listOf = <T extends z.ZodType>(item: T) => z.preprocess((v) => (isNothing(v) ? [] : v), z.array(item));

/** Front matter of a playbook. */
export const playbookSchema = z.strictObject({
  id: z.preprocess((v) => (isNothing(v) ? undefined : v), id.optional()),
  title: optionalText,
  trigger_keywords: textList.refine((list) => list.length > 0, { message: '至少要有一个触发词' }),
  required_checks: listOf(requiredCheck),
  steps: textList.refine((list) => list.length > 0, { message: '至少要有一步' }),
  post_checks: listOf(postCheck),
  task_types: listOf(z.enum(['general', 'refactor', 'bugfix', 'feature'])),
  module: optionalText,
  confidence,
  ...origin,
});

/** `modules.yaml`: module → globs, or module → { title, paths }. */
export const modulesSchema = z.record(
  z.string(),
  z.union([textList, z.strictObject({ title: optionalText, paths: textList })]),
);
