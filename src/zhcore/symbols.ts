import { splitIdentifier } from '../text/index.js';

/** Last names that say too little to lead back to a term: one short word, as in `order.create`. */
const SHORTEST_LAST_NAME = 6;

/** `OrderService.cancelExpired` → its last name and what stands before it. */
function namesOf(symbol: string): { last: string; container: string } {
  const parts = symbol.split(/\.|::|#|->|\?\.|\//).filter((part) => part !== '');
  return { last: keyOf(parts.at(-1) ?? symbol), container: keyOf(parts.at(-2) ?? '') };
}

/** `gmtCreate`, `gmt_create` and `GMT_CREATE` are one name in different places. */
function keyOf(name: string): string {
  return splitIdentifier(name.replace(/\(.*$/, '')).join('_');
}

/** How a symbol was found: whole, or by its last name only. */
export interface SymbolMatch<T> {
  entry: T;
  /** As the entry writes it. */
  symbol: string;
  /** As it was asked for. */
  asked: string;
  whole: boolean;
}

/** Leads from symbols in code back to the entries that name them. */
export class SymbolReverse<T> {
  private readonly byLast = new Map<string, { entry: T; symbol: string; container: string }[]>();

  add(symbol: string, entry: T): void {
    const { last, container } = namesOf(symbol);
    if (last === '') return;
    const list = this.byLast.get(last);
    if (list === undefined) this.byLast.set(last, [{ entry, symbol, container }]);
    else list.push({ entry, symbol, container });
  }

  /**
   * @param asked a symbol as code or a person writes it. With containers on both sides they must agree; with one on one side only the
   *   last name decides, if it says enough.
   */
  find(asked: string): SymbolMatch<T>[] {
    const { last, container } = namesOf(asked);
    const telling = last.includes('_') || last.length >= SHORTEST_LAST_NAME;
    const matches: SymbolMatch<T>[] = [];
    for (const known of this.byLast.get(last) ?? []) {
      const whole = known.container === container;
      const oneSided = telling && (known.container === '' || container === '');
      if (whole || oneSided) matches.push({ entry: known.entry, symbol: known.symbol, asked, whole });
    }
    return matches;
  }
}
