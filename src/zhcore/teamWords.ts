import { join } from 'node:path';
import { packageRoot } from '../assets.js';
import { problemsOf, today } from '../knowledge/index.js';
import { Lexicons } from './lexicons.js';
import { type LayerDir, loadTerms, TERMS_FOLDER } from './load.js';
import { loadModules, mergeLayers, NO_MODULES } from './merge.js';
import { Teacher } from './teacher.js';
import { type TermLookup, termLookupOf } from './termLookup.js';
import type { LoadProblem, Term } from './types.js';

export interface TeamWords {
  lookup: TermLookup;
  /** What could not be loaded of it, with file, line and reason in Chinese. */
  problems: LoadProblem[];
}

/**
 * What files are found with, and no more of the core: the team's terms and modules, and the lexicons. A cold look-up for a file would
 * spend a third of its time on documents, warnings and playbooks that it never asks.
 *
 * @param projectDir the project's `.xihe/`; it need not exist
 * @param cacheDir where last good versions of its files are kept between processes
 */
export function openTeamWords(projectDir: string, cacheDir?: string): TeamWords {
  const project: LayerDir = {
    dir: projectDir,
    layer: 'project',
    lastGoodDir: cacheDir === undefined ? undefined : join(cacheDir, 'last-good'),
  };
  const lexicons = new Lexicons([{ dir: packageRoot(), layer: 'general' }, project]);
  const terms = mergeLayers<Term>([{ layer: project, files: loadTerms(project), folder: TERMS_FOLDER }]);
  const moduleFiles = loadModules(project);
  const words = {
    terms: terms.byId,
    modules: moduleFiles.get('modules.yaml')?.entries[0]?.value ?? NO_MODULES,
    get lexicon() {
      return lexicons.lexicon;
    },
  };
  const teacher = new Teacher();
  return {
    lookup: termLookupOf(
      () => words,
      (taught) => teacher.teach(taught),
      () => today(),
    ),
    get problems() {
      return [...terms.problems, ...problemsOf(moduleFiles), ...lexicons.problems];
    },
  };
}
