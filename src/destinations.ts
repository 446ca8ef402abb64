import { fallbackAddresses } from './modelSettings.js';
import type { XiheConfig } from './settings.js';
import { isLoopback, isTrusted, type Untrusted } from './trust.js';
import { shownWebhook, webhookId } from './webhook.js';

/** Settings of one file or of the environment, by section. */
export type Written = Record<string, Record<string, unknown>>;

/** The settings that send something somewhere, or run what somebody else wrote. */
const GATED = [
  ['model', 'baseUrl', 'apiKey'],
  ['model', 'fallbacks', undefined],
  ['embedding', 'baseUrl', 'apiKey'],
  ['embedding', 'langchain', undefined],
  ['milvus', 'address', 'token'],
  ['alerts', 'webhook', 'secret'],
  ['dolphin', 'address', 'token'],
] as const;

/** Who has chosen a destination. `local` is this machine, which needs no trust. */
export type Chosen = 'local' | 'trusted' | 'untrusted';

/**
 * The destinations that only the repository has chosen. What the environment, flags or the user's own file say is the user's choice, and
 * so is what the repository says as well.
 *
 * @param repository what the project's file says
 * @param own what the user's file says
 * @param later what the environment and flags say
 */
export function repositoryDestinations(
  repository: Written,
  own: Written,
  later: Written,
  project: string,
  env: NodeJS.ProcessEnv,
): (Untrusted & { chosen: Chosen })[] {
  return GATED.flatMap(([section, key]) => {
    const value = placeIn(repository, section, key);
    if (value === undefined || later[section]?.[key] !== undefined) return [];
    if (JSON.stringify(placeIn(own, section, key)) === JSON.stringify(value)) return [];
    const address = key === 'webhook' ? webhookOf(String(value)) : addressOf(value);
    const one = { project, setting: `${section}.${key}`, address };
    const isLocal = key !== 'langchain' && [value].flat().every((each) => isLoopback(String(each)));
    return [{ ...one, chosen: isLocal ? 'local' : isTrusted(one, env) ? 'trusted' : 'untrusted' }];
  });
}

/** What a layer sets; of fallbacks only the addresses count: a name alone leads nowhere else. */
function placeIn(layer: Written, section: string, key: string): unknown {
  const value = layer[section]?.[key];
  return key === 'fallbacks' ? fallbackAddresses(value) : value;
}

/** An address that is a key itself is remembered and shown without it: what names it is a hash. */
function webhookOf(address: string): string {
  return `${shownWebhook(address)} #${webhookId(address)}`;
}

/** Of code it is all that decides what it does: package, class and options, in which secrets are names of variables. */
function addressOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(addressOf).join('，');
  return typeof value === 'string' ? value.replace(/\/+$/, '') : JSON.stringify(value);
}

/**
 * Marks what may not be opened, and takes the keys away from it: even who forgets to look can send no key there.
 *
 * @returns `config` itself when there is nothing to mark
 */
export function gated(config: XiheConfig, untrusted: readonly Untrusted[]): XiheConfig {
  if (untrusted.length === 0) return config;
  const out: XiheConfig = { ...config };
  for (const [section, key, secret] of GATED) {
    const found = untrusted.filter(({ setting }) => setting === `${section}.${key}`);
    if (found.length === 0) continue;
    const marked = { ...out[section], untrusted: [...(out[section].untrusted ?? []), ...found] };
    if (secret !== undefined) delete (marked as Record<string, unknown>)[secret];
    // Fallbacks may have taken over the model's key.
    if (section === 'model') delete (marked as Record<string, unknown>).fallbacks;
    Object.assign(out, { [section]: marked });
  }
  return out;
}
