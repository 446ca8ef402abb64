import { basename, join } from 'node:path';
import type * as z from 'zod';
import { XiheError } from '../errors.js';
import {
  dropUndefined,
  type FileKind,
  type FrontMatter,
  fields,
  LastGoodFolder,
  type Layer,
  type LoadedFiles,
  loadFiles,
  type ParsedFile,
  type Provenance,
  parseFrontMatter,
  readYaml,
  ships,
  toProblems,
  validate,
} from '../knowledge/index.js';
import { stableHash } from '../text/index.js';
import { playbookSchema, termSchema, warningSchema } from './schema.js';
import type { Playbook, PostCheck, RequiredCheck, Term, Warning } from './types.js';

/** One layer's folder: the package root, or a project's `.xihe/`. */
export interface LayerDir {
  dir: string;
  layer: Layer;
  /** Where last good versions of its files are kept between processes, absolute. */
  lastGoodDir?: string | undefined;
  /** Where the chunks of many documents are kept between processes, absolute. */
  chunksFile?: string | undefined;
}

/** The entries of one layer, file by file. */
export interface LayerEntries {
  terms: LoadedFiles<Term>;
  warnings: LoadedFiles<Warning>;
  playbooks: LoadedFiles<Playbook>;
}

/** Where the terms of a layer lie in it. */
export const TERMS_FOLDER = 'knowledge/terms';

/** An entry that does not say how sure it is. */
const DEFAULT_CONFIDENCE = 'medium';

/** Loads terms, warnings and playbooks of a layer. Never throws; see `loadFiles` for what stays in force. */
export function loadLayer(layer: LayerDir, previous?: LayerEntries): LayerEntries {
  return {
    terms: loadTerms(layer, previous?.terms),
    warnings: loadFiles(
      kindOf(layer, 'knowledge/warnings', ['.yaml', '.yml'], (text, path) =>
        parseList(text, path, { layer, folder: 'knowledge/warnings' }, warningSchema, toWarning),
      ),
      previous?.warnings,
    ),
    playbooks: loadFiles(
      kindOf(layer, 'playbooks', ['.md'], (text, path) => parsePlaybook(text, path, { layer, folder: 'playbooks' })),
      previous?.playbooks,
    ),
  };
}

/** The terms of a layer alone. */
export function loadTerms(layer: LayerDir, previous?: LoadedFiles<Term>): LoadedFiles<Term> {
  return loadFiles(
    kindOf(layer, TERMS_FOLDER, ['.yaml', '.yml'], (text, path) =>
      parseList(text, path, { layer, folder: TERMS_FOLDER }, termSchema, toTerm),
    ),
    previous,
  );
}

function kindOf<T>(layer: LayerDir, folder: string, extensions: string[], parse: FileKind<T>['parse']): FileKind<T> {
  return {
    dir: join(layer.dir, folder),
    shownAs: `${shownRoot(layer)}${folder}/`,
    extensions,
    ignore: (path) => /(?:^|\/)readme\.md$/i.test(path),
    recursive: true,
    ships: layer.layer === 'general' && ships(join(layer.dir, folder)),
    parse,
    lastGood: layer.lastGoodDir === undefined ? undefined : new LastGoodFolder(layer.lastGoodDir, folder),
  };
}

/** What people read before a path of a layer: `.xihe/` for a project, nothing for what ships. */
export function shownRoot({ dir, layer }: LayerDir): string {
  return layer === 'project' ? `${basename(dir)}/` : '';
}

interface Place {
  layer: LayerDir;
  folder: string;
}

interface At extends Place {
  path: string;
  line: number;
}

/** Reads a YAML list, entry by entry: one that is wrong does not take the others down. */
function parseList<D, T>(
  text: string,
  path: string,
  place: Place,
  schema: z.ZodType<D>,
  make: (data: D, at: At) => T,
): ParsedFile<T> {
  const file = readYaml(text);
  if (!file.ok) {
    return { entries: [], problems: [{ line: file.line, reason: file.reason, code: 'YAML' }], broken: true };
  }
  if (file.value === null) return { entries: [], problems: [] };
  if (!Array.isArray(file.value)) {
    const reason = '顶层应当是列表：每条以「- id: …」开头';
    return { entries: [], problems: [{ line: 1, reason, code: 'SCHEMA' }], broken: true };
  }
  const out: ParsedFile<T> = { entries: [], problems: [] };
  for (const [i, raw] of file.value.entries()) {
    const { value, faults } = validate(schema, raw);
    const key = idOf(raw);
    const named = key === undefined ? '' : `${key}：`;
    const problems = toProblems(faults, (fault) => file.lineOf([i, ...fault.path]), key);
    for (const problem of problems) out.problems.push({ ...problem, reason: named + problem.reason });
    if (value === undefined) out.entries.push(key === undefined ? { failed: true } : { key, failed: true });
    else out.entries.push({ key: key as string, value: make(value, { ...place, path, line: file.lineOf([i]) }) });
  }
  return out;
}

