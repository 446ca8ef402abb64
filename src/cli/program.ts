import { Command, InvalidArgumentError, Option } from 'commander';
import { packageVersion } from '../assets.js';
import { quoted } from '../errors.js';
import { LAYER_NAMES, TREE_CONTEXTS } from '../layers.js';
import { projectAbove } from '../layout.js';
import { addKnowledgeCommands } from './program-knowledge.js';
import { addMcpCommand } from './program-mcp.js';
import { addEvalCommand, addRecordCommands } from './program-records.js';
import { addServeCommands } from './program-serve.js';
import { addServerCommand } from './program-server.js';

type SetExit = (code: number) => void;

/**
 * The command line. Every action imports its command lazily, because a cold `xihe lookup` must not pay for LangGraph.
 *
 * @param setExit called with the exit code of the command
 */
export function buildProgram(setExit: SetExit): Command {
  const program = new Command('xihe')
    .description('羲和：给中文研发团队的编码智能体')
    .version(packageVersion(), '-V, --version', '显示版本')
    .helpOption('-h, --help', '显示帮助')
    .helpCommand('help [命令]', '显示某个命令的帮助')
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .configureHelp({
      styleTitle: inChinese,
      displayWidth,
      optionDescription: describeOption,
      styleUsage: (text) => text.replace('[options]', '[选项]').replace('[command]', '[命令]'),
      styleSubcommandTerm: (text) => text.replace('[options]', '').replace(/ {2,}(?=\S)/, ' '),
    })
    .showSuggestionAfterError(false);
  program.hook('preAction', (_, command) => {
    // Like git: from a folder inside the project the project is meant. `init` makes one where it stands.
    if (command.name() !== 'init' && command.getOptionValueSource('repo') === 'default')
      command.setOptionValue('repo', projectAbove(process.cwd()));
  });
  addRunCommands(program, setExit);
  addThreadCommands(program, setExit);
  addLookCommands(program, setExit);
  addKnowledgeCommands(program, sub, setExit);
  addRecordCommands(program, sub, setExit);
  addEvalCommand(program, sub, setExit);
  addMcpCommand(program, sub, setExit);
  addServeCommands(program, sub, setExit);
  addServerCommand(program, sub, setExit);
  addSetupCommands(program, setExit);
  return program;
}

/** Headings of the help page. */
function inChinese(title: string): string {
  const names: Record<string, string> = {
    'Usage:': '用法：',
    'Options:': '选项：',
    'Commands:': '命令：',
    'Arguments:': '参数：',
    'Global Options:': '全局选项：',
  };
  return names[title] ?? title;
}

/** An option's text with its choices and default, in Chinese. */
function describeOption(option: Option): string {
  const extra = [
    option.argChoices ? `可选：${option.argChoices.join('、')}` : '',
    option.defaultValue !== undefined && typeof option.defaultValue !== 'boolean' ? `默认 ${option.defaultValue}` : '',
  ].filter(Boolean);
  return extra.length > 0 ? `${option.description}（${extra.join('；')}）` : option.description;
}

function sub(program: Command, spec: string, description: string): Command {
  return program
    .command(spec)
    .description(description)
    .helpOption('-h, --help', '显示帮助')
    .option('--repo <目录>', '项目根目录；在它的子目录里时自己往上找', '.')
    .option('--json', '在标准输出只打印一个 JSON 文档');
}

/** An option that may be given several times. Commander's own `...` wants a Latin letter before it. */
function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** Columns that a text takes in a terminal: Chinese characters and full-width marks take two. */
function displayWidth(text: string): number {
  return [...text].reduce(
    (sum, c) =>
      sum +
      (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(c) ? 2 : 1),
    0,
  );
}

function count(max: number) {
  return (raw: string): number => {
    const n = Number(raw);
    if (Number.isInteger(n) && n >= 1 && n <= max) return n;
    throw new InvalidArgumentError(`「${quoted(raw)}」不是 1 到 ${max} 之间的整数`);
  };
}

function layer(raw: string, before: string[] | undefined): string[] {
  if ((LAYER_NAMES as readonly string[]).includes(raw)) return collect(raw, before);
  throw new InvalidArgumentError(`「${quoted(raw)}」不是 ${LAYER_NAMES.join('、')} 之一`);
}

function amount(raw: string): number {
  const n = Number(raw);
  if (raw.trim() !== '' && Number.isFinite(n) && n > 0) return n;
  throw new InvalidArgumentError(`「${quoted(raw)}」不是大于 0 的数`);
}

