import { totalmem } from 'node:os';
import type { ProcessTree } from './processTree.js';

/** More living processes than this in one run is a fork bomb, not a build. */
const MAX_PROCESSES = 512;
/** A command may not take the machine down with it: half of the memory, and never more than this. Bytes. */
const MAX_MEMORY_BYTES = 8 * 1024 ** 3;
/** With a pid namespace nothing can escape, so looking is only for the limits. Milliseconds. */
const CONFINED_POLL_MS = 200;
/** Without one, children that leave the tree must be seen before their parents die: often at first … */
const EAGER_POLL_MS = 15;
const EAGER_POLLS = 100;
/** … then less often, since a look costs a millisecond or two. */
const CALM_POLL_MS = 100;

/** The memory (resident, all processes together) that one command may take here, in bytes. */
export function totalMemoryLimit(): number {
  return Math.min(MAX_MEMORY_BYTES, totalmem() / 2);
}

/**
 * Looks at the processes of a run from time to time: keeps the tree's knowledge fresh and enforces the limits.
 *
 * @param options.onBreach gets a Chinese reason, once
 * @returns stops the watch
 */
export function watchRun(
  tree: ProcessTree,
  options: { confined: boolean; maxMemoryBytes: number; onBreach: (why: string) => void },
): () => void {
  let polls = 0;
  let timer: NodeJS.Timeout;
  const look = () => {
    polls++;
    const alive = tree.alive();
    const memory = alive.reduce((sum, p) => sum + p.rssBytes, 0);
    if (alive.length > MAX_PROCESSES) options.onBreach(`同时有超过 ${MAX_PROCESSES} 个进程，已终止`);
    else if (memory > options.maxMemoryBytes) {
      options.onBreach(`内存超过 ${Math.round(options.maxMemoryBytes / 1024 / 1024)} MB，已终止`);
    } else
      timer = setTimeout(
        look,
        options.confined ? CONFINED_POLL_MS : polls < EAGER_POLLS ? EAGER_POLL_MS : CALM_POLL_MS,
      );
  };
  timer = setTimeout(look, options.confined ? CONFINED_POLL_MS : 1);
  return () => clearTimeout(timer);
}
