import { dirname, join } from 'node:path';
import type * as z from 'zod';
import { type ConfigFile, faultAt, readConfigFile } from './configFile.js';
import { gated, repositoryDestinations, type Written } from './destinations.js';
import { messageOf, XiheError } from './errors.js';
import { completedModel, withPresetAddress } from './modelSettings.js';
import { configSchema, type Settings, type XiheConfig } from './settings.js';
import { projectOf, userConfigDir } from './trust.js';
import { faultsOf } from './zod-zh.js';

export { configSchema, type XiheConfig } from './settings.js';

/** The project's settings, relative to `.xihe/`. */
export const CONFIG_FILE = 'config.yaml';

/** `lean` for models with small windows and bills: half the text of a passage and its three best entries say most of it. */
const LEAN_CORE = { chunkChars: 400, topK: 3 };

/** How the text of a variable becomes a value; what is neither yes nor no stays a text, and its fault is told. */
const READ_AS = {
  text: (raw: string): unknown => raw,
  number: (raw: string): unknown => Number(raw),
  flag: (raw: string): unknown => ({ '1': true, true: true, '0': false, false: false })[raw.toLowerCase()] ?? raw,
};

/** A setting's path in the config and the environment variable that sets it. */
const ENV: ReadonlyArray<
  readonly [section: keyof XiheConfig, key: string, variable: string, kind: keyof typeof READ_AS]
> = [
  ['model', 'preset', 'XIHE_MODEL_PRESET', 'text'],
  ['model', 'baseUrl', 'XIHE_BASE_URL', 'text'],
  ['model', 'apiKey', 'XIHE_API_KEY', 'text'],
  ['model', 'name', 'XIHE_MODEL', 'text'],
  ['model', 'stallSeconds', 'XIHE_MODEL_STALL_SECONDS', 'number'],
  ['model', 'maxRetries', 'XIHE_MODEL_RETRIES', 'number'],
  ['embedding', 'provider', 'XIHE_EMBED_PROVIDER', 'text'],
  ['embedding', 'baseUrl', 'XIHE_EMBED_BASE_URL', 'text'],
  ['embedding', 'apiKey', 'XIHE_EMBED_API_KEY', 'text'],
  ['embedding', 'name', 'XIHE_EMBED_MODEL', 'text'],
  ['milvus', 'address', 'XIHE_MILVUS_ADDRESS', 'text'],
  ['milvus', 'token', 'XIHE_MILVUS_TOKEN', 'text'],
  ['milvus', 'database', 'XIHE_MILVUS_DATABASE', 'text'],
  ['dolphin', 'address', 'XIHE_DOLPHIN_ADDRESS', 'text'],
  ['dolphin', 'project', 'XIHE_DOLPHIN_PROJECT', 'text'],
  ['alerts', 'webhook', 'XIHE_ALERT_WEBHOOK', 'text'],
  ['alerts', 'secret', 'XIHE_ALERT_SECRET', 'text'],
  ['alerts', 'platform', 'XIHE_ALERT_PLATFORM', 'text'],
  ['alerts', 'format', 'XIHE_ALERT_FORMAT', 'text'],
  ['alerts', 'onFailure', 'XIHE_ALERT_ON_FAILURE', 'flag'],
  ['state', 'keepThreads', 'XIHE_KEEP_THREADS', 'number'],
  ['core', 'preset', 'XIHE_CORE_PRESET', 'text'],
  ['run', 'maxTurns', 'XIHE_MAX_TURNS', 'number'],
  ['run', 'maxTokens', 'XIHE_MAX_TOKENS', 'number'],
  ['run', 'maxSeconds', 'XIHE_MAX_SECONDS', 'number'],
  ['run', 'maxAgents', 'XIHE_MAX_AGENTS', 'number'],
  ['run', 'maxCost', 'XIHE_MAX_COST', 'number'],
  ['sandbox', 'testCommand', 'XIHE_TEST_COMMAND', 'text'],
];

/**
 * Reads the settings: built-in defaults < the user's own `config.yaml` < `.xihe/config.yaml` < environment < `overrides` (flags).
 *
 * Addresses that only the repository has chosen, and the user has not trusted, are marked in their section (`untrusted`), and their keys
 * are left out: a repository must not get the user's key by naming an address.
 *
 * @param layerDir the project's `.xihe/` folder; it need not exist
 * @param overrides what flags say, in the shape of the file
 * @throws XiheError CONFIG_INVALID with file, line and reason
 */
export function loadConfig(
  layerDir: string,
  env: NodeJS.ProcessEnv = process.env,
  overrides: Partial<Record<keyof XiheConfig, Record<string, unknown>>> = {},
): XiheConfig {
  const own = readConfigFile(join(userConfigDir(env), CONFIG_FILE));
  const written = readConfigFile(join(layerDir, CONFIG_FILE), dirname(layerDir));
  const later = withPresetAddress(over(variablesOf(env), overrides as Written));
  const [ours, theirs] = [withPresetAddress(settingsIn(own)), withPresetAddress(settingsIn(written))];
  const merged = over(over(ours, theirs), later);
  if (merged.core?.preset === 'lean') merged.core = { ...LEAN_CORE, ...merged.core };
  const parsed = configSchema.safeParse(merged);
  if (!parsed.success) throw invalid(parsed.error, [written, own], env);
  const chosen = repositoryDestinations(theirs, ours, later, projectOf(layerDir), env);
  const isWindowSet = merged.model?.contextTokens !== undefined;
  const settings = { ...parsed.data, model: completedModel(parsed.data.model, isWindowSet, env) };
  const config = gated(
    withSecrets(settings, env),
    chosen.filter((one) => one.chosen === 'untrusted'),
  );
  const isRepositorys = chosen.some(({ setting }) => setting === 'embedding.langchain');
  if (config.embedding.langchain === undefined || isRepositorys) return config;
  // A package of the same name may lie in any repository.
  return { ...config, embedding: { ...config.embedding, packages: userConfigDir(env) } };
}

