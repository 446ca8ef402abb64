import { parseFrontMatter } from '../../knowledge/index.js';
import { type Block, parseBlocks } from '../../knowledge/markdown.js';
import { fold } from '../../text/index.js';
import { cleanMarkdown } from './clean.js';
import { isGeneric } from './gist.js';
import { readPage } from './page.js';
import type { Source } from './source.js';
import type { Notes } from './types.js';

/** A document before it gets its front matter. */
export interface Draft {
  title: string;
  body: string;
  /** Where it comes from, for people: `AGENTS.md#测试`. */
  where: string;
  /** An official address, when the source names one. */
  address?: string;
  /** What the source's own front matter says; texts and lists of texts. */
  given: Record<string, unknown>;
}

/** Files with rules for agents: each of their sections is a document of its own. */
const RULE_FILES =
  /(?:^|\/)(?:(?:agents|claude|gemini|qwen|copilot-instructions|conventions|contributing)(?:\.local|\.override)?\.md|\.(?:cursor|windsurf|cline|continue|goose|roo)rules(?:\.md)?|[^/]+\.mdc)$/i;

/** A document above this is cut at its sections, since an exact look-up shows the first 2,000 characters of one. */
const SPLIT_ABOVE = 12_000;
/** A text below this says nothing alone; in characters without white space. */
const SHORTEST = 12;
/** Beyond this a text is a dump; in characters. */
const LONGEST = 2_000_000;

/**
 * The documents of one file: cleaned, cut, titled. What is left out goes to `notes`.
 *
 * @param raw the text of the source
 */
export function draftsOf(source: Source, raw: string, notes: Notes): Draft[] {
  if (raw.length > LONGEST) {
    notes.drop(source.name, `超过 ${LONGEST / 10_000} 万字，像是导出的数据，没有导入`);
    return [];
  }
  const { text, given, title, pageTitle, address } = opened(source, raw, notes);
  const cleaned = cleanMarkdown(text);
  report(cleaned.dropped, raw, source.name, notes);
  const { title: heading, body } = takeTitle(cleaned.text, title);
  const about = {
    name: source.name,
    title: heading ?? pageTitle ?? source.stem,
    given,
    ...(address ? { address } : {}),
  };
  const isRules = RULE_FILES.test(source.name);
  const cut = isRules || body.length > SPLIT_ABOVE;
  const drafts = cut ? sections(body, about, isRules) : [draft(about, about.title, body)];
  if (cut && !isRules && drafts.length > 1) notes.guess(source.name, `全文较长，按章节分成 ${drafts.length} 篇`);
  return drafts.filter((one) => {
    if (one.body.replace(/\s+/g, '').length >= SHORTEST) return true;
    notes.drop(
      one.where,
      one.body.trim() === '' ? '清洗后没有正文' : '太短，说明不了什么',
      `${one.title}：${one.body}`,
    );
    return false;
  });
}

interface About {
  name: string;
  title: string;
  given: Record<string, unknown>;
  address?: string;
}

interface Opened {
  text: string;
  given: Record<string, unknown>;
  /** That the front matter gives. */
  title?: string;
  /** That counts when no heading says more. */
  pageTitle?: string;
  address?: string;
}

function opened(source: Source, raw: string, notes: Notes): Opened {
  if (/^\.html?$/.test(source.ext)) {
    const { markdown, title, address } = readPage(raw, (reason, text) => notes.drop(source.name, reason, text));
    return { text: markdown, given: {}, ...(title ? { pageTitle: title } : {}), ...(address ? { address } : {}) };
  }
  if (source.ext === '.txt') return { text: withHeadings(raw), given: {} };
  const { given, body } = frontMatterOf(raw);
  const title = typeof given.title === 'string' ? given.title.trim() : '';
  return { text: withoutReferences(body, source.name, notes), given, ...(title ? { title } : {}) };
}

/** Front matter of any tool; a file without one, or with a broken one, is body from the first line on. */
function frontMatterOf(raw: string): { given: Record<string, unknown>; body: string } {
  if (!/^---[ \t]*\r?\n/.test(raw)) return { given: {}, body: raw };
  try {
    const front = parseFrontMatter(raw);
    return { given: front.data, body: front.body };
  } catch {
    const end = /\n---[ \t]*(?:\r?\n|$)/.exec(raw);
    return { given: {}, body: end ? raw.slice(end.index + end[0].length) : raw };
  }
}

