import { loadGrammar } from './data.js';
import { questionIn } from './questions.js';
import { openingOf, tag } from './tagger.js';
import type { Clause, Intent, Strength, Verdict } from './types.js';

/** A clause and what it says. */
export interface Read {
  clause: Clause;
  verdict: Verdict;
}

/** A verb of action that nothing stands against. */
export interface OpenVerb {
  verb: string;
  hint?: string;
  /** The clause asks for something (帮我…, 查一下…, 把…), though not clearly for an act. */
  asked: boolean;
  /** 帮我, 请 or 能不能 stands in front. */
  polite: boolean;
  /** The clause that it stands in, as it was written. */
  clause: string;
}

/** Acts whose objects may sound like statements: what is looked for, and what is told to people. */
export const LOOKS = /^(?:query_|view_|search_|lookup_|read_|create_|send_)/;

/** 帮我, 请 or 能不能 asks. */
export const isPolite = (how: Strength): boolean => how === 'asked' || how === 'polite';

/** Reported, conditional or doubtful: what the verb says is told. */
export const isTold = (folded: string): boolean => loadGrammar().told.test(folded);

/** Whether nothing in a clause stands against an act: no question, ban, report, condition or doubt. */
export function openVerb({ clause, verdict }: Read): OpenVerb | undefined {
  if (['question', 'ban', 'talk', 'chat', 'tag'].includes(verdict.type)) return undefined;
  if (verdict.type === 'act' && verdict.kind === 'tool')
    return {
      verb: verdict.verb,
      asked: true,
      polite: isPolite(verdict.how),
      clause: clause.original,
      ...(verdict.hint ? { hint: verdict.hint } : {}),
    };
  const g = loadGrammar();
  const opening = openingOf(clause.folded);
  const text = opening.rest;
  if (isTold(clause.folded) || g.past.test(clause.folded) || questionIn(text)) return undefined;
  const asked = verdict.type === 'act' || verdict.type === 'wish' || opening.asked;
  // The verb that is asked for, not one inside its object (解决 merge conflict).
  const tokens = tag(text).filter((token) => token.verb);
  const named = verdict.type === 'act' || verdict.type === 'wish' ? verdict.verb : undefined;
  const token = tokens.find((one) => one.text === named) ?? tokens[0];
  const sense = token?.verb?.senses.find(({ kind }) => kind === 'tool');
  if (!token || !sense || g.statusAfter.test(text.slice(token.end))) return undefined;
  return {
    verb: token.text,
    asked,
    polite: false,
    clause: clause.original,
    ...(sense.hint ? { hint: sense.hint } : {}),
  };
}

/** What the grammar saw, as features: the verdicts in order, the strength of acts, small words. */
export function marksOf(raw: readonly Read[], settled: readonly Read[], intents: readonly Intent[]): string[] {
  const marks = new Set<string>([`R0:${intents.map(({ kind }) => kind).join('+') || 'none'}`]);
  for (const { verdict, clause } of raw) {
    marks.add(`R1:${verdict.type}`);
    if (verdict.type === 'act')
      marks.add(`R2:${verdict.kind}:${verdict.how}`).add(`R3:${verdict.kind}:${verdict.hint}`);
    if (verdict.type === 'question') marks.add(`R4:${verdict.firm}`);
    if (questionIn(clause.folded)) marks.add(`R5:${questionIn(clause.folded)!.kind}`);
    if (isTold(clause.folded)) marks.add('R6:told');
    if (loadGrammar().past.test(clause.folded)) marks.add('R6:past');
    const opening = openingOf(clause.folded);
    for (const sign of ['asked', 'polite', 'wish', 'you'] as const) if (opening[sign]) marks.add(`R7:${sign}`);
    const first = tag(opening.rest)[0]?.verb?.senses.at(-1)?.kind;
    if (first) marks.add(`R8:${first}`);
  }
  const kinds = settled.map(({ verdict }) => (verdict.type === 'act' ? verdict.kind : verdict.type));
  marks
    .add(`R9:${kinds.slice(-1)[0]}`)
    .add(`Ra:${kinds[0]}`)
    .add(`Rb:${Math.min(kinds.length, 4)}`);
  return [...marks];
}
