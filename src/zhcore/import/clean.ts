import { type Block, parseBlocks } from '../../knowledge/markdown.js';
import { fold } from '../../text/index.js';
import type { Drop } from './html.js';
import { cleanInline } from './inline.js';
import { bareText, isInternal, isNavigationLine, linkTarget } from './navigation.js';

/** A text as it goes in, and what was taken out. */
export interface Cleaned {
  text: string;
  dropped: { reason: string; text: string }[];
}

/** Each pass takes something out or changes nothing; nesting that needs more passes than this is made up. */
const PASSES_MAX = 25;

/**
 * Cleans a Markdown text: navigation, dead images, left-overs of HTML, repeated paragraphs, empty sections, invisible characters; heading
 * levels start at 2 and skip none. Fenced code is left as it is. Cleaning what is clean changes nothing: passes are made until none does.
 *
 * @param source Markdown without front matter
 */
export function cleanMarkdown(source: string): Cleaned {
  const dropped: Cleaned['dropped'] = [];
  let text = source;
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const next = onePass(text, (reason, what) => dropped.push({ reason, text: what }));
    if (next === text) break;
    text = next;
  }
  return { text, dropped };
}

function onePass(source: string, drop: Drop): string {
  const prose = splitFences(source.replace(/\r\n?/g, '\n'))
    .map((part) => (part.code ? part.text : cleanInline(part.text, drop)))
    .join('\n');
  let blocks = parseBlocks(prose, 1);
  blocks = withoutNavigation(blocks, drop);
  blocks = withoutRepeats(blocks, drop);
  blocks = withoutEmptySections(blocks, drop);
  return render(outline(blocks));
}

/** Prose and fenced code in turn, whole lines each. */
function splitFences(text: string): { code: boolean; text: string }[] {
  const lines = text.split('\n');
  const parts: { code: boolean; text: string }[] = [];
  let from = 0;
  for (const block of parseBlocks(text, 0)) {
    if (block.kind !== 'code') continue;
    if (block.line > from) parts.push({ code: false, text: lines.slice(from, block.line).join('\n') });
    parts.push({ code: true, text: lines.slice(block.line, block.endLine + 1).join('\n') });
    from = block.endLine + 1;
  }
  if (from < lines.length) parts.push({ code: false, text: lines.slice(from).join('\n') });
  return parts;
}

/** So many links in a row are a list of contents; so many to places on the same page already at two. */
const LINKS_MIN = 3;

function withoutNavigation(blocks: readonly Block[], drop: Drop): Block[] {
  const kept: Block[] = [];
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i] as Block;
    const run = linkRun(blocks, i);
    if (run > 0) {
      drop(
        '只有链接的列表（目录或导航）',
        blocks
          .slice(i, i + run)
          .map((b) => bareText(b.text))
          .join(' '),
      );
      i += run - 1;
    } else if (block.kind === 'heading') {
      // 「目录」 above a list of links goes with it; above anything else (the folders of a project) it is a title.
      if (!isNavigationLine(block.text, 'heading') || !leadsAround(blocks, i + 1)) kept.push(block);
      else drop('目录的标题，下面只有链接', block.text);
    } else if (block.kind === 'paragraph' || block.kind === 'item') {
      const { kind } = block;
      const lines = block.text.split('\n');
      const left = lines.filter((line) => !isNavigationLine(line, kind));
      const stays = new Set(left);
      for (const line of lines) if (!stays.has(line)) drop('导航或页脚文字', line);
      if (left.length > 0) kept.push(left.length === lines.length ? block : { ...block, text: left.join('\n') });
    } else kept.push(block);
  }
  return kept;
}

/** Whether the section that starts here holds nothing but links and captions. */
function leadsAround(blocks: readonly Block[], from: number): boolean {
  for (let i = from; i < blocks.length; i++) {
    const block = blocks[i] as Block;
    if (block.kind === 'heading') break;
    const run = linkRun(blocks, i);
    if (run > 0) i += run - 1;
    else if (block.kind !== 'paragraph' && block.kind !== 'item') return false;
    else {
      const { kind } = block;
      if (!block.text.split('\n').every((line) => isNavigationLine(line, kind))) return false;
    }
  }
  return true;
}

