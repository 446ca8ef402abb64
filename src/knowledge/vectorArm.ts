import { type Embedder, openEmbedder, providerOf, withCache } from '../embed/index.js';
import { XiheError } from '../errors.js';
import { foldKeepingCase } from '../text/index.js';
import { shownAddress } from '../trust.js';
import { LocalMeaning, type Places, placesOf } from './localMeaning.js';
import type { Asked, VectorState } from './meaning.js';
import { RemoteVectors } from './remoteVectors.js';
import type { Chunk } from './types.js';
import type { AskOptions, BuildOptions, VectorArmOptions } from './vectorArmOptions.js';
import { openStock, type VectorStock, type Wanted } from './vectorStock.js';
import { within } from './within.js';

/**
 * A model loads in .6 s on WASM when the machine is quiet and three times that beside other work. An answer that waits longer than this
 * is worth less than one without vectors.
 */
const ASK_BUDGET_MS = 2_500;

/** Of that time the server gets so much: then the vectors in memory answer, which takes milliseconds. */
const REMOTE_SHARE = 0.6;

/** Texts between two looks at what other processes have made meanwhile, and at the signal. */
const BATCH = 32;

/** Batches between two snapshots: a build that is killed loses the index of at most so many, and no vector (those are cached). */
const SAVE_EVERY = 32;

interface Open {
  /** Computes, whatever is cached. */
  plain: Embedder;
  /** Answers from the cache where it can. */
  embedder: Embedder;
  stock: VectorStock;
}

/**
 * The vector arm: makes the vectors of a base's chunks and answers what they say about a query. Nothing is opened before the first
 * question. It never takes the words down: what goes wrong is told as `degraded`.
 */
export class VectorArm {
  private opening: Promise<Open | undefined> | undefined;
  private chunks: readonly Chunk[] = [];
  /** The chunks that the stock was brought to. */
  private taken: readonly Chunk[] | undefined;
  private placed: Places | undefined;
  private building: Promise<void> | undefined;
  private warming: Promise<void> | undefined;
  private ending = new AbortController();
  /** Nothing was missing when it was last looked. */
  private complete = false;
  private failed: string | undefined;
  private readonly remote: RemoteVectors | undefined;

  constructor(private readonly options: VectorArmOptions) {
    this.remote = options.remote && new RemoteVectors(options.remote);
  }

  /** Chunks of the base from now on; costs nothing until the next question. */
  take(chunks: readonly Chunk[]): void {
    this.chunks = chunks;
  }

  /** Whether the settings want vectors at all. Wrong settings count as yes: the first question says what is wrong. */
  get wanted(): boolean {
    try {
      return providerOf(this.options.embedding) !== 'none';
    } catch {
      return true;
    }
  }

  /**
   * What the vectors say about a query.
   *
   * @throws XiheError CANCELLED when `signal` fires; everything else is told in `degraded`
   */
  async ask(query: string, { signal, budgetMs = ASK_BUDGET_MS }: AskOptions = {}): Promise<Asked> {
    if (!this.wanted) return {};
    const timer = AbortSignal.timeout(budgetMs);
    const limits = [this.ending.signal, ...(signal ? [signal] : [])];
    try {
      return await this.answer(query, AbortSignal.any(limits), timer, budgetMs * REMOTE_SHARE);
    } catch (error) {
      if (signal?.aborted) throw XiheError.is(error, 'CANCELLED') ? error : signal.reason;
      this.forgetWrongDimension(error);
      return { degraded: timer.aborted ? this.late() : reasonOf(error) };
    }
  }

  private late(): string {
    const { embedding } = this.options;
    const provider = providerOf(embedding);
    if (provider === 'embedded') return '自带的向量模型没来得及加载';
    const where = provider === 'endpoint' ? ` ${shownAddress(embedding.baseUrl ?? '')} ` : '';
    return `向量服务${where}没来得及应答，用 xihe doctor 看它通不通`;
  }

  private async answer(query: string, signal: AbortSignal, timer: AbortSignal, remoteMs: number): Promise<Asked> {
    const inTime = AbortSignal.any([signal, timer]);
    const open = await within(this.opened(), inTime);
    if (open === undefined) return {};
    // Traditional characters and Taiwan's words cost the model a fifth of its right answers (MRR .50 against .60 folded).
    const asked = await open.embedder.embed([foldKeepingCase(query)], { kind: 'query', signal: inTime });
    const vector = asked[0] as Float32Array;
    this.settle(open);
    const soon = AbortSignal.any([inTime, AbortSignal.timeout(remoteMs)]);
    const { chunks } = this;
    const remote = await this.remote?.ask(vector, chunks, open.stock, soon);
    this.settle(open);
    if (signal.aborted) throw signal.reason;
    if (typeof remote === 'object') return { meaning: remote };
    const meaning = new LocalMeaning(open.stock.index, this.places(open), vector);
    return { meaning, ...(remote === undefined ? {} : { degraded: remote }) };
  }

  /**
   * Makes the vectors that are missing; a second call joins the first. What was made stays when it is interrupted.
   *
   * @throws XiheError CANCELLED, or what the embedder throws
   */
  async build(options: BuildOptions = {}): Promise<void> {
    if (!this.wanted) return;
    this.building ??= this.make(options).finally(() => {
      this.building = undefined;
    });
    await this.building;
  }

  /** {@link build} for whoever stays running: what goes wrong is told by {@link state}. */
  buildInBackground(): void {
    if (!this.complete || this.taken !== this.chunks) this.build().catch(() => undefined);
  }

