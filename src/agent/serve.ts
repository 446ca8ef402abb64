import { buildGraph, type XiheGraph } from './graph.js';
import { openModel } from './model.js';
import { openProject } from './project.js';
import { serverWord } from './server-word.js';

/**
 * The graph for a LangGraph server, which brings its own checkpointer. Requests may name only the projects that the server
 * was started for: `XIHE_REPO` (default: the current folder) and `XIHE_REPOS` (more roots, separated by `;`). Who they are, and what
 * they may have waved through, is the server's word: {@link serverWord}.
 */
export function serverGraph(env: NodeJS.ProcessEnv = process.env): XiheGraph {
  const defaultRepo = env.XIHE_REPO || process.cwd();
  const more = (env.XIHE_REPOS ?? '').split(/[;,]/).filter(Boolean);
  return buildGraph({
    defaultRepo,
    allowedRepos: [defaultRepo, ...more],
    served: serverWord(env),
    async openProject(repo) {
      const project = await openProject(repo, env);
      project.core.vectors?.warm();
      project.stays = true;
      return project;
    },
    openModel: (project) => openModel(project.config.model),
  });
}