/** How many blocks from here on are nothing but links within the site; 0 when that is no list of contents. */
function linkRun(blocks: readonly Block[], from: number): number {
  let to = from;
  let links = 0;
  let anchors = 0;
  for (; to < blocks.length; to++) {
    const block = blocks[to] as Block;
    if (block.kind !== 'item' && block.kind !== 'paragraph') break;
    const targets = block.text.split('\n').map(linkTarget);
    if (!targets.every((target) => target !== undefined && isInternal(target))) break;
    links += targets.length;
    anchors += targets.filter((target) => target?.startsWith('#')).length;
  }
  return links >= LINKS_MIN || (links >= 2 && anchors === links) ? to - from : 0;
}

/** A repeated paragraph that is shorter may well be meant twice (「见上文。」). In folded characters. */
const REPEAT_MIN = 20;

function withoutRepeats(blocks: readonly Block[], drop: Drop): Block[] {
  const seen = new Set<string>();
  return blocks.filter((block) => {
    if (block.kind !== 'paragraph') return true;
    const key = fold(block.text).replace(/\s+/g, '');
    if (key.length < REPEAT_MIN) return true;
    if (!seen.has(key)) return seen.add(key) !== undefined;
    drop('重复的段落', block.text);
    return false;
  });
}

/** A heading that says something itself (「不要在循环里查库」 or a whole sentence) is content. */
const isStatement = (title: string) => /[。！？!?]$/.test(title) || [...bareText(title)].length >= 12;

function withoutEmptySections(blocks: readonly Block[], drop: Drop): Block[] {
  return blocks.filter((block, i) => {
    if (block.kind !== 'heading') return true;
    if (titleText(block.text) === '') return false;
    const next = blocks[i + 1];
    const empty = next === undefined || (next.kind === 'heading' && next.level <= block.level);
    if (!empty || isStatement(block.text)) return true;
    drop('空的小节', block.text);
    return false;
  });
}

/** The first level of headings in a body is 2 (1 is the title), each deeper one a step. */
function outline(blocks: readonly Block[]): Block[] {
  const open: number[] = [];
  return blocks.map((block) => {
    if (block.kind !== 'heading') return block;
    while (open.length > 0 && (open.at(-1) as number) >= block.level) open.pop();
    open.push(block.level);
    return { ...block, level: Math.min(6, open.length + 1) };
  });
}

function render(blocks: readonly Block[]): string {
  let out = '';
  for (const [i, block] of blocks.entries()) {
    const before = blocks[i - 1];
    const tight =
      before !== undefined &&
      before.endLine + 1 === block.line &&
      before.kind !== 'heading' &&
      block.kind !== 'heading';
    out += (before === undefined ? '' : tight ? '\n' : '\n\n') + textOf(block);
  }
  return out;
}

function textOf(block: Block): string {
  if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${titleText(block.text)}`.trimEnd();
  if (block.kind === 'code') return closed(block.text);
  const lines = block.text.split('\n').map((line) => line.trimEnd());
  return lines.join('\n');
}

/** Anchors that generators put into headings. */
function titleText(title: string): string {
  // Runs of blanks first: patterns that begin with one would be tried at each of them.
  return title
    .replace(/\s+/g, ' ')
    .replace(/ ?\{#[\w-]+\} ?$/, '')
    .replace(/\s*\[[#¶​\s]*\]\([^)]*\)\s*|\s*[¶#]\s*$/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A fence that never closes would take whatever is put behind it. */
function closed(code: string): string {
  const fence = /^\s*(`{3,}|~{3,})/.exec(code)?.[1] as string;
  const lines = code.split('\n');
  const ends =
    lines.length > 1 && new RegExp(`^\\s*${fence.charAt(0)}{${fence.length},}\\s*$`).test(lines.at(-1) as string);
  return ends ? code : `${code.trimEnd()}\n${fence}`;
}
