import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf, XiheError } from './errors.js';
import { parseYaml, type YamlFile } from './yaml.js';
import { faultsOf } from './zod-zh.js';

/** Bounds of one run. Each is a setting; the defaults fit a task of a few files on a model with 64k context. */
const runLimits = z.object({
  /** Model turns in the execute loop. */
  maxTurns: z.number().int().positive().default(24),
  /** Tokens (in + out) of a whole run. */
  maxTokens: z.number().int().positive().default(400_000),
  /** Wall clock of a whole run, in seconds, waiting for people not counted. */
  maxSeconds: z.number().positive().default(900),
  /** How often postcheck may send findings back to execute (DESIGN §3: at most 2). */
  maxRounds: z.number().int().min(0).max(2).default(2),
});

/** Everything that `.xihe/config.yaml`, the environment and flags can set. */
export const configSchema = z
  .object({
    model: z
      .object({
        baseUrl: z.string().url().optional(),
        apiKey: z.string().optional(),
        name: z.string().optional(),
        temperature: z.number().min(0).max(2).default(0),
        /** Context window of the model in tokens; messages are kept below it. */
        contextTokens: z.number().int().positive().default(64_000),
        /** Longest gap between two chunks of a stream, in seconds, before the call counts as stalled. */
        stallSeconds: z.number().positive().default(30),
        /** Longest time for one call, in seconds. */
        timeoutSeconds: z.number().positive().default(180),
        maxRetries: z.number().int().min(0).max(5).default(2),
      })
      .strict()
      .prefault({}),
    embedding: z
      .object({
        /** `auto` is the endpoint when `baseUrl` is set, else the model that ships. */
        provider: z.enum(['auto', 'embedded', 'endpoint', 'langchain', 'none']).default('auto'),
        baseUrl: z.string().url().optional(),
        apiKey: z.string().optional(),
        name: z.string().optional(),
        /** Length of the endpoint's vectors; asked from it when not set. */
        dimension: z.number().int().min(1).max(65_535).optional(),
        /** Asks the endpoint for that length (models that can give several). */
        sendDimensions: z.boolean().default(false),
        /** What the endpoint's model wants before a query and a passage. */
        queryPrefix: z.string().default(''),
        passagePrefix: z.string().default(''),
        /** Sends `input_type`, for servers that put prefixes on themselves. */
        inputType: z.boolean().default(false),
        /** Texts in one request at most. */
        batchSize: z.number().int().min(1).max(2048).default(10),
        /** Longest time for one request, in seconds. */
        timeoutSeconds: z.number().positive().default(60),
        maxRetries: z.number().int().min(0).max(10).default(3),
        /** A class of LangChain that the project has installed. */
        langchain: z
          .object({
            module: z.string().min(1),
            class: z.string().min(1),
            /** For its constructor; `${NAME}` in a text is an environment variable. */
            options: z.record(z.string(), z.unknown()).default({}),
          })
          .strict()
          .optional(),
        /** Threads of the embedded model; min(2, cores − 1) when not set. */
        workers: z.number().int().min(1).max(16).optional(),
        /** `auto` takes onnxruntime-node where the user installed it. */
        runtime: z.enum(['auto', 'wasm', 'native']).default('auto'),
      })
      .strict()
      .prefault({}),
    milvus: z
      .object({
        /** `host:port` or `https://host:port`; the index is kept in memory when it is not set. */
        address: z.string().optional(),
        /** `user:password` or an API key. */
        token: z.string().optional(),
        /** One that is there; the server's default when not set. */
        database: z.string().optional(),
        /** Name of the project on the server; its folder's name when not set. Projects of one name share an index. */
        project: z.string().min(1).optional(),
        /** Longest time for one search, in seconds; writing may take six times as long. */
        timeoutSeconds: z.number().positive().default(5),
      })
      .strict()
      .prefault({}),
    run: runLimits.strict().prefault({}),
    core: z
      .object({
        /** Budgets to start from; `chunkChars` and `topK` override what it says. */
        preset: z.enum(['default', 'lean']).default('default'),
        /** Longest text of one injected knowledge chunk, in characters. */
        chunkChars: z.number().int().positive().default(800),
        /** Entries of each type at most. */
        topK: z.number().int().positive().default(5),
        /** Lets the model put the best passages in order, one call a question. */
        rerank: z.boolean().default(false),
      })
      .strict()
      .prefault({}),
    state: z
      .object({
        /** Threads whose checkpoints are kept; older ones are pruned after a run. */
        keepThreads: z.number().int().positive().default(50),
      })
      .strict()
      .prefault({}),
    sandbox: z
      .object({
        /** Default time limit of one command, in seconds (the tool contract of DESIGN §4 may set another). */
        timeoutSeconds: z.number().positive().default(60),
        /** The command that runs the project's tests; found by itself when empty. */
        testCommand: z.string().optional(),
      })
      .strict()
      .prefault({}),
  })
  .strict();

export type XiheConfig = z.infer<typeof configSchema>;

