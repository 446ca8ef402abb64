import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fields, loadKnowledge, validate } from '../../knowledge/index.js';
import { fold, stableHash } from '../../text/index.js';
import { type Draft, draftsOf } from './documents.js';
import { emitMarkdown, markdownFault, type YamlValue } from './emit.js';
import { keywordsOf, summaryOf } from './gist.js';
import { freeName, safeName } from './names.js';
import { isModuleName } from './rawTerm.js';
import { holdsKey, holdsSecret, readEach, type Source } from './source.js';
import type { ImportOptions, Notes, PlannedFile } from './types.js';

/** The loader reads no larger file (`MAX_FILE_BYTES` of src/knowledge/files.ts). */
const MAX_FILE_BYTES = 5_000_000;

/** How far an imported text is trusted that nobody has reviewed here. */
const CONFIDENCE = '0.6';

/** Fields of another team's front matter that hold in this one. */
const KEPT_FIELDS = ['topic', 'license', 'version_since', 'version_until', 'tags', 'reviewed_at', 'module'] as const;

/** Documents out of Markdown, HTML and text files. */
export async function planKnowledge(
  sources: readonly Source[],
  stem: string,
  options: ImportOptions,
  notes: Notes,
  tick: (done: number, total: number) => Promise<void>,
): Promise<PlannedFile[]> {
  const placer = new DocumentPlacer(options, stem, notes);
  for (const [i, source] of sources.entries()) {
    await tick(i, sources.length);
    for (const draft of await readDrafts(source, sources, notes)) placer.place(draft);
  }
  return placer.files;
}

/** The documents of one of several files; what is wrong with it goes to `notes`. */
export async function readDrafts(source: Source, sources: readonly Source[], notes: Notes): Promise<Draft[]> {
  const drafts = await readEach(source, sources, notes, () => {
    const text = source.text();
    if (holdsKey(text, source.name, notes)) return [];
    return draftsOf(source, text, notes).filter((draft) => !isSecret(draft, notes));
  });
  return drafts ?? [];
}

/** Whether a section holds a password or key: the others of its file go in. */
function isSecret({ title, body, where, given }: Draft, notes: Notes): boolean {
  const said = Object.values(given).filter((value) => typeof value === 'string');
  return holdsSecret([body, title, ...said].join('\n'), where, notes, title);
}

/** What makes two texts the same: neither case nor width nor script nor white space. */
const keyOf = (body: string) => stableHash(fold(body).replace(/\s+/g, ''));

/** Decides which documents are new, and where they go: a folder for each source. */
export class DocumentPlacer {
  readonly files: PlannedFile[] = [];
  /** Bodies that are there, and their files. */
  private readonly known = new Map<string, string>();
  /** Bodies of this import, and where they stand in the source. */
  private readonly seen = new Map<string, string>();
  /** Bodies of this import, and the files that they go to. */
  private readonly placed = new Map<string, string>();
  private readonly taken = new Set<string>();
  private readonly folder: string;

  constructor(
    private readonly options: ImportOptions,
    stem: string,
    private readonly notes: Notes,
  ) {
    this.folder = `knowledge/imported/${safeName(stem, 'documents')}`;
    const loaded = loadKnowledge(join(options.layerDir, 'knowledge'), 'project');
    for (const doc of loaded.documents) this.known.set(keyOf(doc.body), `.xihe/knowledge/${doc.id}`);
  }

  /** @returns where the text stands then, relative to the project; undefined when it stays out */
  place(draft: Draft): string | undefined {
    const key = keyOf(draft.body);
    const name = freeName(safeName(draft.title, 'document'), (n) => this.taken.has(n.toLowerCase()));
    const path = `.xihe/${this.folder}/${name}.md`;
    const twin = this.known.get(key) ?? this.seen.get(key);
    if (twin !== undefined) {
      if (twin !== path) this.notes.drop(draft.where, `和 ${twin} 内容相同，没有再导入`, draft.title);
      else this.taken.add(name.toLowerCase());
      if (this.known.has(key) && !this.files.some((file) => file.path === twin))
        this.files.push(this.planned(twin, '', draft, 'same'));
      return this.known.get(key) ?? this.placed.get(key);
    }
    const content = emitMarkdown(frontOf(draft, this.options), draft.body);
    const fault = Buffer.byteLength(content) > MAX_FILE_BYTES ? '文件太大' : markdownFault('document', content);
    if (fault !== undefined) {
      this.notes.drop(draft.where, `写进去会加载不了：${fault}`, draft.title);
      return undefined;
    }
    this.taken.add(name.toLowerCase());
    this.seen.set(key, draft.where);
    this.placed.set(key, path);
    const state = stateOf(join(this.options.layerDir, this.folder, `${name}.md`), content);
    if (state === 'kept')
      this.notes.drop(draft.where, `${path} 已经有了，内容不同，没有动它；要更新请先删掉或改名`, draft.title);
    this.files.push(this.planned(path, content, draft, state));
    return path;
  }

  private planned(path: string, content: string, draft: Draft, state: PlannedFile['state']): PlannedFile {
    return {
      path,
      kind: 'knowledge',
      content,
      entries: 1,
      state,
      preview: [`${draft.title}（${draft.body.length} 字）`],
    };
  }
}

/** What is to happen with a file, by what is there. */
export function stateOf(abs: string, content: string): PlannedFile['state'] {
  if (!existsSync(abs)) return 'new';
  try {
    return readFileSync(abs, 'utf8') === content ? 'same' : 'kept';
  } catch {
    return 'kept';
  }
}

function frontOf(draft: Draft, { module }: ImportOptions): Record<string, YamlValue | undefined> {
  const given = checkedFields(draft.given);
  const ownSource = typeof given.source === 'string' ? given.source : undefined;
  return {
    title: oneLine(draft.title),
    keywords: keywordsOf(draft.title, draft.body, listOf(given.keywords)).map(oneLine),
    summary: oneLine(typeof given.summary === 'string' ? given.summary : summaryOf(draft.title, draft.body)),
    topic: given.topic,
    module: typeof given.module === 'string' && isModuleName(given.module) ? given.module : module,
    tags: given.tags,
    source: oneLine(ownSource ?? draft.address ?? draft.where),
    license: given.license,
    version_since: given.version_since,
    version_until: given.version_until,
    kind: 'experience',
    confidence: CONFIDENCE,
    status: 'candidate',
    reviewed_at: given.reviewed_at,
  };
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

const listOf = (value: YamlValue | undefined): string[] =>
  Array.isArray(value)
    ? value.filter((v): v is string => typeof v === 'string')
    : typeof value === 'string'
      ? [value]
      : [];

/** The fields of a front matter that are well-formed here; those of other tools say other things by the same names. */
function checkedFields(given: Record<string, unknown>): Record<string, YamlValue | undefined> {
  const { shape } = fields.documentSchema;
  const own = typeof given.summary === 'string' && given.keywords !== undefined;
  const names = own ? [...KEPT_FIELDS, 'keywords', 'summary', 'source'] : ['keywords', 'tags', 'license'];
  const out: Record<string, YamlValue | undefined> = {};
  for (const name of names) {
    const { value } = validate(shape[name as keyof typeof shape] as Parameters<typeof validate>[0], given[name]);
    if (typeof value === 'string' && value !== '') out[name] = oneLine(value);
    else if (Array.isArray(value) && value.length > 0) out[name] = value.map((v) => oneLine(String(v)));
  }
  return out;
}
