import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { messageOf, XiheError } from '../../errors.js';
import type { LookupResult } from '../../knowledge/index.js';
import type { Workspace } from '../../paths/index.js';
import { AuditLog } from '../../sandbox/audit.js';
import type { AuditEntry } from '../../sandbox/types.js';
import { estimateTokens } from '../../text/index.js';
import { lookupKnowledge, zhCoreQuery } from '../../tools/builtin/core-tools.js';
import { expandPath, loadContext, lookupFile } from '../../tools/builtin/path-tools.js';
import { callTool } from '../../tools/call.js';
import { jsonSchemaOf } from '../../tools/contract.js';
import type { AnyContract, Caller, ToolContext, ToolOutcome } from '../../tools/types.js';
import type { CoreResult } from '../../zhcore/index.js';
import { answerOfCore, answerOfLookup } from './answers-core.js';
import { answerOfContext, answerOfExpansion, answerOfFiles } from './answers-paths.js';
import { type Answer, type Fitted, fitInto } from './fit.js';
import { outputSchemaOf, type ServedTool } from './output-schemas.js';
import type { McpProject, Progress } from './project.js';

/** A result by default: it stays in the client's context for the rest of a conversation. Tokens. */
export const DEFAULT_MAX_TOKENS = 1_000;
/** What a caller may ask for. Tokens. */
export const MAX_TOKENS = { least: 300, most: 4_000 } as const;
/** What `load_context` says beside its map. Tokens. */
const BESIDE_MAP = 250;
/** The map by default, as in the tool's own contract. Tokens. */
const MAP_TOKENS = 600;

const TITLES: Record<ServedTool, string> = {
  zh_core_query: '查术语、流程模板、警示和知识',
  lookup_knowledge: '查知识库',
  load_context: '看项目骨架',
  expand_path: '展开路径',
  lookup_file: '按中文意思找文件',
};

const CONTRACTS = new Map<string, AnyContract>(
  [zhCoreQuery, lookupKnowledge, loadContext, expandPath, lookupFile].map((c) => [c.name, c as AnyContract]),
);

/** Only these look at files of the tree. */
const OF_PATHS = new Set<ServedTool>(['load_context', 'expand_path', 'lookup_file']);

/** What of a connection a call needs. */
export interface CallSite {
  caller: Caller;
  /** Whose calls they are, in logs: one a connection. */
  thread: string;
  /** Where the connection looks; calls without a path begin there. */
  workspace: Workspace;
  /** Tokens of a result where the call says nothing. */
  maxTokens: number;
  signal: AbortSignal;
  progress: Progress;
}

