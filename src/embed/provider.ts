import type { XiheConfig } from '../config.js';
import { XiheError } from '../errors.js';
import { assertTrusted } from '../trust.js';
import type { Embedder } from './types.js';

/** `embedding` of the config. */
export type EmbeddingConfig = XiheConfig['embedding'];

/** Who makes vectors. */
export type Provider = 'embedded' | 'endpoint' | 'langchain' | 'none';

/** Name that `dimensionFile` has in a project's state folder. */
export const DIMENSION_FILE = 'embedding.json';

/** Where things lie. */
export interface EmbedderPlaces {
  /** Whose packages provider `langchain` may use, absolute; default: the working folder. */
  projectRoot?: string;
  /** Where lengths of vectors are kept between processes, absolute: with it only the first opening of all needs a service that answers. */
  dimensionFile?: string;
}

/**
 * Which provider the settings mean.
 *
 * @throws XiheError CONFIG_INVALID when an endpoint is meant and its address or model is missing, or LangChain and its class
 */
export function providerOf(config: EmbeddingConfig): Provider {
  const meant = config.provider === 'auto' ? (config.baseUrl === undefined ? 'embedded' : 'endpoint') : config.provider;
  if (meant === 'langchain' && config.langchain === undefined)
    throw missing(
      'langchain',
      'LangChain 的向量类',
      '在 .xihe/config.yaml 里写上它的 module 和 class，写法见 docs/data.md「设置」。',
    );
  if (meant !== 'endpoint') return meant;
  const or = '；想用内置模型就去掉 embedding.baseUrl。';
  if (config.baseUrl === undefined)
    throw missing('baseUrl', '向量服务', `在 .xihe/config.yaml 里写上，或设置 XIHE_EMBED_BASE_URL${or}`);
  if (config.name === undefined)
    throw missing('name', '向量服务', `在 .xihe/config.yaml 里写上，或设置 XIHE_EMBED_MODEL${or}`);
  return meant;
}

function missing(key: string, what: string, hint: string): XiheError {
  return new XiheError('CONFIG_INVALID', `${what}缺少 embedding.${key}`, {
    hint,
    details: { key: `embedding.${key}` },
  });
}

/**
 * Opens what the settings say. The embedded model loads at its first text. A service is asked here for its dimension, unless
 * `embedding.dimension` is set or `places.dimensionFile` has it: who must answer without it catches EMBED_… and goes on by words.
 *
 * @returns undefined with provider `none`
 * @throws XiheError UNTRUSTED_ADDRESS, CONFIG_INVALID, EMBED_UNAVAILABLE, and what `openEndpoint` and `openLangChain` throw
 */
export async function openEmbedder(
  config: EmbeddingConfig,
  signal?: AbortSignal,
  places: EmbedderPlaces = {},
): Promise<Embedder | undefined> {
  const provider = providerOf(config);
  if (provider === 'none') return undefined;
  if (provider === 'embedded') {
    const { openEmbedded } = await import('./embedded.js');
    return openEmbedded({ workers: config.workers, runtime: config.runtime });
  }
  const { dimensionFile, projectRoot = process.cwd() } = places;
  if (provider === 'langchain') {
    // Code of a package that the settings name, and the keys that it asks for: a question asked in somebody else's repository must not
    // run the one nor hand out the other.
    assertTrusted(config.untrusted, 'embedding.langchain');
    const { openLangChain } = await import('./langchain.js');
    return openLangChain(
      { ...config, ...config.langchain! },
      { projectRoot: config.packages ?? projectRoot, dimensionFile },
      signal,
    );
  }
  assertTrusted(config.untrusted, 'embedding.baseUrl');
  const { openEndpoint } = await import('./endpoint.js');
  return openEndpoint({ ...config, baseUrl: config.baseUrl!, name: config.name! }, signal, { dimensionFile });
}
