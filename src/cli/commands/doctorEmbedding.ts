import { join } from 'node:path';
import type { XiheConfig } from '../../config.js';
import { messageOf, XiheError } from '../../errors.js';
import type { ProjectLayout } from '../../layout.js';
import type { Check } from './doctor.js';

/** What `--json` tells about vectors beside the check. */
export interface EmbeddingState {
  provider: 'embedded' | 'endpoint' | 'langchain' | 'none';
  /** Of the vectors: model, revision, dimension. */
  id?: string;
  dimension?: number;
  /** Of the embedded model, once it has loaded. */
  runtime?: 'wasm' | 'native';
  /** Whether it gave a vector within the time that `doctor` waits. */
  answers: boolean;
}

const NAME = '向量';
const NATIVE_HINT = '运行 npm i onnxruntime-node，或去掉 embedding.runtime 用 WASM。按词检索照常可用。';
const RUNTIMES = { wasm: 'WASM', native: 'onnxruntime-node' } as const;

/**
 * Who makes vectors, and whether it does: by asking for one. The embedded model being slow is no fault, since search by words goes on.
 *
 * @param timeoutMs longest wait, in milliseconds
 */
export async function embeddingCheck(
  config: XiheConfig['embedding'],
  layout: ProjectLayout,
  timeoutMs: number,
): Promise<{ check: Check; embedding: EmbeddingState | undefined }> {
  const { providerOf } = await import('../../embed/index.js');
  let provider: EmbeddingState['provider'];
  try {
    provider = providerOf(config);
  } catch (e) {
    return { check: faultOf('fail', e), embedding: undefined };
  }
  if (provider === 'none') {
    const check: Check = { name: NAME, state: 'off', detail: '设成了 none，只按词检索', hint: '' };
    return { check, embedding: { provider, answers: false } };
  }
  if (provider === 'embedded') return embedded(config, timeoutMs);
  return service(provider, config, layout, timeoutMs);
}

async function embedded(config: XiheConfig['embedding'], timeoutMs: number) {
  const { EMBEDDED_ID, openEmbedded } = await import('../../embed/index.js');
  const embedding: EmbeddingState = { provider: 'embedded', id: EMBEDDED_ID, answers: false };
  const detail = `自带模型 ${EMBEDDED_ID}`;
  try {
    const embedder = openEmbedded({ workers: 1, runtime: config.runtime });
    embedding.dimension = embedder.dimension;
    try {
      const runtime = await embedder.warm(AbortSignal.timeout(timeoutMs));
      const check: Check = { name: NAME, state: 'ok', detail: `${detail}，用 ${RUNTIMES[runtime]} 计算`, hint: '' };
      return { check, embedding: { ...embedding, runtime, answers: true } };
    } finally {
      await embedder.close();
    }
  } catch (e) {
    if (!XiheError.is(e, 'EMBED_TIMEOUT')) {
      const check = faultOf('warn', e);
      const native = config.runtime === 'native' && XiheError.is(e, 'EMBED_UNAVAILABLE');
      return { check: native ? { ...check, hint: NATIVE_HINT } : check, embedding };
    }
    const slow = `${detail}，${timeoutMs / 1000} 秒内没有加载完`;
    const hint = '机器忙的时候会这样，稍后再试一次；按词检索照常可用。';
    return { check: { name: NAME, state: 'warn', detail: slow, hint } as Check, embedding };
  }
}

async function service(
  provider: 'endpoint' | 'langchain',
  config: XiheConfig['embedding'],
  layout: ProjectLayout,
  timeoutMs: number,
) {
  const { DIMENSION_FILE, openEmbedder } = await import('../../embed/index.js');
  const embedding: EmbeddingState = { provider, answers: false };
  const once = { ...config, maxRetries: 0, timeoutSeconds: Math.min(config.timeoutSeconds, timeoutMs / 1000) };
  const places = { projectRoot: layout.root, dimensionFile: join(layout.stateDir, DIMENSION_FILE) };
  const signal = AbortSignal.timeout(2 * timeoutMs);
  try {
    const embedder = await openEmbedder(once, signal, places);
    if (embedder === undefined) throw new Error('no embedder');
    Object.assign(embedding, { id: embedder.id, dimension: embedder.dimension });
    try {
      await embedder.embed(['检查'], { kind: 'query', signal });
    } finally {
      await embedder.close();
    }
    const where =
      provider === 'endpoint'
        ? `${shownUrl(config.baseUrl)} 的 ${config.name}`
        : `LangChain 的 ${config.langchain?.class}`;
    const detail = `${where} 有应答，${embedder.dimension} 维（${embedder.id}）`;
    return {
      check: { name: NAME, state: 'ok', detail, hint: '' } as Check,
      embedding: { ...embedding, answers: true },
    };
  } catch (e) {
    return { check: faultOf('fail', e), embedding };
  }
}

/** Without what stands before the @. */
function shownUrl(baseUrl: string | undefined): string {
  const url = new URL(baseUrl ?? '');
  url.username = '';
  url.password = '';
  return url.href;
}

function faultOf(state: 'warn' | 'fail', e: unknown): Check {
  return { name: NAME, state, detail: messageOf(e), hint: XiheError.is(e) ? e.hint : '' };
}