/** A result as clients get it. */
export interface ToolReply {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/** The tools as clients list them. */
export function listTools(): Tool[] {
  return [...CONTRACTS.values()].map((contract) => {
    const name = contract.name as ServedTool;
    return {
      name,
      title: TITLES[name],
      description: contract.description,
      inputSchema: inputSchemaOf(contract),
      outputSchema: outputSchemaOf(name),
      annotations: {
        title: TITLES[name],
        readOnlyHint: contract.readOnly,
        idempotentHint: contract.idempotent,
        destructiveHint: false,
        openWorldHint: false,
      },
    };
  });
}

/** Whether there is a tool of this name. */
export function isServed(name: string): boolean {
  return CONTRACTS.has(name);
}

/** The contract's own parameters, and how long a result may be. */
function inputSchemaOf(contract: AnyContract): Tool['inputSchema'] {
  const schema = jsonSchemaOf(contract) as Tool['inputSchema'];
  if (schema.properties?.max_tokens) return schema;
  const max_tokens = {
    type: 'integer',
    minimum: MAX_TOKENS.least,
    maximum: MAX_TOKENS.most,
    description: `结果最多多少 token，默认 ${DEFAULT_MAX_TOKENS}`,
  };
  return { ...schema, properties: { ...schema.properties, max_tokens } };
}

/**
 * Calls a tool for a client. What is wrong with the call or the project is a result that says what to do, never a throw.
 *
 * @throws XiheError CANCELLED
 */
export async function callServedTool(
  name: ServedTool,
  args: Record<string, unknown>,
  project: McpProject,
  site: CallSite,
): Promise<ToolReply> {
  const contract = CONTRACTS.get(name) as AnyContract;
  try {
    const limit = limitOf(name, args, site.maxTokens);
    const started = performance.now();
    const ctx = await contextOf(name, project, site);
    const outcome = await callTool(contract, argumentsOf(name, args, limit), ctx);
    if (!outcome.ok) return failed(outcome.text);
    const fitted = fitInto(answerOf(name, args, outcome, ctx, project, limit), limit);
    noteUse(name, args, outcome.output, fitted, project, site, performance.now() - started);
    return { content: [{ type: 'text', text: fitted.text }], structuredContent: fitted.structured };
  } catch (e) {
    if (XiheError.is(e, 'CANCELLED') || site.signal.aborted) throw e;
    return failed(XiheError.is(e) ? `失败（${e.code}）：${e.message}。${e.hint}` : `失败（INTERNAL）：${messageOf(e)}`);
  }
}

/** An error that the model reads, and can do something about. */
export function failed(text: string): ToolReply {
  return { content: [{ type: 'text', text: ownWords(text) }], isError: true };
}

/** Hints of the rooms name tools of our own agent, which clients have under other names. */
function ownWords(text: string): string {
  return text.replace(/\bsearch_code\b/g, '你自己的搜索工具').replace(/\bread_file\b/g, '你自己的读文件工具');
}

/** @throws XiheError TOOL_INPUT_INVALID */
function limitOf(name: ServedTool, { max_tokens: asked }: Record<string, unknown>, usual: number): number {
  if (name === 'load_context') {
    const map = typeof asked === 'number' ? asked : Math.min(MAP_TOKENS, usual - BESIDE_MAP);
    return Math.max(usual, map + BESIDE_MAP);
  }
  if (asked === undefined || asked === null) return usual;
  const { least, most } = MAX_TOKENS;
  const n = Number(asked);
  if (Number.isInteger(n) && n >= least && n <= most) return n;
  throw new XiheError('TOOL_INPUT_INVALID', `${name} 的参数不对：max_tokens 要是 ${least} 到 ${most} 之间的整数`, {
    hint: `不写就是 ${usual}。`,
  });
}

function argumentsOf(name: ServedTool, args: Record<string, unknown>, limit: number): Record<string, unknown> {
  if (name !== 'load_context' || args.max_tokens !== undefined) return args;
  return { ...args, max_tokens: Math.max(100, Math.min(MAP_TOKENS, limit - BESIDE_MAP)) };
}

async function contextOf(name: ServedTool, project: McpProject, site: CallSite): Promise<ToolContext> {
  const { layout, core, hotspots } = project;
  // The core answers without it; where it is there, terms say where their symbols stand.
  const isNeeded = OF_PATHS.has(name) || project.pathsNow !== undefined;
  const paths = isNeeded ? await project.paths(site.signal, site.progress) : undefined;
  const audit = new AuditLog(layout.stateDir);
  return {
    root: layout.root,
    stateDir: layout.stateDir,
    core,
    // The tools of the core do not look at it.
    paths: paths as ToolContext['paths'],
    caller: site.caller,
    thread: site.thread,
    callId: site.thread,
    turn: 0,
    signal: site.signal,
    commandSeconds: 0,
    workspace: site.workspace,
    hotspots,
    policy: project.policy(),
    fed: () => {},
    // After the answer: the log is written through to the disk, which nobody has to wait for.
    audit: (entry) => setImmediate(() => noteCall(audit, { ...entry, who: site.caller.name, thread: site.thread })),
    progress: () => {},
  };
}

function noteCall(audit: AuditLog, entry: Omit<AuditEntry, 'at'>): void {
  try {
    audit.append({ ...entry, at: new Date().toISOString() });
  } catch {
    // A log that can't be written must not keep anybody from reading.
  }
}

function answerOf(
  name: ServedTool,
  args: Record<string, unknown>,
  { output }: ToolOutcome,
  { paths }: ToolContext,
  { core }: McpProject,
  limit: number,
): Answer {
  const version = core.dataVersion;
  type Output<T extends (...args: never[]) => unknown> = Parameters<T>[0];
  switch (name) {
    case 'zh_core_query':
      return answerOfCore(output as CoreResult, paths);
    case 'lookup_knowledge':
      return answerOfLookup(output as LookupResult, version, limit);
    case 'load_context':
      return answerOfContext(
        output as Output<typeof answerOfContext>,
        typeof args.focus === 'string' ? args.focus : undefined,
        version,
      );
    case 'expand_path':
      return answerOfExpansion(output as Output<typeof answerOfExpansion>, version, paths);
    case 'lookup_file':
      return answerOfFiles(output as Output<typeof answerOfFiles>, version, paths);
  }
}

/** Notes what was asked and what of it was given, as the other ways to ask do. */
function noteUse(
  name: ServedTool,
  args: Record<string, unknown>,
  result: unknown,
  { kept }: Fitted,
  project: McpProject,
  { thread }: CallSite,
  ms: number,
): void {
  if (name === 'lookup_knowledge')
    project.record({ kind: 'lookup', text: String(args.query_text), result, thread, ms });
  if (name !== 'zh_core_query') return;
  const given = kept.flatMap(({ entry, text }) => (entry ? [{ ...entry, tokens: estimateTokens(text), why: '' }] : []));
  project.record({ kind: 'query', text: String(args.user_intent), result, given, thread, ms });
}
