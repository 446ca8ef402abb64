import { buildGraph, type XiheGraph } from './graph.js';
import { buildKnowledgeGraph } from './knowledge-graph.js';
import { openModel } from './model.js';
import type { GraphDeps } from './node.js';
import { openProject } from './project.js';
import { type ServerWord, serverWord } from './server-word.js';

/**
 * The graph for a LangGraph server, which brings its own checkpointer. Requests may name only the projects that the server
 * was started for: `XIHE_REPO` (default: the current folder) and `XIHE_REPOS` (more roots, separated by `;`). Who they are, and what
 * they may have waved through, is the server's word: {@link serverWord}.
 */
export function serverGraph(env: NodeJS.ProcessEnv = process.env): XiheGraph {
  return buildGraph(serverDeps(env));
}

/** The graph that only answers questions, for a LangGraph server; projects and callers as in {@link serverGraph}. */
export function serverKnowledgeGraph(env: NodeJS.ProcessEnv = process.env): ReturnType<typeof buildKnowledgeGraph> {
  return buildKnowledgeGraph(serverDeps(env));
}

/**
 * What the graphs of a server stand on.
 *
 * @param served what the server says of its callers; by default what the variables say
 * @throws XiheError CONFIG_INVALID
 */
export function serverDeps(env: NodeJS.ProcessEnv, served: ServerWord = serverWord(env)): GraphDeps {
  const defaultRepo = env.XIHE_REPO || process.cwd();
  const more = (env.XIHE_REPOS ?? '').split(/[;,]/).filter(Boolean);
  return {
    defaultRepo,
    allowedRepos: [defaultRepo, ...more],
    served,
    async openProject(repo) {
      const project = await openProject(repo, env);
      project.core.vectors?.warm();
      project.stays = true;
      return project;
    },
    openModel: (project) => openModel(project.config.model),
  };
}
