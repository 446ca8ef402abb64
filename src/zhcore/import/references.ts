import { statSync } from 'node:fs';
import { isGeneric } from './gist.js';
import { DocumentPlacer, readDrafts } from './knowledge.js';
import type { Source } from './source.js';
import type { ImportOptions, Notes, PlannedFile } from './types.js';

/** A file in the folder of a skill. */
export interface OwnFile {
  source: Source;
  /** Relative to the folder, POSIX. */
  path: string;
}

/** What of a skill's folder goes in as documents. */
export interface References {
  files: PlannedFile[];
  /** Files of the folder → documents, relative to the project. */
  documents: ReadonlyMap<string, readonly string[]>;
  /** Files that were read, whatever came of it. */
  looked: ReadonlySet<string>;
}

/** A reference of more bytes is a manual or a dump; it can be imported alone. */
const REFERENCE_BYTES_MAX = 200_000;

/** About the skill as a package, and not about its subject. */
const ABOUT_PACKAGE = /(?:^|\/)(?:readme|licen[cs]e|changelog|contributing|notice|authors)\b[^/]*$/i;
/** Folders of what is run or filled in. */
const TOOLS = /(?:^|\/)(?:scripts?|assets?|templates?|evals?|tests?|bin)\//i;

const isReference = ({ path }: OwnFile) =>
  /\.(?:md|markdown)$/i.test(path) && !ABOUT_PACKAGE.test(path) && !TOOLS.test(path);

/**
 * The Markdown that a skill points to, as documents beside its playbook: `references/*.md`, and what lies beside `SKILL.md`. Scripts,
 * templates and everything that is no text stays out.
 *
 * @param options nothing is taken with `references: false`
 */
export async function planReferences(
  skill: { id: string; name: string; license?: string; ownFiles: readonly OwnFile[] },
  options: ImportOptions,
  notes: Notes,
): Promise<References> {
  const documents = new Map<string, string[]>();
  const looked = new Set<string>();
  const wanted = options.references === false ? [] : skill.ownFiles.filter(isReference);
  if (wanted.length === 0) return { files: [], documents, looked };
  const placer = new DocumentPlacer(options, skill.id, notes);
  for (const { source, path } of wanted) {
    looked.add(path);
    const { size } = statSync(source.abs);
    if (size > REFERENCE_BYTES_MAX) {
      const limit = `${REFERENCE_BYTES_MAX / 1000} KB`;
      notes.drop(source.name, `参考资料有 ${Math.ceil(size / 1000)} KB，超过 ${limit}，没有带上；需要时单独导入`);
      continue;
    }
    // What is wrong with one of them is no reason to leave out the skill.
    for (const draft of await readDrafts(source, [source, source], notes)) {
      const title = isGeneric(draft.title) ? `${skill.name}：${draft.title}` : draft.title;
      const given = { ...(skill.license === undefined ? {} : { license: skill.license }), ...draft.given };
      const placed = placer.place({ ...draft, title, given });
      if (placed !== undefined) documents.set(path, [...(documents.get(path) ?? []), placed]);
    }
  }
  return { files: placer.files, documents, looked };
}
