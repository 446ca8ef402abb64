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
    const stop = /[{;]|\n[ \t]*\n/g;
    stop.lastIndex = end;
    const match = stop.exec(code);
    if (match?.[0] !== '{') return end;
    return closeOf.get(match.index) ?? code.length;
  };
}

/** Blocks by indentation (Python) and by `end` at the declaration's own indentation (Ruby). */
export function indentedBlocks(code: string, source: SourceText, endWord: string | undefined): BlockEnd {
  return (end, start) => {
    const indent = /^[ \t]*/.exec(code.slice(start))![0].length;
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
