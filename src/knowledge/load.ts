import { basename, dirname } from 'node:path';
import type * as z from 'zod';
import { messageOf, XiheError } from '../errors.js';
import { stableHash } from '../text/index.js';
import { chunkDocument } from './chunk.js';
import { ChunkFile } from './chunkFile.js';
import { type FileKind, type LoadedFiles, loadFiles, type ParsedFile, problemsOf } from './files.js';
import { type FrontMatter, parseFrontMatter } from './frontMatter.js';
import { LastGoodFolder } from './lastGood.js';
import { blockSchema, documentSchema } from './schema.js';
import { preparedChunksOf, ships } from './shipped.js';
import type { Chunk, KnowledgeDocument, LoadProblem, Provenance } from './types.js';
import { type Fault, validate } from './validate.js';
import { readYaml } from './yaml.js';

export type Layer = Provenance['layer'];

/** How far a document is trusted that does not say so itself. */
const DEFAULT_CONFIDENCE = { official: 0.9, experience: 0.7 } as const;

/** The documents of one folder. */
export interface LoadedKnowledge {
  documents: KnowledgeDocument[];
  /** Cut on first use: an exact look-up needs none. */
  readonly chunks: Chunk[];
  /** Those of cutting come once the chunks are cut. */
  readonly problems: LoadProblem[];
  /** For the next call, so that the last good version of a broken file stays in force. */
  files: LoadedFiles<KnowledgeDocument>;
}

/** What people read before the path of a file of this folder: `.xihe/knowledge/` or `knowledge/`. */
export function shownFolder(dir: string): string {
  const parent = basename(dirname(dir));
  return parent === '.xihe' ? `.xihe/${basename(dir)}/` : `${basename(dir)}/`;
}

/**
 * Loads the Markdown documents and JSON blocks below a folder. Never throws: what is wrong with a file is in `problems`.
 * `README.md` files are for people and are left out.
 *
 * @param dir absolute; it need not exist
 * @param previous the last outcome for the same folder
 * @param lastGoodDir where last good versions are kept between processes, absolute
 * @param chunksFile where the chunks of many documents are kept between processes, absolute
 */
export function loadKnowledge(
  dir: string,
  layer: Layer,
  previous?: LoadedKnowledge,
  lastGoodDir?: string,
  chunksFile?: string,
): LoadedKnowledge {
  const shownAs = shownFolder(dir);
  const kind: FileKind<KnowledgeDocument> = {
    dir,
    shownAs,
    extensions: ['.md', '.json'],
    ignore: (path) => /(?:^|\/)readme\.md$/i.test(path),
    recursive: true,
    ships: layer === 'general' && ships(dir),
    lastGood: lastGoodDir === undefined ? undefined : new LastGoodFolder(lastGoodDir, shownAs),
    parse: (text, path) =>
      path.endsWith('.json') ? parseBlocksFile(text, path, dir, layer) : parseDocumentFile(text, path, dir, layer),
  };
  const files = loadFiles(kind, previous?.files);
  const documents = [...files.values()].flatMap((file) => file.entries.map((entry) => entry.value));
  const problems = problemsOf(files);
  let cut: { chunks: Chunk[]; problems: LoadProblem[] } | undefined;
  return {
    documents,
    get chunks() {
      cut ??= cutDocuments(documents, dir, chunksFile);
      return cut.chunks;
    },
    get problems() {
      return cut === undefined || cut.problems.length === 0 ? problems : [...problems, ...cut.problems];
    },
    files,
  };
}

/**
 * Cuts documents into chunks. One that can't be cut has none, and is a problem: the others must still be found.
 *
 * @param dir the folder that they were loaded from
 * @param chunksFile see {@link loadKnowledge}
 */
export function cutDocuments(
  documents: readonly KnowledgeDocument[],
  dir: string,
  chunksFile?: string,
): { chunks: Chunk[]; problems: LoadProblem[] } {
  const problems: LoadProblem[] = [];
  const file = ChunkFile.open(chunksFile, documents.length);
  const chunks = documents.flatMap((document) => {
    try {
      return chunksOf(document, file);
    } catch (e) {
      const { file, line } = document.provenance;
      problems.push({
        file: shownFolder(dir) + file.slice(basename(dir).length + 1),
        line,
        reason: `正文切不成段落（${e instanceof RangeError ? '太长或嵌套太深' : messageOf(e)}），没有进检索：把它拆成几篇，或删掉异常长的内容`,
        code: 'READ',
        keptLastGood: false,
        level: 'error',
      });
      return [];
    }
  });
  file?.save();
  return { chunks, problems };
}

/** Documents do not change once they are loaded, and those that ship are in every project that a process opens. */
const cutBefore = new WeakMap<KnowledgeDocument, Chunk[]>();

function chunksOf(document: KnowledgeDocument, file: ChunkFile | undefined): Chunk[] {
  const cut = (one: KnowledgeDocument) => cutBefore.get(one) ?? preparedChunksOf(one) ?? chunkDocument(one);
  const chunks = file === undefined ? cut(document) : file.chunksOf(document, cut);
  cutBefore.set(document, chunks);
  return chunks;
}

function parseDocumentFile(text: string, path: string, dir: string, layer: Layer): ParsedFile<KnowledgeDocument> {
  let front: FrontMatter;
  try {
    front = parseFrontMatter(text);
  } catch (e) {
    if (!XiheError.is(e)) throw e;
    const { line, reason } = e.details as { line: number; reason: string };
    return { entries: [], problems: [{ line, reason, code: 'FRONT_MATTER' }], broken: true };
  }
  const checked = validate(documentSchema, front.data);
  const problems = toProblems(checked.faults, (fault) => front.lineOf(fault.path));
  if (checked.value === undefined) return { entries: [], problems, broken: true };
  const document = toDocument(checked.value, front, text, path, dir, layer);
  return { entries: [{ key: path, value: document }], problems };
}

