import type { XiheConfig } from '../config.js';
import { XiheError } from '../errors.js';
import type { Embedder } from './types.js';

/** `embedding` of the config. */
export type EmbeddingConfig = XiheConfig['embedding'];

/**
 * Which provider the settings mean.
 *
 * @throws XiheError CONFIG_INVALID when an endpoint is meant and its address or model is missing
 */
export function providerOf(config: EmbeddingConfig): 'embedded' | 'endpoint' | 'none' {
  const meant = config.provider === 'auto' ? (config.baseUrl === undefined ? 'embedded' : 'endpoint') : config.provider;
  if (meant !== 'endpoint') return meant;
  const missing = config.baseUrl === undefined ? 'baseUrl' : config.name === undefined ? 'name' : undefined;
  if (missing === undefined) return meant;
  const variable = missing === 'baseUrl' ? 'XIHE_EMBED_BASE_URL' : 'XIHE_EMBED_MODEL';
  throw new XiheError('CONFIG_INVALID', `向量服务缺少 embedding.${missing}`, {
    hint: `在 .xihe/config.yaml 里写上，或设置 ${variable}；想用内置模型就去掉 embedding.baseUrl。`,
    details: { key: `embedding.${missing}` },
  });
}

/**
 * Opens what the settings say. The embedded model loads at its first text; an endpoint is asked for its dimension here unless
 * `embedding.dimension` is set.
 *
 * @returns undefined with provider `none`
 * @throws XiheError CONFIG_INVALID, EMBED_UNAVAILABLE, and what `openEndpoint` throws
 */
export async function openEmbedder(config: EmbeddingConfig, signal?: AbortSignal): Promise<Embedder | undefined> {
  const provider = providerOf(config);
  if (provider === 'none') return undefined;
  if (provider === 'embedded') {
    const { openEmbedded } = await import('./embedded.js');
    return openEmbedded({ workers: config.workers, runtime: config.runtime });
  }
  const { openEndpoint } = await import('./endpoint.js');
  return openEndpoint({ ...config, baseUrl: config.baseUrl!, name: config.name! }, signal);
}
