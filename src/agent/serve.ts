import { buildGraph, type XiheGraph } from './graph.js';
import { openModel } from './model.js';
import { openProject } from './project.js';

/**
 * The graph for a LangGraph server, which brings its own checkpointer. Requests may name only the projects that the server
 * was started for: `XIHE_REPO` (default: the current folder) and `XIHE_REPOS` (more roots, separated by `;`). Their roles are
 * `XIHE_ROLES` (default `reader,developer`), never what they say of themselves.
 */
export function serverGraph(env: NodeJS.ProcessEnv = process.env): XiheGraph {
  const defaultRepo = env.XIHE_REPO || process.cwd();
  const more = (env.XIHE_REPOS ?? '').split(/[;,]/).filter(Boolean);
  const roles = (env.XIHE_ROLES ?? 'reader,developer').split(/[;,\s]+/).filter(Boolean);
  return buildGraph({
    defaultRepo,
    allowedRepos: [defaultRepo, ...more],
    caller: (configurable) => ({ name: nameOf(configurable?.langgraph_auth_user), roles }),
    async openProject(repo) {
      const project = await openProject(repo, env);
      project.core.vectors?.warm();
      project.stays = true;
      return project;
    },
    openModel: (project) => openModel(project.config.model),
  });
}

/** The name of whom the server authenticated, for the audit log; roles never hang on it. */
function nameOf(user: unknown): string {
  const identity = (user as { identity?: unknown } | undefined)?.identity;
  return typeof identity === 'string' && identity !== '' ? identity : 'server';
}
