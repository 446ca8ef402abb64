import { join } from 'node:path';
import pc from 'picocolors';
import { CONFIG_FILE, configFaults, defaultConfig, loadConfig, type XiheConfig } from '../config.js';
import type { History } from '../history/index.js';
import { openLayout, openLayoutToRead, type ProjectLayout } from '../layout.js';
import type { PathContext, TermLookup } from '../paths/index.js';
import { userConfigDir } from '../trust.js';
import type { LoadProblem, ZhCore } from '../zhcore/index.js';
import { log, progressLog, visible } from './output.js';

/**
 * Opens only the data core of a project: what `lookup` and `core` need, without LangGraph and without a path index.
 *
 * @param options `quiet` where the command itself tells what is wrong with the settings; `vectors` where answers are to be found by
 *   meaning as well (such a core is to be closed); `needsState` where what is made has to be kept
 * @throws XiheError REPO_NOT_FOUND; STATE_UNWRITABLE with `needsState`
 */
export async function openCore(
  repo: string,
  options: { quiet?: boolean; vectors?: boolean; needsState?: boolean } = {},
): Promise<{ layout: ProjectLayout; core: ZhCore }> {
  const layout = options.needsState === true ? openLayout(repo) : openLayoutToRead(repo);
  if (options.quiet !== true) tellWithoutState(layout);
  if (options.quiet !== true) warnOfConfig(layout);
  const { openZhCore } = await import('../zhcore/index.js');
  const vectors = options.vectors === true ? { vectors: settingsOf(layout) } : {};
  const core = openZhCore({ projectDir: layout.layerDir, cacheDir: layout.stateDir, ...vectors });
  return { layout, core };
}

/** That nothing is kept this time, where it is so. */
export function tellWithoutState({ withoutState: why }: ProjectLayout): void {
  if (why !== undefined) log(pc.dim(`${visible(why)}；这次照常查，不留缓存和记录`));
}

/** Settings that can't be read were told already; the model that ships needs none. */
export function settingsOf({ layerDir }: ProjectLayout): XiheConfig {
  try {
    return loadConfig(layerDir);
  } catch {
    return defaultConfig();
  }
}

/** These commands don't need the settings; that they are wrong is said all the same, since xihe run would refuse them. */
function warnOfConfig({ layerDir, root }: ProjectLayout): void {
  const own = userConfigDir();
  const files = [
    [`.xihe/${CONFIG_FILE}`, configFaults(layerDir, root)],
    [join(own, CONFIG_FILE), configFaults(own)],
  ] as const;
  for (const [file, faults] of files)
    for (const { line, reason } of faults)
      log(`${pc.yellow('提醒')} ${file}:${line}：${reason}（这个命令按默认设置照常；xihe run 会拒绝启动）`);
}

/** A project's paths, and what they were opened with. */
interface OpenedPaths {
  layout: ProjectLayout;
  paths: PathContext;
  history: History;
}

/** Opens core and path context of a project, with the team's words and the commit history as evidence. */
export async function openPathContext(
  repo: string,
  options: { quiet?: boolean } = {},
): Promise<OpenedPaths & { core: ZhCore }> {
  const { layout, core } = await openCore(repo, options);
  return { ...(await pathsOf(layout, core.termLookup())), core };
}

/** {@link openPathContext} where nothing else is asked of the core: `problems` are those of what files are found with. */
export async function openPathsOnly(repo: string): Promise<OpenedPaths & { problems: LoadProblem[] }> {
  const layout = openLayoutToRead(repo);
  tellWithoutState(layout);
  warnOfConfig(layout);
  const { openTeamWords } = await import('../zhcore/teamWords.js');
  const words = openTeamWords(layout.layerDir, layout.stateDir);
  const opened = await pathsOf(layout, words.lookup);
  return {
    ...opened,
    get problems() {
      return words.problems;
    },
  };
}

/** Opens the paths of a project. @param terms the words that files are found with */
export async function pathsOf(layout: ProjectLayout, terms: TermLookup): Promise<OpenedPaths> {
  const [{ openPaths }, { openHistory }] = await Promise.all([
    import('../paths/index.js'),
    import('../history/index.js'),
  ]);
  const history = await openHistory(layout.root, layout.stateDir, settingsOf(layout).history);
  const say = progressLog();
  const paths = await openPaths({
    root: layout.root,
    stateDir: layout.stateDir,
    terms,
    history,
    onProgress: ({ done, total }) => say(`正在读文件 ${done}/${total}`),
  });
  return { layout, paths, history };
}

/** What is wrong in files of the layer: said on stderr, errors first; everything else goes on. */
export function reportProblems(problems: LoadProblem[], json?: boolean): void {
  if (json) return;
  for (const { file, line, reason, level } of errorsFirst(problems)) {
    log(`${level === 'error' ? pc.yellow('没能加载') : pc.dim('提醒')} ${visible(`${file}:${line}：${reason}`)}`);
  }
}

/** Problems as people should read them. */
export function errorsFirst(problems: readonly LoadProblem[]): LoadProblem[] {
  const of = (wanted: LoadProblem['level']) => problems.filter(({ level }) => level === wanted);
  return [...of('error'), ...of('warning')];
}
