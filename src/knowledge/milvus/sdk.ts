import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { assetPath } from '../../assets.js';
import { messageOf } from '../../errors.js';
import { unavailable } from './errors.js';

/** An answer of the SDK before it is checked. */
export type Answer = Record<string, unknown>;

type Rpc = (request?: Record<string, unknown>) => Promise<unknown>;

/** What of the SDK's client is used here. Typed loosely on purpose: no answer is trusted before `connection.ts` has checked it. */
export interface SdkClient {
  readonly connectPromise: Promise<unknown>;
  getVersion: Rpc;
  createCollection: Rpc;
  describeCollection: Rpc;
  showCollections: Rpc;
  dropCollection: Rpc;
  loadCollection: Rpc;
  getLoadState: Rpc;
  createIndex: Rpc;
  describeIndex: Rpc;
  createAlias: Rpc;
  alterAlias: Rpc;
  describeAlias: Rpc;
  dropAlias: Rpc;
  upsert: Rpc;
  delete: Rpc;
  query: Rpc;
  search: Rpc;
  flush: Rpc;
  closeConnection(): Promise<unknown>;
}

export interface Sdk {
  MilvusClient: new (options: Record<string, unknown>) => SdkClient;
  DataType: Record<'VarChar' | 'Int32' | 'FloatVector' | 'SparseFloatVector', number>;
  FunctionType: Record<'BM25', number>;
  ConsistencyLevelEnum: Record<'Strong' | 'Bounded', number>;
  logger: { silent: boolean };
}

let loaded: Promise<Sdk> | undefined;

/**
 * The SDK: the copy that the build bundled, or the development package in a checkout. Loading it takes a quarter of a second, so
 * nothing may ask for it before Milvus is configured.
 *
 * @throws XiheError MILVUS_UNAVAILABLE when the package is damaged
 */
export function loadSdk(): Promise<Sdk> {
  loaded ??= importSdk().catch((e: unknown) => {
    loaded = undefined;
    throw unavailable(`连接组件加载不了：${messageOf(e)}`, '重新安装羲和可以修复；检索先用本机的索引。');
  });
  return loaded;
}

async function importSdk(): Promise<Sdk> {
  const shipped = assetPath('dist', 'vendor', 'milvus2-sdk-node', 'sdk.mjs');
  // gRPC reads it once, when it loads, and would else print lost connections to the terminal.
  const verbosity = process.env.GRPC_VERBOSITY;
  process.env.GRPC_VERBOSITY ??= 'NONE';
  try {
    const module = existsSync(shipped)
      ? await import(pathToFileURL(shipped).href)
      : await import('@zilliz/milvus2-sdk-node');
    const sdk = ((module as { default?: Sdk }).default ?? module) as Sdk;
    // It would print too, with NODE_ENV=test every request in full.
    sdk.logger.silent = true;
    return sdk;
  } finally {
    if (verbosity === undefined) delete process.env.GRPC_VERBOSITY;
  }
}
