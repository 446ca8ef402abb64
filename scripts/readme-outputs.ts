// `npm run docs` also runs every command that a README shows and puts in what it prints, so that pasted output can't grow old.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The READMEs whose outputs are real. */
export const PAGES = ['README.md', 'README.en.md'];

/** `<!-- run: xihe find 回调验签 -->` and the fenced block under it. */
const BLOCK = /(<!-- run: xihe (.+?) -->\n```\w*\n)([\s\S]*?)^```$/gm;

/**
 * A page with the outputs of today. Commands run in a fresh copy of examples/mall.
 *
 * @param page file name, relative to the root
 */
export function withOutputs(page: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  const mall = mkdtempSync(join(tmpdir(), 'xihe-readme-'));
  try {
    cpSync(join(root, 'examples', 'mall'), mall, {
      recursive: true,
      filter: (p) => !/node_modules|\.xihe[\\/]state/.test(p),
    });
    return text.replace(BLOCK, (_, head: string, args: string) => `${head}${run(args, mall)}\n\`\`\``);
  } finally {
    rmSync(mall, { recursive: true, force: true });
  }
}

function run(args: string, cwd: string): string {
  const output = execFileSync(process.execPath, [join(root, 'bin', 'xihe'), ...args.split(' ')], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    // With the settings of a new user.
    env: { ...process.env, NO_COLOR: '1', XIHE_EMBED_PROVIDER: 'auto' },
  });
  return output.replace(/^\n+|\s+$/g, '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const page of PAGES) writeFileSync(join(root, page), withOutputs(page));
}
