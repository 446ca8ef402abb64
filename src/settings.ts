import * as z from 'zod';
import { LAYER_NAMES, TREE_CONTEXTS } from './layers.js';
import { PRESET_NAMES } from './modelPresets.js';
import type { Untrusted } from './trust.js';

/** Bounds of one run. Each is a setting; the defaults fit a task of a few files on a model with 64k context. */
const runLimits = z.object({
  /** Model turns in the execute loop. */
  maxTurns: z.number().int().positive().default(24),
  /** Tokens (in + out) of a whole run. */
  maxTokens: z.number().int().positive().default(400_000),
  /** Wall clock of a whole run, in seconds, waiting for people not counted. */
  maxSeconds: z.number().positive().default(900),
  /** Money of a whole run, in the currency of `model.prices`; no bound when not set. */
  maxCost: z.number().positive().optional(),
  /** How often postcheck may send findings back to execute (DESIGN §3: at most 2). */
  maxRounds: z.number().int().min(0).max(2).default(2),
  /** Sub-agents at once: each asks the endpoint by itself, and small accounts allow few requests at a time. 1 turns them off. */
  maxAgents: z.number().int().min(1).max(4).default(3),
  /** Layers that runs do without, for comparing: nothing is left out by itself. */
  without: z.array(z.enum(LAYER_NAMES)).default([]),
  /** Whether the model is told of the part of the tree that the task needs, or of every path, for comparing. */
  context: z.enum(TREE_CONTEXTS).default('window'),
});

/** How tools are called: by the protocol, as JSON in the text, or by the protocol until the endpoint refuses. */
const toolMode = z.enum(['auto', 'native', 'json']);

/** A model that is asked when the one before it failed. What is not set is as for the model itself. */
const fallbackModel = z
  .object({
    preset: z.enum(PRESET_NAMES).optional(),
    baseUrl: z.string().url().optional(),
    apiKey: z.string().optional(),
    name: z.string().optional(),
    /** Its window in tokens. */
    contextTokens: z.number().int().positive().optional(),
    tools: toolMode.optional(),
  })
  .strict();

/** Models that are asked in a row at most: each costs its own retries before the next one has its turn. */
const MAX_FALLBACKS = 5;

/** What a million tokens cost, in the user's own currency: prices change, so none ship. */
const price = z
  .object({
    input: z.number().min(0),
    output: z.number().min(0),
    /** Of tokens that the provider had in its cache; as `input` when not set. */
    cachedInput: z.number().min(0).optional(),
  })
  .strict();

/** Everything that `.xihe/config.yaml`, the environment and flags can set. */
export const configSchema = z
  .object({
    model: z
      .object({
        /** A vendor or server that we know: gives the address, the key's variable, the window and what it can do. */
        preset: z.enum(PRESET_NAMES).optional(),
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
        tools: toolMode.default('auto'),
        /** Asked in this order when the model itself fails. */
        fallbacks: z.array(fallbackModel).max(MAX_FALLBACKS).optional(),
        /** By model name; `*` for any other. */
        prices: z.record(z.string(), price).optional(),
        /** Shown behind amounts. */
        currency: z.string().min(1).max(8).default('元'),
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
        /** Name of the project on the server, see `serverNameOf` for the default. Projects of one name share an index. */
        project: z.string().min(1).optional(),
        /** Longest time for one search, in seconds; writing may take six times as long. */
        timeoutSeconds: z.number().positive().default(5),
      })
      .strict()
      .prefault({}),
    dolphin: z
      .object({
        /** DolphinScheduler's address, with its path: `http://host:12345/dolphinscheduler`. Its token comes from the environment only. */
        address: z.string().url().optional(),
        /** Name of the project there. */
        project: z.string().min(1).optional(),
        /** Who runs the tasks on the workers; the server's `default` when not set. */
        tenant: z.string().min(1).optional(),
        /** Workers that run the tasks; the server's `default` when not set. */
        workerGroup: z.string().min(1).optional(),
        /** Longest time of one request, in seconds. */
        timeoutSeconds: z.number().positive().max(60).default(15),
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
        /** Lets the model name the identifiers that a change would touch, to find its files by: one call an edit request. */
        nameIdentifiers: z.boolean().default(false),
      })
      .strict()
      .prefault({}),
    history: z
      .object({
        /** Commits that are read at most, newest first. 2,000 find as many files as all (measured), and cost 0.3 s once. */
        maxCommits: z.number().int().positive().max(50_000).default(2_000),
      })
      .strict()
      .prefault({}),
    alerts: z
      .object({
        /** Address of a group's robot, with its key; belongs into the environment or the user's own file. */
        webhook: z.string().url().optional(),
        /** Key of the signature (DingTalk, Feishu). */
        secret: z.string().optional(),
        /** By the address's host when not set; needed for a proxy of one's own. */
        platform: z.enum(['wecom', 'dingtalk', 'feishu']).optional(),
        /** `markdown` has room for twice as much on WeCom, and is not shown in WeChat. */
        format: z.enum(['text', 'markdown']).default('text'),
        /** Alerts when a run or an act has failed for good. */
        onFailure: z.boolean().default(false),
        /** Longest time of one request, in seconds. */
        timeoutSeconds: z.number().positive().max(60).default(10),
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

export type Settings = z.infer<typeof configSchema>;

/** Of a section: the destinations in it that only the repository has chosen. Its key is left out then; who opens it refuses. */
interface Gated {
  untrusted?: readonly Untrusted[];
}

/** Whose packages a class of LangChain comes from, absolute: not the project's where the class is the user's own choice. */
interface Packaged {
  packages?: string;
}

/** A secret that no file may hold. */
interface Secret {
  token?: string;
}

export type XiheConfig = Settings & { [S in 'model' | 'milvus' | 'alerts']: Settings[S] & Gated } & {
  embedding: Settings['embedding'] & Gated & Packaged;
  dolphin: Settings['dolphin'] & Gated & Secret;
};
