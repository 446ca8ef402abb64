import { packageVersion } from '../assets.js';
import { readStateFile, writeAtomic } from '../stateFile.js';
import type { Chunk, KnowledgeDocument } from './types.js';

/** Of fewer documents it is not worth a file: they are cut in a tenth of a second, half a millisecond each. */
const KEPT_FROM = 200;

/** What of a chunk its document does not say: the rest comes from the document. */
type Kept = Pick<Chunk, 'id' | 'heading' | 'content' | 'kind' | 'linked' | 'topics' | 'line' | 'endLine'> & {
  version: string;
};

interface Content {
  /** Of Xihe, which decides how documents are cut. */
  xihe: string;
  /** By version and path of the document. */
  documents: Record<string, Kept[]>;
}

/** The chunks of a project's documents, kept between processes: cutting 5,000 documents takes 2.5 s of CPU, reading them from here .3. */
export class ChunkFile {
  private readonly kept: Content['documents'];
  private readonly used: Content['documents'] = {};
  private isNew = false;

  private constructor(private readonly file: string) {
    this.kept = read(file);
  }

  /**
   * @param file absolute path; it need not exist
   * @returns undefined where keeping chunks is not worth it
   */
  static open(file: string | undefined, documents: number): ChunkFile | undefined {
    return file === undefined || documents < KEPT_FROM ? undefined : new ChunkFile(file);
  }

  /** The chunks of a document as they were cut before, or as `cut` cuts them now. */
  chunksOf(document: KnowledgeDocument, cut: (document: KnowledgeDocument) => Chunk[]): Chunk[] {
    const key = `${document.provenance.version} ${document.id}`;
    const kept = this.kept[key];
    if (kept !== undefined) {
      this.used[key] = kept;
      return kept.map((one) => completed(one, document));
    }
    const chunks = cut(document);
    this.used[key] = chunks.map(stripped);
    this.isNew = true;
    return chunks;
  }

  /** Writes what was asked for, where it is not there yet; a disk that refuses costs time in the next process, nothing else. */
  save(): void {
    if (!this.isNew && Object.keys(this.used).length === Object.keys(this.kept).length) return;
    const content: Content = { xihe: packageVersion(), documents: this.used };
    writeAtomic(this.file, [JSON.stringify(content)]);
  }
}

function stripped({ id, heading, content, kind, linked, topics, line, endLine, provenance }: Chunk): Kept {
  const { version } = provenance;
  return { id, heading, content, kind, linked, line, endLine, version, ...(topics === undefined ? {} : { topics }) };
}

function completed({ version, ...one }: Kept, doc: KnowledgeDocument): Chunk {
  return {
    ...one,
    documentId: doc.id,
    title: doc.title,
    keywords: doc.keywords,
    ...(doc.module === undefined ? {} : { module: doc.module }),
    provenance: { ...doc.provenance, version, line: one.line },
  };
}

/** What can't be what was written counts as not there, a document at a time. */
function read(file: string): Content['documents'] {
  try {
    const { xihe, documents } = JSON.parse(readStateFile(file)?.toString('utf8') ?? '{}') as Partial<Content>;
    if (xihe !== packageVersion() || typeof documents !== 'object' || documents === null) return {};
    return Object.fromEntries(Object.entries(documents).filter(([, chunks]) => isWhole(chunks)));
  } catch {
    return {};
  }
}

function isWhole(chunks: unknown): boolean {
  const isText = (value: unknown) => typeof value === 'string';
  const isLine = (value: unknown) => Number.isInteger(value);
  const areTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
  const isChunk = (one: Partial<Kept> | null) =>
    isText(one?.id) &&
    isText(one?.heading) &&
    isText(one?.content) &&
    isText(one?.version) &&
    (one?.kind === 'prose' || one?.kind === 'code') &&
    areTexts(one.linked) &&
    (one.topics === undefined || areTexts(one.topics)) &&
    isLine(one.line) &&
    isLine(one.endLine);
  return Array.isArray(chunks) && chunks.every(isChunk);
}
