import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf, XiheError } from '../errors.js';
import { LEADS_OUT, leadsOut } from '../inside.js';
import { dangerOfProgram, type RunResult, runProcess } from '../sandbox/index.js';
import { readStateFile } from '../stateFile.js';
import { isTrusted, projectOf, type Untrusted } from '../trust.js';
import { parseYaml } from '../yaml.js';
import { faultsOf } from '../zod-zh.js';
import { renderRun } from './builtin/command-tools.js';
import { type ContractFault, contractFaults } from './contract.js';
import { commandLimits, DEFAULT_MODEL_SECONDS, DEFAULT_TOOL_SECONDS } from './limits.js';
import { commandPreview } from './preview.js';
import type { ToolContract } from './types.js';

const parameterSchema = z
  .object({
    type: z.enum(['string', 'integer', 'number', 'boolean']).default('string'),
    /** What it means, in plain words. */
    explain: z.string().min(1),
    required: z.boolean().default(false),
    default: z.union([z.string(), z.number(), z.boolean()]).optional(),
    enum: z.array(z.string()).optional(),
  })
  .strict();

/** `.xihe/tools/*.yaml`: a team's command as a tool. */
export const teamToolSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    /** Words that people use for it, for preselection. */
    keywords: z.array(z.string()).default([]),
    danger: z.enum(['low', 'medium', 'high']),
    acl_role: z.string().default('developer'),
    /** At most half of the model's, see `limits.ts`. */
    timeout_seconds: z.number().positive().default(DEFAULT_TOOL_SECONDS),
    /** Program and arguments; `{name}` stands for a parameter and stays one argument, whatever it holds. */
    argv: z.array(z.string()).min(1),
    /** Names of environment variables that it needs and that look like secrets; others are passed on anyway. */
    env: z.array(z.string().regex(/^[A-Za-z_]\w*$/)).default([]),
    /** What it does can't be taken back: `true`, or why. */
    irreversible: z.union([z.boolean(), z.string().trim().min(1)]).default(false),
    parameters: z.record(z.string(), parameterSchema).default({}),
    examples: z.array(z.record(z.string(), z.unknown())).min(1),
  })
  .strict();

/** `{name}` in a command. */
const PLACEHOLDER = /\{(\w+)\}/g;

export type TeamToolFile = z.infer<typeof teamToolSchema>;
type Input = Record<string, unknown>;

export interface TeamTool extends ToolContract<Input, { command: string; result: RunResult }> {
  keywords: string[];
  source: string;
  /** What of it can be trusted. */
  destination: TeamDestination;
  /** It acts without a question, or gets secrets: neither happens before it is trusted. */
  needsTrust: boolean;
  /** The program and arguments that these parameters would run: shown before it is confirmed. */
  commandLine(input: Input): string[];
}

export interface TeamToolProblem {
  file: string;
  /** 1-based: where the first fault stands. */
  line: number;
  reason: string;
}

/** What a team's tool runs on the user's machine, and with which secrets, as something to be trusted or not. */
export interface TeamDestination extends Untrusted {
  trusted: boolean;
  /** A rule allows it without a question. */
  ruled?: boolean;
}

/**
 * The tools of a project that act without a question, or that get secrets: a repository can declare both, so they do so only once the user
 * has trusted them.
 *
 * @param isAllowed whether a rule allows a tool without a question: what it runs is the repository's word all the same
 */
export function teamDestinations(
  layerDir: string,
  env: NodeJS.ProcessEnv = process.env,
  isAllowed: (tool: string) => boolean = () => false,
): TeamDestination[] {
  return loadTeamTools(layerDir, new Set(), env)
    .tools.filter(({ needsTrust, name }) => needsTrust || isAllowed(name))
    .map(({ destination, name }) => ({ ...destination, ruled: isAllowed(name) }));
}

function destinationOf(spec: TeamToolFile, place: ToolPlace): TeamDestination {
  const { danger, argv, env, irreversible } = spec;
  const what = { danger, env, argv, ...(irreversible === false ? {} : { irreversible }) };
  const one = { project: place.project, setting: place.file, address: JSON.stringify(what) };
  return { ...one, trusted: isTrusted(one, place.env) };
}

