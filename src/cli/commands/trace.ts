import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import pc from 'picocolors';
import { editsOf, type Project, Session, type ThreadView, traceOf } from '../../agent/index.js';
import { errnoOf, messageOf, quoted, XiheError } from '../../errors.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson, visible } from '../output.js';
import type { CommonOptions } from './options.js';
import { FORM, PHASE, TYPE } from './traceNames.js';

export interface TraceOptions extends CommonOptions {
  line?: string;
  html?: string;
}

/** `xihe trace`: which entry, of which version, from which source, led to which edit. */
export async function trace(thread: string, options: TraceOptions): Promise<number> {
  const session = await Session.open(options.repo);
  try {
    const view = await session.view(thread);
    if (view.status === 'empty')
      throw new XiheError('THREAD_NOT_FOUND', `没有会话 ${quoted(thread)}`, { hint: '用 xihe threads 看有哪些会话。' });
    const doc = toJson(view, session.project);
    if (options.html !== undefined) await writePage(options.html, doc);
    if (options.json) printJson(doc);
    else if (options.line !== undefined) print(lineText(doc, options.line));
    else if (options.html === undefined) print(toText(doc));
    return EXIT.done;
  } finally {
    session.close();
  }
}

export type TraceDocument = ReturnType<typeof toJson>;

function toJson(view: ThreadView, project: Project) {
  const { state } = view;
  return {
    thread: view.thread,
    request: state.request?.text ?? '',
    runs: state.run,
    origin: state.origin ? `${state.origin.thread}@${state.origin.step}` : null,
    said: (state.said ?? []).map(({ run, turn, text, at }) => ({ run, turn, text, at })),
    arm: state.arm ?? { without: [], context: 'window' },
    injections: state.ledger.map(({ run, phase, turn, type, id, version, source, confidence, tokens, why, agent }) => ({
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
      ...(agent === undefined ? {} : { agent }),
    })),
    fed: state.fed.map(({ run, turn, form, path, tokens, agent }) => ({
      run,
      turn,
      form,
      path,
      tokens,
      ...(agent === undefined ? {} : { agent }),
    })),
    edits: editsOf(view),
    acts: actsOf(view),
    findings: state.findings.map((f) => `${f.path ? `${f.path}${f.line ? `:${f.line}` : ''} ` : ''}${f.text}`),
    receipt: state.receipt?.id ?? null,
    usage: { input: state.usage.input, output: state.usage.output, calls: state.usage.calls },
    ...traceOf(view, project),
  };
}

async function writePage(file: string, doc: TraceDocument): Promise<void> {
  const { traceHtml } = await import('./traceHtml.js');
  try {
    writeFileSync(resolve(file), traceHtml(doc));
  } catch (cause) {
    throw new XiheError('STATE_UNWRITABLE', `写不进 ${quoted(file)}（${errnoOf(cause) ?? messageOf(cause)}）`, {
      hint: '换一个能写的地方。',
      cause,
    });
  }
  process.stderr.write(`已写好：${file}\n`);
}

/** One line, the step that wrote it and what lay before the model then. */
function lineText({ lines, steps }: TraceDocument, place: string): string {
  const [, path = '', number = ''] = /^(.+):(\d+)$/.exec(place.replaceAll('\\', '/').replace(/^\.\//, '')) ?? [];
  const line = Number(number);
  if (path === '') throw new XiheError('USAGE', `${quoted(place)} 不是「文件:行」`, { hint: '例：src/order.ts:12。' });
  const found = lines.find((one) => one.path === path && one.line === line);
  if (found === undefined) {
    const known = lines.filter((one) => one.path === path).map((one) => one.line);
    const changed =
      known.length > 0
        ? `改过的行：${ranges(known)}`
        : `改过的文件：${[...new Set(lines.map((l) => l.path))].join('、') || '（没有）'}`;
    throw new XiheError('USAGE', `这个会话没有改过 ${quoted(place)}`, { hint: `${changed}。` });
  }
  const step = steps.find((one) => one.step === found.step);
  const head = `${pc.bold(place)}  ${visible(found.text.trim())}`;
  if (step === undefined) return `${head}\n是人在确认时自己改的。`;
  const call = step.calls.find(({ id }) => id === found.call);
  const section = (title: string, list: readonly string[]) =>
    `${pc.bold(title)}\n${list.length > 0 ? list.map((one) => `  ${visible(one)}`).join('\n') : '  （没有）'}`;
  return [
    `${head}\n第 ${step.step} 步${by(step)}，${call?.tool ?? ''} ${pc.dim(found.call ?? '')}`,
    section('模型说', step.said === '' ? [] : step.said.split('\n')),
    section(
      '这一步之前看过的条目',
      step.entries.map(
        (e) =>
          `${TYPE[e.type] ?? e.type} ${e.id}  来源 ${e.source}，版本 ${e.version.slice(0, 7)}，可信度 ${e.confidence}`,
      ),
    ),
    section(
      '这一步之前看过的文件',
      step.files.map((f) => `${FORM[f.form] ?? f.form} ${f.path}`),
    ),
    pc.dim(`这一步之前有 ${step.prompt.messages} 条消息；全文用 --json 或 --html 看。`),
  ].join('\n\n');
}

/** 3、5–8、12 */
function ranges(numbers: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const n of numbers) {
    const last = parts.at(-1);
    if (last && n === last[1] + 1) last[1] = n;
    else parts.push([n, n]);
  }
  return parts.map(([from, to]) => (from === to ? String(from) : `${from}–${to}`)).join('、');
}

/** What a run for a comparison did without; nothing of an ordinary one. */
function reduced({ without, context }: TraceDocument['arm']): string {
  const parts = [
    ...(without.length > 0 ? [`没有用：${without.join('、')}`] : []),
    ...(context === 'window' ? [] : [`目录整个给出（${context}）`]),
  ];
  return parts.length === 0 ? '' : pc.dim(`（对照运行，${parts.join('；')}）`);
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

/** Whose line it is, where it is a sub-agent's. */
function by({ agent }: { agent?: string | undefined }): string {
  return agent === undefined ? '' : `（${agent}）`;
}

function toText(t: TraceDocument): string {
  const injected = t.injections.map(
    (i) =>
      `  ${PHASE[i.phase] ?? i.phase}·第 ${i.turn} 轮${by(i)}  ${TYPE[i.type] ?? i.type} ${pc.bold(i.id)}  ${i.tokens} token\n    ${pc.dim(`来源 ${i.source}，版本 ${i.version.slice(0, 7)}，可信度 ${i.confidence}；${i.why}`)}`,
  );
  const fed = t.fed.map((f) => `  第 ${f.turn} 轮${by(f)}  ${FORM[f.form] ?? f.form} ${f.path}  ${f.tokens} token`);
  const edits = t.edits.map(
    (e) => `  第 ${e.turn} 轮${by(e)}  ${e.tool} ${e.path}  ${e.ok ? pc.green('✓') : pc.red('✗')}  ${pc.dim(e.call)}`,
  );
  const section = (title: string, lines: string[]) =>
    `${pc.bold(title)}\n${lines.length > 0 ? lines.join('\n') : '  （没有）'}`;
  return [
    `${pc.bold(t.thread)}  ${t.request}${reduced(t.arm)}`,
    ...(t.said.length > 0
      ? [
          section(
            '中途说的话',
            t.said.map((s) => `  第 ${s.turn} 轮  ${visible(s.text)}`),
          ),
        ]
      : []),
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
