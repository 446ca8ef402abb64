import { Hotspots } from '../../paths/index.js';
import { Policy } from '../../tools/policy.js';
import type { ServedProject } from '../projects/index.js';
import { type McpProject, noteQuestion, unlessAborted } from './project.js';
import type { ProjectSource } from './session.js';

/**
 * A project that the HTTP service has open, for the clients of its MCP endpoint. The service opens and closes it.
 *
 * @example handler.fetch(request, { owner: key.id, caller: key.caller, source: servedSource(() => projects.open(name)) })
 */
export function servedSource(open: () => Promise<ServedProject>): ProjectSource {
  const known = new WeakMap<ServedProject, McpProject>();
  return {
    async current() {
      const served = await open();
      const project = known.get(served) ?? mcpProjectOf(served);
      known.set(served, project);
      return project;
    },
  };
}

function mcpProjectOf(served: ServedProject): McpProject {
  const { layout, core, queryLog } = served;
  const hotspots = new Hotspots(layout.stateDir);
  const project = {
    layout,
    core,
    hotspots,
    pathsNow: undefined as McpProject['pathsNow'],
    policy: () => Policy.load({ layerDir: layout.layerDir }),
    async paths(signal?: AbortSignal) {
      project.pathsNow = await unlessAborted(served.paths(), signal);
      return project.pathsNow;
    },
    onReload: served.onReload.bind(served),
    record: (question: Parameters<McpProject['record']>[0]) => noteQuestion(queryLog, core.dataVersion, question),
    async close() {
      hotspots.close();
    },
  };
  return project;
}