/** Faults of one value that are told one by one: an entry with more is something else, and finding the line of each takes time. */
const FAULTS_MAX = 20;

/** Faults of one value as problems of its file. */
export function toProblems(
  faults: readonly Fault[],
  lineOf: (fault: Fault) => number,
  key?: string,
): ParsedFile<never>['problems'] {
  const told = faults.length > FAULTS_MAX ? faults.slice(0, FAULTS_MAX - 1) : faults;
  const rest = faults.slice(told.length);
  const problems = told.map((fault) => problemOf(fault, lineOf(fault), key));
  const [first] = rest;
  if (first === undefined) return problems;
  const reason = `还有 ${rest.length} 处，第一处是：${first.reason}`;
  const harmless = rest.every((fault) => fault.harmless);
  return [...problems, problemOf({ ...first, reason, harmless }, lineOf(first), key)];
}

function problemOf(fault: Fault, line: number, key: string | undefined): ParsedFile<never>['problems'][number] {
  const { reason, harmless } = fault;
  return { line, reason, code: 'SCHEMA', harmless, ...(key === undefined ? {} : { key }) };
}

function toDocument(
  data: z.infer<typeof documentSchema>,
  front: FrontMatter,
  text: string,
  path: string,
  dir: string,
  layer: Layer,
): KnowledgeDocument {
  const kind = data.kind ?? (data.source?.startsWith('http') ? 'official' : 'experience');
  return dropUndefined({
    id: path,
    title: data.title,
    keywords: data.keywords,
    summary: data.summary,
    sections: data.sections,
    topic: data.topic,
    tags: data.tags,
    kind,
    versionSince: data.version_since,
    versionUntil: data.version_until,
    module: data.module,
    body: front.body,
    bodyLine: front.bodyLine,
    provenance: dropUndefined<Provenance>({
      source: data.source ?? shownFolder(dir) + path,
      layer,
      version: stableHash(text),
      status: data.status ?? 'verified',
      confidence: data.confidence ?? DEFAULT_CONFIDENCE[kind],
      reviewedAt: data.reviewed_at,
      license: data.license,
      versionSince: data.version_since,
      versionUntil: data.version_until,
      file: `${basename(dir)}/${path}`,
      line: 1,
    }),
  });
}

function parseBlocksFile(text: string, path: string, dir: string, layer: Layer): ParsedFile<KnowledgeDocument> {
  const fault = jsonFault(text);
  const file = fault ?? readYaml(text);
  if (!file.ok) {
    const problem = { line: file.line, reason: `不是合法的 JSON：${file.reason}`, code: 'YAML' as const };
    return { entries: [], problems: [problem], broken: true };
  }
  const list = Array.isArray(file.value) ? file.value : [file.value];
  const out: ParsedFile<KnowledgeDocument> = { entries: [], problems: [] };
  for (const [i, raw] of list.entries()) {
    const at = Array.isArray(file.value) ? [i] : [];
    const key = list.length === 1 ? path : `${path}#${i + 1}`;
    const checked = validate(blockSchema, raw);
    for (const problem of toProblems(checked.faults, (f) => file.lineOf([...at, ...f.path]), key))
      out.problems.push(problem);
    if (checked.value === undefined) out.entries.push({ key, failed: true });
    else out.entries.push({ key, value: blockDocument(checked.value, key, file.lineOf(at), path, dir, layer) });
  }
  return out;
}

/** JSON is read by the YAML reader for its lines; this says first whether it is JSON at all. */
function jsonFault(text: string): { ok: false; line: number; reason: string } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (e) {
    const message = e instanceof Error ? e.message : '';
    const offset = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    return {
      ok: false,
      line: text.slice(0, offset).split('\n').length,
      reason: text.trim() === '' ? '文件是空的' : '这里不合语法',
    };
  }
}

/** A block is a document without keywords: it is found by what it says, never by an exact word. */
function blockDocument(
  block: z.infer<typeof blockSchema>,
  id: string,
  line: number,
  path: string,
  dir: string,
  layer: Layer,
): KnowledgeDocument {
  return dropUndefined({
    id,
    title: block.title ?? block.topic,
    keywords: [],
    summary: '',
    sections: {},
    topic: block.topic,
    tags: block.tags,
    kind: 'official' as const,
    versionSince: block.version_since,
    versionUntil: block.version_until,
    module: block.module,
    body: block.content,
    bodyLine: line,
    provenance: dropUndefined<Provenance>({
      source: block.source,
      layer,
      version: stableHash(JSON.stringify(block)),
      status: block.status ?? 'verified',
      confidence: block.confidence ?? DEFAULT_CONFIDENCE.official,
      reviewedAt: block.reviewed_at,
      license: block.license,
      versionSince: block.version_since,
      versionUntil: block.version_until,
      file: `${basename(dir)}/${path}`,
      line,
    }),
  });
}

/** Optional fields that are not given are left out, so that entries print and compare cleanly. */
export function dropUndefined<T extends object>(o: { [K in keyof T]: T[K] | undefined }): T {
  const out = {} as T;
  for (const key of Object.keys(o) as (keyof T)[]) if (o[key] !== undefined) out[key] = o[key] as T[keyof T];
  return out;
}
