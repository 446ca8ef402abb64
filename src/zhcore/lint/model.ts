import { join } from 'node:path';
import type { Chunk, KnowledgeDocument, LexiconGroup, LoadProblem } from '../../knowledge/index.js';
import { readFileText } from '../../text/index.js';
import { type LayerDir, shownRoot } from '../load.js';
import { isWrittenByScan } from '../scanned.js';
import { EntryStore } from '../store.js';
import type { EntryType, ModuleMap, Playbook, Term, Warning } from '../types.js';
import type { Finding, Level, LintEntry, Page, Rule } from './types.js';

/** What a lint run looks at. */
export interface LintOptions {
  /** Layers to check. */
  layers: readonly LayerDir[];
  /** Absolute root of the repository; without it nothing is looked up in it. */
  root?: string;
  /** Files of the repository, relative and POSIX; without them globs are not tried. */
  paths?: readonly string[];
  /** Where a symbol stands in the repository, or occurs at least; without it no symbol is looked up. */
  symbols?: (symbol: string) => Promise<readonly { path: string; line: number }[]>;
  /** Texts that must not stand in entries word for word. */
  pages?: readonly Page[];
  /** Files of tools that did not load, and why: tools are declared beside the entries, and belong to a room below. */
  toolProblems?: readonly { file: string; line: number; reason: string }[];
  /** `2026-11-03`. */
  today: string;
  /** Called before each rule, with its title. */
  onRule?: (title: string) => void;
}

/** One layer, loaded for itself. */
export interface CheckedLayer extends LayerDir {
  /** `.xihe/` or nothing. */
  shown: string;
  terms: LintEntry<Term>[];
  warnings: LintEntry<Warning>[];
  playbooks: LintEntry<Playbook>[];
  documents: LintEntry<KnowledgeDocument>[];
  chunks: readonly Chunk[];
  lexicon: readonly LexiconGroup[];
  modules: ModuleMap;
  problems: readonly LoadProblem[];
}

/** Everything that rules look at. */
export class LintModel {
  /** Layers under test. */
  readonly layers: readonly CheckedLayer[];
  private readonly texts = new Map<string, readonly string[]>();
  private readonly scanFiles = new Map<string, boolean>();

  constructor(readonly options: LintOptions) {
    this.layers = options.layers.map(loadChecked);
  }

  /** Every entry under test. */
  get entries(): LintEntry<Term | Warning | Playbook | KnowledgeDocument>[] {
    return this.layers.flatMap((layer) => [...layer.terms, ...layer.warnings, ...layer.playbooks, ...layer.documents]);
  }

  /** Lines of a file of a layer under test; none when it can't be read. @param file as people find it */
  linesOf(file: string): readonly string[] {
    let lines = this.texts.get(file);
    if (lines === undefined) {
      lines = this.absolute(file).flatMap(readLines);
      this.texts.set(file, lines);
    }
    return lines;
  }

  /** Where a file of a layer lies. @param file as people find it */
  absolute(file: string): string[] {
    const layer =
      this.layers.find(({ shown }) => shown !== '' && file.startsWith(shown)) ??
      this.layers.find(({ shown }) => shown === '');
    return layer === undefined ? [] : [join(layer.dir, file.slice(layer.shown.length))];
  }

  /**
   * A finding about an entry.
   *
   * @param near what the line should hold: the first line from the entry's own on that does, before the next entry
   */
  at(
    rule: Rule,
    entry: LintEntry,
    message: string,
    { near, level = rule.level, line }: { near?: string; level?: Level; line?: number } = {},
  ): Finding {
    return {
      rule: rule.id,
      level,
      layer: entry.layer,
      file: entry.file,
      line: line ?? (near === undefined ? entry.line : this.lineNear(entry, near)),
      message,
      entryId: entry.id,
    };
  }

  /** Whether an entry is a candidate that `xihe scan` wrote: nobody's word yet. */
  isProposal({ type, status, file, layer }: LintEntry): boolean {
    if (type !== 'term' || status !== 'candidate' || layer !== 'project') return false;
    let known = this.scanFiles.get(file);
    if (known === undefined) {
      known = this.layers.some(
        ({ dir, shown }) => shown !== '' && file.startsWith(shown) && isWrittenByScan(dir, file.slice(shown.length)),
      );
      this.scanFiles.set(file, known);
    }
    return known;
  }

  private lineNear(entry: LintEntry, near: string): number {
    const lines = this.linesOf(entry.file);
    for (let i = entry.line - 1; i < lines.length; i++) {
      // The next entry of a list starts at the margin.
      if (i >= entry.line && /^- /.test(lines[i] as string)) break;
      if ((lines[i] as string).includes(near)) return i + 1;
    }
    return entry.line;
  }
}

function loadChecked(layer: LayerDir): CheckedLayer {
  const store = new EntryStore([layer]);
  const shown = shownRoot(layer);
  const entryOf = <E extends Term | Warning | Playbook | KnowledgeDocument>(
    type: EntryType,
    entry: E,
  ): LintEntry<E> => ({
    type,
    id: entry.id,
    entry,
    layer: layer.layer,
    status: entry.provenance.status,
    module: entry.module,
    source: entry.provenance.source,
    file: shown + entry.provenance.file,
    line: entry.provenance.line,
  });
  const of = <E extends Term | Warning | Playbook>(type: EntryType, byId: ReadonlyMap<string, E>) =>
    [...byId.values()].map((entry) => entryOf(type, entry));
  return {
    ...layer,
    shown,
    terms: of('term', store.terms.byId),
    warnings: of('warning', store.warnings.byId),
    playbooks: of('playbook', store.playbooks.byId),
    documents: store.knowledge.documents.map((document) => entryOf('knowledge', document)),
    chunks: store.knowledge.chunks,
    lexicon: store.lexiconGroups,
    modules: store.modules.globs,
    // After the lexicon: its problems are among them once it is read.
    problems: store.problems,
  };
}

function readLines(path: string): string[] {
  try {
    return readFileText(path).text.split(/\r\n|\n|\r/);
  } catch {
    return [];
  }
}
