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
    .replace(/^\/\*+!?|\*+\/$/g, '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/^\s*\/\/\/.*$/, (xmlDoc) => xmlDoc.replace(/<\/?[a-z][^>]*>/gi, '')))
    .map((line) => line.replace(/^\s*(?:\*+(?!\/)|\/\/[/!]?|#+!?|--+|;+)?[ \t]?/, '').trimEnd())
    .join('\n')
    .replace(/^\s*\n|\s+$/g, '')
    .trim();
}

/** Lines that say nothing about what the code does: licences, authorship, tool switches, rulers. */
const BOILERPLATE =
  /copyright|licen[cs]e|SPDX|all rights reserved|版权所有|eslint|prettier|biome-|@ts-|tslint|istanbul|noinspection|-\*-|^\s*(?:author|date|time|created? (?:by|on|at|with)|email|version|since|file|filename|project|作者|日期|创建时间|创建人|时间|邮箱|版本|文件名|项目)\s*[:： ]|created with intellij|^@|^[\s=*#~_-]*$|^\s*[\w-]+\.(?:ts|tsx|js|vue|java|py|go|c|h|cpp|cs|php)\s*$|do not edit|auto-?generated|code generated/i;

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
  const lines = meaningfulLines(strippedComment.replace(/<\/?[a-zA-Z][^>\n]*>|\{@\w+\s+([^}]*)\}/g, '$1'));
  const description = lines.map((line) =>
    line.replace(
      /^\s*(?:@?(?:description|desc|brief|summary|描述|说明|功能)\s*[:：]?\s*|Package \w+ (?=\p{Script=Han}))/iu,
      '',
    ),
  );
  const text = description.join(' ').replace(/\s+/g, ' ').trim();
  const end = text.search(/[。！？；]|[.!?;](?=\s|$)/);
  return (end < 0 ? (description[0] ?? '').trim() || text : text.slice(0, end)).replace(/[：:，,、\s]+$/, '');
}
