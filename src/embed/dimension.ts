import { createHash } from 'node:crypto';
import { XiheError } from '../errors.js';
import { stateBytes, writeAtomic } from '../stateFile.js';
import type { Embedder } from './types.js';

/**
 * The length of a service's vectors: as the settings say, else as it was when the service was asked last, else as it says now. What was
 * remembered lets a service be opened while it is down.
 *
 * @param set what the settings say
 * @param file where lengths are kept between processes, absolute; without it the service is asked each time
 * @param service what tells one service and model from another; only its hash is kept
 * @throws what `ask` throws
 */
export async function dimensionOf(
  set: number | undefined,
  file: string | undefined,
  service: readonly unknown[],
  ask: () => Promise<number>,
): Promise<{ dimension: number; remembered: boolean }> {
  if (set !== undefined) return { dimension: set, remembered: false };
  const known = file === undefined ? undefined : readKnown(file)[keyOf(service)];
  if (known !== undefined) return { dimension: known, remembered: true };
  const dimension = await ask();
  if (file !== undefined) keep(file, service, dimension);
  return { dimension, remembered: false };
}

/** An embedder that forgets a remembered length when its service shows another one: the next opening asks again. */
export function forgetting(embedder: Embedder, file: string, service: readonly unknown[]): Embedder {
  return {
    ...embedder,
    async embed(texts, options) {
      try {
        return await embedder.embed(texts, options);
      } catch (e) {
        if (XiheError.is(e, 'EMBED_DIMENSION')) keep(file, service, undefined);
        throw e;
      }
    },
  };
}

function keyOf(service: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(service)).digest('hex').slice(0, 16);
}

/** A file that is broken or not there knows nothing. */
function readKnown(file: string): Record<string, number> {
  try {
    const known: unknown = JSON.parse(stateBytes(file).toString('utf8'));
    const entries = Object.entries(known as object).filter(([, n]) => Number.isInteger(n) && n > 0);
    return Object.fromEntries(entries) as Record<string, number>;
  } catch {
    return {};
  }
}

function keep(file: string, service: readonly unknown[], dimension: number | undefined): void {
  const { [keyOf(service)]: _, ...others } = readKnown(file);
  const known = dimension === undefined ? others : { ...others, [keyOf(service)]: dimension };
  // Read-only or full: the service is asked again next time.
  writeAtomic(file, [`${JSON.stringify(known)}\n`]);
}
