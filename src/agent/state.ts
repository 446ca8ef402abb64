import { MessagesValue, ReducedValue, StateSchema } from '@langchain/langgraph';
import * as z from 'zod';
import { LAYER_NAMES, LAYERS, TREE_CONTEXTS } from '../layers.js';
import { outcomeSchema, partSchema, planPartSchema, splitSchema } from './parallel/schema.js';
import { originSchema, saidSchema, stagedSchema, turnSchema } from './thread-schemas.js';
import { addUsage, NO_USAGE, usageSchema } from './usage.js';

/**
 * The state that flows through the graph. JSON only; file texts, diffs and changesets lie on disk and are named here by id.
 * One node writes a key and all others may read it; `ledger`, `fed`, `usage` and `turns` are appended by any node.
 */

/** Options of one run; they travel in the state, so that a resumed run keeps them. */
export const runOptionsSchema = z.object({
  /** Work without a model even when one is configured. */
  noModel: z.boolean().default(false),
  /** Highest danger that needs no question. `none` asks for every change. */
  autoApprove: z.enum(['none', 'low', 'medium']).default('none'),
  /** Bounds of this run that differ from the settings. */
  budget: z
    .object({
      maxTurns: z.number().int().positive().optional(),
      maxTokens: z.number().int().positive().optional(),
      maxSeconds: z.number().positive().optional(),
      maxCost: z.number().positive().optional(),
    })
    .optional(),
  /** Layers that this run does without, for comparing; the settings decide where it is missing. */
  without: z.array(z.enum(LAYER_NAMES)).optional(),
  /** How this run is told of the tree, for comparing. */
  context: z.enum(TREE_CONTEXTS).optional(),
});

export const requestSchema = z.object({
  text: z.string(),
  /** Project root; the server's default project when it is missing. */
  repo: z.string().optional(),
  caller: z.object({ name: z.string(), roles: z.array(z.string()) }).optional(),
  options: runOptionsSchema.prefault({}),
});

export const intentSchema = z.object({
  kind: z.enum(['edit', 'qa', 'tool', 'chat']),
  text: z.string(),
  layer: z.enum(['rule', 'similar', 'learned', 'refused']),
  /** In Chinese: which word or sample decided, with which score. */
  evidence: z.string(),
  toolHint: z.string().optional(),
  taskType: z.enum(['general', 'refactor', 'bugfix', 'feature']).optional(),
});

const provenanceSchema = z.object({
  source: z.string(),
  layer: z.enum(['general', 'project']),
  version: z.string(),
  status: z.enum(['verified', 'candidate']),
  confidence: z.number(),
});

export const symbolPlaceSchema = z.object({
  name: z.string(),
  file: z.string().nullable(),
  line: z.number().nullable(),
});

/** A term of the plan: what the word is called in code, and whether the repository confirms it. */
export const planTermSchema = z.object({
  id: z.string(),
  keyword_ch: z.string(),
  module: z.string().optional(),
  note: z.string().optional(),
  risk: z.array(z.string()),
  status: z.enum(['verified', 'candidate']),
  /** True when at least one of its symbols was found in the code just now. */
  confirmed: z.boolean(),
  symbols: z.array(symbolPlaceSchema),
  why: z.string(),
  provenance: provenanceSchema,
});

export const checkSchema = z.object({
  type: z.enum(['file_exists', 'read_file', 'command']),
  target: z.string(),
  purpose: z.string(),
  state: z.enum(['ok', 'missing', 'failed', 'skipped']),
  detail: z.string(),
  onMissing: z.enum(['ask_user_first', 'warn', 'stop']),
});

export const playbookRunSchema = z.object({
  id: z.string(),
  title: z.string(),
  why: z.string(),
  steps: z.array(z.string()),
  checks: z.array(checkSchema),
  postChecks: z.array(
    z.object({
      type: z.enum(['file_changed', 'command', 'no_match']),
      path: z.string().optional(),
      command: z.string().optional(),
      pattern: z.string().optional(),
      purpose: z.string(),
    }),
  ),
  provenance: provenanceSchema,
});

export const candidateSchema = z.object({ path: z.string(), why: z.string(), summary: z.string(), score: z.number() });

