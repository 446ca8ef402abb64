import pc from 'picocolors';
import type { RunEvent } from '../agent/index.js';
import { log, visible } from './output.js';

/** What the steps of the workflow are called on screen. */
export const NODE_NAMES: Record<string, string> = {
  route: '路由',
  preread: '预读',
  plan: '计划',
  ask: '先问清楚',
  execute: '执行',
  tools: '工具',
  divide: '分头做',
  merge: '合并',
  'agent:brief': '预读',
  'agent:execute': '执行',
  'agent:tools': '工具',
  'agent:hand-in': '交回',
  postcheck: '后检',
  confirm: '确认',
  apply: '写入',
  report: '报告',
  answer: '回答',
  select: '选工具',
  fill: '补参数',
  approve: '批准',
  act: '执行操作',
};

const AGENT_STATE: Record<string, string> = { done: '做完了', stopped: '没有做完', failed: '没有做成' };
const KIND: Record<string, string> = { edit: '修改', qa: '提问', tool: '操作', chat: '闲聊' };

/**
 * Shows each node as it goes, one line each, on stderr.
 *
 * @param words whether the model's words are shown too, as they come; with `--json` they stand in the document
 */
export function progressPrinter(words: boolean): (event: RunEvent) => void {
  let inText = false;
  const line = (text: string) => {
    if (inText) process.stderr.write('\n');
    inText = false;
    log(text);
  };
  return (event) => {
    if (event.type === 'model.token') {
      // The words of several at once would run into each other; what each says at its end stands in the report.
      if (!words || event.agent !== undefined) return;
      process.stderr.write(pc.dim(visible(event.text)));
      inText = true;
      return;
    }
    const { agent } = event;
    const text = describe(shown(event));
    if (text) line(agent === undefined ? text : `${pc.magenta(`[${agent}]`)} ${text.trimStart()}`);
  };
}

/** The event with every text of it made visible: texts come from files, models and commands. */
function shown(event: RunEvent): RunEvent {
  return JSON.parse(JSON.stringify(event, (_, v) => (typeof v === 'string' ? visible(v) : v))) as RunEvent;
}

function describe(e: RunEvent): string | undefined {
  switch (e.type) {
    case 'node.started':
      return pc.cyan(`▸ ${NODE_NAMES[e.node] ?? e.node}`);
    case 'route.decided':
      return e.intents.map((i) => `  ${KIND[i.kind] ?? i.kind}：${i.text}（${i.evidence}）`).join('\n');
    case 'core.queried':
      return `  ${e.why}；术语 ${e.terms}，知识 ${e.knowledge}，流程模板 ${e.playbooks}，警示 ${e.warnings}`;
    case 'plan.made':
      return `  ${e.playbook ? `流程模板「${e.playbook}」` : `${e.steps} 步`}；从 ${e.focus.slice(0, 3).join('、') || '（没有找到文件）'} 开始`;
    case 'work.split':
      return e.parts
        .map(
          ({ agent, title, files }) =>
            `  ${pc.magenta(`[${agent}]`)} ${title}${pc.dim(`（从 ${files.join('、')} 开始）`)}`,
        )
        .join('\n');
    case 'agent.finished':
      return `${AGENT_STATE[e.state] ?? e.state}：${e.title}${pc.dim(`（${e.turns} 轮，${(e.ms / 1000).toFixed(1)} 秒）`)}`;
    case 'work.merged':
      return e.conflicts.length > 0
        ? pc.yellow(`  合并了 ${e.files.length} 个文件；有冲突：${e.conflicts.join('、')}`)
        : `  合并了 ${e.files.length} 个文件，没有冲突`;
    case 'model.retry':
      return pc.yellow(`  模型没有答完，第 ${e.attempt} 次重试（前面显示的作废）：${e.reason}`);
    case 'model.fallback':
      return pc.yellow(`  模型 ${e.from} 没有成功，换 ${e.to}（前面显示的作废）：${e.reason}`);
    case 'model.finished':
      return pc.dim(`  第 ${e.turn} 轮：读入 ${e.input}，写出 ${e.output} token，${(e.ms / 1000).toFixed(1)} 秒`);
    case 'tool.started':
      return `  ${e.name} ${pc.dim(e.args)}`;
    case 'tool.finished':
      return `  ${e.ok ? pc.green('✓') : pc.red('✗')} ${pc.dim(e.summary)}`;
    case 'finding':
      return `  ${e.severity === 'block' ? pc.red('必须改') : pc.yellow('提醒')}：${e.text}`;
    case 'tests.finished':
      return `  ${e.ok ? pc.green('测试通过') : pc.red('测试失败')}：${e.command}（${(e.ms / 1000).toFixed(1)} 秒）`;
    case 'run.resumed':
      return e.origin ? pc.dim(`  从 ${e.origin} 分出来，会话 ${e.thread}`) : undefined;
    case 'user.said':
      return pc.cyan(`  你说：${e.text}`);
    case 'changes.applied':
      return pc.green(`  已写入 ${e.files.length} 个文件`);
    case 'progress':
      return pc.dim(`  ${e.text}`);
    default:
      return undefined;
  }
}
