import { setTimeout as sleep } from 'node:timers/promises';
import pc from 'picocolors';
import { messageOf } from '../../errors.js';
import type { ProjectLayout } from '../../layout.js';
import type { RefreshReport, TermLookup } from '../../paths/index.js';
import { pathsOf } from '../open.js';
import { log, visible } from '../output.js';

/** How often notices of changed files are looked through; a look costs 0.3 ms where there are none. In milliseconds. */
const LOOK_EVERY_MS = 500;
/** The same where the system gives no notices and the whole tree has to be walked. */
const WALK_EVERY_MS = 10_000;
/** The index is written once nothing has changed for so long: writing 20,000 files takes half a second. */
const QUIET_MS = 2_000;

/**
 * Keeps the path index of a project as its files are, and written, so that `xihe find` of another process has nothing to read.
 * What goes wrong is told, and ends only this.
 *
 * @param signal ends it
 * @param onReady called once the index is there, with the number of its files
 */
export async function keepPathsFresh(
  layout: ProjectLayout,
  terms: TermLookup,
  signal: AbortSignal,
  onReady: (files: number) => void,
): Promise<void> {
  try {
    const { paths } = await pathsOf(layout, terms);
    const pause = paths.watch() ? LOOK_EVERY_MS : WALK_EVERY_MS;
    onReady(paths.files.length);
    let changedAt = Number.POSITIVE_INFINITY;
    while (!signal.aborted) {
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      const report = await paths.refresh();
      if (sizeOf(report) > 0) changedAt = Date.now();
      if (signal.aborted || Date.now() - changedAt >= QUIET_MS) {
        paths.save();
        changedAt = Number.POSITIVE_INFINITY;
      }
    }
    paths.close();
  } catch (e) {
    log(pc.yellow(`文件索引没能跟着更新：${visible(messageOf(e))}；xihe find 会自己更新`));
  }
}

function sizeOf({ added, changed, removed }: RefreshReport): number {
  return added.length + changed.length + removed.length;
}
