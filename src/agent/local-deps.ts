import { openModel } from './model.js';
import type { GraphDeps } from './node.js';
import { openProject } from './project.js';

/** Dependencies of a local command line: any folder of this machine, the model of its settings. */
export function localDeps(defaultRepo: string, env: NodeJS.ProcessEnv = process.env): GraphDeps {
  return {
    defaultRepo,
    openProject: (repo) => openProject(repo, env),
    openModel: (project) => openModel(project.config.model),
  };
}
