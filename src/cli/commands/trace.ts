import pc from 'picocolors';
import { editsOf, Session, type ThreadView } from '../../agent/index.js';
import { quoted, XiheError } from '../../errors.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson } from '../output.js';
import type { CommonOptions } from './options.js';

const PHASE: Record<string, string> = {
  plan: '计划',
  execute: '执行',
  postcheck: '后检',
  answer: '回答',
  brief: '预案',
};
const TYPE: Record<string, string> = { term: '术语', knowledge: '知识', playbook: '流程模板', warning: '警示' };
const FORM: Record<string, string> = { path: '路径', skeleton: '骨架', summary: '摘要', expand: '展开', read: '读' };

/** `xihe trace`: which entry, of which version, from which source, led to which edit. */
export async function trace(thread: string, options: CommonOptions): Promise<number> {
  const session = await Session.open(options.repo);
  try {
    const view = await session.view(thread);
    if (view.status === 'empty')
      throw new XiheError('THREAD_NOT_FOUND', `没有会话 ${quoted(thread)}`, { hint: '用 xihe threads 看有哪些会话。' });
    const doc = toJson(view);
    if (options.json) printJson(doc);
    else print(toText(doc));
    return EXIT.done;
  } finally {
    session.close();
  }
}

function toJson(view: ThreadView) {
  const { state } = view;
  return {
    thread: view.thread,
    request: state.request?.text ?? '',
    runs: state.run,
    injections: state.ledger.map(({ run, phase, turn, type, id, version, source, confidence, tokens, why }) => ({
      run,
      phase,
      turn,
      type,
      id,
      version,
      source,
      confidence,
      tokens,
      why,
    })),
    fed: state.fed.map(({ run, turn, form, path, tokens }) => ({ run, turn, form, path, tokens })),
    edits: editsOf(view),
    acts: actsOf(view),
    findings: state.findings.map((f) => `${f.path ? `${f.path}${f.line ? `:${f.line}` : ''} ` : ''}${f.text}`),
    receipt: state.receipt?.id ?? null,
    usage: { input: state.usage.input, output: state.usage.output, calls: state.usage.calls },
  };
}

/** The tool that the newest run acted with, if it did. */
function actsOf({ state }: ThreadView) {
  const { tool } = state;
  if (!tool?.name) return [];
  return [
    { tool: tool.name, args: tool.input, danger: tool.danger, approved: tool.approved, ok: tool.outcome?.ok ?? null },
  ];
}

/** What came of an act, in a word. */
function outcomeOf(act: { approved: boolean | null; ok: boolean | null }): string {
  if (act.approved === false) return '没有批准';
  if (act.ok === null) return '没有执行';
  return act.ok ? pc.green('✓') : pc.red('✗');
}

function toText(t: ReturnType<typeof toJson>): string {
  const injected = t.injections.map(
    (i) =>
      `  ${PHASE[i.phase] ?? i.phase}·第 ${i.turn} 轮  ${TYPE[i.type] ?? i.type} ${pc.bold(i.id)}  ${i.tokens} token\n    ${pc.dim(`来源 ${i.source}，版本 ${i.version.slice(0, 7)}，可信度 ${i.confidence}；${i.why}`)}`,
  );
  const fed = t.fed.map((f) => `  第 ${f.turn} 轮  ${FORM[f.form] ?? f.form} ${f.path}  ${f.tokens} token`);
  const edits = t.edits.map(
    (e) => `  第 ${e.turn} 轮  ${e.tool} ${e.path}  ${e.ok ? pc.green('✓') : pc.red('✗')}  ${pc.dim(e.call)}`,
  );
  const section = (title: string, lines: string[]) =>
    `${pc.bold(title)}\n${lines.length > 0 ? lines.join('\n') : '  （没有）'}`;
  return [
    `${pc.bold(t.thread)}  ${t.request}`,
    section('注入的条目', injected),
    section('给出的路径', fed),
    section('修改', edits),
    section(
      '操作',
      t.acts.map((a) => `  ${a.tool} ${JSON.stringify(a.args)}  ${outcomeOf(a)}`),
    ),
    section(
      '检查发现',
      t.findings.map((f) => `  ${f}`),
    ),
    `写入凭据：${t.receipt ?? '（没有写入）'}；模型 ${t.usage.calls} 次，读入 ${t.usage.input}，写出 ${t.usage.output} token`,
  ].join('\n\n');
}