export const planSchema = z.object({
  taskType: z.enum(['general', 'refactor', 'bugfix', 'feature']),
  steps: z.array(z.string()),
  /** Files that the work starts from, best first. */
  focus: z.array(z.string()),
  candidates: z.array(candidateSchema),
  terms: z.array(planTermSchema),
  playbook: playbookRunSchema.nullable(),
  /** `Hit<Warning>` of zhcore as plain JSON: the team's warnings about the files in focus, by path alone. */
  placeWarnings: z.array(z.unknown()).default([]),
  /** Parts of the request that don't touch each other, two or more; empty where it is one piece of work. */
  parts: z.array(planPartSchema).optional(),
  /** What must be asked before anything is changed. */
  openQuestions: z.array(z.string()),
  /** A required check with `on_missing: stop` failed. */
  stopped: z.string().nullable(),
});

export const findingSchema = z.object({
  from: z.enum(['warning', 'playbook', 'path', 'syntax', 'tests', 'review', 'secret', 'conflict']),
  severity: z.enum(['block', 'warn']),
  path: z.string().optional(),
  line: z.number().optional(),
  text: z.string(),
  /** Entry behind it, when one is. */
  entryId: z.string().optional(),
  source: z.string().optional(),
});

export const decisionSchema = z.object({
  verdict: z.enum(['approve', 'edit', 'reject']),
  comment: z.string().optional(),
  by: z.enum(['user', 'auto']).default('user'),
});

/** One thing put before the model or the user: what, which version, from where, when. */
export const injectionSchema = z.object({
  /** Which run of the thread, from 1. */
  run: z.number(),
  id: z.string(),
  type: z.enum(['term', 'knowledge', 'playbook', 'warning']),
  version: z.string(),
  source: z.string(),
  confidence: z.number(),
  phase: z.enum(['plan', 'execute', 'postcheck', 'answer', 'brief']),
  turn: z.number(),
  tokens: z.number(),
  why: z.string(),
  /** Which sub-agent it was put before. */
  agent: z.string().optional(),
});

export const fedSchema = z.object({
  run: z.number(),
  path: z.string(),
  form: z.enum(['path', 'skeleton', 'summary', 'expand', 'read']),
  turn: z.number(),
  tokens: z.number(),
  /** Which intent of the run: turns count anew with each. */
  intent: z.number().optional(),
  /** Content hash as it was fed, where there is one. */
  version: z.string().optional(),
  /** The tool call that gave it. */
  call: z.string().optional(),
  /** First and last line of a text that was read. */
  lines: z.tuple([z.number(), z.number()]).optional(),
  /** Which sub-agent it was given to. */
  agent: z.string().optional(),
});

/** Where the run looks in the tree; it outlives a run, so that the next request goes on there. */
export const workspaceSchema = z.object({ focus: z.string().nullable(), history: z.array(z.string()) });

export const toolRunSchema = z.object({
  candidates: z.array(z.object({ name: z.string(), description: z.string(), why: z.string(), score: z.number() })),
  name: z.string().nullable(),
  input: z.record(z.string(), z.unknown()),
  missing: z.array(z.object({ name: z.string(), explain: z.string(), choices: z.array(z.string()) })),
  danger: z.enum(['low', 'medium', 'high']).nullable(),
  dangerWhy: z.string(),
  /** What exactly would happen, for people. */
  preview: z.string(),
  /** How what it is done to stands when people are asked; it may change meanwhile. */
  now: z.array(z.string()).default([]),
  /** In Chinese: why no tool was chosen. */
  refusal: z.string().optional(),
  approved: z.boolean().nullable(),
  outcome: z.object({ ok: z.boolean(), text: z.string(), code: z.string().optional() }).nullable(),
});

export const reportSchema = z.object({
  kind: z.enum(['brief', 'changes', 'answer', 'tool', 'rejected', 'stopped', 'failed', 'nothing']),
  ok: z.boolean(),
  text: z.string(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string() }).nullable(),
});

const append = <T extends z.ZodType>(item: T) =>
  new ReducedValue(
    z.array(item).default(() => []),
    {
      inputSchema: z.array(item),
      reducer: (current: z.output<T>[], next: z.output<T>[]) => [...current, ...next],
    },
  );

const ledger = append(injectionSchema);
const fed = append(fedSchema);
const agents = append(outcomeSchema);
const usage = new ReducedValue(
  usageSchema.default(() => ({ ...NO_USAGE })),
  { inputSchema: usageSchema, reducer: addUsage },
);

/** What a sub-agent hands to the run; the rest of its state stays its own. */
export const AgentOutput = new StateSchema({ agents, ledger, fed, usage });

