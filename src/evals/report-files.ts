import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { quoted, XiheError } from '../errors.js';
import { writeAtomic } from '../stateFile.js';
import { toHtml } from './html.js';
import { toJUnit } from './junit.js';
import { toMarkdown } from './markdown.js';
import type { EvalRun } from './result.js';
import type { EvalSummary } from './summary.js';

/** Everything that an evaluation says, as `report.json` holds it. */
export interface EvalReport extends EvalSummary {
  /** Why not all runs were made, in Chinese. */
  stopped: string | null;
  runs: EvalRun[];
}

/** Names of the files that a report is written into. */
export const REPORT_FILES = { json: 'report.json', markdown: 'report.md', html: 'report.html', junit: 'junit.xml' };

/**
 * Writes a report in its four forms.
 *
 * @throws XiheError STATE_UNWRITABLE
 */
export function writeReport(report: EvalReport, outDir: string): void {
  mkdirSync(outDir, { recursive: true });
  const texts: [string, string][] = [
    [REPORT_FILES.json, `${JSON.stringify(report, null, 1)}\n`],
    [REPORT_FILES.markdown, `${toMarkdown(report, report)}\n`],
    [REPORT_FILES.html, toHtml(report)],
    [REPORT_FILES.junit, toJUnit(report.runs)],
  ];
  for (const [name, text] of texts) {
    if (writeAtomic(join(outDir, name), [text])) continue;
    throw new XiheError('STATE_UNWRITABLE', `报告写不进去：${join(outDir, name)}`, {
      hint: '检查磁盘空间，或用 --out 换一个目录。',
    });
  }
}

/** What a comparison of two reports needs of each. */
const baselineSchema = z.object({
  model: z.string().nullable(),
  arms: z.record(
    z.string(),
    z.looseObject({ support: z.number(), model: z.looseObject({ success: z.number() }).optional() }),
  ),
});
export type Baseline = z.infer<typeof baselineSchema>;

/**
 * Reads `report.json` of an earlier evaluation.
 *
 * @throws XiheError USAGE when it is none
 */
export function readBaseline(file: string): Baseline {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw noReport(file, cause);
  }
  const parsed = baselineSchema.safeParse(value);
  if (!parsed.success) throw noReport(file, parsed.error);
  return parsed.data;
}

function noReport(file: string, cause: unknown): XiheError {
  return new XiheError('USAGE', `不是评测报告：${quoted(file)}`, {
    hint: '给出以前一次 xihe eval 写的 report.json。',
    cause,
  });
}

/** How one arm moved since an earlier report. */
export interface Change {
  arm: string;
  /** `success` where both had a model, else `support`. */
  measure: 'success' | 'support';
  before: number;
  now: number;
}

/** Arms that both reports have. A run with a model is never held against one without. */
export function changesSince(baseline: Baseline, now: EvalSummary): Change[] {
  return Object.entries(now.arms).flatMap(([arm, { support, model }]): Change[] => {
    const before = baseline.arms[arm];
    if (before === undefined || (before.model === undefined) !== (model === undefined)) return [];
    return model && before.model
      ? [{ arm, measure: 'success', before: before.model.success, now: model.success }]
      : [{ arm, measure: 'support', before: before.support, now: support }];
  });
}
