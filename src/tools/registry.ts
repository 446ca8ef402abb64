import { XiheError } from '../errors.js';
import { Bm25Index, bigrams, closest, fold, splitIdentifier } from '../text/index.js';
import { runCommand, runTests } from './builtin/command-tools.js';
import { lookupKnowledge, zhCoreQuery } from './builtin/core-tools.js';
import { editFile } from './builtin/edit-file.js';
import { gitDiff, gitLog } from './builtin/git-tools.js';
import { expandPath, loadContext, lookupFile } from './builtin/path-tools.js';
import { readFile } from './builtin/read-file.js';
import { searchCode } from './builtin/search-code.js';
import { deleteFile, writeFile } from './builtin/write-file.js';
import { jsonSchemaOf } from './contract.js';
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
export const EXECUTE_TOOLS: AnyContract[] = [...READ_TOOLS, editFile, writeFile, deleteFile, runTests, runCommand];

/** Built-in tools that a user may ask for directly, with words that people use for them. */
const DIRECT_TOOLS: { contract: AnyContract; keywords: string[] }[] = [
  { contract: runTests, keywords: ['跑测试', '运行测试', '执行测试', '跑一下单测', '跑用例', 'test'] },
  { contract: searchCode, keywords: ['搜索代码', '搜一下', '全局搜索', 'grep', '哪里用到'] },
  { contract: lookupFile, keywords: ['找文件', '搜索文件', '查找文件', '在哪个文件'] },
  { contract: gitLog, keywords: ['提交记录', '最近提交', 'git log', '谁改的'] },
  { contract: gitDiff, keywords: ['未提交的修改', 'git diff', '看改动'] },
  { contract: readFile, keywords: ['读文件', '打开文件', '看文件内容', '读一下'] },
  { contract: runCommand, keywords: ['运行命令', '执行命令', '跑一下'] },
];

/** Names of the built-in tools. */
export const BUILTIN_NAMES: ReadonlySet<string> = new Set(EXECUTE_TOOLS.map((tool) => tool.name));

/** How many tools preselection puts before the model (DESIGN §4). */
export const PRESELECT = 3;

export interface Preselected {
  contract: AnyContract;
  score: number;
  /** In Chinese: the words that matched. */
  why: string;
  /** One of the tool's own words stands in the utterance as a whole. */
  named: boolean;
}

/** The tools of one project: built in and the team's own. */
export class ToolRegistry {
  private readonly direct: { contract: AnyContract; keywords: string[] }[];
  private readonly index: Bm25Index<number>;
  private readonly teamWords: string[];

  constructor(teamTools: TeamTool[]) {
    const own = teamTools.map((tool) => ({ contract: tool as AnyContract, keywords: tool.keywords }));
    this.direct = [...own, ...DIRECT_TOOLS];
    // One character is in too many sentences to name anything.
    this.teamWords = teamTools.flatMap((tool) => tool.keywords).filter((word) => [...word].length > 1);
    this.index = new Bm25Index<number>({ fields: { keywords: 2, name: 1.5, description: 1 } });
    this.direct.forEach(({ contract, keywords }, i) => {
      this.index.add(i, {
        keywords: keywords.flatMap(tokens),
        name: splitIdentifier(contract.name),
        description: tokens(contract.description),
      });
    });
    this.index.finish();
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
    const near = closest(
      name,
      among.map((contract) => contract.name),
      3,
    );
    throw new XiheError('TOOL_UNKNOWN', `没有名叫 ${name} 的工具`, { hint: `可用的工具：${near.join('、')}` });
  }

  /** The longest word of a team's own tool that stands in a folded text. */
  teamWordIn(folded: string): string | undefined {
    return this.teamWords.filter((word) => folded.includes(fold(word))).sort((a, b) => b.length - a.length)[0];
  }

  /** The tools nearest to an utterance, best first, at most {@link PRESELECT}. */
  preselect(text: string, k = PRESELECT): Preselected[] {
    const folded = fold(text);
    return this.index.search(tokens(text), k).map((hit) => {
      const { contract, keywords } = this.direct[hit.id]!;
      return {
        contract,
        score: hit.score,
        why: `「${hit.matched.join('、')}」与${contract.description}相符`,
        named: keywords.some((word) => folded.includes(fold(word))),
      };
    });
  }

  /** The tool that a user may ask for directly by this name, if there is one. */
  directly(name: string): AnyContract | undefined {
    return this.direct.find(({ contract }) => contract.name === name)?.contract;
  }
}

/** Bigrams for Chinese, whole words for the rest: no dictionary is loaded for a dozen short descriptions. */
function tokens(text: string): string[] {
  const folded = fold(text);
  return [...bigrams(folded), ...(folded.match(/[a-z0-9_]{2,}/g) ?? [])];
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
