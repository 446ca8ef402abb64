import * as z from 'zod';
import type { LookupResult } from '../../knowledge/index.js';
import { estimateTokens, fold, maskPersonal, maskText } from '../../text/index.js';
import type { CoreResult, EntryType, InjectedEntry, Phase } from '../types.js';
import { LineLog } from './lineLog.js';

/** Bytes of one file; two are kept. A record has about 400 bytes, so this is some 25,000 queries, a year of a busy team. */
const FILE_BYTES = 5_000_000;

/** Characters of a request that are kept: enough to see what was missed, too few to retell a task. */
const TEXT_CHARS = 80;

/** Nothing older counts, in days. */
export const LOG_DAYS_MAX = 366;

/** A clock may be ahead of this one by a zone set wrong; a record from further in the future was edited, or the clock was wrong. */
const AHEAD_MS = 24 * 3_600_000;

/** More tokens than any answer has, and a longer time in milliseconds than any query takes: a line that was edited. */
const TOKENS_MAX = 1e6;
const MS_MAX = 1e9;

const hitSchema = z.object({
  id: z.string(),
  type: z.enum(['term', 'knowledge', 'playbook', 'warning']),
  /** Content hash of the entry as it was. */
  version: z.string(),
  tokens: z.number().min(0).max(TOKENS_MAX),
  score: z.number().min(-TOKENS_MAX).max(TOKENS_MAX).optional(),
});

const recordSchema = z.object({
  /** ISO time in UTC. */
  t: z.string().refine((t) => !Number.isNaN(Date.parse(t))),
  kind: z.enum(['query', 'lookup', 'inject']),
  phase: z.enum(['plan', 'execute', 'postcheck', 'answer']).optional(),
  gate: z.boolean(),
  text: z.string(),
  hits: z.array(hitSchema),
  found: z.boolean(),
  /** How long the answer took, in milliseconds. */
  ms: z.number().min(0).max(MS_MAX).optional(),
  dataVersion: z.string(),
  thread: z.string().optional(),
});

/** An entry that a record names. Of a look-up the id is that of the document, else of the entry or chunk. */
export type LoggedHit = z.infer<typeof hitSchema>;

/**
 * One line of the log. `query`: the core was asked; `inject`: entries went into a prompt or brief; `lookup`: somebody looked
 * something up.
 */
export type QueryRecord = z.infer<typeof recordSchema>;

/** What the caller knows beside the answer. */
export interface RecordContext {
  /** The request, whole; what is kept of it is decided here. */
  text: string;
  phase?: Phase | undefined;
  thread?: string | undefined;
  /** In milliseconds. */
  ms?: number | undefined;
  dataVersion?: string | undefined;
  now?: Date | undefined;
}

/**
 * The log of what was asked and what it brought, for `xihe stats` and `xihe stale`: `queries.jsonl` in the state folder, which is never
 * committed. Best effort: a folder that can't be written never fails a run.
 */
export class QueryLog {
  private readonly lines: LineLog;

  /** @param stateDir absolute, see `openLayout` */
  constructor(stateDir: string) {
    this.lines = new LineLog(stateDir, 'queries', FILE_BYTES);
  }

  /** Adds a record. Never throws. */
  append(record: QueryRecord): void {
    this.lines.append(record);
  }

  /**
   * Records in the order of their writing; lines that are no record (cut by a crash, edited by hand), or that are of the day after
   * tomorrow, are skipped.
   *
   * @param since leaves out what is older
   */
  read({ since, now = new Date() }: { since?: Date; now?: Date } = {}): QueryRecord[] {
    const from = since?.getTime() ?? Number.NEGATIVE_INFINITY;
    const until = now.getTime() + AHEAD_MS;
    return this.lines.read(recordSchema).filter(({ t }) => Date.parse(t) >= from && Date.parse(t) <= until);
  }
}

/** A query of the core, as it is logged. */
export function recordOf(result: CoreResult, context: RecordContext): QueryRecord {
  const hits = [result.terms, result.knowledge, result.playbooks, result.warnings].flat().map((hit) => ({
    id: hit.entry.id,
    type: hit.type,
    version: hit.provenance.version,
    tokens: hit.tokens,
    score: hit.score,
  }));
  return record('query', hits, { dataVersion: result.dataVersion, ...context }, result.gate.asked);
}

/** What of a query really went into a prompt or brief, as it is logged. */
export function recordOfInjection(entries: readonly InjectedEntry[], context: RecordContext): QueryRecord {
  const hits = entries.map(({ id, type, version, tokens }) => ({ id: loggedId(type, id), type, version, tokens }));
  return record('inject', hits, context);
}

/** A look-up, as it is logged. */
export function recordOfLookup(result: LookupResult, context: RecordContext): QueryRecord {
  const parts = [result.primary, result.supplement].filter((part) => part !== null);
  const hits = parts.map(({ source, version, content, score }) => ({
    id: loggedId('knowledge', source),
    type: 'knowledge' as const,
    version: version ?? '',
    tokens: estimateTokens(content),
    ...(score === undefined ? {} : { score }),
  }));
  return record('lookup', hits, context);
}

/** What a look-up brought is named by its file as people find it; documents are named from the knowledge folder on. */
function loggedId(type: EntryType, id: string): string {
  return type === 'knowledge' ? id.replace(/^(?:\.xihe\/)?knowledge\//, '') : id;
}

function record(kind: QueryRecord['kind'], hits: LoggedHit[], context: RecordContext, gate = true): QueryRecord {
  const { text, phase, thread, ms, dataVersion = '', now = new Date() } = context;
  return {
    t: now.toISOString(),
    kind,
    ...(phase === undefined ? {} : { phase }),
    gate,
    text: shortened(text),
    hits,
    found: hits.length > 0,
    ...(ms === undefined ? {} : { ms: Math.round(ms * 100) / 100 }),
    dataVersion,
    ...(thread === undefined ? {} : { thread }),
  };
}

/** Masked before it is cut: half a key would no longer look like one. Folding brings full-width digits into the form that masks know. */
function shortened(text: string): string {
  const line = fold(maskPersonal(maskText(text.normalize('NFKC'))))
    .replace(/\s+/g, ' ')
    .trim();
  return [...line].slice(0, TEXT_CHARS).join('');
}

/**
 * Whether somebody or some model got to read the hits of a record: what was injected, or asked for on the command line. What a run
 * asks and looks up only counts by its `inject` record, where what came of it stands.
 */
export function isUse({ kind, phase }: QueryRecord): boolean {
  return kind === 'inject' || phase === undefined;
}
