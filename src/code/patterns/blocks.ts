import type { SourceText } from '../source.js';

/** Finds where the block that begins after an offset ends (the offset behind its last character). */
export type BlockEnd = (declarationEnd: number, declarationStart: number) => number;

/**
 * Blocks in braces: every `{` is paired once for the whole file, unclosed ones run to the end.
 *
 * @param code without comments and literals
 */
export function braceBlocks(code: string): BlockEnd {
  const opens: number[] = [];
  const closeOf = new Map<number, number>();
  for (const match of code.matchAll(/[{}]/g)) {
    if (match[0] === '{') opens.push(match.index);
    else {
      const open = opens.pop();
      if (open !== undefined) closeOf.set(open, match.index + 1);
    }
  }
  return (end, start) => {
    // The header may already hold the brace; a semicolon first means that there is no block.
    const held = code.slice(start, end).lastIndexOf('{');
    if (held >= 0) return closeOf.get(start + held) ?? code.length;
    const open = blockStart(code, end, start);
    return open === undefined ? end : (closeOf.get(open) ?? code.length);
  };
}

/** Longer headers than this don't occur; an unclosed parenthesis must not be followed to the end of the file. */
const MAX_HEADER = 5000;

/** What may stand on the next line of a header before its brace: a brace, a list that goes on, a clause. */
const HEADER_GOES_ON =
  /^\s*(?:[{:,)=&|<]|->|extends\b|implements\b|permits\b|where\b|throws\b|const\b|override\b|noexcept\b|returns?\b)/;

/** What a line of a header may end with when it goes on. */
const LINE_GOES_ON = /[:,(=&|<][ \t\r]*$/;

/** Offset of the brace that belongs to a header, or undefined for a declaration without a block. */
function blockStart(code: string, end: number, start: number): number | undefined {
  let depth = 0;
  for (const char of code.slice(start, end)) depth += char === '(' ? 1 : char === ')' ? -1 : 0;
  for (let i = end; i < Math.min(code.length, end + MAX_HEADER); i++) {
    const char = code[i];
    if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (depth > 0) continue;
    else if (char === '{') return i;
    else if (char === ';') return undefined;
    else if (char === '\n' && !HEADER_GOES_ON.test(code.slice(i, i + 200)) && !LINE_GOES_ON.test(code.slice(end, i)))
      return undefined;
  }
  return undefined;
}

/** Blocks by indentation (Python) and by `end` at the declaration's own indentation (Ruby). */
export function indentedBlocks(code: string, source: SourceText, endWord: string | undefined): BlockEnd {
  return (end, start) => {
    const indent = /^[ \t]*/.exec(code.slice(start, start + 200))![0].length;
    const lineEnd = source.startOf(source.lineAt(end) + 1);
    if (endWord !== undefined && new RegExp(`\\b${endWord}\\s*$`).test(code.slice(end, lineEnd))) return lineEnd - 1;
    for (let line = source.lineAt(end) + 1; line <= source.lineCount; line++) {
      const text = code.slice(source.startOf(line), source.startOf(line + 1));
      const content = text.trim();
      if (content === '' || /^[ \t]*/.exec(text)![0].length > indent) continue;
      return endWord !== undefined && content.startsWith(endWord)
        ? source.startOf(line) + indent + endWord.length
        : source.startOf(line) - 1;
    }
    return code.length;
  };
}
