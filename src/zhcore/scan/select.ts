import type { Term } from '../types.js';
import type { ScanRecord } from './record.js';
import type { Proposal } from './types.js';

/** What is left of a scan's proposals for a person to look at. */
export interface Selection {
  /** Neither written before nor ignored. */
  fresh: Proposal[];
  /** Written by an earlier scan and still there. */
  written: number;
  /** Written by an earlier scan, and deleted by a person since. */
  declined: number;
  ignored: number;
}

/**
 * The best `top` proposals without those that were decided before. What was written counts among the `top`: the same scan twice adds
 * nothing the second time.
 */
export function selectProposals(
  proposals: readonly Proposal[],
  record: ScanRecord,
  known: readonly Term[],
  top: number,
): Selection {
  const ignore = new Set(record.ignore);
  const isIgnored = ({ id, keyword_ch }: Proposal) => ignore.has(id) || ignore.has(keyword_ch);
  const wanted = proposals.filter((proposal) => !isIgnored(proposal));
  const best = wanted.slice(0, top);
  const there = new Set(known.map(({ id }) => id));
  const before = best.filter(({ id }) => record.proposed.has(id));
  return {
    fresh: best.filter(({ id }) => !record.proposed.has(id)),
    written: before.filter(({ id }) => there.has(id)).length,
    declined: before.filter(({ id }) => !there.has(id)).length,
    ignored: proposals.length - wanted.length,
  };
}
