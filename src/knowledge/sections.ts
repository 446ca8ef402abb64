import { fold } from '../text/index.js';
import { type Block, parseBlocks } from './markdown.js';
import { splitSentences } from './sentences.js';
import type { KnowledgeDocument } from './types.js';

/** Without a section, this many characters of a document are shown (a rule of the `lookup_knowledge` contract). */
export const OPENING_CHARS = 2000;

/** A part of a document as it is shown. Lines are 1-based in the file, both included. */
export interface Passage {
  content: string;
  line: number;
  endLine: number;
  heading?: string;
}

/** `1.`, `2.1 `, 一、, 第三章, （二） before a title. A bare number of three digits or more is a year or a status: `404 处理`. */
const NUMBER = /^(?:[第（(]?[一二三四五六七八九十\d]+(?:\.\d+)*[.、．章节）)]+\s*|\d{1,2}(?:\.\d+)*\s+)(?=\S)/;

/** A heading as it can be asked for: by all its words, or without number and marks, 「超时类错误」 for `## 1. 超时类错误`. */
interface Name {
  /** Number of `#`, 0 when there are none. */
  level: number;
  whole: string;
  number: string;
  bare: string;
}

function nameOf(heading: string): Name {
  const folded = fold(heading).trim();
  const level = /^#*/.exec(folded)?.[0].length ?? 0;
  const words = folded.slice(level).trim();
  const number = NUMBER.exec(words)?.[0] ?? '';
  const plain = (text: string) => text.replace(/[\s`*_：:]+/g, '');
  return { level, whole: plain(words), number: plain(number), bare: plain(words.slice(number.length)) };
}

/** The headings of a document, ready to be asked for. */
class Headings {
  readonly all: readonly Block[];
  private readonly named: readonly (Name & { heading: Block })[];
  private readonly byWords = new Map<string, (Name & { heading: Block })[]>();

  constructor(private readonly doc: KnowledgeDocument) {
    this.all = parseBlocks(doc.body, doc.bodyLine).filter((block) => block.kind === 'heading');
    this.named = this.all.map((heading) => ({ ...nameOf(heading.text), heading }));
    for (const one of this.named) {
      for (const words of new Set([one.whole, one.bare])) {
        const known = this.byWords.get(words);
        if (known === undefined) this.byWords.set(words, [one]);
        else known.push(one);
      }
    }
  }

  /** By a name that the front matter gives, else by the words of a heading. */
  called(name: string): Block | undefined {
    const wanted = nameOf(name).whole;
    const key = Object.keys(this.doc.sections).find((k) => k === name || (wanted !== '' && nameOf(k).whole === wanted));
    return this.find(key === undefined ? name : (this.doc.sections[key] as string));
  }

  /** The heading of these words, else the only one that holds them. Two numbers that differ are two sections, whatever their words. */
  find(name: string): Block | undefined {
    const wanted = nameOf(name);
    if (wanted.whole === '') return undefined;
    const same = (this.byWords.get(wanted.whole) ?? []).filter(({ whole }) => whole === wanted.whole);
    const alike = (words: string) =>
      (this.byWords.get(words) ?? []).filter(({ number }) => number === '' || wanted.number === '');
    const found = same.length > 0 ? same : alike(wanted.bare);
    if (found.length > 0) return (found.find(({ heading }) => heading.level === wanted.level) ?? found[0])?.heading;
    const holding = this.named.filter(({ whole }) => whole.includes(wanted.whole));
    return holding.length === 1 ? holding[0]?.heading : undefined;
  }
}

/** Names listed at most; of a document with more headings the deep ones are left out. */
const NAMES_MAX = 60;

/** Names by which sections can be asked for: those that the front matter gives and the body has, then the headings. */
export function sectionNames(doc: KnowledgeDocument): string[] {
  const headings = new Headings(doc);
  const given = Object.entries(doc.sections).map(([name, words]) => ({ name, found: headings.find(words) }));
  const taken = new Set(given.map(({ found }) => found));
  const names = given.filter(({ found }) => found !== undefined).map(({ name }) => name);
  const rest = headings.all.filter((h) => h.text !== '' && !taken.has(h));
  const room = Math.max(0, NAMES_MAX - names.length);
  const atMost = (level: number) => rest.filter((h) => h.level <= level);
  const deepest = [6, 5, 4, 3, 2, 1].find((level) => atMost(level).length <= room) ?? 1;
  return [...new Set([...names, ...atMost(deepest).map((h) => h.text)])].slice(0, NAMES_MAX);
}

/**
 * The named section: its heading line and everything until the next heading of its level (or above).
 *
 * @param name a name from the front matter's `sections`, or a heading, with or without its `#`s and its number; case, width and script
 *   don't matter
 * @returns undefined when there is no such section
 */
export function cutSection(doc: KnowledgeDocument, name: string): Passage | undefined {
  const headings = new Headings(doc);
  const heading = headings.called(name);
  if (heading === undefined) return undefined;
  const next = headings.all.find((h) => h.line > heading.line && h.level <= heading.level);
  const lines = doc.body.split('\n');
  const to = next === undefined ? lines.length : next.line - doc.bodyLine;
  const content = lines
    .slice(heading.line - doc.bodyLine, to)
    .join('\n')
    .trimEnd();
  return { content, line: heading.line, endLine: heading.line + content.split('\n').length - 1, heading: heading.text };
}

/**
 * The first {@link OPENING_CHARS} characters of a document, cut at the end of a block. Where that would leave less than half of them, the
 * block that does not fit is cut too: prose at a sentence end, code and tables at a line. A document without a body shows its summary.
 */
export function opening(doc: KnowledgeDocument): Passage {
  const all = doc.body.split('\n');
  const blank = all.findIndex((line) => line.trim() !== '');
  if (blank < 0) return passage(doc.summary.slice(0, OPENING_CHARS), doc.bodyLine);
  const lines = all.slice(blank);
  const first = doc.bodyLine + blank;
  const body = lines.join('\n').trimEnd();
  if (body.length <= OPENING_CHARS) return passage(body, first);
  let fits = '';
  for (const block of parseBlocks(body, 1)) {
    const upTo = lines.slice(0, block.endLine).join('\n');
    if (upTo.length > OPENING_CHARS) {
      if (fits.length >= OPENING_CHARS / 2) break;
      const before = lines.slice(0, block.line - 1).join('\n');
      const start = before === '' ? '' : `${before}\n`;
      return passage(start + cutBlock(block, OPENING_CHARS - start.length), first);
    }
    fits = upTo;
  }
  return passage(dropDangling(fits), first);
}

function passage(content: string, line: number): Passage {
  return { content, line, endLine: line + content.split('\n').length - 1 };
}

/** A heading at the very end announces what was cut off. */
function dropDangling(text: string): string {
  const lines = text.split('\n');
  while (lines.length > 1 && /^\s*(?:#{1,6}\s.*)?$/.test(lines.at(-1) as string)) lines.pop();
  return lines.join('\n');
}

/** The beginning of a block that is longer than `max`. Code that is cut gets its closing fence. */
function cutBlock(block: Block, max: number): string {
  if (block.kind === 'code') {
    const fence = /^\s*(`{3,}|~{3,})/.exec(block.text)?.[1] ?? '```';
    return `${cutAt(block.text.split(/(?<=\n)/), max - fence.length - 1)}\n${fence}`;
  }
  return cutAt(block.kind === 'table' ? block.text.split(/(?<=\n)/) : splitSentences(block.text), max);
}

/** As many pieces as have room, of the first one as much as has. */
function cutAt(pieces: readonly string[], max: number): string {
  let out = '';
  for (const piece of pieces) {
    if (out.length + piece.length > max) break;
    out += piece;
  }
  if (out !== '') return out.trimEnd();
  const first = pieces[0] ?? '';
  const code = first.charCodeAt(max - 1);
  return first.slice(0, code >= 0xd800 && code <= 0xdbff ? max - 1 : max);
}
