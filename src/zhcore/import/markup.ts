import { decodeEntities } from './entities.js';

/** A piece of XML or HTML. */
export type MarkupToken =
  | { type: 'open'; name: string; attrs: Record<string, string>; closed: boolean; start: number; end: number }
  | { type: 'close'; name: string; start: number; end: number }
  | { type: 'text'; text: string; start: number; end: number }
  /** Comments, processing instructions, DOCTYPE; CDATA is text. */
  | { type: 'other'; start: number; end: number };

/** Elements of HTML whose content is no markup. */
const RAW_ELEMENTS = new Set(['script', 'style', 'textarea', 'title', 'noscript', 'iframe', 'xmp', 'noembed']);

/** Those of them that nobody reads. */
const UNREAD = new Set(['script', 'style']);

/**
 * A tag with its attributes, which are read apart. Each character has one way to match, so that a tag without an end costs no more
 * than its length.
 */
const TAG = /<(\/?)([A-Za-z_][\w:.-]{0,80})(?=[\s/>])((?:[^"'<>]|"[^"<]*"|'[^'<]*')*)>/y;
const ATTRIBUTE = /([^\s=/"'<>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/g;

/** What to read. */
export interface MarkupOptions {
  /** HTML: names in lower case, scripts and styles raw. XML: name-space prefixes cut off. */
  html: boolean;
  /** Tells whether a tag is one; what is not stays text (`List<String>` in Markdown). */
  isTag?: (name: string, start: number, closing: boolean) => boolean;
}

/**
 * Cuts XML or HTML into tags and texts. Never throws and never loses a character: what is no markup is text. Entities of texts stay
 * as written; those of attributes are decoded. No DTD is read, so that entities cannot expand.
 */
export function* tokenize(source: string, options: MarkupOptions): Generator<MarkupToken> {
  let text = 0;
  let at = 0;
  /** Ends that do not come any more; looking for them at every start would take minutes. */
  const endless = new Set<string>();
  const flush = function* (to: number): Generator<MarkupToken> {
    if (to > text) yield { type: 'text', text: source.slice(text, to), start: text, end: to };
  };
  while (at < source.length) {
    const open = source.indexOf('<', at);
    if (open < 0) break;
    const end = skipOther(source, open, endless);
    if (end !== undefined) {
      yield* flush(open);
      if (source.startsWith('<![CDATA[', open)) {
        yield { type: 'text', text: source.slice(open + 9, end - 3).replaceAll('&', '&amp;'), start: open, end };
      } else yield { type: 'other', start: open, end };
      at = text = end;
      continue;
    }
    const tag = tagAt(source, open, options);
    if (tag === undefined) {
      at = open + 1;
      continue;
    }
    yield* flush(open);
    yield tag;
    at = text = tag.end;
    if (options.html && tag.type === 'open' && !tag.closed && RAW_ELEMENTS.has(tag.name)) {
      const close = closeOf(source, tag.name, at);
      // Without its end, a script runs to the end of the page: for a browser, too, none of that is text.
      const endless = close === source.length && UNREAD.has(tag.name);
      if (endless && close > at) yield { type: 'other', start: at, end: close };
      else if (close > at) yield { type: 'text', text: source.slice(at, close), start: at, end: close };
      at = text = close;
    }
  }
  yield* flush(source.length);
}

/** The end of a comment, instruction, DOCTYPE or CDATA that starts at `open`. One that never ends is text. */
function skipOther(source: string, open: number, endless: Set<string>): number | undefined {
  const ends: [string, string][] = [
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
    ['<?', '?>'],
  ];
  for (const [from, to] of ends) {
    if (!source.startsWith(from, open)) continue;
    const end = endless.has(to) ? -1 : source.indexOf(to, open + from.length);
    if (end < 0) endless.add(to);
    return end < 0 ? undefined : end + to.length;
  }
  const doctype = /^<!(?:doctype|DOCTYPE)[^<>]{0,1000}>/.exec(source.slice(open, open + 1010));
  return doctype === null ? undefined : open + doctype[0].length;
}

function tagAt(source: string, open: number, { html, isTag }: MarkupOptions): MarkupToken | undefined {
  TAG.lastIndex = open;
  const match = TAG.exec(source);
  if (match === null) return undefined;
  const raw = match[2] as string;
  const closing = match[1] === '/';
  if (isTag !== undefined && !isTag(raw, open, closing)) return undefined;
  const name = html ? raw.toLowerCase() : raw.slice(raw.indexOf(':') + 1);
  const end = open + match[0].length;
  if (closing) return { type: 'close', name, start: open, end };
  const inner = match[3] as string;
  return { type: 'open', name, attrs: attributesOf(inner, html), closed: inner.endsWith('/'), start: open, end };
}

function attributesOf(text: string, html: boolean): Record<string, string> {
  const attrs: Record<string, string> = Object.create(null);
  for (const [, raw = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    // `r:id` and `id` are different things in a workbook, so prefixes of attributes stay.
    const name = html ? raw.toLowerCase() : raw;
    attrs[name] ??= decodeEntities(double ?? single ?? bare ?? '');
  }
  return attrs;
}

function closeOf(source: string, name: string, from: number): number {
  const close = new RegExp(`</${name}\\s*>`, 'i').exec(source.slice(from));
  return close === null ? source.length : from + close.index;
}
