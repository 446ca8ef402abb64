import * as z from 'zod';
import { maskPersonal, maskText } from '../../text/index.js';
import { LineLog } from '../upkeep/lineLog.js';

/** Bytes of one file; two are kept. A record has about 200 bytes: 10,000 runs, years of one developer. */
const FILE_BYTES = 2_000_000;

/** Characters that are kept of what somebody wrote. */
const TEXT_CHARS = 500;

/** What a judgement is about. */
export const FEEDBACK_ABOUT = ['intent', 'parameter', 'answer', 'edit'] as const;
export type FeedbackAbout = (typeof FEEDBACK_ABOUT)[number];

const outcomeSchema = z.object({
  t: z.iso.datetime(),
  kind: z.literal('run'),
  thread: z.string(),
  /** Id of the run, and which of its intents: a node that ran again after a crash tells the same once more. */
  run: z.string(),
  index: z.number().int(),
  intent: z.enum(['edit', 'qa', 'tool', 'chat']),
  layer: z.string(),
  /** Kind of the report. */
  outcome: z.string(),
  ok: z.boolean(),
  /** A parameter was missing, and nobody gave it. */
  missing: z.boolean(),
  code: z.string().optional(),
});

const judgementSchema = z.object({
  t: z.iso.datetime(),
  kind: z.literal('feedback'),
  thread: z.string(),
  run: z.string(),
  verdict: z.enum(['good', 'bad']),
  about: z.enum(FEEDBACK_ABOUT).optional(),
  why: z.string().optional(),
});

const recordSchema = z.discriminatedUnion('kind', [outcomeSchema, judgementSchema]);

/** How one intent of a run ended. */
export type RunOutcome = z.infer<typeof outcomeSchema>;
/** What a person said of a run. */
export type Judgement = z.infer<typeof judgementSchema>;
export type RunRecord = z.infer<typeof recordSchema>;

/** The log of how runs ended and what people said of them: `runs.jsonl` in the state folder, never committed, never sent anywhere. */
export class RunLog {
  private readonly lines: LineLog;

  /** @param stateDir absolute, see `openLayout` */
  constructor(stateDir: string) {
    this.lines = new LineLog(stateDir, 'runs', FILE_BYTES);
  }

  /** Adds a record, secrets and personal data masked. Never throws. @returns whether it was written */
  append(record: RunRecord): boolean {
    const why = record.kind === 'feedback' && record.why !== undefined ? { why: maskedWords(record.why) } : {};
    return this.lines.append({ ...record, ...why });
  }

  /** All records, each run's outcome and each judgement once (the newest), in the order of their first writing. */
  read(): RunRecord[] {
    const byKey = new Map<string, RunRecord>();
    for (const record of this.lines.read(recordSchema)) {
      const place = record.kind === 'run' ? `${record.run} ${record.index}` : record.run;
      byKey.set(`${record.kind} ${record.thread} ${place}`, record);
    }
    return [...byKey.values()];
  }
}

/** What somebody wrote, as it may be kept: as it was, unless folding (full-width digits) shows more to mask. */
export function maskedWords(text: string): string {
  const folded = text.normalize('NFKC');
  const masked = (words: string) => maskPersonal(maskText(words));
  const safe = masked(text).normalize('NFKC') === masked(folded) ? masked(text) : masked(folded);
  return [...safe.replace(/\s+/g, ' ').trim()].slice(0, TEXT_CHARS).join('');
}

/** Words that say that something else was wanted. */
const ABOUT_INTENT =
  /不是(?:要|让|叫)|没(?:让|叫|要)你|只是(?:问|想问)|(?:理解|会错|搞错)(?:了)?(?:错|意)|没听懂|意图|答非所问/;
const ABOUT_PARAMETER = /参数|(?:选|填|找|传)错|(?:环境|服务|对象|目标|版本|分支)(?:不对|错)|漏了?(?:参数|条件)/;

/**
 * What a judgement is about where nobody said.
 *
 * @param intent of the run that is judged
 */
export function aboutOf(why: string, intent: RunOutcome['intent']): FeedbackAbout {
  if (ABOUT_INTENT.test(why)) return 'intent';
  if (intent === 'tool' || ABOUT_PARAMETER.test(why)) return 'parameter';
  return intent === 'edit' ? 'edit' : 'answer';
}
