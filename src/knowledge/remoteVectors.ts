import type { Embedder } from '../embed/index.js';
import { XiheError } from '../errors.js';
import { indexTokens } from '../text/index.js';
import { type ChunkIndex, type IndexRow, type RowSource, rowHash, type SyncOptions, syncIndex } from './chunkIndex.js';
import { cosinesOf, placesOf } from './localMeaning.js';
import type { Meaning } from './meaning.js';
import { REMOTE_ROWS, RemoteMeaning } from './remoteMeaning.js';
import type { Chunk } from './types.js';
import type { VectorStock } from './vectorStock.js';
import { within } from './within.js';

/** Opens the index of a project on a server. */
export type OpenRemote = (
  embedder: { id: string; dimension: number },
  signal?: AbortSignal,
) => Promise<ChunkIndex & { needsRebuild?: boolean }>;

/** A server that failed is not asked again for so long, or every answer would wait for it. */
const PAUSE_MS = 30_000;

/** The vectors of a base on a server, beside the few in memory. */
export class RemoteVectors {
  private failed: { at: number; why: string } | undefined;
  private opening: Promise<Awaited<ReturnType<OpenRemote>>> | undefined;

  constructor(private readonly openRemote: OpenRemote) {}

  /**
   * What the server says about a query, or in Chinese why it does not.
   *
   * @param stock of the same chunks; its vectors of what ships tell how near unrelated passages come
   * @param signal when it fires, the answer is that the server was late
   */
  async ask(query: Float32Array, chunks: readonly Chunk[], stock: VectorStock, signal: AbortSignal) {
    const { at, why } = this.failed ?? { at: Number.NEGATIVE_INFINITY, why: '' };
    if (performance.now() - at < PAUSE_MS) return why;
    try {
      return await within(this.meaning(query, chunks, stock, signal), signal);
    } catch (error) {
      const reason = XiheError.is(error) && error.code !== 'CANCELLED' ? error.message : '没有及时应答';
      this.failed = { at: performance.now(), why: `Milvus：${reason}；这次用本机的向量` };
      return this.failed.why;
    }
  }

  private async meaning(
    query: Float32Array,
    chunks: readonly Chunk[],
    stock: VectorStock,
    signal: AbortSignal,
  ): Promise<Meaning> {
    // Before the first wait: a reload may bring the stock to other chunks meanwhile.
    const { needs } = stock;
    const at = placesOf(chunks, stock.rows(), stock.index);
    const { background, places, unit } = at;
    const scores = stock.index.score(query);
    const { cosines } = cosinesOf(scores, at);
    let sum = 0;
    for (const row of background) sum += scores.at(row);
    const index = await this.opened(stock.embedder, signal);
    const hits = await index.dense(query, REMOTE_ROWS, undefined, signal);
    // A server that was set up anew: its silence is no answer.
    if (hits.length === 0)
      throw new XiheError('MILVUS_SCHEMA', '上面还没有索引，运行 xihe index 建好', { hint: '运行 xihe index。' });
    return new RemoteMeaning(chunks, places, needs, hits, {
      unit,
      unrelated: background.length === 0 ? undefined : sum / background.length,
      local(place) {
        const cosine = cosines[place] as number;
        return Number.isNaN(cosine) ? undefined : cosine;
      },
    });
  }

  /**
   * Brings the server to these chunks: what is there already is not written again.
   *
   * @param embedder makes (or has) the vectors
   * @param options.rebuild makes the whole index anew beside the old one, which answers meanwhile
   * @returns whether the index was made anew
   */
  async sync(
    chunks: readonly Chunk[],
    stock: VectorStock,
    embedder: Embedder,
    options: SyncOptions & { rebuild?: boolean | undefined } = {},
  ): Promise<boolean> {
    const index = await this.opened(stock.embedder, options.signal);
    this.failed = undefined;
    const source = sourceOf(chunks, stock, embedder);
    if (options.rebuild === true || index.needsRebuild === true) {
      await index.rebuild(source, options);
      return true;
    }
    await syncIndex(index, source, options);
    await index.probe(options.signal);
    return false;
  }

  async close(): Promise<void> {
    await (await this.opening?.catch(() => undefined))?.close();
    this.opening = undefined;
  }

  private opened(embedder: { id: string; dimension: number }, signal?: AbortSignal) {
    if (this.opening === undefined) {
      const opening = this.openRemote(embedder, signal);
      this.opening = opening;
      // A server that was down may be up at the next question.
      opening.catch(() => {
        if (this.opening === opening) this.opening = undefined;
      });
    }
    return this.opening;
  }
}

/** A row a text: the whole of a passage with its words, and its lead and topics, which no word search is to find twice. */
function sourceOf(chunks: readonly Chunk[], stock: VectorStock, embedder: Embedder): RowSource {
  const { wanted, needs } = stock;
  const plans = new Map<string, Omit<IndexRow, 'vector'>>();
  for (const [i, chunk] of chunks.entries()) {
    const { whole, lead, topics } = needs[i] as VectorStock['needs'][number];
    const words = () => [chunk.title, chunk.heading, ...chunk.keywords, chunk.content].flatMap(indexTokens);
    for (const [id, tokens] of [[whole, words], ...[lead, ...topics].map((id) => [id, () => []] as const)] as const) {
      if (!plans.has(id)) plans.set(id, planOf(id, chunk, wanted.get(id) as string, tokens()));
    }
  }
  return {
    hashes: new Map([...plans.values()].map(({ id, hash }) => [id, hash])),
    async rows(ids, signal) {
      // What ships, and what was made before, is at hand.
      const lacking = ids.filter((id) => !stock.index.has(id));
      const texts = lacking.map((id) => wanted.get(id) as string);
      const made = await embedder.embed(texts, { kind: 'passage', ...(signal ? { signal } : {}) });
      const fresh = new Map(lacking.map((id, i) => [id, made[i] as Float32Array]));
      const vectorOf = (id: string) => (fresh.get(id) ?? stock.index.get(id)) as Float32Array;
      return ids.map((id) => ({ ...(plans.get(id) as IndexRow), vector: vectorOf(id) }));
    },
  };
}

function planOf(id: string, chunk: Chunk, text: string, tokens: readonly string[]): Omit<IndexRow, 'vector'> {
  const { layer, status, versionUntil } = chunk.provenance;
  const facts = {
    layer,
    status,
    ...(chunk.module === undefined ? {} : { module: chunk.module }),
    ...(versionUntil === undefined ? {} : { versionUntil }),
  };
  return { id, hash: rowHash(text, tokens, facts), tokens, ...facts };
}
