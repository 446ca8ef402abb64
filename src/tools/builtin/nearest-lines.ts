import { similarity } from '../../text/index.js';
import { foldLine } from './match-text.js';

/** Lines of one window that are shown: enough to copy from, few enough to stay cheap. */
const WINDOW_SHOWN = 12;
/** Lines that are shown for a search of one line. */
const SINGLE_SHOWN = 3;
/** Characters of a line that are compared, and shown. */
const MAX_COMPARED_CHARS = 160;
/** Lines of the search that are looked for, the longest: more would say nothing new. */
const MAX_SEARCH_LINES = 16;
/** Lines and windows less like the search than this are no help. */
const WORTH_SHOWING = 0.4;
/** A pair of lines less alike than this says nothing about where a window lies. */
const WORTH_COUNTING = 0.3;
/** Windows whose lines are compared by edits, after bigrams have found them. */
const REFINED = 20;
/** Characters of a file that are looked through: about a second. Larger ones get no hint. */
const MAX_SEARCHED_CHARS = 8_000_000;

/** Lines of a file that a search may have meant. */
export interface NearLines {
  /** 1-based. */
  line: number;
  lines: string[];
  /** 0–1. */
  score: number;
}

/**
 * The lines nearest to a text that does not stand in a file: whole windows for a search of several lines, single lines else.
 *
 * Bigrams that lines share point to the windows (linear in the file), edit distance decides between the best of them.
 *
 * @param lines of the file
 * @param wanted of the search
 * @returns best first; at most one window, or three lines
 */
export function nearestLines(lines: readonly string[], wanted: readonly string[]): NearLines[] {
  const asked = trimBlank(wanted);
  if (
    asked.length === 0 ||
    lines.reduce((sum, line) => sum + Math.min(line.length, MAX_COMPARED_CHARS), 0) > MAX_SEARCHED_CHARS
  )
    return [];
  const starts = likelyStarts(lines, asked);
  const scored = starts
    .map((start) => ({ start, score: likenessAt(lines, start, asked) }))
    .filter(({ score }) => score > WORTH_SHOWING)
    .sort((a, b) => b.score - a.score || a.start - b.start);
  const shown = Math.min(asked.length, WINDOW_SHOWN);
  return scored.slice(0, asked.length === 1 ? SINGLE_SHOWN : 1).map(({ start, score }) => {
    const from = Math.max(0, asked.length === 1 ? start : firstLineNear(lines, start, asked[0]!));
    return { line: from + 1, lines: lines.slice(from, start + shown), score };
  });
}

function trimBlank(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, last + 1);
}

/** Where the search most likely begins: each pair of like lines votes for the start that it means, and a little for its neighbours. */
function likelyStarts(lines: readonly string[], asked: readonly string[]): number[] {
  const telling = [...asked.keys()]
    .filter((i) => asked[i]!.trim() !== '')
    .sort((a, b) => asked[b]!.length - asked[a]!.length)
    .slice(0, MAX_SEARCH_LINES);
  const parts = telling.map((at) => ({ at, bigrams: bigramsOf(asked[at]!) }));
  const holders = new Map<number, number[]>();
  for (const [k, { bigrams }] of parts.entries())
    for (const bigram of bigrams) holders.set(bigram, [...(holders.get(bigram) ?? []), k]);
  // Index 0 stands for the start 1 - asked.length: the first lines of the search may be missing in the file.
  const shift = asked.length - 1;
  const votes = new Float32Array(lines.length + shift + 2);
  const shared = new Uint16Array(parts.length);
  for (const [i, line] of lines.entries()) {
    const bigrams = bigramsOf(line);
    shared.fill(0);
    for (const bigram of bigrams) for (const k of holders.get(bigram) ?? []) shared[k]! += 1;
    for (const [k, { at, bigrams: own }] of parts.entries()) {
      const dice = (2 * shared[k]!) / (own.size + bigrams.size || 1);
      if (dice < WORTH_COUNTING) continue;
      const start = i - at + shift;
      if (start < 0) continue;
      votes[start]! += dice;
      // A line more or less in between moves the rest of the window by one.
      if (start > 0) votes[start - 1]! += dice / 4;
      votes[start + 1]! += dice / 4;
    }
  }
  const voted: number[] = [];
  for (let i = 0; i < votes.length; i++) if (votes[i]! > 0) voted.push(i);
  return voted
    .sort((a, b) => votes[b]! - votes[a]! || a - b)
    .slice(0, REFINED)
    .map((i) => i - shift)
    .filter((start) => start < lines.length);
}

/** A start, moved by a line where the first line of the search stands there. */
function firstLineNear(lines: readonly string[], start: number, first: string): number {
  const [best] = [start, start + 1, start - 1]
    .map((at) => ({ at, score: likeness(lines[at] ?? '', first) }))
    .sort((a, b) => b.score - a.score);
  return best!.at;
}

/** Pairs of neighbouring characters of a line's beginning, as numbers; a single character is a pair with nothing. */
function bigramsOf(line: string): Set<number> {
  const s = comparable(line);
  const found = new Set<number>();
  if (s.length === 1) found.add(s.charCodeAt(0) << 16);
  for (let i = 1; i < s.length; i++) found.add((s.charCodeAt(i - 1) << 16) | s.charCodeAt(i));
  return found;
}

const comparable = (line: string) =>
  foldLine(line.slice(0, 4 * MAX_COMPARED_CHARS))
    .trim()
    .slice(0, MAX_COMPARED_CHARS);

/** How alike a window of the file and the search are, 0–1: the mean of their lines, long ones weighing more. */
function likenessAt(lines: readonly string[], start: number, asked: readonly string[]): number {
  let sum = 0;
  let weights = 0;
  for (const [j, line] of asked.slice(0, 2 * MAX_SEARCH_LINES).entries()) {
    const weight = Math.min(comparable(line).length, 40);
    if (weight === 0) continue;
    weights += weight;
    // One line up or down is still the same window.
    const near = [0, -1, 1].map((d) => likeness(lines[start + j + d] ?? '', line) * (d === 0 ? 1 : 0.9));
    sum += weight * Math.max(...near);
  }
  return weights === 0 ? 0 : sum / weights;
}

/** How alike the beginnings of two lines are, 0–1. */
function likeness(a: string, b: string): number {
  const left = comparable(a);
  const right = comparable(b);
  // Of very different lengths they can't be alike enough.
  if (Math.min(left.length, right.length) <= WORTH_COUNTING * Math.max(left.length, right.length)) return 0;
  return similarity(left, right);
}
