import { TextBuffer } from './buffer.js';
import { elementEnds, HIDDEN, type Token, textBetween, VOID } from './elements.js';
import { decodeEntities } from './entities.js';

/** Something that was left out, and the beginning of what it said. */
export type Drop = (reason: string, text: string) => void;

const BLOCKS = new Set(
  'address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer header hgroup html legend main menu p section center'.split(
    ' ',
  ),
);
const WRAPS: Record<string, string> = { b: '**', strong: '**', i: '*', em: '*', del: '~~', s: '~~', strike: '~~' };
const CODE = new Set(['code', 'kbd', 'tt', 'samp']);

/** Class, id or role of parts that are no content. */
const NAVIGATION =
  /(?:^|[\s_-])(?:nav|navbar|navigation|navlink|sidebar|side-bar|breadcrumbs?|toc|table-of-contents|pagination|pager|footer|copyright|share|social|comments?|advert|ads|cookie|related|recommend(?:ed)?|edit-link|edit-page|skip-link|prev-next|page-nav|contentinfo)(?:[\s_-]|$)/i;
/** A part that holds more of the page than this is content, whatever its class says. */
const CONTENT_SHARE = 0.5;

interface List {
  ordered: boolean;
  count: number;
}

/** How texts between tags are taken. */
export interface Mode {
  /** `page`: white space is collapsed, navigation left out. `markdown`: texts are Markdown already. */
  kind: 'page' | 'markdown';
  drop: Drop;
}

/** Turns tags into Markdown. Texts come out as {@link Mode} says; entities of Markdown texts are not touched here. */
export function toMarkdown(tokens: readonly Token[], mode: Mode): string {
  return new Converter(tokens, mode).convert(0, tokens.length - 1);
}

