import type { EntryType } from '../types.js';
import { isUse, type LoggedHit, type QueryRecord } from './queryLog.js';

/** How often an entry was really read. */
export interface Usage {
  uses: number;
  /** Estimated tokens of all uses together. */
  tokens: number;
  /** ISO time of the last one. */
  lastUsed: string;
}

/** What of an entry decides which lines of the log are about it. */
export interface Counted {
  type: EntryType;
  id: string;
  provenance: { version: string };
}

/**
 * Who was read how often. Knowledge counts by document: chunk ids (`payment/errors.md#2`) and look-ups (`payment/errors.md`) are both its uses.
 */
export class UsageIndex {
  private readonly byKey = new Map<string, Usage>();

  /** @param counts which lines count; without it those whose hits were really read */
  constructor(records: Iterable<QueryRecord>, counts: (record: QueryRecord) => boolean = isUse) {
    for (const record of records) {
      if (!counts(record)) continue;
      // Two chunks of a document in one answer are one use of it, and the tokens of both.
      const counted = new Set<string>();
      for (const hit of record.hits) {
        const key = keyOf(hit);
        const known = this.byKey.get(key) ?? { uses: 0, tokens: 0, lastUsed: record.t };
        if (!counted.has(key)) known.uses += 1;
        counted.add(key);
        known.tokens += hit.tokens;
        if (record.t > known.lastUsed) known.lastUsed = record.t;
        this.byKey.set(key, known);
      }
    }
  }

  /** @returns undefined for what was never read */
  of({ type, id, provenance }: Counted): Usage | undefined {
    const own = this.byKey.get(`${type} ${id}`);
    const byVersion = this.byKey.get(`block ${provenance.version}`);
    if (own === undefined || byVersion === undefined) return own ?? byVersion;
    return {
      uses: own.uses + byVersion.uses,
      tokens: own.tokens + byVersion.tokens,
      lastUsed: [own.lastUsed, byVersion.lastUsed].sort().at(-1) as string,
    };
  }
}

/**
 * What a hit counts for. A look-up names the file of a JSON document, which may hold several blocks (`notes.json#2`); there the
 * version tells which one it was.
 */
function keyOf({ type, id, version }: LoggedHit): string {
  if (type !== 'knowledge') return `${type} ${id}`;
  return id.endsWith('.json') ? `block ${version}` : `${type} ${id.replace(/#\d+$/, '')}`;
}
