import { stableHash } from '../../text/index.js';

/** One item of a YAML list as it stands in its file. */
export interface Block {
  id: string;
  /** Offsets into the text, from the dash to behind the last line that belongs to the item. */
  start: number;
  end: number;
  text: string;
}

/**
 * Cuts the text of a term file into its items. Blank lines and comments behind an item are not part of it.
 *
 * @returns [] where the file is no plain block list
 */
export function blocksOf(text: string): Block[] {
  const indent = /^([ \t]*)- /m.exec(text)?.[1];
  if (indent === undefined) return [];
  const starts = [...text.matchAll(new RegExp(`^${indent}- `, 'gm'))].map(({ index }) => index);
  return starts.flatMap((start, i) => {
    const whole = text.slice(start, starts[i + 1] ?? text.length);
    const body = withoutTail(whole);
    const id = /^[ \t]*(?:- )?[ \t]*id:[ \t]*(["']?)([^\s"'#]+)\1/m.exec(body)?.[2];
    return id === undefined ? [] : [{ id, start, end: start + body.length, text: body }];
  });
}

function withoutTail(block: string): string {
  const lines = block.split(/(?<=\n)/);
  while (lines.length > 1 && /^\s*(?:#.*)?\r?\n?$/.test(lines.at(-1)!)) lines.pop();
  return lines.join('');
}

/** Tells whether an item is still as it was written: line ends and indentation don't count, everything else does. */
export function fingerprint(block: string): string {
  const lines = block.replace(/\r\n?/g, '\n').trimEnd().split('\n');
  const indent = /^\s*/.exec(lines[0]!)![0].length;
  return stableHash(
    lines.map((line) => line.slice(Math.min(indent, /^\s*/.exec(line)![0].length)).trimEnd()).join('\n'),
  );
}
