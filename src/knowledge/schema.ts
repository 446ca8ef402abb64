import * as z from 'zod';
import { plainLine } from '../text/index.js';

/**
 * Building blocks of all schemas of files that people write. Scalars arrive as strings from YAML (failsafe) and as JSON
 * values from JSON; an empty value and `null` mean "not given".
 */

/** Tells whether a field was left empty. */
export const isNothing = (v: unknown) => v === undefined || v === null || v === '' || v === 'null' || v === '~';

const given = (v: unknown) => (isNothing(v) ? undefined : typeof v === 'number' ? String(v) : v);

/** The same, on one line and without what a terminal obeys: an entry's field must never look like another entry. */
const givenLine = (v: unknown) => {
  const value = given(v);
  return typeof value === 'string' ? plainLine(value) : value;
};

/** A text that must be there; it counts as one line. */
export const text = z.preprocess(givenLine, z.string().trim().min(1));

/** A text of several lines that must be there. */
export const longText = z.preprocess(given, z.string().trim().min(1));

/** A text that may be missing; it counts as one line. */
export const optionalText = z.preprocess(givenLine, z.string().trim().optional());

/** A list of texts; one text alone counts as a list of one, a missing list as empty. */
export const textList = z.preprocess(
  (v) => (isNothing(v) ? [] : Array.isArray(v) ? v : [v]),
  z.array(text),
) as z.ZodType<string[]>;

/** `2025-06-01`, the day an entry was last checked. */
export const day = z.preprocess(
  (v) => (isNothing(v) ? undefined : v),
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/, '日期要写成 2025-06-01 的样子')
    .optional(),
);

export const status = z.preprocess((v) => (isNothing(v) ? undefined : v), z.enum(['verified', 'candidate']).optional());

/** `high`, `medium`, `low` as numbers; official pages that were checked may say more exactly. */
export const CONFIDENCE_LEVELS = { high: 0.95, medium: 0.75, low: 0.5 } as const;

/** Either a level or a number from 0 to 1. */
export const confidence = z.preprocess(
  (v) => (isNothing(v) ? undefined : typeof v === 'string' ? (levelOf(v) ?? Number(v)) : v),
  z.custom<number | undefined>(
    (v) => v === undefined || (typeof v === 'number' && v >= 0 && v <= 1),
    '只能是 high、medium、low 之一，或 0 到 1 的数字',
  ),
);

function levelOf(v: string): number | undefined {
  return Object.hasOwn(CONFIDENCE_LEVELS, v) ? CONFIDENCE_LEVELS[v as keyof typeof CONFIDENCE_LEVELS] : undefined;
}

/** Front matter of a knowledge document (DESIGN §2, Data on disk). */
export const documentSchema = z.strictObject({
  title: text,
  keywords: textList.refine((list) => list.length > 0, { message: '至少要有一个关键词' }),
  summary: text,
  sections: z.preprocess((v) => (isNothing(v) ? {} : v), z.record(z.string(), text)),
  topic: optionalText,
  source: optionalText,
  license: optionalText,
  version_since: optionalText,
  version_until: optionalText,
  confidence,
  status,
  tags: textList,
  reviewed_at: day,
  kind: z.preprocess((v) => (isNothing(v) ? undefined : v), z.enum(['official', 'experience']).optional()),
  module: optionalText,
});

/** A single block of knowledge as JSON. */
export const blockSchema = z.strictObject({
  topic: text,
  content: longText,
  source: text,
  version_since: optionalText,
  version_until: optionalText,
  confidence,
  tags: textList,
  title: optionalText,
  module: optionalText,
  license: optionalText,
  reviewed_at: day,
  status,
});

/** A group of `lexicon/*.yaml`: words that mean the same, or nearly the same, to a developer. */
export const lexiconGroupSchema = z
  .strictObject({ equal: textList, near: textList })
  .refine(({ equal, near }) => equal.length + near.length >= 2, { message: 'equal 和 near 加起来至少要有两个词' });
