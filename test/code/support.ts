import type { CodeSymbol, Outline } from '../../src/code/index.js';

/** `kind container.name` of each symbol, in order. */
export function names(outline: Outline): string[] {
  return outline.symbols.map(
    (symbol) => `${symbol.kind} ${symbol.container ? `${symbol.container}.` : ''}${symbol.name}`,
  );
}

/** The one symbol of a name; fails the test when it isn't there. */
export function symbol(outline: Outline, name: string, container?: string): CodeSymbol {
  const found = outline.symbols.find((s) => s.name === name && (container === undefined || s.container === container));
  if (found === undefined) throw new Error(`no symbol ${name}; there are: ${names(outline).join(', ')}`);
  return found;
}

/** Lines joined by LF, so that snippets can be counted by line. */
export function lines(...text: string[]): string {
  return `${text.join('\n')}\n`;
}
