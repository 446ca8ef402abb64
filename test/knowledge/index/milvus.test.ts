import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/assets.js';
import { LocalIndex, openMilvusIndex, syncIndex } from '../../../src/knowledge/index.js';
import type { Sdk, SdkClient } from '../../../src/knowledge/milvus/sdk.js';
import { startMilvus } from '../../support/milvus.js';
import { contract } from './contract.js';
import { axis, cosines, DIMENSION, idsOf, makeQuery, makeRows, row, sourceOf } from './corpus.js';

const server = await startMilvus();
afterAll(() => server?.close());

function open(project: string, more: { embedderId?: string; dimension?: number; database?: string } = {}) {
  const { embedderId = 'test', dimension = DIMENSION, database } = more;
  return openMilvusIndex({ address: server!.address, project, embedderId, dimension, database, timeoutMs: 10_000 });
}

/** A client of the SDK beside ours, to look at and to spoil what is on the server. */
async function bare(): Promise<{ sdk: Sdk; client: SdkClient }> {
  const sdk = (await import('@zilliz/milvus2-sdk-node')) as unknown as Sdk;
  sdk.logger.silent = true;
  const client = new sdk.MilvusClient({ address: server!.address, telemetry: { enabled: false }, maxRetries: 0 });
  await client.connectPromise;
  return { sdk, client };
}

async function collections(client: SdkClient, slug: string): Promise<string[]> {
  const { data } = (await client.showCollections()) as { data: { name: string }[] };
  return data
    .map(({ name }) => name.replace(/_[0-9a-f]{12}_v/, ' v'))
    .filter((name) => name.startsWith(`xihe_${slug} `));
}

