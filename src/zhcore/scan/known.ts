import { splitIdentifier } from '../../text/index.js';
import type { Term } from '../types.js';
import type { Proposal } from './types.js';

/** `OrderService.cancelExpired` and `cancel_expired` are one name in two places. */
function keysOf(symbol: string): string[] {
  const whole = splitIdentifier(symbol).join('_');
  const last = splitIdentifier(symbol.split(/[.#/]|::/).at(-1)!).join('_');
  return [whole, last];
}

/**
 * Leaves out what the project's own terms say already: the same word (or an alias of it) for the same symbol, and words that somebody
 * has settled for the same module: a candidate beside them would only ask again.
 */
export function withoutKnown(
  proposals: readonly Proposal[],
  known: readonly Term[],
  recorded: ReadonlySet<string> = new Set(),
): { proposals: Proposal[]; known: number } {
  const own = known.filter(({ id, provenance }) => provenance.layer === 'project' && !recorded.has(id));
  const ids = new Set(own.map(({ id }) => id));
  const pairs = new Set<string>();
  for (const { keyword_ch, aliases, code_symbols } of own)
    for (const word of [keyword_ch, ...aliases])
      for (const symbol of code_symbols) for (const key of keysOf(symbol)) pairs.add(`${word} ${key}`);
  const settled = own.filter(({ provenance }) => provenance.status === 'verified');
  const isSettled = ({ keyword_ch, module }: Proposal) =>
    settled.some(
      (term) =>
        [term.keyword_ch, ...term.aliases].includes(keyword_ch) &&
        (term.module === undefined || module === undefined || term.module === module),
    );
  const isKnown = (proposal: Proposal) => ids.has(proposal.id) || isSettled(proposal) || isPaired(proposal);
  const isPaired = ({ keyword_ch, aliases, code_symbols }: Proposal) =>
    [keyword_ch, ...aliases].some((word) =>
      code_symbols.some((symbol) => keysOf(symbol).some((key) => pairs.has(`${word} ${key}`))),
    );
  const fresh = proposals.filter((proposal) => !isKnown(proposal));
  return { proposals: fresh, known: proposals.length - fresh.length };
}