function addRunCommands(program: Command, setExit: SetExit): void {
  sub(program, 'run [请求]', '按请求做事：改代码、答问题或执行操作；改动要你确认才写入')
    .option('--no-model', '不用模型，只给出行动预案')
    .addOption(new Option('--yes <等级>', '不高于这个危险等级的改动不再询问').choices(['low', 'medium']))
    .option('--thread <名字>', '接着这个会话，或给新会话起名')
    .option('--from <会话@步>', '从一个会话的某一步分出一个新会话；请求是要补的话，可以不写')
    .option('--max-turns <轮>', '执行阶段最多几轮', count(1_000))
    .option('--max-tokens <个>', '这次运行最多用多少 token', count(1_000_000_000))
    .option('--max-seconds <秒>', '这次运行最多多少秒，等你的时间不算', count(1_000_000))
    .option('--max-cost <钱>', '这次运行最多花多少，要先写 model.prices', amount)
    .option('--without <层>', `对照用：这次去掉一层，可以写多次：${LAYER_NAMES.join('、')}`, layer)
    .addOption(
      new Option('--context <方式>', '对照用：tree 把全部路径给模型，不给骨架；tree+docs 再加全部文档').choices(
        TREE_CONTEXTS,
      ),
    )
    .option('--events', '在标准输出逐行打印事件（JSON），不打印结果')
    .action(async (text: string | undefined, options) =>
      setExit(await (await import('./commands/run.js')).run(text, options)),
    );
  sub(program, 'resume <会话>', '接着跑一个中断的会话，或答复它的问题')
    .option('--approve', '同意')
    .option('--reject', '拒绝')
    .option('--comment <意见>', '要求按意见修改；和 --reject 一起用时是拒绝的理由')
    .option('--answer <回答>', '回答它的问题')
    .option('--param <名=值>', '补上缺少的参数，可以写多次', collect)
    .option('--events', '在标准输出逐行打印事件（JSON），不打印结果')
    .action(async (thread: string, options) =>
      setExit(await (await import('./commands/run.js')).resume(thread, options)),
    );
  sub(program, 'say <会话> <话>', '对一个正在跑的会话说一句话，模型下一轮就听到').action(
    async (thread: string, words: string, options) =>
      setExit(await (await import('./commands/say.js')).say(thread, words, options)),
  );
  sub(program, 'undo [凭据]', '撤销一次写入，恢复原来的每个字节；默认最近一次').action(
    async (receipt: string | undefined, options) =>
      setExit(await (await import('./commands/undo.js')).undoCommand(receipt, options)),
  );
}

function addThreadCommands(program: Command, setExit: SetExit): void {
  sub(program, 'threads [会话]', '列出最近的会话和状态；写出一个会话就列出它的每一步').action(
    async (thread: string | undefined, options) =>
      setExit(await (await import('./commands/threads.js')).threads(thread, options)),
  );
  sub(program, 'trace <会话>', '追溯：哪条知识、哪个版本、来自哪里，带来了哪次修改')
    .option('--line <文件:行>', '只看这一行是哪一步写的，当时模型看过什么')
    .option('--html <文件>', '写成一个网页，不联网也能看')
    .action(async (thread: string, options) =>
      setExit(await (await import('./commands/trace.js')).trace(thread, options)),
    );
  sub(program, 'graph', '打印工作流图（Mermaid）').action(async (options) =>
    setExit(await (await import('./commands/graph.js')).graph(options)),
  );
}

function addLookCommands(program: Command, setExit: SetExit): void {
  sub(program, 'core <意图>', '查中文数据核心：术语、知识、流程模板、警示')
    .option('--symbol <符号>', '代码符号，可以反查中文叫法；可以写多次', collect)
    .option('--module <模块>', '优先这个模块')
    .addOption(
      new Option('--task <类型>', '任务类型').choices(['general', 'refactor', 'bugfix', 'feature']).default('general'),
    )
    .option('--max <个数>', '每类最多几条，1 到 50；默认看设置 core.topK', count(50))
    .action(async (intent: string, options) =>
      setExit(await (await import('./commands/core.js')).core(intent, options)),
    );
  sub(program, 'lookup <查询>', '查知识库：先按关键词找整篇，再补一段意思相近的')
    .option('--section <章节>', '只取这一节')
    .option('--exact', '只要精确命中，不等意思相近的')
    .action(async (query: string, options) =>
      setExit(await (await import('./commands/lookup.js')).lookup(query, options)),
    );
  sub(program, 'find <查询>', '按中文意思、符号或文件名找文件')
    .option('--scope <目录>', '只在这个目录里找')
    .option('--top <个数>', '最多几个，1 到 50', count(50), 5)
    .action(async (query: string, options) => setExit(await (await import('./commands/find.js')).find(query, options)));
  sub(program, 'tree [目录]', '看路径骨架')
    .option('--tokens <个数>', '最多多少 token，1 到 1000（骨架至少要 60）', count(1000), 1000)
    .action(async (path: string | undefined, options) =>
      setExit(await (await import('./commands/tree.js')).tree(path, options)),
    );
  sub(program, 'expand <路径>', '展开一个目录或文件').action(async (path: string, options) =>
    setExit(await (await import('./commands/tree.js')).expand(path, options)),
  );
}

function addSetupCommands(program: Command, setExit: SetExit): void {
  sub(program, 'init', '在项目里写一份带注释的 .xihe/，已有的文件不动').action(async (options) =>
    setExit(await (await import('./commands/init.js')).init(options)),
  );
  sub(program, 'trust', '看项目的设置会把什么发到哪里，信得过的记下来；没信任过的地址不会连接')
    .option('--yes', '不再询问，都信任')
    .option('--revoke', '收回对这个项目的信任')
    .action(async (options) => setExit(await (await import('./commands/trust.js')).trust(options)));
  sub(program, 'alert <动作>', '群机器人的告警：test 先给你看发什么、发到哪里，再试发一条；flush 发出在排队的').action(
    async (act: string, options) => setExit(await (await import('./commands/alert.js')).alert(act, options)),
  );
  sub(program, 'doctor', '检查 Node、git、模型、向量服务、Milvus、沙箱，并说明怎么办')
    .option('--model', '真的问模型几句：流式、工具、JSON、中文、用量、上下文长度，说清楚什么能用')
    .action(async ({ model, ...options }) =>
      setExit(
        model
          ? await (await import('./commands/doctorModel.js')).doctorModel(options)
          : await (await import('./commands/doctor.js')).doctor(options),
      ),
    );
}