describe.skipIf(server === undefined)('MilvusIndex', () => {
  contract(({ project, ...more }) => open(project, more));

  it('answers as LocalIndex does: the same ids in the same order', async () => {
    const rows = makeRows(400, 21);
    const local = new LocalIndex({ embedderId: 'test', dimension: DIMENSION, encoding: 'float32' });
    const remote = await open('beside-local');
    for (const index of [local, remote]) await index.rebuild(sourceOf(rows));
    for (let seed = 50; seed < 70; seed++) {
      const [vector, words] = [makeRows(1, seed)[0]!.vector, makeQuery(seed)];
      const filter = seed % 2 ? { modules: ['order'], validOn: '2026-12-01' } : {};
      expect(idsOf(await remote.dense(vector, 20, filter))).toEqual(idsOf(await local.dense(vector, 20, filter)));
      expect(idsOf(await remote.lexical(words, 20, filter))).toEqual(idsOf(await local.lexical(words, 20, filter)));
      // Equal scores of words may change places on the server, which moves a row by a place or two.
      const both = await Promise.all([local, remote].map((index) => index.hybrid(vector, words, 20, filter)));
      expect(idsOf(both[1]!).slice(0, 5)).toEqual(idsOf(both[0]!).slice(0, 5));
    }
    await remote.close();
  });

  it('is the same for a second process, and stays when both close', async () => {
    const [one, two] = await Promise.all([open('shared'), open('shared')]);
    await one.upsert([row('a#1', 0, ['甲'])]);
    expect(idsOf(await two.lexical(['甲'], 5))).toEqual(['a#1']);
    await Promise.all([one.close(), two.close()]);
    const again = await open('shared');
    expect(idsOf(await again.dense(axis(0), 5))).toEqual(['a#1']);
    await again.close();
    await expect(again.dense(axis(0), 5)).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('rebuilds into the next collection and drops the old one; two processes at once fill one', async () => {
    const { client } = await bare();
    const index = await open('versions');
    expect(await collections(client, 'versions')).toEqual(['xihe_versions v1']);
    const rows = makeRows(300, 5);
    const other = await open('versions');
    await Promise.all([index.rebuild(sourceOf(rows)), other.rebuild(sourceOf(rows))]);
    const [left, ...more] = await collections(client, 'versions');
    expect(more).toEqual([]);
    expect(left).toMatch(/v[23]$/);
    for (const reader of [index, other]) {
      expect(await reader.hashes()).toEqual(sourceOf(rows).hashes);
      expect(idsOf(await reader.dense(axis(3), 5))).toEqual(idsOf(cosines(rows, axis(3)).slice(0, 5)));
      await reader.close();
    }
    await client.closeConnection();
  });

  it('completes what an interrupted rebuild has written, and asks only for the rest', async () => {
    const { client } = await bare();
    const index = await open('continued');
    await index.upsert([row('old#1', 0, ['旧'])]);
    const rows = makeRows(700, 9);
    const stop = new AbortController();
    const half = { signal: stop.signal, onProgress: (done: number) => done >= 512 && stop.abort() };
    await expect(index.rebuild(sourceOf(rows), half)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await collections(client, 'continued')).toEqual(['xihe_continued v1', 'xihe_continued v2']);
    await index.close();

    const next = await open('continued');
    let asked = 0;
    const source = sourceOf(rows);
    await next.rebuild({
      ...source,
      rows: (ids) => {
        asked += ids.length;
        return source.rows(ids);
      },
    });
    expect(asked).toBe(700 - 512);
    expect(await collections(client, 'continued')).toEqual(['xihe_continued v2']);
    expect(await next.hashes()).toEqual(source.hashes);
    await next.close();
    await client.closeConnection();
  });

  it('makes a collection of another schema anew, and does not touch a stranger of its name', async () => {
    const { sdk, client } = await bare();
    const index = await open('stranger');
    const { collection } = (await client.describeAlias({ alias: nameOf(index), collection_name: '-' })) as {
      collection: string;
    };
    await index.close();
    const alias = collection.replace(/_v\d+$/, '');
    await client.dropCollection({ collection_name: collection });
    const { VarChar, FloatVector } = sdk.DataType;
    const fields = [
      { name: 'id', data_type: VarChar, is_primary_key: true, max_length: 64 },
      { name: 'vector', data_type: FloatVector, dim: DIMENSION },
    ];
    const identity = { project: 'stranger', embedderId: 'test', dimension: DIMENSION };
    const make = async (label: object) => {
      await client.createCollection({
        collection_name: collection,
        fields,
        properties: { 'xihe.index': JSON.stringify(label) },
      });
      await client.createAlias({ alias, collection_name: collection });
    };

    await make({});
    await expect(open('stranger')).rejects.toMatchObject({ code: 'MILVUS_SCHEMA' });
    await client.dropCollection({ collection_name: collection });
    await make({ ...identity, schema: 1, dimension: 5 });
    await expect(open('stranger')).rejects.toMatchObject({ code: 'MILVUS_SCHEMA', details: { dimension: 5 } });
    await client.dropCollection({ collection_name: collection });

    await make({ ...identity, schema: 0 });
    const old = await open('stranger');
    expect(old.needsRebuild).toBe(true);
    expect(await syncIndex(old, sourceOf([row('a#1', 0, ['甲'])]))).toEqual({ written: 1, removed: 0 });
    expect(old.needsRebuild).toBe(false);
    expect(idsOf(await old.lexical(['甲'], 5))).toEqual(['a#1']);
    await old.close();
    await client.closeConnection();
  });

  it('takes up a first start that ended before the alias was made', async () => {
    const { client } = await bare();
    const index = await open('half-made');
    await index.upsert([row('a#1', 0, ['甲'])]);
    await client.dropAlias({ alias: nameOf(index) });
    await index.close();
    const again = await open('half-made');
    expect(idsOf(await again.lexical(['甲'], 5))).toEqual(['a#1']);
    await again.close();
    await client.closeConnection();
  });

  it('says when the arm of words is dead', async () => {
    const { client } = await bare();
    const index = await open('dead-arm');
    // The field as a server with another analyzer would have read it.
    const record = { id: 'a#1', hash: 'h', module: '', status: 'verified', layer: 'project', until: 0 };
    const tokens = '，。；';
    await client.upsert({
      collection_name: nameOf(index),
      data: [{ ...record, tokens, vector: Array.from(axis(0)) }],
    });
    await expect(index.probe()).rejects.toMatchObject({
      code: 'MILVUS_PROBE_FAILED',
      message: expect.stringContaining('按词'),
    });
    await index.close();
    await client.closeConnection();
  });

  it('says when the database is not there', async () => {
    await expect(open('database', { database: 'nowhere' })).rejects.toMatchObject({
      code: 'MILVUS_SCHEMA',
      hint: expect.stringContaining('数据库'),
    });
  });

  it('refuses what does not fit into a field', async () => {
    const index = await open('limits');
    const long = `docs/${'长'.repeat(3_000)}.md#1`;
    await expect(index.upsert([row(long, 0, ['甲'])])).rejects.toMatchObject({ code: 'MILVUS_SCHEMA' });
    await expect(index.upsert([row('a#1', 0, ['甲'], { module: 'm'.repeat(2_000) })])).rejects.toMatchObject({
      code: 'MILVUS_SCHEMA',
    });
    const path = `docs/${'长/'.repeat(1_000)}a.md#1`;
    await syncIndex(index, sourceOf([row(path, 0, ['甲'])]));
    expect(idsOf(await index.dense(axis(0), 1))).toEqual([path]);
    await index.close();
  });

  it('works with the bundle of the SDK that users get', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'xihe-sdk-'));
    const script = pathToFileURL(join(packageRoot(), 'scripts', 'vendor-milvus.mjs')).href;
    const { vendorMilvus } = (await import(script)) as { vendorMilvus(root: string, out: string): Promise<void> };
    await vendorMilvus(packageRoot(), dir);
    const { MilvusClient, logger } = (await import(pathToFileURL(join(dir, 'sdk.mjs')).href)) as Sdk;
    logger.silent = true;
    const index = await open('bundle');
    await index.upsert([row('a#1', 0, ['甲']), row('b#1', 1, ['乙'])]);
    const client = new MilvusClient({ address: server!.address, telemetry: { enabled: false } });
    await client.connectPromise;
    const arms = [{ data: Array.from(axis(1)), anns_field: 'vector', metric_type: 'COSINE', expr: '', limit: 2 }];
    const answer = (await client.search({
      collection_name: nameOf(index),
      data: arms,
      limit: 2,
      output_fields: ['id'],
    })) as { results: { id: string }[] };
    expect(answer.results.map(({ id }) => id)).toEqual(['b#1', 'a#1']);
    await Promise.all([client.closeConnection(), index.close()]);
    rmSync(dir, { recursive: true, force: true });
  });
});

function nameOf(index: unknown): string {
  return (index as { alias: string }).alias;
}
