import {
  type ChunkIndex,
  type IndexFilter,
  type IndexHit,
  type IndexRow,
  type RowSource,
  type SyncOptions,
  syncIndex,
} from '../chunkIndex.js';
import { Collection } from './collection.js';
import { Connection, type ConnectionOptions } from './connection.js';
import { isMissing, isThere } from './errors.js';
import { aliasOf, collectionName, versionOf } from './names.js';
import type { Identity } from './schema.js';

export interface MilvusOptions extends ConnectionOptions, Identity {
  signal?: AbortSignal | undefined;
}

/**
 * Connects and finds the project's collection, or makes an empty one.
 *
 * @param options `project` tells the projects of one server apart; `timeoutMs` is for one search, writing may take six times as long
 * @throws XiheError MILVUS_UNAVAILABLE, MILVUS_TIMEOUT, MILVUS_AUTH, MILVUS_REFUSED; MILVUS_SCHEMA where the name is taken by something
 *   else, the database is not there or the server is older than 2.5; CANCELLED
 */
export async function openMilvusIndex(options: MilvusOptions): Promise<MilvusIndex> {
  const { project, embedderId, dimension, signal } = options;
  const connection = await Connection.open(options, signal);
  try {
    const index = new MilvusIndex(connection, { project, embedderId, dimension });
    await index.ensure(signal);
    return index;
  } catch (e) {
    await connection.close();
    throw e;
  }
}

/**
 * A {@link ChunkIndex} on a Milvus server. All work goes to an alias, one for each project and model; it points at one version of the
 * collection, and a rebuild fills the next version before it moves the alias.
 */
export class MilvusIndex implements ChunkIndex {
  readonly kind = 'milvus';
  needsRebuild = false;
  private readonly alias: string;
  private readonly current: Collection;

  constructor(
    private readonly connection: Connection,
    private readonly identity: Identity,
  ) {
    this.alias = aliasOf(identity.project, identity.embedderId);
    this.current = new Collection(connection, this.alias, identity);
  }

  dense(vector: Float32Array, limit: number, filter?: IndexFilter, signal?: AbortSignal): Promise<IndexHit[]> {
    return this.current.dense(vector, limit, filter, signal);
  }

  lexical(tokens: readonly string[], limit: number, filter?: IndexFilter, signal?: AbortSignal): Promise<IndexHit[]> {
    return this.current.lexical(tokens, limit, filter, signal);
  }

  hybrid(
    vector: Float32Array,
    tokens: readonly string[],
    limit: number,
    filter?: IndexFilter,
    signal?: AbortSignal,
  ): Promise<IndexHit[]> {
    return this.current.hybrid(vector, tokens, limit, filter, signal);
  }

  hashes(signal?: AbortSignal): Promise<Map<string, string>> {
    return this.current.hashes(signal);
  }

  upsert(rows: readonly IndexRow[], signal?: AbortSignal): Promise<number> {
    return this.current.upsert(rows, signal);
  }

  remove(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    return this.current.remove(ids, signal);
  }

  settle(signal?: AbortSignal): Promise<void> {
    return this.current.settle(signal);
  }

  probe(signal?: AbortSignal): Promise<void> {
    return this.current.probe(signal);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  /** Makes sure that the alias points at a collection that is ours. Several processes may do so at once. */
  async ensure(signal?: AbortSignal): Promise<void> {
    if ((await this.inForce(signal)) === undefined) {
      // Collections without an alias are left of a first start that was interrupted.
      const [version = 1] = (await this.versions(signal)).reverse();
      await this.prepare(version, signal);
      await this.point(version, 'first', signal);
    }
    this.needsRebuild = (await this.current.check(signal)) === 'outdated';
  }

  /**
   * Fills the next version beside the one in force, asks it for a row, moves the alias and drops the old ones. What an interrupted
   * rebuild has written is kept and completed. Names are the same in all processes, so two rebuilds at once fill one collection.
   */
  async rebuild(source: RowSource, options: SyncOptions = {}): Promise<void> {
    const { signal } = options;
    const now = (await this.inForce(signal)) ?? 0;
    const version = now + 1;
    for (const other of await this.versions(signal)) if (other > version) await this.at(other).drop(signal);
    const next = await this.prepare(version, signal);
    await syncIndex(next, source, options);
    await next.settle(signal, 1);
    await next.probe(signal);
    if (((await this.inForce(signal)) ?? 0) < version) await this.point(version, 'move', signal);
    this.needsRebuild = false;
    this.current.wrote();
    for (const old of await this.versions(signal)) {
      // The new one is in force; what can't be dropped (another process is at it) the next rebuild drops.
      if (old < version)
        await this.at(old)
          .drop(signal)
          .catch(() => {});
    }
  }

  /** The version that the alias points at. */
  private async inForce(signal?: AbortSignal): Promise<number | undefined> {
    try {
      const names = { alias: this.alias, collection_name: this.alias };
      const answer = await this.connection.call('查看别名', (c, timeout) => c.describeAlias({ ...names, timeout }), {
        signal,
      });
      return versionOf(this.alias, String(answer.collection));
    } catch (e) {
      if (isMissing(e)) return undefined;
      throw e;
    }
  }

  /** A collection of this version with indexes, loaded; one of another schema is dropped first. */
  private async prepare(version: number, signal?: AbortSignal): Promise<Collection> {
    const collection = this.at(version);
    if ((await collection.check(signal)) === 'outdated') await collection.drop(signal);
    await collection.create(signal);
    return collection;
  }

  /** @param how `first` leaves an alias that another process has made meanwhile where it is */
  private async point(version: number, how: 'first' | 'move', signal?: AbortSignal): Promise<void> {
    const names = { alias: this.alias, collection_name: collectionName(this.alias, version) };
    const options = { signal, slow: true };
    try {
      await this.connection.call('建别名', (c, timeout) => c.createAlias({ ...names, timeout }), options);
    } catch (e) {
      if (!isThere(e)) throw e;
      if (how === 'first') return;
      await this.connection.call('切换别名', (c, timeout) => c.alterAlias({ ...names, timeout }), options);
    }
  }

  /** All versions that there are, ascending. */
  private async versions(signal?: AbortSignal): Promise<number[]> {
    const answer = await this.connection.call('列出集合', (c, timeout) => c.showCollections({ timeout }), { signal });
    const names = ((answer.data ?? []) as { name: string }[]).map(({ name }) => versionOf(this.alias, name));
    return names.filter((version) => version !== undefined).sort((a, b) => a - b);
  }

  private at(version: number): Collection {
    return new Collection(this.connection, collectionName(this.alias, version), this.identity);
  }
}
