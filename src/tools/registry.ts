import { XiheError } from '../errors.js';
import { closest, fold } from '../text/index.js';
import { sendAlert } from './builtin/alert-tools.js';
import { runCommand } from './builtin/command-tools.js';
import { lookupKnowledge, zhCoreQuery } from './builtin/core-tools.js';
import {
  createSchedule,
  createWorkflow,
  listWorkflows,
  releaseSchedule,
  releaseWorkflow,
  runWorkflow,
  workflowLog,
  workflowStatus,
} from './builtin/dolphin-tools.js';
import { editFile } from './builtin/edit-file.js';
import { gitDiff, gitLog } from './builtin/git-tools.js';
import { moveFile } from './builtin/move-file.js';
import { expandPath, loadContext, lookupFile } from './builtin/path-tools.js';
import { readFile } from './builtin/read-file.js';
import { searchCode } from './builtin/search-code.js';
import { splitWork } from './builtin/split-work.js';
import { runTests } from './builtin/test-tools.js';
import { deleteFile, writeFile } from './builtin/write-file.js';
import { jsonSchemaOf } from './contract.js';
import type { McpTool } from './mcp/index.js';
import { type ActsOf, type ToolHit, ToolIndex } from './preselect.js';
import type { TeamTool } from './team-tools.js';
import type { AnyContract } from './types.js';

/** Tools that only look. */
export const READ_TOOLS: AnyContract[] = [
  loadContext,
  expandPath,
  lookupFile,
  searchCode,
  readFile,
  lookupKnowledge,
  zhCoreQuery,
  gitLog,
  gitDiff,
];

/** Tools of the execute phase: looking, staged edits, commands in a scratch copy. */
export const EXECUTE_TOOLS: AnyContract[] = [
  ...READ_TOOLS,
  editFile,
  writeFile,
  deleteFile,
  moveFile,
  runTests,
  runCommand,
];

/** A tool that a user may ask for, with words that people use for it. */
interface Direct {
  contract: AnyContract;
  keywords: string[];
}

/** Built-in tools that a user may ask for directly, with words that people use for them. */
const DIRECT_TOOLS: Direct[] = [
  { contract: runTests, keywords: ['跑测试', '运行测试', '执行测试', '跑一下单测', '跑用例', 'test'] },
  { contract: searchCode, keywords: ['搜索代码', '搜一下', '全局搜索', 'grep', '哪里用到'] },
  { contract: lookupFile, keywords: ['找文件', '搜索文件', '查找文件', '在哪个文件'] },
  { contract: gitLog, keywords: ['提交记录', '最近提交', 'git log', '谁改的'] },
  { contract: gitDiff, keywords: ['未提交的修改', 'git diff', '看改动'] },
  { contract: readFile, keywords: ['读文件', '打开文件', '看文件内容', '读一下'] },
  {
    contract: sendAlert,
    keywords: ['发通知', '发告警', '发到群里', '通知到群'],
  },
  { contract: runCommand, keywords: ['运行命令', '执行命令', '跑一下'] },
];

/** Tools of DolphinScheduler, offered where one is set up. */
const DOLPHIN_TOOLS: Direct[] = [
  { contract: createWorkflow, keywords: ['建工作流', '新建工作流', '创建工作流', '建一个工作流', '建个工作流'] },
  { contract: releaseWorkflow, keywords: ['工作流上线', '上线工作流', '工作流下线', '下线工作流'] },
  { contract: runWorkflow, keywords: ['运行工作流', '执行工作流', '跑工作流', '跑一下工作流', '启动工作流'] },
  { contract: createSchedule, keywords: ['建定时', '定时运行', '定时执行', '加定时', '定时调度', '每天定时'] },
  { contract: releaseSchedule, keywords: ['停用定时', '定时停用', '定时生效', '关掉定时', '定时下线', '定时上线'] },
  { contract: workflowStatus, keywords: ['工作流状态', '实例状态', '工作流跑得怎么样', '工作流运行情况'] },
  { contract: workflowLog, keywords: ['任务日志', '实例日志', '工作流日志'] },
  { contract: listWorkflows, keywords: ['有哪些工作流', '列出工作流', '工作流列表'] },
];

/** Names of the built-in tools. */
export const BUILTIN_NAMES: ReadonlySet<string> = new Set(
  [...EXECUTE_TOOLS, splitWork, sendAlert, ...DOLPHIN_TOOLS.map(({ contract }) => contract)].map((tool) => tool.name),
);

/** How many tools preselection puts before the model (DESIGN §4). */
export const PRESELECT = 3;

/** How far a tool that is called by its whole name is before all others. */
const NAMED_LEAD = 2;

export interface Preselected {
  contract: AnyContract;
  score: number;
  /** In Chinese: the words that matched. */
  why: string;
  /** One of the tool's own words stands in the utterance as a whole. */
  named: boolean;
}

/** The tools of one project: built in, the team's own, and those of MCP servers that are open. */
export class ToolRegistry {
  private readonly direct: Direct[];
  private readonly index: ToolIndex;
  private readonly teamWords: string[];
  private readonly readers: ToolIndex;

