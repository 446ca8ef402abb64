import { packageVersion } from '../assets.js';
import { stableHash } from '../text/index.js';
import { ChunkSearch, type ChunkSearchOptions, type SearchHit } from './chunkSearch.js';
import { cutAhead } from './cutAhead.js';
import { type ExactHit, ExactIndex } from './exact.js';
import { isExpired, today } from './expiry.js';
import { kindOf } from './fusion.js';
import { type Layer, type LoadedKnowledge, loadKnowledge, shownFolder } from './load.js';
import { aboutPrimary, partOf, showDocument } from './lookupParts.js';
import { type Asked, stateOf } from './meaning.js';
import type { RelatedTerm, RetrieverHit } from './retriever.js';
import { namesSubject } from './subject.js';
import { type Shown, supplementAmong, textOf } from './supplement.js';
import type { Chunk, KnowledgeDocument, LoadProblem, LookupResult } from './types.js';
import type { VectorArm } from './vectorArm.js';
import type { AskOptions } from './vectorArmOptions.js';

export interface KnowledgeLayer {
  /** Absolute folder; it need not exist. */
  dir: string;
  layer: Layer;
  /** Where last good versions of its files are kept between processes, absolute. */
  lastGoodDir?: string | undefined;
  /** Where the chunks of many documents are kept between processes, absolute. */
  chunksFile?: string | undefined;
}

/** Where the lexical index is kept between processes. */
export interface IndexCache {
  /** Absolute path of a file. */
  file: string;
  /** What else decides how texts are cut: the version of the words that the cutter was taught. */
  salt(): string;
}

export interface KnowledgeOptions {
  cache?: IndexCache | undefined;
  /** The vector arm; without it words decide alone. */
  vectors?: VectorArm | undefined;
  /** Words that a query also means. */
  related?: ((query: string) => RelatedTerm[]) | undefined;
}

export interface LookupOptions {
  /** Leave the supplement out: answers in a few milliseconds, without jieba. */
  exactOnly?: boolean;
  /** `2026-11-03`: what is over by then comes last. Default: today. */
  today?: string;
  /** What vectors say about the query, see {@link KnowledgeBase.ask}; `degraded` is told in the answer. */
  asked?: Asked;
}

/** How many hits are looked at for a supplement that is not the primary's own text. */
const SUPPLEMENT_TRIES = 12;

/** Where an arm that finds nothing is reported. */
const DEAD_ARM = {
  file: '.xihe/state/knowledge-index.bin',
  line: 1,
  code: 'READ',
  keptLastGood: false,
  level: 'error',
} as const;

/** Fewer passages are cut in under a second, at about a millisecond each. */
const MANY = 1000;

/** Titles named when nothing was found, and how near they must come: half of what a supplement of what ships needs. */
const NEAREST_MAX = 3;
const NEAREST_MIN = 0.25;

function load({ dir, layer, lastGoodDir, chunksFile }: KnowledgeLayer, previous?: LoadedKnowledge): LoadedKnowledge {
  return loadKnowledge(dir, layer, previous, lastGoodDir, chunksFile);
}

/**
 * The documents of all layers, with an exact index (L0) and a retriever (L1). The project's document wins where two layers have
 * one of the same path. Indexes are made on first use.
 */
export class KnowledgeBase {
  private loaded: LoadedKnowledge[];
  private inForce = new Map<string, KnowledgeDocument>();
  private list: readonly KnowledgeDocument[] = [];
  /** Whether any document says until when it holds; mostly none does. */
  private datesEnd = false;
  private exactIndex: ExactIndex | undefined;
  private cut: readonly Chunk[] | undefined;
  private own: number | undefined;
  private searched: ChunkSearch | undefined;

  private constructor(
    private readonly layers: readonly KnowledgeLayer[],
    private readonly options: KnowledgeOptions,
  ) {
    this.loaded = layers.map((layer) => load(layer));
    this.settle();
  }

  /** Decides which layer's document counts where two have one of the same path: the project's. */
  private settle(): void {
    const of = (layer: Layer) => this.loaded.filter((_, i) => this.layers[i]?.layer === layer);
    const ordered = [...of('general'), ...of('project')];
    this.inForce = new Map(ordered.flatMap((one) => one.documents).map((doc) => [doc.id, doc]));
    this.list = [...this.inForce.values()];
    this.datesEnd = this.list.some((doc) => doc.provenance.versionUntil !== undefined);
  }

