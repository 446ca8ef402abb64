import pc from 'picocolors';
import { XiheError } from '../../errors.js';
import type { LookupPart, LookupResult } from '../../knowledge/index.js';
import { EXIT } from '../exit-codes.js';
import { openCore, reportProblems } from '../open.js';
import { degradedText, log, print, printJson, progressLog, visible, visibleLine } from '../output.js';
import type { CommonOptions } from './options.js';

interface LookupOptions extends CommonOptions {
  section?: string;
  exact?: boolean;
}

/** `xihe lookup`: the exact document first and at once, then what is near in meaning. */
export async function lookup(query: string, options: LookupOptions): Promise<number> {
  if (query.trim() === '') throw new XiheError('USAGE', '没有写要查什么', { hint: '例如 xihe lookup 退款多久到账。' });
  const { core, layout } = await openCore(options.repo, { vectors: options.exact !== true });
  const { section, json } = options;
  try {
    // The model loads in a thread of its own while the exact hit is found and shown.
    core.vectors?.warm();
    const started = performance.now();
    const exact = core.lookup(query, section, { exactOnly: true });
    reportProblems(core.problems, json);
    if (!json) showPrimary(exact);
    const result = options.exact ? exact : await core.askLookup(query, section, { onProgress: cutting() });
    const ms = performance.now() - started;
    if (json) printJson(result);
    else if (!result.found) print(notFound(result));
    else if (!options.exact) showSupplement(result, exact.found);
    if (!json && !options.exact) tellState(result);
    const { QueryLog, recordOfLookup } = await import('../../zhcore/index.js');
    new QueryLog(layout.stateDir).append(recordOfLookup(result, { text: query, ms, dataVersion: core.dataVersion }));
    // A section that is not there is not what was asked for.
    const isWhole = result.found && result.primary?.missing_section === undefined;
    return isWhole ? EXIT.done : EXIT.failed;
  } finally {
    await core.close();
  }
}

/** Thousands of new passages take seconds. */
function cutting(): (done: number, total: number) => void {
  const say = progressLog();
  return (done, total) => say(`正在整理新的知识片段 ${done}/${total}`);
}

function showPrimary({ primary }: LookupResult): void {
  if (!primary) return;
  const { missing_section: missing, sections = [] } = primary;
  if (missing === undefined) print(`${headOf(primary, '精确命中')}\n${visible(primary.content)}`);
  else {
    const none = sections.length === 0 ? '，它没有分章节' : '';
    print(`${headOf(primary, '精确命中')}\n${pc.yellow(`里面没有「${visibleLine(missing)}」这一节${none}。`)}`);
  }
  if (primary.sections?.length) print(pc.dim(`章节：${visible(primary.sections.join('、'))}（用 --section 只取一节）`));
  if (primary.others?.length) print(pc.dim(`也提到它：${visible(primary.others.map((o) => o.title).join('、'))}`));
}

function showSupplement({ supplement }: LookupResult, isSecond: boolean): void {
  if (supplement) print(`${isSecond ? '\n' : ''}${headOf(supplement, '意思相近')}\n${visible(supplement.content)}`);
}

/** What the answer could not draw on, so that nobody takes it for all there is. */
function tellState({ degraded_why: why, pending }: LookupResult): void {
  if (why !== undefined) log(pc.yellow(degradedText(why)));
  if (pending !== undefined) log(pc.dim(`有 ${pending} 段还没有向量，眼下只能按词找到；运行 xihe index 建好`));
}

function notFound({ nearest = [] }: LookupResult): string {
  const near = nearest.map(({ title }) => `《${visible(title)}》`).join('、');
  const next = near ? `标题相近的有：${near}。用标题里的词再查` : '换个说法再查';
  return `知识库里没有相关内容。${next}，或在 .xihe/knowledge/ 里补一篇。`;
}

/** Title, how it was found and where it stands; whoever reads it should know when it stops to hold. */
function headOf(part: LookupPart, how: string): string {
  const { title = '', source, valid_until: until, expired } = part;
  // What a file says of its own source is no more than that; where it stands is certain.
  const from = part.origin === undefined || part.origin === source ? '' : `，出自 ${visibleLine(part.origin)}`;
  const limit = until === undefined ? '' : pc.yellow(expired ? `  已过期：只适用到 ${until}` : `  只适用到 ${until}`);
  return `${pc.bold(visible(title))}  ${pc.dim(`${how}，来源 ${visible(source)}${from}`)}${limit}`;
}
