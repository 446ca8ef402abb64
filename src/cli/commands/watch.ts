import pc from 'picocolors';
import type { LoadProblem, ReloadEvent } from '../../zhcore/index.js';
import { EXIT } from '../exit-codes.js';
import { openCore } from '../open.js';
import { log, print, visible } from '../output.js';
import type { CommonOptions } from './options.js';
import { keepPathsFresh } from './watch-paths.js';

/** Files of one reload that are named; a checkout touches hundreds. */
const FILES_SHOWN = 5;

/** `xihe watch`: reloads on every change below `.xihe/` and says what it did, and keeps the index of files fresh, until Ctrl-C. With `--json` one line a reload. */
export async function watch(options: CommonOptions): Promise<number> {
  const { layout, core } = await openCore(options.repo, { vectors: true });
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort());
  process.once('SIGTERM', () => stopped.abort());
  let known = new Set(core.problems.map(keyOf));
  const say = (event: ReloadEvent) => {
    if (options.json) process.stdout.write(`${JSON.stringify(toJson(event))}\n`);
    else print(describe(event, known));
    known = new Set(event.problems.map(keyOf));
    core.vectors?.buildInBackground();
  };
  await core.watch({
    onReload: say,
    onPolling: (reason) => log(pc.yellow(`${reason}，改为每秒看一次`)),
    signal: stopped.signal,
  });
  const { terms, warnings, playbooks, documents } = core.counts();
  log(
    `正在盯着 ${layout.layerDir}（术语 ${terms}，警示 ${warnings}，流程模板 ${playbooks}，文档 ${documents}），按 Ctrl-C 结束`,
  );
  for (const problem of core.problems) log(problemLine(problem));
  core.vectors?.buildInBackground();
  const told = (files: number) => log(pc.dim(`文件索引有 ${files} 个文件，跟着改动更新`));
  const fresh = keepPathsFresh(layout, core.termLookup(), stopped.signal, told);
  if (!stopped.signal.aborted)
    await new Promise<void>((done) => stopped.signal.addEventListener('abort', () => done()));
  await fresh;
  await core.close();
  return EXIT.done;
}

/** What one reload did, for people. @param known problems that were there before, by {@link keyOf} */
export function describe(event: ReloadEvent, known: ReadonlySet<string>): string {
  const { files, problems, ms } = event;
  const named = files.slice(0, FILES_SHOWN).map(visible).join('、');
  const more = files.length > FILES_SHOWN ? ` 等 ${files.length} 处` : '';
  const fresh = problems.filter((problem) => !known.has(keyOf(problem)));
  const mended = known.size - (problems.length - fresh.length);
  return [
    `${named || '有些文件'}${more}：${outcomeOf(event)}（${Math.round(ms)} 毫秒）`,
    ...fresh.map(problemLine),
    ...(mended > 0 ? [pc.green(`  修好了 ${mended} 处`)] : []),
  ].join('\n');
}

function outcomeOf({ files, moved, dataVersion, problems }: ReloadEvent): string {
  // Files of a reload are relative to their layer, those of problems to the project.
  const broken = problems.filter(({ file, level }) => level === 'error' && files.some((f) => file.endsWith(f)));
  const kept = broken.some(({ keptLastGood }) => keptLastGood)
    ? '上一个可用的版本继续生效'
    : '坏的部分没有生效，其余照常';
  if (moved)
    return broken.length === 0
      ? pc.green(`已重新加载，数据版本 ${dataVersion}`)
      : pc.yellow(`已重新加载，数据版本 ${dataVersion}；有 ${broken.length} 处坏了，${kept}`);
  return broken.length === 0 ? pc.dim('内容没有变化') : pc.red(`文件坏了，${kept}`);
}

function problemLine({ file, line, reason, level }: LoadProblem): string {
  return `  ${level === 'error' ? pc.red('坏了') : pc.yellow('提醒')} ${visible(`${file}:${line}：${reason}`)}`;
}

export function keyOf({ file, line, reason }: LoadProblem): string {
  return `${file}:${line}:${reason}`;
}

function toJson({ files, moved, dataVersion, problems, ms }: ReloadEvent) {
  return {
    files,
    moved,
    data_version: dataVersion,
    problems: problems.map(({ file, line, reason, keptLastGood }) => ({
      file,
      line,
      reason,
      kept_last_good: keptLastGood,
    })),
    ms: Math.round(ms),
  };
}