  /** Reads all documents. Never throws: see {@link problems}. */
  static open(layers: readonly KnowledgeLayer[], options: KnowledgeOptions = {}): KnowledgeBase {
    return new KnowledgeBase(layers, options);
  }

  /** Documents in force. */
  get documents(): readonly KnowledgeDocument[] {
    return this.list;
  }

  /** A document in force, by its path relative to the knowledge folder. */
  document(id: string): KnowledgeDocument | undefined {
    return this.inForce.get(id);
  }

  /** Chunks of the documents in force; they are cut on first use, and the list is the same one until its content changes. */
  get chunks(): readonly Chunk[] {
    this.cut ??= this.loaded
      .flatMap((one) => one.chunks)
      .filter((chunk) => this.inForce.get(chunk.documentId)?.provenance.layer === chunk.provenance.layer);
    return this.cut;
  }

  get problems(): LoadProblem[] {
    const arm = this.searched?.problem;
    const dead: LoadProblem[] = arm === undefined ? [] : [{ ...DEAD_ARM, reason: arm }];
    return [...this.loaded.flatMap((one) => one.problems), ...dead];
  }

  /** Content hash of everything in force. */
  get version(): string {
    return stableHash(
      this.documents.map((doc) => `${doc.provenance.layer} ${doc.id} ${doc.provenance.version}`).join('\n'),
    );
  }

  /**
   * Reads what changed on disk. Of a file that is broken now the last good version stays in force.
   *
   * @returns whether the content in force changed
   */
  reload(): boolean {
    const before = this.version;
    this.loaded = this.layers.map((layer, i) => load(layer, this.loaded[i]));
    this.settle();
    if (this.version === before) return false;
    this.exactIndex = undefined;
    this.cut = undefined;
    this.own = undefined;
    this.searched = undefined;
    return true;
  }

  /**
   * Leaves out chunks that are over by a day (`2026-11-03`).
   *
   * @returns undefined when there are none: a search without a filter need not look at every hit
   */
  stillValid(day: string): ((chunk: Chunk) => boolean) | undefined {
    return this.datesEnd ? (chunk) => !isExpired(chunk.provenance, day) : undefined;
  }

  /** L0: documents that the query names by keyword, title or summary, most specific first. */
  exact(query: string): ExactHit[] {
    this.exactIndex ??= new ExactIndex(this.documents);
    return this.exactIndex.find(query);
  }

  /**
   * L1: chunks by meaning, best first.
   *
   * @param k how many at most
   */
  search(query: string, k: number, options: ChunkSearchOptions = {}): SearchHit[] {
    return this.opened().search(query, k, options);
  }

  /**
   * What vectors say about a query, to be given to {@link search} and {@link lookup}. Without an arm for vectors, or when it can't
   * answer in time, words decide alone.
   *
   * @throws XiheError CANCELLED when `options.signal` fires
   */
  async ask(query: string, options: AskOptions = {}): Promise<Asked> {
    await this.prepare(options);
    if (this.vectors === undefined) return {};
    const ask = async (vectors: VectorArm) => {
      vectors.take(this.chunks);
      return vectors.ask(query, options);
    };
    const asked = await ask(this.vectors);
    // A reload came between: the vector of the query is cached by now.
    return asked.meaning === undefined || asked.meaning.chunks === this.chunks ? asked : ask(this.vectors);
  }

  /**
   * Gets the index of words ready without keeping others waiting: thousands of new passages take seconds to cut. Where nothing is
   * kept between processes there is no use in it.
   *
   * @throws XiheError CANCELLED; what was cut by then stays
   */
  private async prepare({ signal, onProgress }: AskOptions): Promise<void> {
    if (this.searched !== undefined || this.chunks.length < MANY) return;
    const cache = this.lexicalCache();
    if (cache === undefined) return;
    await cutAhead(this.chunks, cache, { ...(signal ? { signal } : {}), ...(onProgress ? { onProgress } : {}) });
  }

  /**
   * What L1 is asked for a look-up. A bare name (`ERR_TIMEOUT`) says nothing about what it has to do with; the document that has it
   * for a keyword does.
   */
  questionOf(query: string): string {
    if (kindOf(query) !== 'identifier') return query;
    const [best] = this.exact(query);
    return best === undefined ? query : `${query} ${best.document.title} ${best.document.summary}`;
  }

