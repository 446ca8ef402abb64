import type { tokenize } from './markup.js';

/** Elements of HTML that turn up in documents. Other names in angle brackets (`<orderId>`, `<el-button>`) are text. */
const INLINE =
  'a abbr acronym b bdi bdo big br center cite code del dfn em font i img ins kbd label mark q rp rt ruby s samp small span strike strong sub sup time tt u var wbr';
const BLOCK =
  'address article aside base blockquote body caption col colgroup dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link main menu meta nav ol p picture pre section source summary table tbody td tfoot th thead title tr ul';
const UNSEEN =
  'audio button canvas embed iframe input map area noscript object option param script select style svg textarea track video template';

const ELEMENTS = new Set(`${INLINE} ${BLOCK} ${UNSEEN}`.split(' '));
/** Elements that never have an end tag. */
export const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Elements whose end tag people may leave out. */
const END_OPTIONAL = new Set(
  'p li dt dd tr td th thead tbody tfoot option body html head colgroup caption rt rp'.split(' '),
);
/** What a reader of text never sees, with all its content. */
export const HIDDEN = new Set(
  'audio button canvas embed iframe map noscript object select style script svg textarea video head title template nav form'.split(
    ' ',
  ),
);

/**
 * Tells which tags of a Markdown text are HTML. Names are all lower or all upper case; what hangs on a word (`List<Object>`, `Map<K>`), what
 * is no element, and an element that is only mentioned (「外层用 <div> 包起来」: no attributes, no end tag) is text.
 */
export function markdownTags(source: string): (name: string, start: number, closing: boolean) => boolean {
  const firstOpen = new Map<string, number>();
  const lastClose = new Map<string, number>();
  for (const match of source.matchAll(/<(\/?)([A-Za-z][A-Za-z0-9]*)/g)) {
    const name = (match[2] as string).toLowerCase();
    if (match[1] === '/') lastClose.set(name, match.index);
    else if (!firstOpen.has(name)) firstOpen.set(name, match.index);
  }
  return (raw, start, closing) => {
    const name = raw.toLowerCase();
    if (!ELEMENTS.has(name) || (raw !== name && raw !== raw.toUpperCase())) return false;
    if (raw !== name && raw.length === 1) return false;
    const hangs = /[\w$]/.test(source.charAt(start - 1));
    if (closing) return (firstOpen.get(name) ?? start) < start || !hangs;
    const bare = /^<\w+\s*\/?>/.test(source.slice(start, start + 100));
    const closes = (lastClose.get(name) ?? -1) > start;
    if (VOID.has(name)) return name === 'br' || name === 'hr' || name === 'wbr' || !bare;
    if (hangs && bare && !closes) return false;
    return closes || END_OPTIONAL.has(name) || (!bare && !HIDDEN.has(name));
  };
}

export type Token = ReturnType<typeof tokenize> extends Generator<infer T> ? T : never;

/**
 * For each token that opens an element, the index of the one that ends it; of an element that nothing ends, its own: an end tag
 * that was forgotten must not take the rest of the page with it.
 */
export function elementEnds(tokens: readonly Token[]): Map<number, number> {
  const ends = new Map<number, number>();
  const open = new Map<string, number[]>();
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'open' && !token.closed && !VOID.has(token.name)) {
      const stack = open.get(token.name);
      if (stack === undefined) open.set(token.name, [i]);
      else stack.push(i);
    } else if (token.type === 'close') {
      const start = open.get(token.name)?.pop();
      if (start !== undefined) ends.set(start, i);
    }
  }
  return ends;
}

/** The text between two tokens, tags left out. */
export function textBetween(tokens: readonly Token[], from: number, to: number): string {
  let text = '';
  for (let i = from; i <= to; i++) {
    const token = tokens[i];
    if (token?.type === 'text') text += token.text;
  }
  return text;
}
