import type { Term } from '../types.js';
import type { ScanRecord } from './record.js';
import type { Proposal } from './types.js';

/** What is left of a scan's proposals for a person to look at. */
export interface Selection {
  /** Neither written before nor ignored. */
  fresh: Proposal[];
  /** Neither, and not among the wanted ones. */
  rest: number;
  /** Written by earlier scans and still there. */
  written: number;
  /** Written by earlier scans, and deleted by a person since. */
  declined: number;
  ignored: number;
}

/**
 * From this score on a proposal is worth writing without anybody having looked at it. Behind the first 50, read one by one in samples of
 * 15 to 38: right were 37 of 38 in mall, 21 of 24 in RuoYi-Vue, 20 of 24 in 1Panel, 21 of 22 in mall-admin-web, 23 of 26 in yudao-ui. Below
 * it a third is about the machinery (RuoYi-Vue, 8 of 12 right).
 */
export const WRITE_SCORE = 0.2;

/** How many of the best proposals, or all from a score on. */
export type Wish = { top: number } | { from: number };

/**
 * The best proposals without those that were decided before. What was written counts among the `top`: the same scan twice adds nothing the
 * second time. What was written and deleted is counted by the record, whatever this scan found.
 */
export function selectProposals(
  proposals: readonly Proposal[],
  record: ScanRecord,
  known: readonly Term[],
  wish: Wish,
): Selection {
  const ignore = new Set(record.ignore);
  const isIgnored = ({ id, keyword_ch }: Proposal) => ignore.has(id) || ignore.has(keyword_ch);
  const wanted = proposals.filter((proposal) => !isIgnored(proposal));
  const best = 'top' in wish ? wanted.slice(0, wish.top) : wanted.filter(({ score }) => score >= wish.from);
  const there = new Set(known.map(({ id }) => id));
  const written = [...record.proposed.keys()].filter((id) => there.has(id)).length;
  const fresh = best.filter(({ id }) => !record.proposed.has(id));
  return {
    fresh,
    rest: wanted.filter(({ id }) => !record.proposed.has(id)).length - fresh.length,
    written,
    declined: record.proposed.size - written,
    ignored: proposals.length - wanted.length,
  };
}