  /**
   * @param systems which systems around are set up
   * @param mcp tools of open MCP servers, and the first parts of the names of all trusted ones, open or not
   */
  constructor(
    private readonly teamTools: TeamTool[],
    private readonly systems: { dolphin?: boolean } = {},
    private readonly mcp: { tools?: McpTool[]; prefixes?: string[] } = {},
  ) {
    const foreign = mcp.tools ?? [];
    const own = [...teamTools, ...foreign].map((tool) => ({ contract: tool as AnyContract, keywords: tool.keywords }));
    this.direct = [...own, ...DIRECT_TOOLS, ...(systems.dolphin ? DOLPHIN_TOOLS : [])];
    this.readers = new ToolIndex(foreign.filter(isReader));
    // One character is in too many sentences to name anything.
    this.teamWords = teamTools.flatMap((tool) => tool.keywords).filter((word) => [...word].length > 1);
    this.index = new ToolIndex(
      this.direct.map(({ contract: { name, description }, keywords }) => ({ name, description, keywords })),
    );
  }

  /** Everything that may be named, for listings and look-up by name. */
  all(): AnyContract[] {
    const seen = new Map<string, AnyContract>();
    for (const contract of [...this.direct.map((d) => d.contract), ...EXECUTE_TOOLS]) seen.set(contract.name, contract);
    return [...seen.values()];
  }

  /**
   * A tool by name.
   *
   * @throws XiheError TOOL_UNKNOWN, with the nearest names
   */
  get(name: string, among: AnyContract[] = this.all()): AnyContract {
    const found = among.find((contract) => contract.name === name);
    if (found) return found;
    const names = among.map((contract) => contract.name);
    const close = closest(name, names, 3);
    // A name that is like none of them was made up: then only the whole list helps.
    const near = close.length > 0 ? close : names;
    throw new XiheError('TOOL_UNKNOWN', `没有名叫 ${name} 的工具`, { hint: `可用的工具：${near.join('、')}` });
  }

  /** The same with the tools of MCP servers that have been opened meanwhile. */
  with(tools: McpTool[]): ToolRegistry {
    return new ToolRegistry(this.teamTools, this.systems, { ...this.mcp, tools });
  }

  /**
   * Tools of MCP servers that only look and that a text asks for, best first: what a model may use beside the built-in ones. Never more
   * than preselection shows, however many servers there are.
   */
  foreignReaders(text: string, k = PRESELECT): AnyContract[] {
    const foreign = (this.mcp.tools ?? []).filter(isReader);
    return this.readers.rank(text, k).map(({ index }) => foreign[index]!);
  }

  /** The longest word of a team's own tool that stands in a folded text, or the name of a tool of an MCP server. */
  teamWordIn(folded: string): string | undefined {
    const named = (this.mcp.prefixes ?? []).map((prefix) => new RegExp(`\\b${prefix}__\\w+`).exec(folded)?.[0]);
    const foreign = named.find((name) => name !== undefined);
    if (foreign !== undefined) return foreign;
    return this.teamWords.filter((word) => folded.includes(fold(word))).sort((a, b) => b.length - a.length)[0];
  }

  /**
   * The tools nearest to an utterance, best first.
   *
   * @param k how many, at most
   * @param acts the kinds of act that routing reads in a text, and the one that it names; without them only words count
   */
  preselect(text: string, k = PRESELECT, acts?: { of: ActsOf; hint?: string }): Preselected[] {
    const folded = fold(text);
    const hits = this.index.rank(text, this.direct.length, acts?.of, acts?.hint);
    return this.nameFirst(folded, hits)
      .slice(0, k)
      .map(({ index, score, matched }) => {
        const { contract, keywords } = this.direct[index]!;
        return {
          contract,
          score,
          why:
            matched.length > 0
              ? `「${matched.join('、')}」与${contract.description}相符`
              : `要做的事与${contract.description}相近`,
          named: [contract.name, ...keywords].some((word) => folded.includes(fold(word))),
        };
      });
  }

  /** A tool whose whole name stands in the text is the one that is meant; words of its name are in others of the same server too. */
  private nameFirst(folded: string, hits: ToolHit[]): ToolHit[] {
    const words = new Set(folded.match(/[a-z][a-z0-9_]*_[a-z0-9_]+/g) ?? []);
    const index = this.direct.findIndex(({ contract }) => words.has(contract.name));
    if (index < 0) return hits;
    const known = hits.find((hit) => hit.index === index);
    const score = NAMED_LEAD * Math.max(1, ...hits.map((hit) => hit.score));
    const first = { index, matched: [this.direct[index]!.contract.name], ...known, score };
    return [first, ...hits.filter((hit) => hit !== known)];
  }

  /** The tool that a user may ask for directly by this name, if there is one. */
  directly(name: string): AnyContract | undefined {
    return this.direct.find(({ contract }) => contract.name === name)?.contract;
  }
}

function isReader({ danger, effect }: McpTool): boolean {
  return danger === 'low' && effect === 'none';
}

/** The names of a tool's required parameters that an input lacks. */
export function missingParameters(
  contract: AnyContract,
  input: Record<string, unknown>,
): { name: string; explain: string; choices: string[] }[] {
  const schema = jsonSchemaOf(contract);
  return (schema.required ?? [])
    .filter((name) => input[name] === undefined || input[name] === '')
    .map((name) => {
      const property = (schema.properties?.[name] ?? {}) as { description?: string; enum?: string[] };
      return { name, explain: property.description ?? name, choices: property.enum ?? [] };
    });
}
