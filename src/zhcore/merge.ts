import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type LoadedFiles,
  type LoadProblem,
  loadFiles,
  type Provenance,
  problemsOf,
  readYaml,
  toProblems,
  validate,
} from '../knowledge/index.js';
import { type LayerDir, shownRoot } from './load.js';
import { modulesSchema } from './schema.js';
import type { ModuleMap } from './types.js';

interface Entry {
  id: string;
  provenance: Provenance;
}

/** Entries of one type over all layers. */
export interface Merged<T> {
  byId: Map<string, T>;
  problems: LoadProblem[];
}

/**
 * Puts the layers over each other: the project's entry wins where two layers define the same id. Within a layer the first one
 * stays in force, and the other is a problem.
 *
 * @param layers general first
 */
export function mergeLayers<T extends Entry>(
  layers: readonly { layer: LayerDir; files: LoadedFiles<T>; folder: string }[],
): Merged<T> {
  const merged: Merged<T> = { byId: new Map(), problems: [] };
  for (const { layer, files, folder } of layers) {
    // One by one: a broken file may have more problems than a call takes arguments.
    for (const problem of problemsOf(files)) merged.problems.push(problem);
    const own = new Map<string, T>();
    for (const file of files.values()) {
      for (const { value } of file.entries) {
        const first = own.get(value.id);
        if (first === undefined) own.set(value.id, value);
        else merged.problems.push(duplicate(value, first, `${shownRoot(layer)}${folder}/${file.path}`));
      }
    }
    for (const [id, value] of own) merged.byId.set(id, value);
  }
  return merged;
}

function duplicate(entry: Entry, first: Entry, file: string): LoadProblem {
  const { file: where, line } = first.provenance;
  return {
    file,
    line: entry.provenance.line,
    reason: `id ${entry.id} 重复：${where}:${line} 已经有了，这一条没有生效`,
    code: 'DUPLICATE_ID',
    keptLastGood: false,
    level: 'error',
  };
}

/** The modules of a project, with their Chinese names where the file gives them. */
export interface Modules {
  globs: ModuleMap;
  titles: Record<string, string>;
}

export const NO_MODULES: Modules = { globs: {}, titles: {} };

type ModulesFiles = LoadedFiles<Modules>;

/** Loads `modules.yaml` of a project; a project without one has no modules. */
export function loadModules(layer: LayerDir, previous?: ModulesFiles): ModulesFiles {
  if (!existsSync(join(layer.dir, 'modules.yaml'))) return new Map();
  return loadFiles<Modules>(
    {
      dir: layer.dir,
      shownAs: shownRoot(layer),
      extensions: ['.yaml'],
      ignore: (path) => path !== 'modules.yaml',
      recursive: false,
      parse(text) {
        const file = readYaml(text);
        if (!file.ok)
          return { entries: [], problems: [{ line: file.line, reason: file.reason, code: 'YAML' }], broken: true };
        const { value, faults } = validate(modulesSchema, file.value ?? {});
        const problems = toProblems(faults, (fault) => file.lineOf(fault.path));
        if (value === undefined) return { entries: [], problems, broken: true };
        return { entries: [{ key: 'modules', value: toModules(value) }], problems };
      },
    },
    previous,
  );
}

function toModules(raw: Record<string, string[] | { title?: string | undefined; paths: string[] }>): Modules {
  const modules: Modules = { globs: {}, titles: {} };
  for (const [name, value] of Object.entries(raw)) {
    modules.globs[name] = Array.isArray(value) ? value : value.paths;
    if (!Array.isArray(value) && value.title) modules.titles[name] = value.title;
  }
  return modules;
}
