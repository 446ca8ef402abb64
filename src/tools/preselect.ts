import { Bm25Index, bigrams, fold, splitIdentifier } from '../text/index.js';

/** What choosing a tool reads of its contract. */
export interface ToolWords {
  name: string;
  description: string;
  /** Words and short requests that people use for it. */
  keywords: readonly string[];
}

/** How likely a text asks for each kind of act (routing's classifier; shares that sum to 1). */
export type ActsOf = (text: string) => ReadonlyMap<string, number>;

export interface ToolHit {
  /** Place in the list that was given. */
  index: number;
  /** BM25 plus what the kinds of act agree in. */
  score: number;
  /** Tokens of the utterance that the contract holds. */
  matched: string[];
}

/**
 * What full agreement on the kind of act adds to BM25. One shared rare bigram scores about 1, a keyword of three characters
 * above 3, so agreement outweighs a word or two and not a whole name. Found on the project's own utterances (bench/route).
 */
const ACT_WEIGHT = 8;

/** Chooses among tool contracts by the words of an utterance, and by the kind of act that it asks for. */
export class ToolIndex {
  private readonly index: Bm25Index<number>;
  private acts: { of: ActsOf; rows: ReadonlyMap<string, number>[] } | undefined;

  constructor(private readonly tools: readonly ToolWords[]) {
    this.index = new Bm25Index<number>({ fields: { keywords: 2, name: 1.5, description: 1 } });
    tools.forEach((tool, i) => {
      this.index.add(i, {
        keywords: tool.keywords.flatMap(tokensOf),
        name: splitIdentifier(tool.name),
        description: tokensOf(tool.description),
      });
    });
    this.index.finish();
  }

  /**
   * The tools nearest to an utterance, best first.
   *
   * @param text the utterance
   * @param k how many, at most
   * @param actsOf kinds of act; without it only words count
   * @param hint the kind of act that the grammar read
   */
  rank(text: string, k: number, actsOf?: ActsOf, hint?: string): ToolHit[] {
    const hits = new Map<number, ToolHit>();
    for (const { id, score, matched } of this.index.search(tokensOf(text), this.tools.length))
      hits.set(id, { index: id, score, matched });
    if (actsOf) {
      const wanted = withHint(actsOf(text), hint);
      this.rowsOf(actsOf).forEach((row, index) => {
        const bonus = ACT_WEIGHT * cosine(wanted, row);
        const hit = hits.get(index);
        if (hit) hit.score += bonus;
        else if (bonus > 1) hits.set(index, { index, score: bonus, matched: [] });
      });
    }
    return [...hits.values()].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, k);
  }

  /** Kinds of act of each tool, read from its own words once. */
  private rowsOf(of: ActsOf): ReadonlyMap<string, number>[] {
    if (this.acts?.of !== of) {
      const rows = this.tools.map(({ description, keywords }) => meanOf([description, ...keywords].map(of)));
      this.acts = { of, rows };
    }
    return this.acts.rows;
  }
}

/** Bigrams for Chinese, whole words for the rest: no dictionary is loaded for a dozen short descriptions. */
function tokensOf(text: string): string[] {
  const folded = fold(text);
  return [...bigrams(folded), ...(folded.match(/[a-z0-9_]{2,}/g) ?? [])];
}

/** The grammar's reading counts as much as this share (0–1) of the classifier's. */
const HINT_SHARE = 0.5;

function withHint(acts: ReadonlyMap<string, number>, hint: string | undefined): ReadonlyMap<string, number> {
  return hint === undefined ? acts : new Map(acts).set(hint, (acts.get(hint) ?? 0) + HINT_SHARE);
}

function meanOf(rows: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const mean = new Map<string, number>();
  for (const row of rows) for (const [act, p] of row) mean.set(act, (mean.get(act) ?? 0) + p / rows.length);
  return mean;
}

function cosine(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let dot = 0;
  for (const [act, p] of a) dot += p * (b.get(act) ?? 0);
  const norm = Math.hypot(...a.values()) * Math.hypot(...b.values());
  return norm === 0 ? 0 : dot / norm;
}
