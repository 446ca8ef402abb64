import pc from 'picocolors';
import type { LookupPart } from '../../knowledge/index.js';
import { EXIT } from '../exit-codes.js';
import { openCore, reportProblems } from '../open.js';
import { print, printJson, visible } from '../output.js';
import type { CommonOptions } from './options.js';

/** `xihe lookup`: the exact document first, a supplement beside it. */
export async function lookup(query: string, options: CommonOptions & { section?: string }): Promise<number> {
  const { core, layout } = await openCore(options.repo);
  const started = performance.now();
  const result = core.lookup(query, options.section);
  const ms = performance.now() - started;
  reportProblems(core.problems, options.json);
  if (options.json) printJson(result);
  else if (!result.found) print(notFound(result.nearest ?? []));
  else {
    const { primary, supplement } = result;
    if (primary) {
      print(`${headOf(primary, '精确命中')}\n${visible(primary.content)}`);
      if (primary.sections?.length)
        print(pc.dim(`章节：${visible(primary.sections.join('、'))}（用 --section 只取一节）`));
      if (primary.others?.length) print(pc.dim(`也提到它：${visible(primary.others.map((o) => o.title).join('、'))}`));
    }
    if (supplement) print(`${primary ? '\n' : ''}${headOf(supplement, '意思相近')}\n${visible(supplement.content)}`);
  }
  const { QueryLog, recordOfLookup } = await import('../../zhcore/index.js');
  new QueryLog(layout.stateDir).append(recordOfLookup(result, { text: query, ms, dataVersion: core.dataVersion }));
  return result.found ? EXIT.done : EXIT.failed;
}

function notFound(nearest: { title: string }[]): string {
  const near = nearest.map(({ title }) => `《${visible(title)}》`).join('、');
  const next = near ? `标题相近的有：${near}。用标题里的词再查` : '换个说法再查';
  return `知识库里没有相关内容。${next}，或在 .xihe/knowledge/ 里补一篇。`;
}

/** Title, how it was found and where it stands; whoever reads it should know when it stops to hold. */
function headOf(part: LookupPart, how: string): string {
  const { title = '', source, valid_until: until, expired } = part;
  const limit = until === undefined ? '' : pc.yellow(expired ? `  已过期：只适用到 ${until}` : `  只适用到 ${until}`);
  return `${pc.bold(visible(title))}  ${pc.dim(`${how}，来源 ${visible(source)}`)}${limit}`;
}
