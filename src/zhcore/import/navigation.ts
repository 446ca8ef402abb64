import { fold } from '../../text/index.js';

/**
 * Lines that lead around a site and say nothing: the captions that Chinese documentation sites, blogs and exports put on every page. A
 * line counts when it is all of this kind, marks and links taken off.
 */
const CAPTIONS = [
  '(?:上|下)一(?:篇|页|节|章|条)(?:文章)?[:：].{0,80}',
  '(?:回到|返回)(?:顶部|首页|目录|上一级|列表)',
  '(?:在\\s?(?:github|gitee|gitlab)\\s?上)?(?:编辑|改进)(?:此页|本页|这一页|此页面|本页面)(?:面|内容)?',
  '(?:分享|转发)(?:到|至|给)[:：]?(?:[\\s、/]?(?:微信|朋友圈|微博|新浪微博|qq|qq空间|钉钉|复制链接|twitter|facebook|好友))*',
  '(?:点击)?(?:阅读|查看)(?:原文|全文)|展开(?:全文|阅读)',
  '(?:©|\\(c\\)|copyright|版权所有|版权声明|版权归).{0,120}',
  '.{0,20}(?:icp备|公网安备).{0,40}',
  '(?:转载请注明|未经许可,?(?:禁止|不得)转载|禁止转载).{0,80}',
  '(?:文章)?(?:阅读|浏览)(?:量|数|次数)?[:：]?\\s?\\d+(?:\\s?次)?',
  '(?:跳到主要内容|跳转到内容)',
  'edit (?:this page|on github).{0,30}|suggest edits|improve this page',
  '\\[?\\[toc\\]?\\]|@\\[toc\\](?:\\(.{0,20}\\))?|\\{:toc\\}',
  '(?:back|go|scroll) to top|skip to (?:main )?content',
  'was this (?:page|article) helpful\\??|all rights reserved\\.?',
];
/** These stand for something else in a list of features; alone in a paragraph they are captions. */
const WORDS = [
  '(?:上|下)一(?:篇|页|节|章)(?:文章)?',
  '登录\\s?[/|]?\\s?注册',
  '(?:点赞|收藏|评论|关注|转发|打赏|举报|订阅|在看|分享)(?:\\s\\d+|(?:\\s?\\d*[\\s|·/、]+(?:点赞|收藏|评论|关注|转发|打赏|举报|订阅|在看|分享)(?:\\s?\\d+)?)+)',
  '收起|(?:本文|文章)?目录|(?:相关|推荐|热门)(?:阅读|文章|推荐)[:：]?',
  '(?:table of )?contents|on this page|in this article',
  'prev(?:ious)?(?: page)?|next(?: page)?|share (?:on|to) .{0,30}',
];
const CAPTION = new RegExp(`^(?:${CAPTIONS.join('|')})$`);
const CAPTION_OR_WORD = new RegExp(`^(?:${[...CAPTIONS, ...WORDS].join('|')})$`);
/** Headings of lists of contents; any other heading names its section. */
const CONTENTS = /^(?:本文|文章)?目录$|^(?:table of )?contents$|^\[?\[toc\]\]?$|^on this page$|^in this article$/;

/** `首页 > 交易 > 订单`, three steps at least. */
const BREADCRUMB = /^(?:首页|主页|文档|home|docs)(?:\s?(?:>|»|›|\/|→)\s?[^>»›/→。，]{1,30}){1,8}$/;

/** Longer lines say something, whatever they begin with. In characters. */
const LONGEST = 160;

/**
 * Whether a line of Markdown only leads around.
 *
 * @param kind of the block that it stands in
 */
export function isNavigationLine(line: string, kind: 'heading' | 'paragraph' | 'item'): boolean {
  if (line.length > LONGEST) return false;
  const bare = fold(bareText(line)).trim();
  if (bare === '') return false;
  if (kind === 'heading') return CONTENTS.test(bare);
  const phrases = kind === 'item' ? CAPTION : CAPTION_OR_WORD;
  const parts = bare.split(/\s*[|·•]\s*|\s{2,}/).filter(Boolean);
  return phrases.test(bare) || BREADCRUMB.test(bare) || (parts.length > 1 && parts.every((part) => phrases.test(part)));
}

/** The words of a line: no list marks, links, emphasis, arrows. */
export function bareText(line: string): string {
  const words = line
    .replace(/^\s*(?:[-*+>]|\d{1,3}[.)、])\s+/, '')
    .replace(/^#{1,6}\s+/, '')
    .replace(/!?\[([^[\]]{0,500})\]\([^)]{0,2000}\)/g, '$1')
    .replace(/[*`~]{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)/g, '')
    .trim();
  // A loop: a pattern for the end would be tried at each of such marks in the middle.
  let [from, to] = [0, words.length];
  while (from < to && EDGE.test(words.charAt(from))) from++;
  while (to > from && EDGE.test(words.charAt(to - 1))) to--;
  return words.slice(from, to);
}

const EDGE = /[\s←↑→↓«»‹›<>|·•—–-]/;

const LINK_ITEM = /^\s*(?:(?:[-*+]|\d{1,3}[.)、])\s*)?(?:\*{0,2})\[[^\]]*\]\(([^)\s]*)[^)]*\)(?:\*{0,2})[\s。，；;]*$/;

/** A line with a longer address is no entry of a list; in characters. */
const LONGEST_LINK = 1_000;

/** Where a line leads that is nothing but one link; undefined for all others. */
export function linkTarget(line: string): string | undefined {
  return line.length > LONGEST_LINK ? undefined : LINK_ITEM.exec(line)?.[1];
}

/** Links within the page or the site. */
export function isInternal(target: string): boolean {
  return !/^(?:https?:|mailto:)/i.test(target);
}