/**
 * Loads the team's tools. A bad file is reported and left out; the others work.
 *
 * @param layerDir the project's `.xihe/` folder
 * @param reserved names that a team's tool may not take: what is approved by name must be what runs
 * @param modelSeconds longest time of one call of the model; a tool may take half of it
 */
export function loadTeamTools(
  layerDir: string,
  reserved: ReadonlySet<string> = new Set(),
  env: NodeJS.ProcessEnv = process.env,
  modelSeconds = DEFAULT_MODEL_SECONDS,
): { tools: TeamTool[]; problems: TeamToolProblem[] } {
  const dir = join(layerDir, 'tools');
  const tools: TeamTool[] = [];
  const problems: TeamToolProblem[] = [];
  for (const name of namesIn(dir)) {
    const file = `.xihe/tools/${name}`;
    const loaded = loadOne(join(dir, name), { file, project: projectOf(layerDir), env, modelSeconds }, (tool) => {
      if (tool.includes('__')) return '名字里不能有连着的两个下划线，那是 MCP 工具的名字';
      if (reserved.has(tool)) return `名字 ${tool} 是自带工具的，换一个`;
      return tools.some((t) => t.name === tool) ? `名字 ${tool} 重复` : undefined;
    });
    if ('reason' in loaded) problems.push(loaded);
    else tools.push(loaded);
  }
  return { tools, problems };
}

/** Names of YAML files; a folder that is not there, or is none, has none. */
function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /\.ya?ml$/.test(name))
      .sort();
  } catch {
    return [];
  }
}

/** Placeholders of a command that no parameter fills: they would silently become empty arguments. */
function unknownPlaceholders(spec: TeamToolFile): FileFault[] {
  const names = spec.argv.flatMap((part) => [...part.matchAll(PLACEHOLDER)].map((m) => m[1]!));
  return [...new Set(names)]
    .filter((name) => !(name in spec.parameters))
    .map((name) => ({ path: ['argv'], reason: `argv 里的 {${name}} 没有对应的参数` }));
}

/** Where a tool is declared, and who may have trusted it. */
interface ToolPlace {
  /** `.xihe/tools/restart.yaml`. */
  file: string;
  project: string;
  env: NodeJS.ProcessEnv;
  modelSeconds: number;
}

/** What is wrong with a file, and at which key. */
interface FileFault {
  path: (string | number)[];
  reason: string;
}

/** One file as a tool, or what is wrong with it. `nameFault` says why a name can't be taken. */
function loadOne(
  path: string,
  place: ToolPlace,
  nameFault: (name: string) => string | undefined,
): TeamTool | TeamToolProblem {
  const { file } = place;
  try {
    if (leadsOut(place.project, path)) return { file, line: 1, reason: LEADS_OUT };
    const bytes = readStateFile(path);
    if (bytes === undefined) return { file, line: 1, reason: '读不了：不是普通文件，或没有读权限' };
    const read = parseYaml(bytes.toString('utf8').replace(/^\uFEFF/, ''), 'core');
    if (!read.ok) return { file, line: read.line, reason: read.reason };
    const parsed = teamToolSchema.safeParse(read.value);
    if (!parsed.success) {
      const faults = faultsOf(parsed.error, teamToolSchema);
      return { file, line: read.lineOf(faults[0]?.path ?? []), reason: faults.map(({ reason }) => reason).join('；') };
    }
    const tool = teamTool(parsed.data, place);
    const ofContract = contractFaults(tool, place.modelSeconds).map((fault) => inFile(fault));
    const faults = [...ofContract, ...unknownPlaceholders(parsed.data)];
    const clash = nameFault(tool.name);
    if (clash) faults.unshift({ path: ['name'], reason: clash });
    if (faults.length === 0) return tool;
    return { file, line: read.lineOf(faults[0]!.path), reason: faults.map(({ reason }) => reason).join('；') };
  } catch (e) {
    return { file, line: 1, reason: `读不了：${messageOf(e).split('\n')[0]}` };
  }
}

/** The keys of a file by the parts of the contract that is made of it. */
const KEYS: Record<ContractFault['part'], string> = {
  name: 'name',
  description: 'description',
  timeout: 'timeout_seconds',
  danger: 'danger',
  role: 'acl_role',
  parameters: 'parameters',
  examples: 'examples',
};

