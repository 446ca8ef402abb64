import { AIMessage } from '@langchain/core/messages';
import { estimateTokens } from '../../text/index.js';
import { recordOfInjection } from '../../zhcore/index.js';
import { briefLedger, briefOf, renderBrief } from '../brief.js';
import { alertOfFailure } from '../failure-alert.js';
import { closeInbox } from '../inbox.js';
import { learnFrom } from '../learning.js';
import { conversationOf, intentOf, type NodeBody, type NodeEnv, textOf } from '../node.js';
import { sideChangesets } from '../parallel/split.js';
import { partLines } from '../parallel/told.js';
import type { Fed, Report, RunState, RunUpdate } from '../state.js';
import { freshIntent } from './route.js';

/** Says what was done, what was not, and what to do next; then hands over to the next intent of the request, if any. */
export const reportNode: NodeBody = async (state, env) => {
  const intent = intentOf(state);
  const { report, ledger } = makeReport(state, env);
  const index = state.routed!.index;
  const more = index + 1 < state.routed!.intents.length;
  const turn = {
    text: intent.text,
    kind: intent.kind,
    outcome: report.kind,
    ...(state.tool?.name ? { tool: state.tool.name } : {}),
  };
  logBrief(ledger, intent.text, env);
  const learned = learnFrom(state, report, env);
  if (learned.length > 0) report.text += `\n\n从你的意见里记下 ${learned.length} 条建议，采纳后才生效：xihe proposals`;
  await alertOfFailure(state, report, env);
  if (!more) {
    const late = closeInbox(env.project.layout.stateDir, env.thread, state.heard).map(({ text }) => `「${text}」`);
    if (late.length > 0)
      report.text += `\n\n你后来说的${late.join('、')}来晚了，没有用上。接着说：xihe run "…" --thread ${env.thread}`;
    tellEnd(state, report, env);
  }
  // What they staged is in the run's own changeset, or was not wanted.
  for (const id of sideChangesets(state)) env.project.changeset(id).discard();
  return {
    reported: report,
    reports: [report],
    turns: [turn],
    ledger,
    fed: briefFed(state, ledger),
    messages: [new AIMessage({ id: `report-${state.run}-${index}`, content: report.text })],
    // The next intent starts clean; the last one stays in the state for trace, undo and follow-ups.
    ...(more ? { ...freshIntent(), routed: { intents: state.routed!.intents, index: index + 1 } } : {}),
  } satisfies RunUpdate;
};

function tellEnd({ run, reports }: RunState, last: Report, env: NodeEnv): void {
  const all = [...reports, last];
  const ok = all.every((one) => one.ok);
  env.emit({ type: 'run.finished', thread: env.thread, run, ok, reports: all.map(({ kind }) => kind) });
}

/** The query log hears of what stood in a brief; what went into prompts it has heard of before. */
function logBrief(ledger: RunUpdate['ledger'], text: string, env: NodeEnv): void {
  const lines = Array.isArray(ledger) ? ledger.filter((line) => line.phase === 'brief') : [];
  if (lines.length === 0) return;
  const { queryLog, core } = env.project;
  queryLog.append(recordOfInjection(lines, { text, phase: 'plan', thread: env.thread, dataVersion: core.dataVersion }));
}

/** The files that a brief names were fed to whoever reads it. */
function briefFed(state: RunState, ledger: RunUpdate['ledger']): Fed[] {
  const isBrief = Array.isArray(ledger) && ledger.some((line) => line.phase === 'brief');
  if (!isBrief) return [];
  const { run, turn, planned } = state;
  return (planned?.candidates ?? []).map(({ path, summary }) => ({
    run,
    path,
    form: 'summary',
    turn,
    tokens: estimateTokens(summary),
  }));
}

/** True when the request has an intent after this one (asked right after `report` ran). */
export function hasNext(state: RunState): boolean {
  return state.reports.length < (state.routed?.intents.length ?? 0);
}

function makeReport(state: RunState, env: NodeEnv): { report: Report; ledger: RunUpdate['ledger'] } {
  const kind = intentOf(state).kind;
  if (kind === 'tool') return { report: toolReport(state), ledger: [] };
  if (kind === 'qa' || kind === 'chat')
    return { report: { kind: 'answer', ok: true, text: state.answered ?? '', error: null }, ledger: [] };
  if (state.planned?.stopped) return withBrief(state, 'stopped', false, `没有开始：${state.planned.stopped}。`);
  if (state.answers && !state.answers.proceed)
    return withBrief(state, 'rejected', true, '按你的意思没有开始，什么都没有改。');
  if (state.error) return failed(state, env);
  if (state.receipt) return { report: applied(state), ledger: [] };
  if (state.decision?.verdict === 'reject') {
    const why = state.decision.comment ? `（${state.decision.comment}）` : '';
    return {
      report: { kind: 'rejected', ok: true, text: `已拒绝${why}，工作区没有任何改动。`, error: null },
      ledger: [],
    };
  }
  // Asked last: what was done stays done when it is resumed where no model is configured.
  if (!env.model && state.turn === 0 && !state.split) return withBrief(state, 'brief', true, '');
  return { report: nothing(state), ledger: [] };
}

