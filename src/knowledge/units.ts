import { identifiersOf } from '../text/index.js';
import type { Block } from './markdown.js';
import { splitSentences } from './sentences.js';

/** Bounds of a chunk in characters: shorter has no context, longer drowns the one fact that was asked for. */
export const CHUNK_MIN = 300;
export const CHUNK_MAX = 800;

/** A heading on the way from the top of a document to a unit. */
export interface HeadingRef {
  level: number;
  title: string;
  line: number;
}

/** The smallest piece that is never cut: a sentence, a list item, table rows. */
export interface Unit {
  text: string;
  line: number;
  endLine: number;
  path: readonly HeadingRef[];
  /** What stands between this unit and the one before it in the same chunk. */
  join: '\n\n' | '\n' | '';
  /** How bad it is to cut before this unit, see {@link CUT}. */
  cut: number;
}

/**
 * How bad a cut is, by what it cuts. Only their order matters: between sections it costs nothing, inside a paragraph more than
 * between two, and tearing 「步骤如下：」 from the steps or two sentences about the same identifier apart is worst.
 */
export const CUT = { heading: 0, paragraph: 0.5, item: 0.8, sentence: 2, sameIdentifier: 1.5, leadIn: 5 } as const;

/**
 * The prose of a document as units, in order, and its code blocks with the headings above them. A heading with nothing below it is a
 * unit itself: 「## 不要在循环里查库」 may be all that somebody wrote.
 */
export function unitsOf(blocks: readonly Block[]): { units: Unit[]; code: { block: Block; path: HeadingRef[] }[] } {
  const units: Unit[] = [];
  const code: { block: Block; path: HeadingRef[] }[] = [];
  let path: HeadingRef[] = [];
  for (const [i, block] of blocks.entries()) {
    if (block.kind === 'heading') {
      const { level, text, line } = block;
      const above = path.filter((h) => h.level < level);
      path = [...above, { level, title: text, line }];
      if (isEmptySection(block, blocks[i + 1]))
        addProse(units, { ...block, text: `${'#'.repeat(level)} ${text}` }, above);
    } else if (block.kind === 'code') code.push({ block, path });
    else addProse(units, block, path);
  }
  return { units, code };
}

function isEmptySection(heading: Block, next: Block | undefined): boolean {
  return heading.text !== '' && (next === undefined || (next.kind === 'heading' && next.level <= heading.level));
}

/** Adds the units of a block one by one: a paragraph may have more of them than a call takes arguments. */
function addProse(units: Unit[], block: Block, path: readonly HeadingRef[]): void {
  const pieces = block.kind === 'table' ? tableRows(block.text) : splitSentences(block.text);
  const inner = block.kind === 'table' ? '\n' : '';
  const before = units.at(-1);
  const bound = sharesIdentifier(blockBefore(units), block.text.slice(0, CHUNK_MAX));
  let line = block.line;
  for (const [i, piece] of pieces.flatMap((p) => hardSplit(p, CHUNK_MAX)).entries()) {
    const breaks = piece.split('\n').length - 1;
    const endLine = line + (piece.endsWith('\n') ? breaks - 1 : breaks);
    const join = i > 0 ? inner : joinOf(block, before, path);
    const unit: Unit = { text: piece, line, endLine: Math.max(line, endLine), path, join, cut: 0 };
    const base = i > 0 ? CUT.sentence : block.kind === 'item' ? CUT.item : CUT.paragraph;
    unit.cut = cutBefore(unit, units.at(-1), base, i === 0 && bound);
    units.push(unit);
    line += breaks + (inner === '\n' ? 1 : 0);
  }
}

function joinOf(block: Block, before: Unit | undefined, path: readonly HeadingRef[]): Unit['join'] {
  const tight = block.kind === 'item' && before?.path === path && before.endLine + 1 === block.line;
  return tight ? '\n' : '\n\n';
}

function cutBefore(unit: Unit, before: Unit | undefined, base: number, bound: boolean): number {
  if (before === undefined || before.path !== unit.path) return CUT.heading;
  if (/[：:]$/.test(before.text.trimEnd())) return CUT.leadIn;
  return base + (bound || sharesIdentifier(before.text, unit.text) ? CUT.sameIdentifier : 0);
}

/** The end of the last block, as much of it as a chunk can hold: what two blocks speak of need not stand where they meet. */
function blockBefore(units: readonly Unit[]): string {
  let text = '';
  for (let i = units.length - 1; i >= 0 && text.length < CHUNK_MAX; i--) {
    const unit = units[i] as Unit;
    text = unit.text + text;
    // The first unit of a block is set apart from what stands before it.
    if (unit.join !== '') break;
  }
  return text;
}

function sharesIdentifier(a: string, b: string): boolean {
  if (!MAY_NAME.test(a) || !MAY_NAME.test(b)) return false;
  const known = new Set(identifiersOf(a));
  return known.size > 0 && identifiersOf(b).some((id) => known.has(id));
}

/** What every identifier holds: letters or digits, wide ones included. Most Chinese sentences have none, and looking for them costs most. */
const MAY_NAME = /[\w$\uff10-\uff5a]/;

/** A table is cut between rows; the two head rows stay with the first. */
function tableRows(table: string): string[] {
  const rows = table.split('\n');
  return rows.length <= 3 ? [table] : [rows.slice(0, 3).join('\n'), ...rows.slice(3)];
}

/** Cuts what has no sentence end for `max` characters: after a clause, else at a blank, else between two characters. */
export function hardSplit(text: string, max: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const window = rest.slice(0, max);
    const clause = Math.max(...['；', '，', ';', '、', '\n', ' '].map((mark) => window.lastIndexOf(mark)));
    let end = clause >= max / 2 ? clause + 1 : max;
    const code = rest.charCodeAt(end - 1);
    if (code >= 0xd800 && code <= 0xdbff) end -= 1;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  parts.push(rest);
  return parts;
}
