// `npm run -s bench:faq [-- --cache DIR] [--errors] [--json]`: look-ups in a team's short pages of several topics (`bench/faq`), asked
// in other words than the pages use, and questions that no page answers. Through the whole of `lookup_knowledge`, beside what ships.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../src/assets.js';
import { loadConfig } from '../src/config.js';
import { KnowledgeBase, readyVectorsFile, VectorArm } from '../src/knowledge/index.js';

const { values } = parseArgs({
  options: {
    cache: { type: 'string' },
    errors: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const here = join(packageRoot(), 'bench', 'faq');
const cacheDir = values.cache ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'xihe', 'bench');
const { answered, unanswered } = JSON.parse(readFileSync(join(here, 'questions.json'), 'utf8')) as {
  /** Question, and the page that answers. */
  answered: [string, string][];
  unanswered: string[];
};
const { embedding } = loadConfig(join(cacheDir, 'no-layer'));
const vectors = new VectorArm({
  embedding,
  dir: join(cacheDir, 'vectors-faq'),
  readyFile: readyVectorsFile(packageRoot()),
});
const base = KnowledgeBase.open(
  [
    { dir: join(packageRoot(), 'knowledge'), layer: 'general' },
    { dir: join(here, 'docs'), layer: 'project' },
  ],
  { vectors },
);
vectors.take(base.chunks);
await vectors.build();

const rows = [];
for (const arms of ['both', 'words'] as const) {
  const counts = { first: 0, right: 0, other: 0, none: 0, refused: 0, wrong: 0 };
  const tell = (kind: string, query: string, got: string | undefined) => {
    if (values.errors) process.stdout.write(`${arms} ${kind}: ${query}${got === undefined ? '' : ` → ${got}`}\n`);
  };
  for (const [query, page] of [...answered, ...unanswered.map((one) => [one, ''] as const)]) {
    const asked = arms === 'both' ? await base.ask(query, { budgetMs: 60_000 }) : {};
    const part = base.lookup(query, undefined, { asked }).supplement;
    const source = part?.source.split('/').at(-1)?.replace('.md', '');
    if (page === '') {
      if (part === null) counts.refused++;
      else {
        counts.wrong++;
        tell('wrong', query, part.source);
      }
      continue;
    }
    const own = base
      .search(query, 12, { meaning: asked.meaning })
      .filter(({ chunk }) => chunk.provenance.layer === 'project');
    if (own[0]?.chunk.documentId === `${page}.md`) counts.first++;
    if (source === page) counts.right++;
    else if (part === null) {
      counts.none++;
      tell('none', query, undefined);
    } else {
      counts.other++;
      tell('other', query, part.source);
    }
  }
  rows.push({ arms, answered: answered.length, unanswered: unanswered.length, ...counts });
}
if (values.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
else
  for (const row of rows)
    process.stdout.write(
      `${row.arms}: ${row.answered} 问，首位对 ${row.first}，给对 ${row.right}，给错 ${row.other}，没给 ${row.none}；${row.unanswered} 个没有答案的问题，拒答 ${row.refused}\n`,
    );
await vectors.close();
