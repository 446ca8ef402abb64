// `npx tsx scripts/fold-tables.ts`: which characters OpenCC may change, and what it makes of our regional words, so that text in simplified
// characters is folded without its tables. Run it after an update of opencc-js or a change of src/text/regional.ts; a test says so when it
// was forgotten.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { REGIONAL_ANY_SCRIPT, REGIONAL_GUARDS } from '../src/text/regional.js';

const load = createRequire(import.meta.url);
const CHARACTERS_A_LINE = 50;

/** The text of `src/text/traditional.ts`. */
export function foldTables(): string {
  const { Converter } = load('opencc-js/t2cn') as typeof import('opencc-js/t2cn');
  const simplified = Converter({ from: 't', to: 'cn' });
  const changed = new Set<string>();
  for (let code = 0x80; code < 0x1_0000; code++) {
    const character = String.fromCharCode(code);
    if (/[^\uD800-\uDFFF]/.test(character) && simplified(character) !== character) changed.add(character);
  }
  for (const phrase of phrases()) {
    // Characters that change in some words only: 沈思, but not 沈阳.
    if ([...phrase].some((character) => changed.has(character))) continue;
    const now = [...simplified(phrase)];
    for (const [i, character] of [...phrase].entries()) if (now[i] !== character) changed.add(character);
  }
  const words = [...REGIONAL_ANY_SCRIPT.map(([from]) => from), ...REGIONAL_GUARDS];
  const pairs = words.flatMap((word) => (simplified(word) === word ? [] : [`${word}=${simplified(word)}`]));
  return `/**
 * What OpenCC's tables say, made by \`scripts/fold-tables.ts\`: loading them takes a cold process 40 ms, and most text needs none of it.
 */

/** Characters that OpenCC changes, alone or in some words. Text without them, and without characters beyond 16 bits, stays as it is. */
export const TRADITIONAL =
${quoted(cut([...changed].sort().join('')))};

/** \`regional=simplified\` for the words of \`regional.ts\` that count in both scripts. */
export const REGIONAL_SIMPLIFIED =
${quoted(lines(pairs))};
`;
}

/** All words and phrases of OpenCC's file, of every dictionary in it. */
function phrases(): string[] {
  const source = readFileSync(load.resolve('opencc-js/t2cn'), 'utf8');
  return [...source.matchAll(/(?:^|[|"'`])([^|"'` ]*[\u3400-\u9FFF][^|"'` ]*) [^|"'` ]+(?=[|"'`])/g)].map(
    ([, from]) => from!,
  );
}

function cut(text: string): string[] {
  return text.match(new RegExp(`.{1,${CHARACTERS_A_LINE}}`, 'gu')) ?? [];
}

function lines(pairs: readonly string[]): string[] {
  const out: string[] = [];
  for (let i = 0; i < pairs.length; i += 8) out.push(`${pairs.slice(i, i + 8).join(' ')} `);
  return out;
}

function quoted(parts: readonly string[]): string {
  return parts.map((part) => `  '${part}'`).join(' +\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('../src/text/traditional.ts', import.meta.url), foldTables());