function idOf(raw: unknown): string | undefined {
  const id = (raw as { id?: unknown } | null)?.id;
  return typeof id === 'string' && id.trim() !== '' ? id.trim() : undefined;
}

function toTerm(data: z.infer<typeof termSchema>, at: At): Term {
  const { id, keyword_ch, aliases, code_symbols, module, note, risk } = data;
  const confidence = fields.CONFIDENCE_LEVELS[data.confidence ?? DEFAULT_CONFIDENCE];
  const provenance = provenanceOf({ ...data, confidence }, JSON.stringify(data), at);
  return dropUndefined({ id, keyword_ch, aliases, code_symbols, module, note, risk, provenance });
}

function toWarning(data: z.infer<typeof warningSchema>, at: At): Warning {
  const provenance = provenanceOf({ ...data, status: data.status ?? 'verified' }, JSON.stringify(data), at);
  // What a team forbids on added lines sends a diff back; what ships is advice, unless it says otherwise.
  const severity = data.severity ?? (provenance.layer === 'project' && data.when.added.length > 0 ? 'block' : 'warn');
  return dropUndefined({
    id: data.id,
    danger: data.danger,
    when: data.when,
    severity,
    module: data.module,
    provenance,
  });
}

function provenanceOf(
  data: {
    source?: string;
    license?: string;
    status?: 'verified' | 'candidate';
    reviewed_at?: string;
    confidence?: number;
    version_since?: string;
    version_until?: string;
  },
  content: string,
  { layer, folder, path, line }: At,
): Provenance {
  const file = `${folder}/${path}`;
  return dropUndefined<Provenance>({
    source: data.source ?? `repo://${shownRoot(layer)}${file}#L${line}`,
    layer: layer.layer,
    version: stableHash(content),
    // A term is no fact until somebody says so.
    status: data.status ?? 'candidate',
    confidence: data.confidence ?? fields.CONFIDENCE_LEVELS[DEFAULT_CONFIDENCE],
    reviewedAt: data.reviewed_at,
    license: data.license,
    versionSince: data.version_since,
    versionUntil: data.version_until,
    file,
    line,
  });
}

function parsePlaybook(text: string, path: string, place: Place): ParsedFile<Playbook> {
  let front: FrontMatter;
  try {
    front = parseFrontMatter(text);
  } catch (e) {
    if (!XiheError.is(e)) throw e;
    const { line, reason } = e.details as { line: number; reason: string };
    return { entries: [], problems: [{ line, reason, code: 'FRONT_MATTER' }], broken: true };
  }
  const { value, faults } = validate(playbookSchema, front.data);
  const problems = toProblems(faults, (fault) => front.lineOf(fault.path));
  if (value === undefined) return { entries: [], problems, broken: true };
  const playbook = toPlaybook(value, front, text, { ...place, path, line: 1 });
  return { entries: [{ key: playbook.id, value: playbook }], problems };
}

function toPlaybook(data: z.infer<typeof playbookSchema>, front: FrontMatter, text: string, at: At): Playbook {
  const name = basename(at.path, '.md');
  const heading = /^#\s+(.+)$/m.exec(front.body)?.[1]?.trim();
  return dropUndefined({
    id: data.id ?? name,
    title: data.title ?? heading ?? name,
    trigger_keywords: data.trigger_keywords,
    required_checks: data.required_checks.map(toRequiredCheck),
    steps: data.steps,
    post_checks: data.post_checks.map(toPostCheck),
    task_types: data.task_types,
    module: data.module,
    body: front.body.trim(),
    provenance: provenanceOf({ status: 'verified', ...dropUndefined(data) }, text, at),
  });
}

type Given<T> = { [K in keyof T]?: T[K] | undefined } & { type: T extends { type: infer U } ? U : never };

function toRequiredCheck(check: Given<RequiredCheck>): RequiredCheck {
  const purpose = check.purpose ?? (check.type === 'read_file' ? '先读这个文件' : '动手前要确认');
  return dropUndefined<RequiredCheck>({ ...check, on_missing: check.on_missing ?? 'warn', purpose });
}

function toPostCheck(check: Given<PostCheck>): PostCheck {
  const purposes = { file_changed: '这个文件要一起改', command: '改完要通过', no_match: '新增的行里不能有' };
  return dropUndefined<PostCheck>({ ...check, purpose: check.purpose ?? purposes[check.type] });
}
