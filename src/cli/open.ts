import pc from 'picocolors';
import type { History } from '../history/index.js';
import { openLayout, type ProjectLayout } from '../layout.js';
import type { PathContext } from '../paths/index.js';
import type { LoadProblem, ZhCore } from '../zhcore/index.js';
import { log } from './output.js';

/** Opens only the data core of a project: what `lookup` and `core` need, without LangGraph and without a path index. */
export async function openCore(repo: string): Promise<{ layout: ProjectLayout; core: ZhCore }> {
  const layout = openLayout(repo);
  const { openZhCore } = await import('../zhcore/index.js');
  const core = openZhCore({ projectDir: layout.layerDir, cacheDir: layout.stateDir });
  return { layout, core };
}

/** Opens the path context of a project, with the team's words and the commit history as evidence. */
export async function openPathContext(
  repo: string,
): Promise<{ layout: ProjectLayout; core: ZhCore; paths: PathContext; history: History }> {
  const { layout, core } = await openCore(repo);
  const [{ openPaths }, { openHistory }] = await Promise.all([
    import('../paths/index.js'),
    import('../history/index.js'),
  ]);
  const history = await openHistory(layout.root, layout.stateDir);
  const started = Date.now();
  let told = false;
  const paths = await openPaths({
    root: layout.root,
    stateDir: layout.stateDir,
    terms: core.termLookup(),
    history,
    onProgress: ({ done, total }) => {
      // Only what lasts over a second is worth a line.
      if (!told && Date.now() - started < 1000) return;
      told = true;
      log(pc.dim(`正在读文件 ${done}/${total}`));
    },
  });
  return { layout, core, paths, history };
}

/** Files of the layer that could not be loaded: said on stderr, everything else goes on. */
export function reportProblems(problems: LoadProblem[], json?: boolean): void {
  if (json) return;
  for (const p of problems) {
    log(`${pc.yellow('没能加载')} ${p.file}:${p.line}：${p.reason}${p.keptLastGood ? '（沿用上一个好的版本）' : ''}`);
  }
}