/** Adds the secrets that files may not hold: one that is written there is an unknown key. */
function withSecrets(settings: Settings, { XIHE_DOLPHIN_TOKEN: token }: NodeJS.ProcessEnv): XiheConfig {
  return token ? { ...settings, dolphin: { ...settings.dolphin, token } } : settings;
}

/**
 * Every destination that the project's own settings name, with whether it may be used; for `xihe trust` and `xihe doctor`.
 *
 * @throws XiheError CONFIG_INVALID
 */
export function destinationsOf(layerDir: string, env: NodeJS.ProcessEnv = process.env) {
  const [own, written] = [join(userConfigDir(env), CONFIG_FILE), join(layerDir, CONFIG_FILE)];
  const theirs = withPresetAddress(settingsIn(readConfigFile(written, dirname(layerDir))));
  const ours = withPresetAddress(settingsIn(readConfigFile(own)));
  return repositoryDestinations(theirs, ours, withPresetAddress(variablesOf(env)), projectOf(layerDir), env);
}

/** What the environment sets. */
function variablesOf(env: NodeJS.ProcessEnv): Written {
  const set: Written = {};
  for (const [section, key, variable, kind] of ENV) {
    const raw = env[variable];
    if (raw === undefined || raw === '') continue;
    set[section] = { ...set[section], [key]: READ_AS[kind](raw) };
  }
  return set;
}

/** One layer of settings over another. A section that is no table stands for itself, so that its fault is told. */
function over(below: Written, above: Written): Written {
  const merged = { ...below };
  for (const [section, values] of Object.entries(above)) {
    const both = typeof values === 'object' && !Array.isArray(values) && typeof merged[section] === 'object';
    merged[section] = both ? { ...merged[section], ...values } : values;
  }
  return merged;
}

/** Something wrong in `config.yaml`. */
export interface ConfigFault {
  /** 1-based. */
  line: number;
  /** In Chinese. */
  reason: string;
}

/**
 * Everything that is wrong in a folder's `config.yaml`, for commands that don't need the settings and yet should not keep quiet: most
 * commands never read it, so that a mistyped key would go unnoticed until the first run with a model.
 *
 * @param dir the project's `.xihe/` folder, or that of the user's own settings; it need not exist
 * @param root what no link in it may lead out of, absolute
 * @returns [] for a file that is right or not there. Never throws
 */
export function configFaults(dir: string, root?: string): ConfigFault[] {
  const file = join(dir, CONFIG_FILE);
  try {
    const written = readConfigFile(file, root);
    const parsed = configSchema.safeParse(settingsIn(written));
    if (parsed.success || written === undefined) return [];
    return faultsOf(parsed.error, configSchema).map(({ path, reason }) => ({ line: written.lineOf(path), reason }));
  } catch (e) {
    const { line = 1 } = XiheError.is(e) ? (e.details as { line?: number }) : {};
    return [{ line, reason: messageOf(e).replace(`配置有误：${file}:${line}：`, '') }];
  }
}

/** What a file sets, by section. */
function settingsIn(written: ConfigFile | undefined): Written {
  const settings: Written = {};
  for (const [section, value] of Object.entries(written?.value ?? {})) {
    // `key:` with nothing behind it is null in YAML and means "the default".
    if (value === null) continue;
    settings[section] = typeof value === 'object' ? dropNulls(value as Record<string, unknown>) : (value as never);
  }
  return settings;
}

/** The settings when nobody sets anything: what `doctor` goes on with. */
export function defaultConfig(): XiheConfig {
  return configSchema.parse({});
}

/** Says where the first wrong setting stands: a line of a file, or the variable that set it. */
function invalid(error: z.ZodError, files: (ConfigFile | undefined)[], env: NodeJS.ProcessEnv): XiheError {
  const { path, reason } = faultsOf(error, configSchema)[0] ?? { path: [], reason: '无法识别' };
  const key = path.map(String).join('.') || '（顶层）';
  const variable = ENV.find(([section, name, v]) => section === path[0] && name === path[1] && env[v])?.[2];
  if (variable !== undefined)
    return new XiheError('CONFIG_INVALID', `配置有误：环境变量 ${variable}：${reason}`, {
      hint: '改好这个环境变量，或去掉它用配置文件和默认值。',
      details: { variable, key },
    });
  const there = files.filter((file) => file !== undefined);
  const at = there.find(({ value }) => sets(value, path.slice(0, 2))) ?? (there[0] as ConfigFile);
  return faultAt(
    at.file,
    at.lineOf(path),
    reason,
    '按 xihe init 生成的 config.yaml 里的注释改这一项，或删掉它用默认值。',
    {
      key,
    },
  );
}

/** Whether a file says anything at a path. */
function sets(value: unknown, path: readonly PropertyKey[]): boolean {
  const [first, ...rest] = path;
  if (first === undefined) return value !== undefined;
  return typeof value === 'object' && value !== null && sets((value as Record<PropertyKey, unknown>)[first], rest);
}

function dropNulls(o: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(o).filter(([, v]) => v !== null));
}
