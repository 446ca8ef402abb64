import { fold } from '../../text/index.js';
import { loadGrammar, loadLexicon } from './data.js';
import { questionIn } from './questions.js';
import { startsLikeRequest } from './tagger.js';
import type { Clause } from './types.js';

const QUOTED =
  /```[\s\S]*?(?:```|$)|「[^」]*」|『[^』]*』|“[^”]*”|‘[^’]*’|《[^》]*》|"[^"]*"|`[^`]*`|(?<![a-z])'[^']*'/gi;

/**
 * Where a clause ends: the end of a sentence (first group); a comma or colon, but not in numbers and addresses; or a blank that
 * people type instead of a comma.
 */
const BOUNDARY =
  /([。！？!?；;\n]+|\.(?=\s+[A-Z\u4e00-\u9fff]))|[，,：:](?![\d/\\])|、(?=[再并帮请])|(?<=[\p{Script=Han}）)」])\s+(?=(?:不要|别|先|请|請|帮|幫|我|你|然后|然後|顺便|順便|另外|谢谢|謝謝))/gu;

/** Replaces quotations by as many □: what is quoted is an object, never a request. */
export function maskQuotes(text: string): string {
  return text.replace(QUOTED, (quoted) => '□'.repeat(quoted.length));
}

/** Lines of logs, stacks and configurations: a time or a level in front, `at x.y(`, `key: value`, npm's complaints. */
const MATERIAL_LINE =
  /^\s*(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|\[?(?:ERROR|WARN|INFO|DEBUG|FATAL)\b|at [\w$.<>]+[ (]|Caused by:|Traceback|File "|npm ERR!|[\w.]+(?:Error|Exception)\b|[+-]{3} |@@ |\|)/;
/** A line of pasted YAML, beside others: `- name: deploy`, `run: …`. */
const KEYED_LINE = /^\s*(?:- )?[\w.-]+:(?: |$)/;

/**
 * Blanks pasted lines: what looks like a log wherever it stands, and lines without Han characters in an utterance whose own
 * words are Chinese. The request stands around them.
 */
export function blankPasted(text: string, blank = ' '): string {
  const lines = text.split('\n');
  const isHan = (line: string) => /\p{Script=Han}/u.test(line);
  const mixed = lines.length > 1 && lines.some((line) => isHan(line) && !MATERIAL_LINE.test(line));
  const pasted = (line: string) =>
    MATERIAL_LINE.test(line) || (mixed && line.trim() !== '' && (!isHan(line) || KEYED_LINE.test(line)));
  return lines.map((line) => (pasted(line) ? blank.repeat(line.length) : line)).join('\n');
}

/** The folded form that the grammar reads: mistyped words repaired, blanks between Han characters removed. */
export function foldForGrammar(text: string): string {
  let folded = fold(text);
  for (const [wrong, right] of loadLexicon().typos) folded = folded.replaceAll(wrong, right);
  return folded.replace(/(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])/g, '').trim();
}

interface Span {
  start: number;
  end: number;
  sentence: number;
  connective?: string;
}

function splitByPunctuation(masked: string): Span[] {
  const spans: Span[] = [];
  let sentence = 0;
  let start = 0;
  const close = (end: number) => {
    if (masked.slice(start, end).trim() !== '') spans.push({ start, end, sentence });
    start = end;
  };
  for (const boundary of masked.matchAll(BOUNDARY)) {
    close(boundary.index + boundary[0].length);
    if (boundary[1] !== undefined) sentence += 1;
  }
  close(masked.length);
  return spans;
}

/** Characters around a connective that decide whether it splits; the verb of a request stands near its start. */
const NEAR = 60;

/** Splits a span where a connective starts a request of its own: 先改代码再跑测试, 写个脚本并运行. */
function splitByConnectives(masked: string, span: Span): Span[] {
  const { connective } = loadGrammar();
  const text = masked.slice(span.start, span.end);
  const out: Span[] = [];
  let current: Span = { ...span };
  for (const match of text.matchAll(connective)) {
    const at = span.start + match.index;
    const word = match[0];
    if (word === '并' && /[合兼]$/.test(masked.slice(0, at))) continue;
    const atStart = masked.slice(current.start, at).trim() === '';
    const rest = foldForGrammar(masked.slice(at + word.length, Math.min(span.end, at + word.length + NEAR)));
    if (atStart) {
      current.connective ??= word;
      continue;
    }
    if (!startsLikeRequest(rest)) continue;
    // 怎么配置证书并部署: a question that is not itself asked for by a verb reaches over the connective.
    const left = foldForGrammar(masked.slice(Math.max(current.start, at - NEAR), at));
    if (questionIn(left) && !startsLikeRequest(left)) continue;
    out.push({ ...current, end: at });
    current = { start: at, end: span.end, sentence: span.sentence, connective: word };
  }
  out.push(current);
  return out;
}

/** 并发布 must not be read as 并发 + 布. */
function withoutConnective(text: string, connective: string | undefined): string {
  const trimmed = text.trimStart();
  return connective !== undefined && trimmed.startsWith(connective) ? trimmed.slice(connective.length) : trimmed;
}

/**
 * Cuts an utterance into clauses, in order and without gaps.
 *
 * @param text as the user wrote it
 */
export function splitClauses(text: string): Clause[] {
  const masked = blankPasted(maskQuotes(text));
  const spans = splitByPunctuation(masked).flatMap((span) => splitByConnectives(masked, span));
  return spans.map((span) => ({
    original: text.slice(span.start, span.end),
    start: span.start,
    end: span.end,
    folded: foldForGrammar(withoutConnective(masked.slice(span.start, span.end), span.connective)).replace(
      /[,，。;；:：!！\s]+$/,
      '',
    ),
    sentence: span.sentence,
    ...(span.connective === undefined ? {} : { connective: span.connective }),
  }));
}
