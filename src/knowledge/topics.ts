import { type Block, parseBlocks } from './markdown.js';

/** Further ones are rows of a long table or a change log, which words find; each costs a vector. */
const TOPICS_MAX = 16;

/** Shorter parts say nothing: 「见下表。」 */
const TOPIC_MIN = 6;

/** A line that asks: 「问：…」, `Q1. …`, or any that ends with a question mark. */
const QUESTION = /^(?:\*\*)?\s*(?:问|Q)\s*\d*\s*[：:.、]|[？?](?:\*\*)?$/i;

/** Signs of Markdown at the start of a line that say nothing. */
const MARKS = /^(?:[#>\-*+|\s]|\d+[.、)）]\s?)+/;

/** What stands between the bars and dashes of a table's second line. */
const RULER = /^[\s|:-]+$/;

/**
 * The parts of a passage that answer different questions: what stands below each of its headings, each question with its answer, each
 * item of a list, row of a table or paragraph.
 *
 * @param isPage whether it is a whole page; of a section of one, only headings and questions inside it start a new topic
 * @returns nothing where the passage is about one thing
 */
export function topicsOf(content: string, isPage: boolean): string[] {
  const groups = groupsOf(parseBlocks(content, 1));
  const asks = groups.some(({ blocks }) => blocks.filter(isQuestion).length > 1);
  if (!isPage && groups.length < 2 && !asks) return [];
  const topics = groups
    .flatMap(({ title, blocks }) => partsOf(blocks).map((part) => (title === '' ? part : `${title}\n${part}`)))
    .filter((topic) => topic.length >= TOPIC_MIN);
  return topics.length < 2 ? [] : topics.slice(0, TOPICS_MAX);
}

/** Blocks by the heading right above them. */
function groupsOf(blocks: readonly Block[]): { title: string; blocks: Block[] }[] {
  const groups: { title: string; blocks: Block[] }[] = [];
  for (const block of blocks) {
    if (block.kind === 'heading') groups.push({ title: block.text, blocks: [] });
    else if (groups.length === 0) groups.push({ title: '', blocks: [block] });
    else groups.at(-1)?.blocks.push(block);
  }
  return groups;
}

function partsOf(blocks: readonly Block[]): string[] {
  const parts: string[] = [];
  let isAnswer = false;
  for (const block of blocks) {
    if (block.kind === 'table') parts.push(...rowsOf(block.text.split('\n')));
    else if (isAnswer && !isQuestion(block)) parts.push(`${parts.pop()}\n${plain(block.text)}`);
    else parts.push(plain(block.text));
    isAnswer = block.kind !== 'table' && (isAnswer || isQuestion(block));
  }
  return parts;
}

function isQuestion({ text }: Block): boolean {
  return QUESTION.test((text.split('\n', 1)[0] as string).trim());
}

/** Rows without the first one, which names the columns. */
function rowsOf(lines: readonly string[]): string[] {
  const rows = lines.filter((line) => !RULER.test(line)).map(plain);
  return rows.length > 1 ? rows.slice(1) : rows;
}

/** Lines without the signs of Markdown, which the model reads as text. */
function plain(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(MARKS, '').replaceAll('|', ' ').replaceAll('**', ''));
  return lines
    .map((line) => line.trim())
    .join('\n')
    .trim();
}