  /**
   * `lookup_knowledge`: the document that the query names exactly (primary), and the best passage by meaning that is not the
   * primary's own text (supplement).
   *
   * @param sectionTitle a section of the primary; without it, its first 2,000 characters and the list of sections
   */
  lookup(query: string, sectionTitle?: string, options: LookupOptions = {}): LookupResult {
    const day = options.today ?? today();
    const over = ({ document }: ExactHit) => Number(isExpired(document.provenance, day));
    const [best, ...others] = this.exact(query).sort((a, b) => over(a) - over(b));
    const shown = best && showDocument(best.document, sectionTitle, this.partOf(best.document, day));
    const primary = best && shown ? { ...shown.part, ...aboutPrimary(best, others, (doc) => this.fileOf(doc)) } : null;
    const { asked = {} } = options;
    if (options.exactOnly) return { found: primary !== null, primary, supplement: null, ...stateOf(asked) };
    const given = best && { document: best.document, ...(shown?.passage ? { passage: shown.passage } : {}) };
    const question = this.questionOf(query);
    const { meaning, order } = asked;
    const hits = this.search(question, SUPPLEMENT_TRIES, { filter: this.stillValid(day), meaning, order });
    const supplement = this.supplement(hits, query, question, day, given);
    const found = primary !== null || supplement !== null;
    const nearest = found ? [] : this.nearest(hits);
    return { found, primary, supplement, ...(nearest.length > 0 ? { nearest } : {}), ...stateOf(asked) };
  }

  /**
   * The hit that may be given as an answer, as the look-up gives it.
   *
   * @param question what was searched for, see {@link questionOf}
   */
  private supplement(hits: readonly SearchHit[], query: string, question: string, day: string, shown?: Shown) {
    const hit = supplementAmong(hits, {
      shown,
      passages: this.ownPassages,
      isName: kindOf(query) === 'identifier',
      namesSubject: (one) => this.namesSubject(one, question),
    });
    if (hit === undefined) return null;
    const { chunk, score } = hit;
    const doc = this.inForce.get(chunk.documentId) as KnowledgeDocument;
    const byId = (id: string) => this.chunks.find((one) => one.id === id && one.documentId === chunk.documentId);
    const { content, heading } = textOf(chunk, byId, shown);
    const below = heading === '' ? {} : { heading };
    return { content, ...this.partOf(doc, day), ...below, score, match_type: 'semantic_L1' as const };
  }

  /** Whether a query says what a hit is about; of what ships it must, see {@link namesSubject}. */
  namesSubject(hit: RetrieverHit, query: string): boolean {
    return namesSubject(hit, query, (word) => this.opened().shareOf(word));
  }

  private get vectors(): VectorArm | undefined {
    return this.options.vectors;
  }

  /** Passages of the project itself. */
  private get ownPassages(): number {
    this.own ??= this.chunks.filter(({ provenance }) => provenance.layer === 'project').length;
    return this.own;
  }

  private opened(): ChunkSearch {
    this.searched ??= new ChunkSearch(this.chunks, this.lexicalCache(), this.options.related);
    return this.searched;
  }

  /** Documents of hits that are no answer but come near one. */
  private nearest(all: readonly SearchHit[]): { title: string; source: string }[] {
    const hits = all.filter(({ score }) => score >= NEAREST_MIN);
    const ids = [...new Set(hits.map((hit) => hit.chunk.documentId))].slice(0, NEAREST_MAX);
    return ids
      .map((id) => this.inForce.get(id) as KnowledgeDocument)
      .map((doc) => ({ title: doc.title, source: this.fileOf(doc) }));
  }

  private lexicalCache() {
    const { cache } = this.options;
    if (!cache) return undefined;
    return { file: cache.file, key: stableHash([packageVersion(), this.version, cache.salt()].join('\n')) };
  }

  private partOf(doc: KnowledgeDocument, day: string) {
    return partOf(doc, this.fileOf(doc), day);
  }

  /** The file of a document as people find it: `.xihe/knowledge/payment/errors.md`. */
  private fileOf(doc: KnowledgeDocument): string {
    const dir = this.layers.find(({ layer }) => layer === doc.provenance.layer)?.dir ?? 'knowledge';
    const folder = shownFolder(dir);
    return folder + doc.provenance.file.slice(doc.provenance.file.indexOf('/') + 1);
  }
}
