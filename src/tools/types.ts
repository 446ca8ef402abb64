import type * as z from 'zod';
import type { XiheConfig } from '../config.js';
import type { DolphinSettings } from '../integrations/index.js';
import type { FedPath, FeedingLedger, Hotspots, PathContext, Workspace } from '../paths/index.js';
import type { AuditEntry, Changeset, Danger } from '../sandbox/index.js';
import type { ZhCore } from '../zhcore/index.js';
import type { Policy } from './policy.js';

/** Who asks; roles come from the caller's identity, never from the model. */
export interface Caller {
  name: string;
  roles: string[];
}

/** Everything that a tool may touch. The agent makes one for each call. */
export interface ToolContext {
  root: string;
  stateDir: string;
  core: ZhCore;
  paths: PathContext;
  /** Where edits are staged; absent where a branch may only read. */
  changeset?: Changeset;
  caller: Caller;
  thread: string;
  /** The model's id of this call: a rerun of the same call must not act again. */
  callId: string;
  /** Model turn, for the feeding ledger. */
  turn: number;
  signal?: AbortSignal;
  /** The project's test command when the settings name one. */
  testCommand?: string;
  /** The group's robot, as the settings have it; absent where a host speaks to none. */
  alerts?: XiheConfig['alerts'];
  /** Where DolphinScheduler is; absent where nobody set it. */
  dolphin?: DolphinSettings;
  /** Seconds one command may take. */
  commandSeconds: number;
  /** Longest time of one call of the model, in seconds: no tool may take more than half of it. */
  modelSeconds?: number;
  /** What these calls were fed already, window by window; absent where every call answers in full. */
  feeding?: FeedingLedger;
  /** Longest text of a result, in tokens, where a run is to have files whole; absent where they come in windows. */
  resultTokens?: number;
  /** Where the run looks; absent where calls have no run around them. */
  workspace?: Workspace;
  /** What runs use, shared between them; absent where nothing is to be kept. */
  hotspots?: Hotspots;
  /** Where the work may be split; absent where it is not offered. */
  split?: {
    /** In Chinese: why not now. */
    why?: string;
    /** Parts at most. */
    most: number;
    take(parts: WorkPart[]): void;
  };
  fed(entry: FedPath): void;
  /** What the rules of the project say; absent where nothing of them is known, and then only the contract counts. */
  policy?: Policy;
  /** Somebody's yes to one call; to any other than it names it says nothing. */
  approval?: Approval;
  audit(entry: Omit<AuditEntry, 'at' | 'who' | 'thread' | 'trace'>): void;
  progress(text: string): void;
}

/** A part of the work that somebody else may do at the same time. */
export interface WorkPart {
  title: string;
  instruction: string;
  /** As in the project; they may not be there yet. */
  files: string[];
}

/** A person, or a rule, agreed to one call: of this tool, with these arguments. Made by `approvalOf`. */
export interface Approval {
  tool: string;
  /** As JSON. */
  args: string;
}

/** What a call would do, in Chinese, for whoever is asked. One fact a line. */
export interface Preview {
  /** What exactly is done: target, path, command, content. When the call is made this must still be so. */
  lines: string[];
  /** How what it is done to stands now: size, age, state. It may go on changing meanwhile. */
  now?: string[];
}

/** How dangerous a call is, with the reason in Chinese. */
export interface DangerCheck {
  danger: Danger;
  why: string;
}

/**
 * A tool, written once. Adapters turn it into a LangChain tool (here) and later an MCP tool.
 *
 * `I` is the parsed input, `O` what the tool returns to programs; `render` turns it into what the model reads.
 */
export interface ToolContract<I = Record<string, unknown>, O = unknown> {
  name: string;
  /** Where it is declared, for people who are to agree to it; absent for built-in tools. */
  source?: string;
  /** What it can do: at most 50 characters, Chinese. */
  description: string;
  /** Every property has a `.describe()` in plain words. */
  input: z.ZodType<I>;
  /** The input as JSON Schema, where it was written by somebody else (an MCP server) and not made of `input`. */
  inputSchema?: { type: 'object'; properties?: Record<string, unknown>; required?: string[] };
  /** One or two typical inputs; they validate. */
  examples: Record<string, unknown>[];
  danger: Danger;
  /** The danger of this very call, where it depends on the input (a command line). */
  dangerOf?(input: I): DangerCheck;
  readOnly: boolean;
  idempotent: boolean;
  /** Role that the caller needs. */
  aclRole: string;
  /** Its own limit, in ms; checked against, and at each call cut to, half of the model's time. */
  timeoutMs: number;
  /** Takes as long as the settings of this run allow: commands. Replaces `timeoutMs`, in ms. */
  timeoutOf?(ctx: ToolContext): number;
  /**
   * Where its effect lies: `none` reads, `changeset` stages, `scratch` runs in a copy, `outside` acts on the world and goes
   * through the side-effect ledger.
   */
  effect: 'none' | 'changeset' | 'scratch' | 'outside';
  /**
   * In Chinese: why what this call does can't be taken back; absent where it can. Such a call always waits for a person, unless a rule
   * allows the tool by its full name. Only an effect outside is asked: an edit can be undone, a copy is thrown away.
   */
  irreversible?: string | ((input: I) => string | undefined);
  /** False where somebody else's words define the tool and the user has not trusted them: then no rule allows it. */
  trusted?: boolean;
  /** What this call would do; every tool whose effect is `outside` has one. Throws what would keep the call from being made. */
  preview?(input: I, ctx: ToolContext): Preview | Promise<Preview>;
  run(input: I, ctx: ToolContext): Promise<O>;
  render(output: O): string;
  /** What remains of the result once it has faded: one line. Without it the result stays as it is. */
  faded?(output: O): string;
}

/** A contract of unknown input and output, as registries hold it. */
// biome-ignore lint/suspicious/noExplicitAny: a registry holds contracts of every input type; `any` is the only supertype that keeps `run` callable
export type AnyContract = ToolContract<any, any>;

/** What a call gave back. */
export interface ToolOutcome {
  ok: boolean;
  /** What the model (or the user) reads. */
  text: string;
  output?: unknown;
  /** What remains of the text once it has faded, where it may. */
  faded?: string;
  /** The error's stable code when it failed. */
  code?: string;
}
