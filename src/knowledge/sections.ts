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

/** `1.`, `2.1 `, 一、, 第三章, （二） before a title. */
const NUMBER = /^(?:[第（(]?[一二三四五六七八九十\d]+(?:\.\d+)*[.、．章节）)]+\s*|\d+(?:\.\d+)*\s+)(?=\S)/;

/** A heading can be asked for by its words, without numbers and marks: 「超时类错误」 for `## 1. 超时类错误`. */
function nameOf(heading: string): string {
  return fold(heading)
    .replace(/^#+\s*/, '')
    .replace(NUMBER, '')
    .replace(/[\s`*_：:]+/g, '');
}

/** Names by which sections can be asked for: those that the front matter gives, then the headings. */
export function sectionNames(doc: KnowledgeDocument): string[] {
  const given = Object.keys(doc.sections);
  const taken = new Set(Object.values(doc.sections).map(nameOf));
  const headings = parseBlocks(doc.body, doc.bodyLine).filter(
    (b) => b.kind === 'heading' && !taken.has(nameOf(b.text)),
  );
  return [...new Set([...given, ...headings.map((h) => h.text)])];
}

/**
 * The named section: its heading line and everything until the next heading of its level (or above).
 *
 * @param name a name from the front matter's `sections`, or the words of a heading; case, width and script don't matter
 * @returns undefined when there is no such section
 */
export function cutSection(doc: KnowledgeDocument, name: string): Passage | undefined {
  const headings = parseBlocks(doc.body, doc.bodyLine).filter((block) => block.kind === 'heading');
  const wanted = nameOf(givenHeading(doc, name) ?? name);
  if (wanted === '') return undefined;
  const containing = headings.filter((h) => nameOf(h.text).includes(wanted));
  const heading =
    headings.find((h) => nameOf(h.text) === wanted) ?? (containing.length === 1 ? containing[0] : undefined);
  if (heading === undefined) return undefined;
  const next = headings.find((h) => h.line > heading.line && h.level <= heading.level);
  const lines = doc.body.split('\n');
  const to = next === undefined ? lines.length : next.line - doc.bodyLine;
  const content = lines
    .slice(heading.line - doc.bodyLine, to)
    .join('\n')
    .trimEnd();
  return { content, line: heading.line, endLine: heading.line + content.split('\n').length - 1, heading: heading.text };
}

function givenHeading(doc: KnowledgeDocument, name: string): string | undefined {
  const key = Object.keys(doc.sections).find((k) => nameOf(k) === nameOf(name));
  return key === undefined ? undefined : doc.sections[key];
}

/**
 * The first {@link OPENING_CHARS} characters of a document, cut at the end of a block; a single block that is longer is cut at a
 * sentence end, and code that is longer at a line.
 */
export function opening(doc: KnowledgeDocument): Passage {
  const all = doc.body.split('\n');
  const blank = all.findIndex((line) => line.trim() !== '');
  const lines = all.slice(Math.max(0, blank));
  const first = doc.bodyLine + Math.max(0, blank);
  const body = lines.join('\n').trimEnd();
  if (body.length <= OPENING_CHARS) return passage(body, first);
  let fits = '';
  for (const block of parseBlocks(body, 1)) {
    const upTo = lines.slice(0, block.endLine).join('\n');
    if (upTo.length > OPENING_CHARS) {
      return passage(fits === '' ? cutBlock(block, OPENING_CHARS) : dropDangling(fits), first);
    }
    fits = upTo;
  }
  return passage(fits, first);
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

function cutBlock(block: Block, max: number): string {
  const pieces = block.kind === 'code' ? block.text.split(/(?<=\n)/) : splitSentences(block.text);
  let out = '';
  for (const piece of pieces) {
    if (out.length + piece.length > max) break;
    out += piece;
  }
  if (out !== '') return out.trimEnd();
  const code = block.text.charCodeAt(max - 1);
  return block.text.slice(0, code >= 0xd800 && code <= 0xdbff ? max - 1 : max);
}
