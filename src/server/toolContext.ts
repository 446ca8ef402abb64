import type { Caller, ToolContext } from '../tools/types.js';
import type { ServedProject } from './projects/index.js';

/**
 * What the tools that only look may touch on behalf of a client. There is no run around the call: nothing is staged, nothing was shown
 * before, every answer is whole.
 *
 * @param callId of the request
 */
export async function lookingContext(project: ServedProject, caller: Caller, callId: string): Promise<ToolContext> {
  const { layout, core, config } = project;
  return {
    root: layout.root,
    stateDir: layout.stateDir,
    core,
    paths: await project.paths(),
    caller,
    thread: `http-${caller.name}`,
    callId,
    turn: 0,
    commandSeconds: config.sandbox.timeoutSeconds,
    fed: () => {},
    audit: () => {},
    progress: () => {},
  };
}