/** Where in its file a fault of the contract stands. */
function inFile({ part, at, reason }: ContractFault): FileFault {
  const deeper = at === undefined ? [] : part === 'parameters' ? [at, 'explain'] : [at];
  return { path: [KEYS[part], ...deeper], reason };
}

function teamTool(spec: TeamToolFile, place: ToolPlace): TeamTool {
  const destination = destinationOf(spec, place);
  const isNew = !destination.trusted;
  const commandLine = (input: Input) => spec.argv.map((part) => fill(part, input));
  return {
    name: spec.name,
    description: spec.description,
    keywords: spec.keywords,
    source: `repo://${place.file}`,
    destination,
    needsTrust: spec.danger === 'low' || spec.env.length > 0,
    trusted: destination.trusted,
    input: inputSchema(spec),
    examples: spec.examples,
    danger: isNew && spec.danger === 'low' ? 'medium' : spec.danger,
    ...(isNew && spec.danger === 'low' ? { dangerOf: () => NOT_YET_TRUSTED } : {}),
    readOnly: false,
    idempotent: false,
    aclRole: spec.acl_role,
    timeoutMs: spec.timeout_seconds * 1000,
    timeoutOf: ({ modelSeconds }) => commandLimits(spec.timeout_seconds, modelSeconds).tool,
    effect: 'outside',
    // What the command says exactly counts whatever the file says of it.
    irreversible: (input) => saidOf(spec) ?? dangerOfProgram(commandLine(input)).irreversible,
    commandLine,
    preview: (input, ctx) => commandPreview(commandLine(input), { ...spec, file: place.file }, ctx),
    async run(input, ctx) {
      const argv = commandLine(input);
      const secrets = passedOn(spec.env);
      if (isNew && Object.keys(secrets).length > 0) throw secretsRefused(spec, place.file);
      const result = await runProcess({
        argv,
        cwd: ctx.root,
        timeoutMs: commandLimits(spec.timeout_seconds, ctx.modelSeconds).command,
        // It acts on real systems by the team's own declaration, so it sees the home folder and the network; its whole process
        // tree still ends with it.
        confinement: 'process-group',
        // It may have to see the system's own processes.
        keeper: 'subreaper',
        env: secrets,
        ...(ctx.signal ? { signal: ctx.signal } : {}),
      });
      if (result.outcome === 'ok') return { command: argv.join(' '), result };
      throw new XiheError('COMMAND_FAILED', renderRun(argv.join(' '), result), {
        hint: '看上面的输出找原因；它可能已经做了一部分，重试前先核对。',
      });
    },
    render: ({ command, result }) => renderRun(command, result),
  };
}

function saidOf({ irreversible }: TeamToolFile): string | undefined {
  return irreversible === true ? '团队写明了做完不能撤销' : irreversible || undefined;
}

const NOT_YET_TRUSTED = {
  danger: 'medium',
  why: '仓库里写的是低危；运行 xihe trust 信任它以后不再问',
} as const;

function secretsRefused({ name, env }: TeamToolFile, file: string): XiheError {
  return new XiheError('UNTRUSTED_ADDRESS', `操作 ${name} 要用环境变量 ${env.join('、')}，你还没有信任它，没有运行`, {
    hint: `先看清楚 ${file} 会运行什么；信得过就运行 xihe trust。`,
    details: { setting: file },
  });
}

function inputSchema(spec: TeamToolFile): z.ZodType<Input> {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, p] of Object.entries(spec.parameters)) {
    let type: z.ZodType =
      p.enum && p.enum.length > 0
        ? z.enum(p.enum as [string, ...string[]])
        : { string: z.string().min(1), integer: z.number().int(), number: z.number(), boolean: z.boolean() }[p.type];
    if (p.default !== undefined) type = type.default(p.default);
    else if (!p.required) type = type.optional();
    shape[name] = type.describe(p.explain);
  }
  return z.object(shape).strict() as unknown as z.ZodType<Input>;
}

/** The declared variables, as far as they are set. */
function passedOn(names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

function fill(part: string, input: Input): string {
  return part.replace(PLACEHOLDER, (_, name: string) => (input[name] === undefined ? '' : String(input[name])));
}
