/**
 * Edit distance with neighbouring swaps (optimal string alignment), in code points.
 * Three rolling rows: O(a·b) time, O(b) memory.
 */
function editDistance(a: readonly string[], b: readonly string[]): number {
  let before = new Uint32Array(b.length + 1);
  let last = new Uint32Array(b.length + 1).map((_, j) => j);
  let row = new Uint32Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, before[j - 2]! + 1);
      row[j] = best;
    }
    [before, last, row] = [last, row, before];
  }
  return last[b.length]!;
}

/**
 * How alike two strings are, by edits; letter case counts.
 *
 * @returns 1 for equal strings, 0 for strings that share nothing
 */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const left = [...a];
  const right = [...b];
  const longest = Math.max(left.length, right.length);
  return 1 - editDistance(left, right) / longest;
}

/** Below this two names look unrelated to people; nearer names are worth a "did you mean". */
const WORTH_NAMING = 0.4;

/**
 * The candidates nearest to a mistyped name, best first. Compares in lower case; for paths the last segment counts too, so that a file
 * in the wrong folder is still found.
 *
 * @param n how many at most
 */
export function closest(name: string, candidates: Iterable<string>, n: number): string[] {
  const wanted = name.toLowerCase();
  const wantedBase = baseOf(wanted);
  const scored: { candidate: string; score: number }[] = [];
  for (const candidate of candidates) {
    const lower = candidate.toLowerCase();
    const base = similarityAbove(wantedBase, baseOf(lower));
    const whole = similarityAbove(wanted, lower);
    const score = Math.max(whole, 0.9 * base + 0.1 * whole);
    if (score >= WORTH_NAMING) scored.push({ candidate, score });
  }
  scored.sort((a, b) => b.score - a.score || (a.candidate < b.candidate ? -1 : 1));
  return scored.slice(0, n).map((entry) => entry.candidate);
}

/** {@link similarity}, or 0 without computing it where lengths alone keep it below {@link WORTH_NAMING}. */
function similarityAbove(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  const longer = Math.max(a.length, b.length);
  return shorter < WORTH_NAMING * longer ? 0 : similarity(a, b);
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
