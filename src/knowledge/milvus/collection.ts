import { BATCH_ROWS, fusionDepth, type IndexFilter, type IndexHit, type IndexRow, RRF_K, TIES } from '../chunkIndex.js';
import type { CallOptions, Connection } from './connection.js';
import { deadArm, isMissing, isNotLoaded, isRateLimited, isThere, timedOut } from './errors.js';
import { decodeText, encodeText, encodeTokens } from './names.js';
import { FIELD_BYTES, toExpression, toHits, toList, toRecord, toVector } from './rows.js';
import { checkCollection, createRequest, type Identity, INDEXES } from './schema.js';
import type { Answer, SdkClient } from './sdk.js';

/** Most rows that Milvus gives at a time. */
const MOST_ROWS = 16_384;

/** After so many new rows they are sealed: small servers make the word index of unsealed rows anew at each search. */
const FLUSH_ROWS = 1_000;

/** How often loading is asked about. */
const POLL_MS = 100;

/** For so long after a write this process reads what is newest; at other times a second of delay saves waiting. */
const FRESH_MS = 10_000;

/** One collection, or the alias of one. */
export class Collection {
  private unsealed = 0;
  private writtenAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly connection: Connection,
    readonly name: string,
    private readonly identity: Identity,
  ) {}

  /** Makes it with indexes and loads it; goes on where an interrupted attempt stopped. */
  async create(signal?: AbortSignal): Promise<void> {
    const request = createRequest(this.connection.sdk, this.name, this.identity);
    await this.unlessThere('建集合', (c, timeout) => c.createCollection({ ...request, timeout }), signal);
    for (const [field_name, index] of Object.entries(INDEXES)) {
      if (await this.hasIndex(field_name, signal)) continue;
      await this.unlessThere(
        '建索引',
        (c, timeout) => c.createIndex({ ...this.named, field_name, ...index, timeout }),
        signal,
      );
    }
    await this.load(signal);
  }

  /** Whether it is there and as it should be. @throws XiheError MILVUS_SCHEMA for a stranger */
  async check(signal?: AbortSignal): Promise<'good' | 'outdated' | 'missing'> {
    try {
      const answer = await this.call('查看集合', (c, timeout) => c.describeCollection({ ...this.named, timeout }), {
        signal,
      });
      return checkCollection(this.name, answer, this.identity);
    } catch (e) {
      if (isMissing(e)) return 'missing';
      throw e;
    }
  }

  async drop(signal?: AbortSignal): Promise<void> {
    await this.call('删集合', (c, timeout) => c.dropCollection({ ...this.named, timeout }), {
      signal,
      slow: true,
    }).catch((e: unknown) => {
      if (!isMissing(e)) throw e;
    });
  }

  async load(signal?: AbortSignal): Promise<void> {
    const slow = { signal, slow: true };
    await this.call('载入集合', (c, timeout) => c.loadCollection({ ...this.named, timeout }), slow);
    const limit = this.connection.limitMs(true);
    for (const end = Date.now() + limit; ; ) {
      const { state } = await this.call('载入集合', (c, timeout) => c.getLoadState({ ...this.named, timeout }), slow);
      if (state === 'LoadStateLoaded') return;
      if (Date.now() > end) throw timedOut('载入集合', limit);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  async dense(vector: Float32Array, limit: number, filter?: IndexFilter, signal?: AbortSignal): Promise<IndexHit[]> {
    const data = toVector(vector, this.identity.dimension);
    if (limit < 1) return [];
    const request = { data, anns_field: 'vector', metric_type: 'COSINE', ...asked(limit + TIES, filter) };
    return toHits(await this.search(request, signal)).slice(0, limit);
  }

  async lexical(
    tokens: readonly string[],
    limit: number,
    filter?: IndexFilter,
    signal?: AbortSignal,
  ): Promise<IndexHit[]> {
    if (tokens.length === 0 || limit < 1) return [];
    const data = [encodeTokens(tokens, FIELD_BYTES.tokens)];
    const request = { data, anns_field: 'words', metric_type: 'BM25', ...asked(limit + TIES, filter) };
    const hits = toHits(await this.search(request, signal), 'size');
    return hits.filter(({ score }) => score > 0).slice(0, limit);
  }

  async hybrid(
    vector: Float32Array,
    tokens: readonly string[],
    limit: number,
    filter?: IndexFilter,
    signal?: AbortSignal,
  ): Promise<IndexHit[]> {
    const dense = { data: toVector(vector, this.identity.dimension), anns_field: 'vector', metric_type: 'COSINE' };
    if (limit < 1) return [];
    const depth = Math.min(fusionDepth(limit), MOST_ROWS / 2);
    const { filter: expr } = asked(depth, filter);
    const arms: Record<string, unknown>[] = [{ ...dense, expr, limit: depth }];
    if (tokens.length > 0) {
      const data = encodeTokens(tokens, FIELD_BYTES.tokens);
      arms.push({ data, anns_field: 'words', metric_type: 'BM25', expr, limit: depth });
    }
    // All of both arms come back, so that equal scores at the limit are told apart here.
    const rerank = { strategy: 'rrf', params: { k: RRF_K } };
    return toHits(await this.search({ data: arms, rerank, limit: 2 * depth }, signal)).slice(0, limit);
  }

  async hashes(signal?: AbortSignal): Promise<Map<string, string>> {
    const hashes = new Map<string, string>();
    for (let last = ''; ; ) {
      // Offsets end at 16,384 rows; in the order of ids there is no end.
      const rows = await this.query(
        { filter: `id > "${last}"`, limit: MOST_ROWS, params: { iterator: 'True' } },
        signal,
      );
      if (rows.length === 0) return hashes;
      for (const { id, hash } of rows) hashes.set(decodeText(String(id)), decodeText(String(hash)));
      last = String(rows.at(-1)!.id);
    }
  }

  /** Writes the rows whose hash is new. @returns how many those were */
  async upsert(rows: readonly IndexRow[], signal?: AbortSignal): Promise<number> {
    let written = 0;
    for (let at = 0; at < rows.length; at += BATCH_ROWS) {
      const batch = rows.slice(at, at + BATCH_ROWS);
      const ids = batch.map(({ id }) => id);
      const there = await this.query({ filter: `id in ${toList(ids)}`, limit: BATCH_ROWS }, signal);
      const known = new Map(there.map(({ id, hash }) => [id, hash]));
      const data = batch
        .filter(({ id, hash }) => known.get(encodeText(id)) !== encodeText(hash))
        .map((row) => toRecord(row, this.identity.dimension));
      if (data.length === 0) continue;
      // The SDK changes what it is given, and the call may run twice.
      const write = (c: SdkClient, timeout: number) =>
        c.upsert({ ...this.named, data: data.map((r) => ({ ...r })), timeout });
      await this.loaded('写入片段', write, { signal, slow: true });
      written += data.length;
      this.wrote();
    }
    this.unsealed += written;
    return written;
  }

  async remove(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    for (let at = 0; at < ids.length; at += BATCH_ROWS) {
      const filter = `id in ${toList(ids.slice(at, at + BATCH_ROWS))}`;
      await this.loaded('删除片段', (c, timeout) => c.delete({ ...this.named, filter, timeout }), {
        signal,
        slow: true,
      });
      this.wrote();
    }
  }

  /** Seals what was written; once for many rows, because each time makes a segment with word counts of its own. */
  async settle(signal?: AbortSignal, least = FLUSH_ROWS): Promise<void> {
    if (this.unsealed < least) return;
    const flush = (c: SdkClient, timeout: number) => c.flush({ collection_names: [this.name], timeout });
    await this.call('落盘', flush, { signal, slow: true }).catch((e: unknown) => {
      // Servers seal by themselves; asking for it only makes searches faster sooner.
      if (!isRateLimited(e)) throw e;
    });
    this.unsealed = 0;
  }

  /** @throws XiheError MILVUS_PROBE_FAILED */
  async probe(signal?: AbortSignal): Promise<void> {
    const query = {
      filter: 'tokens != ""',
      limit: 1,
      output_fields: ['id', 'tokens', 'vector'],
      params: { iterator: 'True' },
    };
    const [row] = await this.query(query, signal);
    if (row === undefined) return;
    const only = { filter: `id in ["${String(row.id)}"]`, limit: 1, output_fields: ['id'] };
    const arms: [name: string, request: Record<string, unknown>][] = [
      ['向量', { data: row.vector, anns_field: 'vector', metric_type: 'COSINE' }],
      [
        '按词',
        {
          data: [String(row.tokens).split(' ').slice(0, PROBE_TOKENS).join(' ')],
          anns_field: 'words',
          metric_type: 'BM25',
        },
      ],
    ];
    for (const [arm, request] of arms) {
      const [hit] = toHits(await this.search({ ...request, ...only }, signal), 'size');
      if (hit === undefined || hit.score <= 0) throw deadArm(arm, this.name);
    }
  }

  /** Searches of the next seconds see what is written by now. */
  wrote(): void {
    this.writtenAt = Date.now();
  }

  private get named() {
    return { collection_name: this.name };
  }

  /** Makes something that another process may be making at the same time. */
  private async unlessThere(
    what: string,
    run: (c: SdkClient, timeout: number) => Promise<unknown>,
    signal?: AbortSignal,
  ): Promise<void> {
    try {
      await this.connection.call(what, run, { signal, slow: true });
    } catch (e) {
      if (!isThere(e)) throw e;
    }
  }

  private async hasIndex(field_name: string, signal?: AbortSignal): Promise<boolean> {
    const describe = (c: SdkClient, timeout: number) => c.describeIndex({ ...this.named, field_name, timeout });
    try {
      const answer = await this.call('查看索引', describe, { signal });
      return ((answer.index_descriptions ?? []) as unknown[]).length > 0;
    } catch (e) {
      if (isMissing(e)) return false;
      throw e;
    }
  }

  private async query(request: Record<string, unknown>, signal?: AbortSignal): Promise<Record<string, unknown>[]> {
    const { Strong } = this.connection.sdk.ConsistencyLevelEnum;
    const full = { ...this.named, output_fields: ['id', 'hash'], consistency_level: Strong, ...request };
    const answer = await this.loaded('查询片段', (c, timeout) => c.query({ ...full, timeout }), { signal });
    return (answer.data ?? []) as Record<string, unknown>[];
  }

  private search(request: Record<string, unknown>, signal?: AbortSignal): Promise<Answer> {
    const { Strong, Bounded } = this.connection.sdk.ConsistencyLevelEnum;
    const consistency_level = Date.now() - this.writtenAt < FRESH_MS ? Strong : Bounded;
    const full = { ...this.named, output_fields: ['id'], consistency_level, ...request };
    return this.loaded('检索', (c, timeout) => c.search({ ...full, timeout }), { signal });
  }

  /** A call that needs the collection in memory: loads it where a restart of the server has dropped it, and tries once more. */
  private async loaded(
    what: string,
    run: (c: SdkClient, timeout: number) => Promise<unknown>,
    options: CallOptions,
  ): Promise<Answer> {
    try {
      return await this.call(what, run, options);
    } catch (e) {
      if (!isNotLoaded(e)) throw e;
      await this.load(options.signal);
      return this.call(what, run, options);
    }
  }

  private call(
    what: string,
    run: (c: SdkClient, timeout: number) => Promise<unknown>,
    options: CallOptions,
  ): Promise<Answer> {
    return this.connection.callOn(this.name, what, run, options);
  }
}

/** Words of a row that the probe asks for; all of a long one would cost time and prove nothing more. */
const PROBE_TOKENS = 32;

function asked(limit: number, filter: IndexFilter | undefined): { limit: number; filter: string } {
  return { limit: Math.min(Math.floor(limit), MOST_ROWS), filter: toExpression(filter) };
}
