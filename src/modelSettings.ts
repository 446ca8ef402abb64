import type { Written } from './destinations.js';
import { knownWindow, MODEL_PRESETS, type PresetName } from './modelPresets.js';
import type { Settings } from './settings.js';

type ModelSection = Settings['model'];

/**
 * Most that a conversation fills of a window that is known and wasn't set, in tokens: million-token windows are paid by what is
 * sent, at each turn anew.
 */
const MAX_FILLED = 128_000;

/** A layer of settings with the address of its preset written out, so that whoever chose the preset has chosen the address. */
export function withPresetAddress(layer: Written): Written {
  const section = layer.model as unknown;
  if (typeof section !== 'object' || section === null) return layer;
  const preset = presetNamed((section as Record<string, unknown>).preset);
  return preset === undefined ? layer : { ...layer, model: { baseUrl: preset.baseUrl, ...section } };
}

/**
 * Fills in what a preset knows and nobody set: the model's name, the key, the window; for each fallback its address as well.
 *
 * A vendor's own key (`DEEPSEEK_API_KEY`) goes to that vendor's own host only, wherever else the settings point.
 *
 * @param model as it was parsed
 * @param isWindowSet whether anybody set `contextTokens`: the schema has a default
 */
export function completedModel(model: ModelSection, isWindowSet: boolean, env: NodeJS.ProcessEnv): ModelSection {
  const main = filledIn(model, env);
  const window = isWindowSet ? undefined : fillOf(main.name);
  const fallbacks = model.fallbacks?.map((one) => {
    const preset = presetNamed(one.preset);
    const baseUrl = one.baseUrl ?? preset?.baseUrl ?? main.baseUrl;
    const own = filledIn({ ...one, baseUrl }, env);
    const isSame = hostOf(baseUrl) === hostOf(main.baseUrl);
    const apiKey = own.apiKey ?? (isSame ? main.apiKey : undefined);
    const contextTokens = one.contextTokens ?? fillOf(own.name);
    return { ...own, ...(apiKey ? { apiKey } : {}), ...(contextTokens ? { contextTokens } : {}) };
  });
  return { ...main, ...(window ? { contextTokens: window } : {}), ...(fallbacks ? { fallbacks } : {}) };
}

interface Named {
  preset?: PresetName | undefined;
  baseUrl?: string | undefined;
  name?: string | undefined;
  apiKey?: string | undefined;
}

function filledIn<T extends Named>(one: T, env: NodeJS.ProcessEnv): T {
  const preset = presetNamed(one.preset);
  if (preset === undefined || hostOf(one.baseUrl) !== hostOf(preset.baseUrl)) return one;
  const name = one.name ?? preset.model;
  const apiKey = one.apiKey ?? (preset.keyVariable ? env[preset.keyVariable] : undefined);
  return { ...one, ...(name ? { name } : {}), ...(apiKey ? { apiKey } : {}) };
}

function fillOf(name: string | undefined): number | undefined {
  const window = name === undefined ? undefined : knownWindow(name);
  return window === undefined ? undefined : Math.min(window, MAX_FILLED);
}

/** The addresses that fallbacks name for themselves, each once; undefined when they all are where the model is. */
export function fallbackAddresses(fallbacks: unknown): string[] | undefined {
  if (!Array.isArray(fallbacks)) return undefined;
  const own = fallbacks.flatMap((one: { preset?: unknown; baseUrl?: unknown } | null) => {
    const address = one?.baseUrl ?? presetNamed(one?.preset)?.baseUrl;
    return address === undefined ? [] : [String(address)];
  });
  return own.length === 0 ? undefined : [...new Set(own)];
}

function presetNamed(name: unknown) {
  return typeof name === 'string' && Object.hasOwn(MODEL_PRESETS, name)
    ? (MODEL_PRESETS[name as PresetName] as (typeof MODEL_PRESETS)[PresetName] & {
        keyVariable?: string;
        model?: string;
      })
    : undefined;
}

/** Scheme, host and port; undefined for what is no address. */
function hostOf(url: string | undefined): string | undefined {
  try {
    return url === undefined ? undefined : new URL(url).origin;
  } catch {
    return undefined;
  }
}