/** `@docs/rules.md` on a line of its own makes some agents read another file. */
function withoutReferences(body: string, name: string, notes: Notes): string {
  return body.replace(/^@(?!toc\b)[\w./~-]+\.\w+[ \t]*$/gim, (line) => {
    notes.drop(name, '引用的别的文件没有跟着导入，需要时单独导入', line);
    return '';
  });
}

/** Chapters of plain text: 「第一章 …」, 「一、…」 alone on a line. */
function withHeadings(text: string): string {
  return text.replace(
    /^[ \t]*((?:第[一二三四五六七八九十百\d]+[章节条部分]|[一二三四五六七八九十]{1,3}、)[^\n。；]{1,30})[ \t]*$/gm,
    '\n## $1\n',
  );
}

/** Lines that are gone through for the places of all that was taken out; beyond that there is more rubbish than text. */
const LINES_LOOKED_AT = 2_000_000;

/** What was taken out, with the line where it stood when that can be found. */
function report(dropped: { reason: string; text: string }[], raw: string, name: string, notes: Notes): void {
  const lines = raw.split(/\r\n|\n|\r/);
  const from = new Map<string, number>();
  let looked = 0;
  for (const { reason, text } of dropped) {
    const first = text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim();
    const start = first === undefined ? -1 : (from.get(first) ?? -1) + 1;
    const isLost = first === undefined || looked > LINES_LOOKED_AT;
    const at = isLost ? -1 : lines.findIndex((line, i) => i >= start && line.includes(first));
    looked += at < 0 ? lines.length : at;
    if (first !== undefined && at >= 0) from.set(first, at);
    notes.drop(at < 0 ? name : `${name}:${at + 1}`, reason, text);
  }
}

/**
 * The heading that titles the whole document is not one of its sections: the first, when it stands above all others, or says what the
 * front matter says.
 */
function takeTitle(text: string, given: string | undefined): { title: string | undefined; body: string } {
  const [first, ...others] = parseBlocks(text, 0);
  if (first?.kind !== 'heading' || others.length === 0) return { title: given, body: text };
  const alone = others.every((block) => block.kind !== 'heading' || block.level > first.level);
  if (given === undefined ? !alone : fold(given) !== fold(first.text)) return { title: given, body: text };
  return { title: given ?? first.text, body: linesOf(text, first.endLine + 1) };
}

/** Some lines of a body, cleaned again: what was below another heading is now on top. */
function linesOf(body: string, from: number, to?: number): string {
  return cleanMarkdown(body.split('\n').slice(from, to).join('\n')).text;
}

function draft(about: About, title: string, body: string, section?: string): Draft {
  const where = section === undefined ? about.name : `${about.name}#${section}`;
  const { address, given } = about;
  return { title, body, where, given, ...(address === undefined ? {} : { address }) };
}

/**
 * Cuts a text at its main sections, and what is still too long at the sections of those.
 *
 * @param each makes every section a document; without it short neighbours stay together
 */
function sections(body: string, about: About, each: boolean): Draft[] {
  const lines = body.split('\n');
  const heads = parseBlocks(body, 0).filter(isMain);
  const headAt = new Map(heads.map((head) => [head.line, head]));
  if (heads.length === 0) return [draft(about, about.title, body)];
  const pieces: { heads: Block[]; from: number; to: number; size: number }[] = [];
  const bounds = [0, ...heads.map((head) => head.line).filter((line) => line > 0), lines.length];
  for (const [i, from] of bounds.slice(0, -1).entries()) {
    const to = bounds[i + 1] as number;
    const size = lines.slice(from, to).join('\n').length;
    const last = pieces.at(-1);
    const found = headAt.get(from);
    const head = found === undefined ? [] : [found];
    if (!each && last !== undefined && last.size + size <= SPLIT_ABOVE) {
      pieces[pieces.length - 1] = { heads: [...last.heads, ...head], from: last.from, to, size: last.size + size };
    } else pieces.push({ heads: head, from, to, size });
  }
  return pieces.flatMap((piece) => {
    const [head] = piece.heads;
    if (head === undefined) return [draft(about, about.title, linesOf(body, piece.from, piece.to))];
    const single = piece.heads.length === 1 && head.line === piece.from;
    const title = each && !isGeneric(head.text) ? head.text : `${about.title}：${head.text}`;
    const inner = linesOf(body, single ? head.endLine + 1 : piece.from, piece.to);
    if (single && inner.length > SPLIT_ABOVE) return sections(inner, { ...about, title }, false);
    return [draft(about, title, inner, head.text)];
  });
}

const isMain = (block: Block) => block.kind === 'heading' && block.level === 2;
