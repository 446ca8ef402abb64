import { elementEnds, HIDDEN, type Token, textBetween } from './elements.js';
import { decodeEntities } from './entities.js';
import { type Drop, toMarkdown } from './html.js';
import { tokenize } from './markup.js';

/** A web page as a document. */
export interface Page {
  title?: string;
  /** The address that the page names as its own. */
  address?: string;
  markdown: string;
}

/** The part that is the article must hold at least this share of a page's text. */
const ARTICLE_SHARE = 0.3;

/** Turns a saved page into Markdown: its main part, without navigation, scripts and styles. */
export function readPage(html: string, drop: Drop): Page {
  const tokens = [...tokenize(html, { html: true })];
  const [from, to] = mainPart(tokens);
  const outside = `${visibleText(tokens, 0, from)} ${visibleText(tokens, to + 1, tokens.length)}`.trim();
  if (outside !== '') drop('正文之外的部分（页头、导航、页脚）', outside);
  const markdown = toMarkdown(tokens.slice(from, to + 1), { kind: 'page', drop });
  const title = titleOf(tokens);
  const address = addressOf(tokens);
  return { markdown, ...(title === undefined ? {} : { title }), ...(address === undefined ? {} : { address }) };
}

/** What a reader sees of some tokens. */
function visibleText(tokens: readonly Token[], from: number, to: number): string {
  const ends = elementEnds(tokens);
  const texts: string[] = [];
  for (let i = from; i < to; i++) {
    const token = tokens[i] as Token;
    if (token.type === 'text') texts.push(token.text.trim());
    // A navigation bar is hidden from the article, not from the reader.
    else if (token.type === 'open' && HIDDEN.has(token.name) && token.name !== 'nav') i = ends.get(i) ?? i;
  }
  return decodeEntities(texts.filter(Boolean).join(' '));
}

function mainPart(tokens: readonly Token[]): [number, number] {
  const whole: [number, number] = [0, tokens.length - 1];
  const total = textBetween(tokens, ...whole).length;
  const ends = elementEnds(tokens);
  for (const name of ['main', 'article']) {
    const starts = tokens.flatMap((token, i) => (token.type === 'open' && token.name === name ? [i] : []));
    const [start] = starts;
    if (starts.length !== 1 || start === undefined) continue;
    const end = ends.get(start) ?? start;
    if (textBetween(tokens, start, end).length >= total * ARTICLE_SHARE) return [start, end];
  }
  return whole;
}

function titleOf(tokens: readonly Token[]): string | undefined {
  const at = tokens.findIndex((token) => token.type === 'open' && token.name === 'title');
  if (at < 0) return undefined;
  const text = decodeEntities(textBetween(tokens, at, at + 1))
    .replace(/\s+/g, ' ')
    .trim();
  // `超时关单 | 交易文档` and `超时关单 - 知乎`: the site's name comes last.
  const [own = ''] = text.split(/\s+[|–—_-]\s+|｜/);
  return own.trim() === '' ? undefined : own.trim();
}

function addressOf(tokens: readonly Token[]): string | undefined {
  for (const token of tokens) {
    if (token.type !== 'open') continue;
    const { rel, href, property, content } = token.attrs;
    const address = token.name === 'link' && rel === 'canonical' ? href : property === 'og:url' ? content : undefined;
    if (address !== undefined && /^https?:\/\/\S+$/.test(address)) return address;
  }
  return undefined;
}
