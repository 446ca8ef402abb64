import type { Changeset } from '../sandbox/index.js';
import type { ToolContext } from '../tools/index.js';
import { type NodeEnv, requestOf } from './node.js';
import type { Fed, RunState } from './state.js';

/** Who a request without an identity is: the person at this machine, who may do what the tools allow. */
const LOCAL_CALLER = { name: 'local', roles: ['reader', 'developer'] };

/** A tool context together with the feeding lines that calls add. */
export interface CallSite {
  ctx(callId: string): ToolContext;
  fed: Fed[];
}

/** Everything that tool calls of this node may touch. */
export async function callSite(state: RunState, env: NodeEnv, changeset?: Changeset): Promise<CallSite> {
  const { project, thread } = env;
  const paths = await project.paths(env.signal);
  const caller = requestOf(state).caller ?? LOCAL_CALLER;
  const fed: Fed[] = [];
  const ctx = (callId: string): ToolContext => ({
    root: project.layout.root,
    stateDir: project.layout.stateDir,
    core: project.core,
    paths,
    ...(changeset ? { changeset } : {}),
    caller,
    thread,
    callId,
    turn: state.turn,
    ...(env.signal ? { signal: env.signal } : {}),
    ...(project.config.sandbox.testCommand ? { testCommand: project.config.sandbox.testCommand } : {}),
    commandSeconds: project.config.sandbox.timeoutSeconds,
    fed: (entry) => fed.push({ ...entry, run: state.run }),
    audit: (entry) => project.audit.append({ ...entry, at: new Date().toISOString(), who: caller.name, thread }),
    progress: (text) => env.emit({ type: 'progress', text }),
  });
  return { ctx, fed };
}
