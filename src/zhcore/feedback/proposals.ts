import * as z from 'zod';
import { quoted, XiheError } from '../../errors.js';
import { LineLog } from '../upkeep/lineLog.js';
import type { Proposal } from './propose.js';

/** Bytes of one file; two are kept. A proposal has about 500 bytes. */
const FILE_BYTES = 2_000_000;

/** A {@link ProposedEntry} as it is kept and printed. */
export const proposedEntrySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('term'), keyword_ch: z.string(), code_symbols: z.array(z.string()) }),
  z.object({
    type: z.literal('warning'),
    danger: z.string(),
    when: z.object({ paths: z.array(z.string()), symbols: z.array(z.string()) }),
  }),
  z.object({ type: z.literal('step'), playbook: z.string(), step: z.string() }),
]);

const lineSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('proposed'),
    id: z.string(),
    source: z.string(),
    t: z.string(),
    remark: z.string(),
    entry: proposedEntrySchema,
  }),
  z.object({ kind: z.literal('settled'), id: z.string(), t: z.string(), state: z.enum(['accepted', 'dismissed']) }),
]);

export type ProposalState = 'open' | 'accepted' | 'dismissed';
export type KeptProposal = Proposal & { state: ProposalState };

/** What people's remarks would teach the core, until somebody decides: `proposals.jsonl` in the state folder. */
export class Proposals {
  private readonly lines: LineLog;

  /** @param stateDir absolute, see `openLayout` */
  constructor(stateDir: string) {
    this.lines = new LineLog(stateDir, 'proposals', FILE_BYTES);
  }

  /** Keeps proposals that are not there yet. @returns those that are new */
  add(proposals: readonly Proposal[]): Proposal[] {
    const known = new Set(this.list().map(({ id }) => id));
    const fresh = proposals.filter(({ id }) => !known.has(id));
    return fresh.filter((one) => this.lines.append({ kind: 'proposed', ...one }));
  }

  /** All that were ever made, oldest first. */
  list(): KeptProposal[] {
    const all = new Map<string, KeptProposal>();
    for (const line of this.lines.read(lineSchema)) {
      if (line.kind === 'proposed') {
        const { kind: _, ...proposal } = line;
        if (!all.has(line.id)) all.set(line.id, { ...proposal, state: 'open' });
      } else {
        const known = all.get(line.id);
        if (known) known.state = line.state;
      }
    }
    return [...all.values()];
  }

  /**
   * One that waits.
   *
   * @throws XiheError PROPOSAL_NOT_FOUND when there is none of that id, or it is settled
   */
  open(id: string): Proposal {
    const found = this.list().find((one) => one.id === id);
    if (found?.state === 'open') return found;
    const why = found === undefined ? '没有这条建议' : found.state === 'accepted' ? '已经采纳过' : '已经放弃过';
    throw new XiheError('PROPOSAL_NOT_FOUND', `${why}：${quoted(id)}`, { hint: '用 xihe proposals 看还在等的。' });
  }

  /**
   * Says what became of one.
   *
   * @throws XiheError STATE_UNWRITABLE
   */
  settle(id: string, state: 'accepted' | 'dismissed', now: Date = new Date()): void {
    if (this.lines.append({ kind: 'settled', id, t: now.toISOString(), state })) return;
    throw new XiheError('STATE_UNWRITABLE', '没能记下这个决定', { hint: '看 .xihe/state 能不能写、磁盘满没满。' });
  }
}