/** The project's settings, relative to `.xihe/`. */
export const CONFIG_FILE = 'config.yaml';

/** `lean` for models with small windows and bills: half the text of a passage and its three best entries say most of it. */
const LEAN_CORE = { chunkChars: 400, topK: 3 };

/** A setting's path in the config and the environment variable that sets it. */
const ENV: ReadonlyArray<readonly [section: keyof XiheConfig, key: string, variable: string, kind: 'text' | 'number']> =
  [
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
    ['state', 'keepThreads', 'XIHE_KEEP_THREADS', 'number'],
    ['core', 'preset', 'XIHE_CORE_PRESET', 'text'],
    ['run', 'maxTurns', 'XIHE_MAX_TURNS', 'number'],
    ['sandbox', 'testCommand', 'XIHE_TEST_COMMAND', 'text'],
  ];

/**
 * Reads the settings: built-in defaults < `.xihe/config.yaml` < environment < `overrides` (flags).
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
  const file = join(layerDir, CONFIG_FILE);
  const written = existsSync(file) ? readConfigFile(file) : undefined;
  const merged = settingsIn(written);
  for (const [section, key, variable, kind] of ENV) {
    const raw = env[variable];
    if (raw === undefined || raw === '') continue;
    merged[section] = { ...merged[section], [key]: kind === 'number' ? Number(raw) : raw };
  }
  for (const [section, values] of Object.entries(overrides)) merged[section] = { ...merged[section], ...values };
  if (merged.core?.preset === 'lean') merged.core = { ...LEAN_CORE, ...merged.core };
  const parsed = configSchema.safeParse(merged);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error, file, written, env);
}

/** Something wrong in `config.yaml`. */
export interface ConfigFault {
  /** 1-based. */
  line: number;
  /** In Chinese. */
  reason: string;
}

/**
 * Everything that is wrong in a project's `config.yaml`, for commands that don't need the settings and yet should not keep quiet: most
 * commands never read it, so that a mistyped key would go unnoticed until the first run with a model.
 *
 * @param layerDir the project's `.xihe/` folder; it need not exist
 * @returns [] for a file that is right or not there. Never throws
 */
export function configFaults(layerDir: string): ConfigFault[] {
  const file = join(layerDir, CONFIG_FILE);
  if (!existsSync(file)) return [];
  try {
    const written = readConfigFile(file);
    const parsed = configSchema.safeParse(settingsIn(written));
    if (parsed.success) return [];
    return faultsOf(parsed.error, configSchema).map(({ path, reason }) => ({ line: written.lineOf(path), reason }));
  } catch (e) {
    const { line = 1 } = XiheError.is(e) ? (e.details as { line?: number }) : {};
    return [{ line, reason: messageOf(e).replace(`配置有误：${file}:${line}：`, '') }];
  }
}

/** What a file sets, by section. */
function settingsIn(written: ConfigFile | undefined): Record<string, Record<string, unknown>> {
  const settings: Record<string, Record<string, unknown>> = {};
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

/** Says where the first wrong setting stands: a line of the file, or the variable that set it. */
function invalid(error: z.ZodError, file: string, written: ConfigFile | undefined, env: NodeJS.ProcessEnv): XiheError {
  const { path, reason } = faultsOf(error, configSchema)[0] ?? { path: [], reason: '无法识别' };
  const key = path.map(String).join('.') || '（顶层）';
  const variable = ENV.find(([section, name, v]) => section === path[0] && name === path[1] && env[v])?.[2];
  if (variable !== undefined)
    return new XiheError('CONFIG_INVALID', `配置有误：环境变量 ${variable}：${reason}`, {
      hint: '改好这个环境变量，或去掉它用配置文件和默认值。',
      details: { variable, key },
    });
  const line = written?.lineOf(path) ?? 1;
  return new XiheError('CONFIG_INVALID', `配置有误：${file}:${line}：${reason}`, {
    hint: '按 xihe init 生成的 config.yaml 里的注释改这一项，或删掉它用默认值。',
    details: { file, line, key },
  });
}

interface ConfigFile {
  value: Record<string, unknown>;
  lineOf: YamlFile['lineOf'];
}

function readConfigFile(file: string): ConfigFile {
  const read = parseYaml(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''), 'core');
  if (!read.ok)
    throw new XiheError('CONFIG_INVALID', `配置有误：${file}:${read.line}：${read.reason}`, {
      hint: '改好这一行再运行；不确定时把文件改名，xihe init 会写一份新的。',
      details: { file, line: read.line },
    });
  const value = read.value ?? {};
  if (typeof value === 'object' && !Array.isArray(value))
    return { value: value as Record<string, unknown>, lineOf: read.lineOf };
  throw new XiheError('CONFIG_INVALID', `配置有误：${file}:1：顶层应当是「键: 值」`, {
    hint: '参照 xihe init 生成的 config.yaml。',
    details: { file, line: 1 },
  });
}

function dropNulls(o: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(o).filter(([, v]) => v !== null));
}
