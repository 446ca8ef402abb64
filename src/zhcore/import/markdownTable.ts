import { parseBlocks } from '../../knowledge/markdown.js';
import { bareText } from './navigation.js';
import type { Sheet } from './sheet.js';

/** The tables of a Markdown text, for glossaries that are kept in one. Rows have the lines of the file. */
export function readMarkdownTables(text: string): Sheet[] {
  return parseBlocks(text, 1)
    .filter((block) => block.kind === 'table')
    .map((block) => ({
      name: '',
      rows: block.text
        .split('\n')
        .map((line, i) => ({ row: block.line + i, cells: cellsOf(line) }))
        .filter(({ cells }) => !cells.every((cell) => /^:?-*:?$/.test(cell))),
    }));
}

function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\||(?<!\\)\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => bareText(cell.replace(/\\\|/g, '|').replace(/<br\s*\/?>/gi, '\n')));
}
