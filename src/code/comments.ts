import { hasChinese } from '../text/index.js';

/**
 * Takes comment markers away: C, Java and JSDoc blocks, line comments of all usual languages, Python docstrings, XML comments.
 *
 * @param comment as written, one comment or several line comments in a row
 * @returns its lines without markers and indentation, joined by LF, without blank lines at either end
 */
export function stripDocMarkers(comment: string): string {
  return comment
    .trim()
    .replace(/^(?:[rRuUbBfF]{0,2})("""|''')([\s\S]*?)\1?$/, '$2')
    .replace(/^<!--|-->$/g, '')
    .replace(/^\/\*+\/$/, '')
    .replace(/^\/\*+!?|\*+\/$/g, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/^\s*\/\/\/.*$/, (xmlDoc) => xmlDoc.replace(/<\/?[a-z][^>]*>/gi, '')))
    .map((line) => line.replace(/^\s*(?:\*+(?!\/)|\/\/[/!]?|#+!?|--+|;+)?[ \t]?/, '').trimEnd())
    .join('\n')
    .trim();
}

/** Lines that say nothing about what the code does: licences, authorship, tool switches, rulers. */
const BOILERPLATE = new RegExp(
  [
    'copyright|licen[cs]e|SPDX|all rights reserved|版权|eslint|prettier|biome-|@ts-|tslint|istanbul|noinspection|nolint|-\\*-',
    '^\\s*(?:author|date|time|created? (?:by|on|at|with)|email|version|since|file|filename|project|作者|日期|创建时间|创建人|时间|邮箱|版本|文件名|项目)\\s*[:： ]',
    'created with intellij|do not edit|auto-?generated|code generated|^auto run$|^go:(?:build|generate|embed)|^\\+build',
    // tags, rulers, lone paths and addresses
    '^@|^[\\s=*#~_-]*$|^\\s*[\\w./-]+\\.[a-z]{1,5}\\s*$|^\\s*(?:(?:docs?|see|refs?|参考|文档)\\s*[:：]?\\s*)?https?:\\S+\\s*$',
    // code that was commented out
    '^\\s*(?:import|export|const|let|var|return|if|await|console\\.)\\b.*[;(){}=\'"]\\s*$',
  ].join('|'),
  'i',
);

/** Tells whether a whole comment is a licence or other boilerplate. */
export function isBoilerplate(strippedComment: string): boolean {
  return (
    meaningfulLines(strippedComment).length === 0 ||
    /licensed (?:under|to)|permission is hereby granted/i.test(strippedComment)
  );
}

function meaningfulLines(strippedComment: string): string[] {
  return strippedComment.split('\n').filter((line) => line.trim() !== '' && !BOILERPLATE.test(line));
}

/**
 * The first sentence that says something, on one line, without tags, HTML and boilerplate.
 *
 * @param strippedComment see {@link stripDocMarkers}
 * @returns '' when there is none
 */
export function firstSentence(strippedComment: string): string {
  const plain = strippedComment.replace(/<\/?[a-zA-Z][^>\n]*>|\{@\w+\s+([^}]*)\}/g, '$1');
  const tagged = /^\s*@(?:summary|description|desc|brief|描述|说明|功能)\s*[:：]?\s*(\S.*)$/im.exec(plain)?.[1];
  const lines = firstParagraph(plain).map((line) =>
    line
      .replace(/^\s*(?:描述|说明|功能|description)\s*[:：]\s*|^Package \w+ (?=\p{Script=Han})/iu, '')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  const first = lines[0] ?? '';
  // Swagger comments begin with the bare name of the handler, or with an example of the body.
  if (tagged !== undefined && !hasChinese(first)) return endOfSentence(tagged);
  let sentence = first;
  for (let i = 1; i < lines.length && goesOn(lines[i - 1]!, lines[i]!); i++) {
    const glue = /[\u3000-\u9fff\uff00-\uffef]$/.test(sentence) ? '' : ' ';
    sentence += glue + lines[i];
  }
  return endOfSentence(sentence);
}

/** The lines up to the first gap: below a title, and below it only, other things are told. */
function firstParagraph(strippedComment: string): string[] {
  const tells = (line: string) => line.trim() !== '' && !BOILERPLATE.test(line);
  const lines = strippedComment.split('\n');
  const from = lines.findIndex(tells);
  if (from < 0) return [];
  const to = lines.findIndex((line, i) => i > from && !tells(line));
  return lines.slice(from, to < 0 ? undefined : to);
}

/** A line this wide was broken because it was full; a shorter one ends where its writer ended it. In columns. */
const FULL_LINE = 60;

/** Tells whether a sentence runs over the end of a line. */
function goesOn(line: string, next: string): boolean {
  if (/[。！？；：.!?;:]$/.test(line)) return false;
  if (/[，、,（(“「]$/.test(line)) return true;
  if (!hasChinese(line) && /^[a-z(]/.test(next)) return true;
  const columns = [...line].reduce((sum, c) => sum + (/[\u2e80-\uffef]/.test(c) ? 2 : 1), 0);
  return columns >= FULL_LINE;
}

/** The text up to its first full stop, without the marks at its end. */
function endOfSentence(text: string): string {
  const end = text.search(/[。！？；]|[.!?;](?=\s|$)/);
  return (end < 0 ? text : text.slice(0, end)).replace(/[：:，,、\s]+$/, '');
}