export const XiheState = new StateSchema({
  request: requestSchema.nullable().default(null),
  /** Runs of this thread so far; this one is the newest. */
  run: z.number().default(0),
  /**
   * Names this run among all that ever were: changesets and acts are filed under it. A thread's name may come back after its
   * checkpoints were pruned or lost, and must not find what an earlier run left.
   */
  runId: z.string().default(''),
  messages: MessagesValue,
  /** What this run does without: said once at its start, so that a resumed run stays what it was. */
  arm: z
    .object({ without: z.array(z.enum(LAYERS)), context: z.enum(TREE_CONTEXTS) })
    .nullable()
    .default(null),
  routed: z
    .object({ intents: z.array(intentSchema), index: z.number() })
    .nullable()
    .default(null),
  /** The core's four lists: a `CoreResult` of zhcore as plain JSON. */
  retrieved: z.unknown().default(null),
  planned: planSchema.nullable().default(null),
  /** The user's answer to the plan's open questions. */
  answers: z.object({ proceed: z.boolean(), text: z.string() }).nullable().default(null),
  changesetId: z.string().nullable().default(null),
  /** How much was staged after each node, so that a branch can have the changeset as it was then. */
  staged: new ReducedValue(stagedSchema.nullable().default(null), {
    inputSchema: stagedSchema,
    reducer: (a, b) => (a && a.id === b.id && a.bytes > b.bytes ? a : b),
  }),
  /** Where this run was branched off, and what its turns count from. */
  origin: originSchema.nullable().default(null),
  /** Hash of what postcheck looked at and confirm shows: only that is ever written. */
  changesetHash: z.string().nullable().default(null),
  /** Model turns of this run's execute phase. */
  turn: z.number().default(0),
  /** Why the execute loop ended early, when it did. */
  stopReason: z.string().nullable().default(null),
  findings: z.array(findingSchema).default(() => []),
  /** How often postcheck looked. */
  round: z.number().default(0),
  tests: z
    .object({ command: z.string(), ok: z.boolean(), summary: z.string(), sandbox: z.string().optional() })
    .nullable()
    .default(null),
  decision: decisionSchema.nullable().default(null),
  receipt: z
    .object({ id: z.string(), files: z.array(z.string()) })
    .nullable()
    .default(null),
  tool: toolRunSchema.nullable().default(null),
  /** What a question brought up beside the answer itself; of an edit the plan holds this. */
  sources: z
    .object({ terms: z.array(planTermSchema), files: z.array(candidateSchema) })
    .nullable()
    .default(null),
  answered: z.string().nullable().default(null),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string() }).nullable().default(null),
  reported: reportSchema.nullable().default(null),
  /** Reports of all intents of this request, in order. */
  reports: append(reportSchema),
  ledger,
  fed,
  /** How the work was split; what it is to do, in the state of a sub-agent; how sub-agents of this intent ended. */
  split: splitSchema.nullable().default(null),
  part: partSchema.nullable().default(null),
  agents,
  workspace: workspaceSchema.default(() => ({ focus: null, history: [] })),
  turns: append(turnSchema),
  said: append(saidSchema),
  /** Number of the newest word of the user that the model was given. */
  heard: new ReducedValue(z.number().default(0), { inputSchema: z.number(), reducer: (a, b) => Math.max(a, b) }),
  usage,
  /** Milliseconds that the nodes of this run took: models, tools and checks, but not waiting for people. */
  elapsedMs: new ReducedValue(z.number().default(0), { inputSchema: z.number(), reducer: (a, b) => a + b }),
});

export type RunState = typeof XiheState.State;
export type RunUpdate = typeof XiheState.Update;
export type Intent = z.infer<typeof intentSchema>;
export type Plan = z.infer<typeof planSchema>;
export type PlanTerm = z.infer<typeof planTermSchema>;
export type PlaybookRun = z.infer<typeof playbookRunSchema>;
export type CheckState = z.infer<typeof checkSchema>;
export type Finding = z.infer<typeof findingSchema>;
export type Decision = z.infer<typeof decisionSchema>;
export type Fed = z.infer<typeof fedSchema>;
export type Injection = z.infer<typeof injectionSchema>;
export type ToolRun = z.infer<typeof toolRunSchema>;
export type Report = z.infer<typeof reportSchema>;
export type RunOptions = z.infer<typeof runOptionsSchema>;
