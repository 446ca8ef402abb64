import { markdownTags } from './elements.js';
import { decodeHarmless } from './entities.js';
import { type Drop, toMarkdown } from './html.js';
import { tokenize } from './markup.js';

/** Invisible characters that come along when people paste; see also src/text/fold.ts. Private-use ones are icons of a font. */
const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\uE000-\uF8FF]/g;
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;
const BLANKS = /[\u00A0\u2000-\u200A\u202F\u205F]/g;

/** Stand for a code span while the text around it is worked on; the source holds none, {@link INVISIBLE} is taken out before. */
const HOLD = ['\uE000', '\uE001'] as const;

/** Alternative texts that say nothing. */
const EMPTY_ALT =
  /^(?:图片?|截图|图像|示意图|配图|插图|logo|icon|image|img|picture|photo|screenshot|alt|alt text|image description|在这里插入图片描述|图片描述|描述|untitled|clipboard|paste)?[\s_-]*[\d._-]*$/i;
/** File names and ids as alternative text. */
const FILE_ALT = /\.(?:png|jpe?g|gif|webp|svg|bmp)$|^[0-9a-f-]{8,}$|^(?:wx|img|image|pic|screenshot)[\d_-]/i;
/** Pictures that show a state of a build, not a fact. */
const BADGE = /(?:shields\.io|badge|travis-ci|codecov|circleci|goreportcard|badgen)/i;

/**
 * Cleans the prose of a Markdown text: invisible characters, tags of HTML, images that lead nowhere, entities. Code spans stay as
 * they are.
 *
 * @param text Markdown without fenced code
 */
export function cleanInline(text: string, drop: Drop): string {
  const visible = text.replace(INVISIBLE, '').replace(CONTROLS, '').replace(BLANKS, ' ');
  const spans: string[] = [];
  const held = visible.replace(/^(?: {4}|\t)[^\n]*$|(`+)(?!`)(?:[^`\n]|(?!\1(?!`))`|\n(?!\s*\n))*\1(?!`)/gm, (span) => {
    spans.push(span);
    return `${HOLD[0]}${spans.length - 1}${HOLD[1]}`;
  });
  const tokens = [...tokenize(held, { html: true, isTag: markdownTags(held) })];
  const flat = tokens.every((token) => token.type === 'text') ? held : toMarkdown(tokens, { kind: 'markdown', drop });
  const done = decodeHarmless(withoutImages(flat, drop));
  return done.replace(/\uE000(\d+)\uE001/g, (_, i: string) => spans[Number(i)] as string);
}

const IMAGE =
  /!\[([^[\]\n]{0,500})\]\([ \t]{0,9}<?((?:data:[^\s)>]*|[^\s)>]{0,2000}))>?(?:[ \t]{1,9}["'][^"'\n]{0,500}["'])?[ \t]{0,9}\)/g;

/** Images that nobody will see: relative and embedded ones, badges. What they are said to show stays when it says something. */
function withoutImages(text: string, drop: Drop): string {
  if (!text.includes('![')) return text;
  return text
    .replace(IMAGE, (whole, alt: string, src: string) => {
      const remote = /^https?:\/\//i.test(src);
      if (remote && !BADGE.test(src)) return whole;
      const said = alt.trim();
      const says = said.length > 1 && !EMPTY_ALT.test(said) && !FILE_ALT.test(said) && !remote;
      const kind = remote ? '徽章' : /^data:/i.test(src) ? '内嵌图片' : src === '' ? '没有地址的图片' : '本地图片';
      drop(`${kind}，只有看图的人用得上${says ? '，图的说明留下了' : ''}`, whole.slice(0, 200));
      return says ? `（图：${said}）` : '';
    })
    .replace(/(?<!!)\[\s{0,9}\]\([^)\n]{0,2000}\)/g, '');
}