class Converter {
  private readonly out = new TextBuffer();
  private readonly lists: List[] = [];
  private readonly links: { href: string; at: number }[] = [];
  private readonly total: number;
  private readonly ends: Map<number, number>;
  /** End tags that have a start. */
  private readonly enders: Set<number>;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly mode: Mode,
  ) {
    this.ends = elementEnds(tokens);
    this.enders = new Set(this.ends.values());
    this.total = mode.kind === 'page' ? textBetween(tokens, 0, tokens.length - 1).length : 0;
  }

  convert(from: number, to: number): string {
    for (let i = from; i <= to; i++) {
      const token = this.tokens[i] as Token;
      if (token.type === 'text') this.text(token.text);
      else if (token.type === 'other') this.other();
      else if (token.type === 'open') i = this.open(token, i);
      else this.close(token.name, i);
    }
    return this.out.toString();
  }

  private text(text: string): void {
    if (this.mode.kind === 'markdown') {
      this.out.add(text);
      return;
    }
    const flat = text.replace(/(?<=[\p{Script=Han}，。；：、])\s*\n\s*(?=\p{Script=Han})/gu, '').replace(/\s+/g, ' ');
    // Decoded, `&lt;T&gt;` would look like a tag to whoever reads the Markdown.
    const shown = decodeEntities(flat).replace(/<(?=[A-Za-z/!?])/g, '&lt;');
    this.out.add(this.out.endsBlank() ? shown.trimStart() : shown);
  }

  private other(): void {
    if (this.mode.kind === 'markdown') this.mode.drop('HTML 注释', '');
  }

  /** @returns the index of the last token that is done with */
  private open(token: Token & { type: 'open' }, at: number): number {
    const { name, attrs } = token;
    const end = this.ends.get(at) ?? at;
    if (HIDDEN.has(name)) return this.skip(name, at, end);
    if (this.isNavigation(token, at, end)) return this.skip('导航', at, end);
    if (name === 'pre') return this.pre(at, end);
    if (name === 'table') return this.table(at, end);
    if (CODE.has(name) && end > at) return this.inlineCode(at, end);
    if (name === 'br') this.lineBreak();
    else if (name === 'img') this.image(attrs);
    else if (name === 'a') this.links.push({ href: attrs.href ?? '', at: this.out.length });
    else if (/^h[1-6]$/.test(name)) this.out.add(`\n\n${'#'.repeat(Number(name[1]))} `);
    else if (name === 'ul' || name === 'ol') {
      this.lists.push({ ordered: name === 'ol', count: 0 });
      if (this.lists.length === 1) this.out.add('\n\n');
    } else if (name === 'li') this.item();
    else if (name === 'summary') this.out.add('\n\n**');
    else if (WRAPS[name] !== undefined && end > at) this.out.add(WRAPS[name]);
    else if (BLOCKS.has(name)) this.out.add(this.lists.length > 0 ? '' : '\n\n');
    else if (name === 'hr' || name === 'tr') this.out.add('\n\n');
    return at;
  }

  private close(name: string, at: number): void {
    if (name === 'a') this.endLink();
    else if (/^h[1-6]$/.test(name)) this.out.add('\n\n');
    else if (name === 'ul' || name === 'ol') {
      this.lists.pop();
      if (this.lists.length === 0) this.out.add('\n\n');
    } else if (name === 'summary') this.out.trimEnd().add('**\n\n');
    else if (WRAPS[name] !== undefined) {
      if (this.enders.has(at)) this.wrapEnd(WRAPS[name]);
    } else if (BLOCKS.has(name)) this.out.add(this.lists.length > 0 ? ' ' : '\n\n');
  }

  /** A row of a Markdown table is one line. */
  private lineBreak(): void {
    const oneLine = this.mode.kind === 'markdown' && (this.lists.length > 0 || /^\s*\|/.test(this.out.lastLine()));
    if (oneLine) this.out.trimEnd().add(' ');
    else this.out.add('\n');
  }

  private item(): void {
    const list = this.lists.at(-1) ?? { ordered: false, count: 0 };
    list.count += 1;
    const indent = '  '.repeat(Math.max(0, this.lists.length - 1));
    this.out.trimEnd('blanks').add(`\n${indent}${list.ordered ? `${list.count}.` : '-'} `);
  }

  /** Marks of emphasis stand right at the word, or they would be read as stars. */
  private wrapEnd(mark: string): void {
    this.out.trimEnd();
    if (this.out.endsWith(mark)) this.out.cutTo(this.out.length - mark.length);
    else this.out.add(mark);
  }

  private endLink(): void {
    const link = this.links.pop();
    if (link === undefined) return;
    // A link around pages of text is none, but an end tag that was forgotten.
    const inner = this.out.since(link.at);
    if (inner === undefined) return;
    const text = inner.trim();
    const lead = /^\s*/.exec(inner)?.[0] ?? '';
    const useless = link.href === '' || /^(?:#|javascript:|about:)/i.test(link.href) || /[\s()]/.test(link.href);
    this.out.cutTo(link.at);
    this.out.add(useless || text === '' ? lead + text : `${lead}[${text}](${link.href})`);
  }

  private image({ src = '', alt = '', width, height }: Record<string, string>): void {
    const pixel = width === '1' || height === '1';
    if (!pixel)
      this.out.add(`![${alt.replace(/[[\]\n]/g, ' ').trim()}](${src.replace(/[\s()]/g, encodeURIComponent)})`);
  }

  private skip(what: string, at: number, end: number): number {
    const text = textBetween(this.tokens, at, end).trim();
    const shown = what === 'script' || what === 'style' || what === 'svg' ? '' : decodeEntities(text);
    const endless = end === at && this.tokens[at + 1]?.type === 'other' && (what === 'script' || what === 'style');
    if (endless) this.mode.drop(`<${what}> 没有结束标签，它后面的内容都没有读`, '');
    else if (what !== 'head' && what !== 'title')
      this.mode.drop(what === '导航' || what === 'nav' ? '导航' : `<${what}> 元素`, shown);
    return end;
  }

  private isNavigation({ name, attrs }: Token & { type: 'open' }, at: number, end: number): boolean {
    if (
      this.mode.kind === 'markdown' ||
      VOID.has(name) ||
      /^(?:body|html|main|article|pre|code|h[1-6]|table)$/.test(name)
    )
      return false;
    const marked = name === 'footer' || NAVIGATION.test(`${attrs.class ?? ''} ${attrs.id ?? ''} ${attrs.role ?? ''}`);
    return marked && textBetween(this.tokens, at, end).length <= this.total * CONTENT_SHARE;
  }

  private pre(at: number, end: number): number {
    const open = this.tokens[at] as Token & { type: 'open' };
    const inner = this.tokens.slice(at + 1, Math.min(end, at + 4)).find((t) => t.type === 'open' && t.name === 'code');
    const classes = `${open.attrs.class ?? ''} ${inner?.type === 'open' ? (inner.attrs.class ?? '') : ''}`;
    const language = /(?:language|lang|highlight-source|brush:)-?\s*([\w+#-]+)/i.exec(classes)?.[1] ?? '';
    let code = '';
    for (let i = at + 1; i < end; i++) {
      const token = this.tokens[i] as Token;
      if (token.type === 'text') code += decodeEntities(token.text);
      else if (token.type === 'open' && token.name === 'br') code += '\n';
    }
    code = code.replace(/^\n+/, '').trimEnd();
    const longest = [...code.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
    const fence = '`'.repeat(longest + 1);
    if (code !== '') this.out.trimEnd('blanks').add(`\n\n${fence}${language}\n${code}\n${fence}\n\n`);
    return end;
  }

  private inlineCode(at: number, end: number): number {
    const code = decodeEntities(textBetween(this.tokens, at, end))
      .replace(/\s+/g, ' ')
      .trim();
    const fence = code.includes('`') ? '``' : '`';
    const pad = fence.length > 1 ? ' ' : '';
    if (code !== '') this.out.add(`${fence}${pad}${code}${pad}${fence}`);
    return end;
  }

  /** Rows and cells as a Markdown table; a table of one column is layout, and stays text. */
  private table(at: number, end: number): number {
    const rows: string[][] = [];
    for (let i = at + 1; i < end; i++) {
      const token = this.tokens[i] as Token;
      if (token.type !== 'open') continue;
      if (token.name === 'tr') rows.push([]);
      if (token.name !== 'td' && token.name !== 'th') continue;
      const to = this.cellEnd(i, end);
      const cell = new Converter(this.tokens.slice(i + 1, to), this.mode).convert(0, to - i - 2);
      if (rows.length === 0) rows.push([]);
      const span = Math.min(20, Math.max(1, Number(token.attrs.colspan ?? 1) || 1));
      rows.at(-1)?.push(
        cell
          .replace(/\s+/g, ' ')
          .trim()
          .replace(/(?<!\\)\|/g, '\\|'),
        ...Array(span - 1).fill(''),
      );
      i = to - 1;
    }
    const filled = rows.filter((row) => row.some((cell) => cell !== ''));
    const width = filled.reduce((most, row) => Math.max(most, row.length), 0);
    if (width <= 1) this.out.add(`\n\n${filled.map((row) => row.join(' ')).join('\n\n')}\n\n`);
    else {
      const lines = filled.map((row) => `| ${Array.from({ length: width }, (_, c) => row[c] ?? '').join(' | ')} |`);
      lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
      this.out.trimEnd('blanks').add(`\n\n${lines.join('\n')}\n\n`);
    }
    return end;
  }

  /** A cell ends at its end tag, or where the next cell or row begins. */
  private cellEnd(at: number, end: number): number {
    let depth = 0;
    for (let i = at + 1; i < end; i++) {
      const token = this.tokens[i] as Token;
      if (token.type === 'open' && token.name === 'table') depth += 1;
      else if (token.type === 'close' && token.name === 'table') depth -= 1;
      const boundary = token.type !== 'text' && token.type !== 'other' && /^(?:td|th|tr)$/.test(token.name);
      if (depth === 0 && boundary) return i;
    }
    return end;
  }
}