  private async make({ signal, onProgress, rebuild }: BuildOptions): Promise<void> {
    const both = AbortSignal.any([this.ending.signal, ...(signal ? [signal] : [])]);
    try {
      const open = await within(this.opened(), both);
      if (open === undefined) return;
      if (this.remote === undefined) await this.fill(open, both, onProgress);
      else await this.fillRemote(open, this.remote, { signal: both, onProgress, rebuild });
      this.failed = undefined;
    } catch (error) {
      if (!XiheError.is(error, 'CANCELLED')) this.failed = reasonOf(error);
      this.forgetWrongDimension(error);
      throw error;
    }
  }

  /** Until nothing is missing: the chunks may change while their vectors are made. */
  private async fill(open: Open, signal: AbortSignal, onProgress?: (done: number, total: number) => void) {
    try {
      for (let batches = 0; ; ) {
        this.settle(open);
        const wanted = open.stock.missing();
        const total = open.stock.size;
        onProgress?.(total - wanted.length, total);
        this.complete = wanted.length === 0;
        if (this.complete) break;
        for (let at = 0; at < wanted.length && this.taken === this.chunks; at += BATCH) {
          await this.embed(open, wanted.slice(at, at + BATCH), signal);
          onProgress?.(total - wanted.length + Math.min(at + BATCH, wanted.length), total);
          if (++batches % SAVE_EVERY === 0) open.stock.save();
        }
      }
    } finally {
      open.stock.save();
    }
  }

  /** Only what the server lacks is made, so that the machine next to the one that made it has nothing to do. */
  private async fillRemote(open: Open, remote: RemoteVectors, options: BuildOptions): Promise<void> {
    this.settle(open);
    const { onProgress, ...rest } = options;
    await remote.sync(this.chunks, open.stock, open.embedder, { ...rest, ...(onProgress ? { onProgress } : {}) });
    this.complete = true;
    // What was made for the server lies in the cache as well: it answers here when the server is down.
    open.stock.take(this.chunks);
    this.placed = undefined;
  }

  private async embed(open: Open, batch: readonly Wanted[], signal: AbortSignal): Promise<void> {
    const texts = batch.map(({ text }) => text);
    await open.embedder.embed(texts, {
      kind: 'passage',
      signal,
      onVector: (i, vector) => {
        open.stock.index.add((batch[i] as Wanted).hash, vector);
        this.placed = undefined;
      },
    });
  }

  /** Loads what the first question needs, while others do something else; what goes wrong, that question tells. */
  warm(): void {
    if (this.warming !== undefined || !this.wanted) return;
    const load = async () => {
      const open = await this.opened();
      await open?.plain.embed(['预热'], { kind: 'query', signal: this.ending.signal });
    };
    this.warming = load().catch(() => undefined);
  }

  /** How the vectors are getting on. Opens nothing. */
  async state(): Promise<VectorState> {
    const open = await this.opening?.catch(() => undefined);
    const problem = this.failed === undefined ? {} : { problem: this.failed };
    const common = { chunks: this.chunks.length, building: this.building !== undefined, ...problem };
    if (open === undefined) return { ...common, ready: 0 };
    this.settle(open);
    return { ...common, embedderId: open.embedder.id, ready: open.stock.ready() };
  }

  /** Opens what is needed for {@link state} to count. */
  async prepare(signal?: AbortSignal): Promise<void> {
    if (this.wanted) await within(this.opened(), signal ?? this.ending.signal);
  }

  /** Ends what is under way and frees workers and connections; a later question opens them anew. */
  async close(): Promise<void> {
    this.ending.abort(new XiheError('CANCELLED', '已关闭', { hint: '重新打开再用。' }));
    await this.building?.catch(() => undefined);
    const open = await this.opening?.catch(() => undefined);
    await this.remote?.close();
    await open?.embedder.close();
    this.ending = new AbortController();
    this.opening = undefined;
    this.warming = undefined;
    this.taken = undefined;
  }

  private opened(): Promise<Open | undefined> {
    if (this.opening === undefined) {
      // Not the signal of who asks first: others wait for it as well.
      const opening = this.open(this.ending.signal);
      this.opening = opening;
      // An endpoint that was down may be up at the next question.
      opening.catch(() => {
        if (this.opening === opening) this.opening = undefined;
      });
    }
    return this.opening;
  }

  private async open(signal?: AbortSignal): Promise<Open | undefined> {
    const { dir, readyFile, places } = this.options;
    const { open = (s?: AbortSignal) => openEmbedder(this.options.embedding, s, places) } = this.options;
    const embedder = await open(signal);
    if (embedder === undefined) return undefined;
    const { stock, cache } = openStock(embedder, dir, readyFile);
    return { plain: embedder, embedder: cache === undefined ? embedder : withCache(embedder, cache), stock };
  }

  /** A service that gives vectors of another length now has another model: it is opened anew. */
  private forgetWrongDimension(error: unknown): void {
    if (!XiheError.is(error, 'EMBED_DIMENSION')) return;
    this.opening?.then((open) => open?.embedder.close()).catch(() => undefined);
    this.opening = undefined;
    this.taken = undefined;
  }

  /** Brings the stock to the chunks of now. */
  private settle({ stock }: Open): void {
    if (this.taken === this.chunks) return;
    stock.take(this.chunks);
    this.taken = this.chunks;
    this.placed = undefined;
  }

  private places({ stock }: Open): Places {
    this.placed ??= placesOf(this.chunks, stock.rows(), stock.index);
    return this.placed;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof XiheError ? error.message : String(error instanceof Error ? error.message : error);
}