/** A report that carries the brief: the run ends with what the core knows. */
function withBrief(
  state: RunState,
  kind: Report['kind'],
  ok: boolean,
  head: string,
): { report: Report; ledger: RunUpdate['ledger'] } {
  const brief = briefOf(state);
  const text = renderBrief(brief, intentOf(state).text);
  return {
    report: { kind, ok, text: head ? `${head}\n\n${text}` : text, error: null },
    ledger: briefLedger(state, brief),
  };
}

function failed(state: RunState, env: NodeEnv): { report: Report; ledger: RunUpdate['ledger'] } {
  const error = state.error!;
  if (error.code.startsWith('MODEL_')) {
    const degraded = withBrief(
      state,
      'failed',
      false,
      `模型没有完成（${error.message}）。${error.hint}\n工作区没有任何改动${leftBehind(state, env)}；下面是不靠模型也能给出的预案：`,
    );
    return { ...degraded, report: { ...degraded.report, error } };
  }
  const text = `没有完成：${error.message}。${error.hint}`;
  return { report: { kind: 'failed', ok: false, text, error }, ledger: [] };
}

/** What the model had staged when it failed: half a change is not put before people, but it is not kept from them either. */
function leftBehind(state: RunState, env: NodeEnv): string {
  const staged = state.changesetId === null ? [] : env.project.changeset(state.changesetId).list();
  return staged.length > 0 ? `（它暂存的 ${staged.length} 个文件的修改还没做完，没有写入）` : '';
}

function applied(state: RunState): Report {
  const receipt = state.receipt!;
  const files = receipt.files.map((f) => `- ${f}`).join('\n');
  const parts = [
    `已写入 ${receipt.files.length} 个文件：\n${files}`,
    partsDone(state),
    testLine(state),
    findingLines(state),
    state.stopReason ? `提前收尾：${state.stopReason}。` : '',
    lastWords(state),
    `撤销：xihe undo ${receipt.id}`,
  ];
  return { kind: 'changes', ok: true, text: parts.filter(Boolean).join('\n\n'), error: null };
}

/** How the parts of the work ended, where it was split. */
function partsDone(state: RunState): string {
  const lines = partLines(state);
  return lines === '' ? '' : `分成 ${state.split!.parts.length} 份同时做：\n${lines}`;
}

function testLine(state: RunState): string {
  if (!state.tests) return '没有找到测试命令，没有跑测试。';
  const { command, ok, summary, sandbox } = state.tests;
  const how = sandbox === undefined ? '' : `（${sandbox}）`;
  return ok ? `测试通过：${command}${how}` : `测试没有通过：${command}${how}\n${summary}`;
}

function findingLines(state: RunState): string {
  if (state.findings.length === 0) return '';
  return `检查提示：\n${state.findings.map((f) => `- ${f.path ? `${f.path}：` : ''}${f.text}`).join('\n')}`;
}

/** What the model said at the end, without the messages that Xihe added. */
function lastWords(state: RunState): string {
  const said = [...conversationOf(state)].reverse().find((m) => AIMessage.isInstance(m) && textOf(m).trim() !== '');
  return said ? textOf(said).trim() : '';
}

function nothing(state: RunState): Report {
  const words = lastWords(state);
  const early = state.stopReason ? `提前收尾：${state.stopReason}。` : '';
  return {
    kind: 'nothing',
    ok: true,
    text: ['这次没有产生改动。', partsDone(state), findingLines(state), early, words].filter(Boolean).join('\n\n'),
    error: null,
  };
}

function toolReport(state: RunState): Report {
  const tool = state.tool;
  if (!tool?.name) {
    const near = tool?.candidates.map((c) => `${c.name}（${c.description}）`).join('、');
    return {
      kind: 'stopped',
      ok: false,
      text: `${tool?.refusal ?? '没有合适的工具'}，什么都没有做。${near ? `最接近的是：${near}。` : ''}团队自己的操作可以写进 .xihe/tools/。`,
      error: null,
    };
  }
  if (tool.approved === false) return { kind: 'rejected', ok: true, text: `没有执行 ${tool.name}。`, error: null };
  if (!tool.outcome) return { kind: 'stopped', ok: false, text: `参数没有补全，没有执行 ${tool.name}。`, error: null };
  const code = tool.outcome.code;
  const error = tool.outcome.ok
    ? null
    : {
        code: code ?? 'COMMAND_FAILED',
        message: tool.outcome.text.split('\n')[0]!,
        hint: '看输出找原因，核对后再试。',
      };
  return { kind: 'tool', ok: tool.outcome.ok, text: tool.outcome.text, error };
}
