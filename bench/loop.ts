// `npm run bench:loop`: what the working loop costs. See bench/README.md.
import { overheadRows } from './loop-overhead.js';
import { shopAlone, shopAmongOthers } from './loop-repos.js';
import { ARMS, type TokenRow, tokenRows } from './loop-tokens.js';

process.env.XIHE_EMBED_PROVIDER = 'none';
const only = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const wants = (part: string) => only.length === 0 || only.includes(part);
/** In the large repository a few say all: the listing outweighs everything else. */
const LARGE_SCENARIOS = 3;
const REPOSITORIES = { 商城: shopAlone, '商城在 3,000 个文件里': shopAmongOthers };

if (wants('tokens')) {
  for (const [where, make] of Object.entries(REPOSITORIES)) {
    const rows = await tokenRows(make, Object.keys(ARMS), make === shopAlone ? undefined : LARGE_SCENARIOS);
    console.log(`\n${where}\n`);
    console.log(tokenTable(rows));
  }
}
if (wants('overhead')) {
  for (const [where, make] of Object.entries(REPOSITORIES)) {
    console.log(`\n${where}\n`);
    console.log(await overheadRows(make));
  }
}

function tokenTable(rows: readonly TokenRow[]): string {
  const head = ['scenario', 'xihe', 'tree', '%', 'tree+docs', '%'];
  const lines = rows.map(({ name, arms }) => {
    const cell = (arm: string) => {
      const { tokens, turns, right } = arms[arm]!;
      return `${tokens.toLocaleString('en')} (${turns}${right ? '' : ', wrong'})`;
    };
    const share = (arm: string) => `${Math.round((100 * arms.xihe!.tokens) / arms[arm]!.tokens)}`;
    return [name, cell('xihe'), cell('tree'), share('tree'), cell('tree+docs'), share('tree+docs')];
  });
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
