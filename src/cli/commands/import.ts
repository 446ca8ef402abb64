import pc from 'picocolors';
import { openLayout } from '../../layout.js';
import type { ImportKind, ImportPlan } from '../../zhcore/import/index.js';
import { EXIT } from '../exit-codes.js';
import { log, print, printJson, visible } from '../output.js';
import type { CommonOptions } from './options.js';

interface ImportCommandOptions extends CommonOptions {
  as?: ImportKind;
  module?: string;
  write?: boolean;
}

/** What is listed of each kind before 「还有 N 条」; `--json` has all. */
const SHOWN = 20;
/** Progress is worth a line after this long, and again at most this often, in milliseconds. */
const PROGRESS_MS = 1000;

const KINDS: Record<ImportKind, string> = { terms: '术语', playbooks: '流程模板', knowledge: '知识文档' };

/** `xihe import`: shows what would be written, and why the rest would not; `--write` writes it. */
export async function importInto(source: string, options: ImportCommandOptions): Promise<number> {
  const { root, layerDir } = openLayout(options.repo);
  const { planImport, writeImport } = await import('../../zhcore/import/index.js');
  const stop = new AbortController();
  const onInterrupt = () => {
    // A second Ctrl-C does not wait for the file at hand.
    process.once('SIGINT', () => process.exit(EXIT.interrupted));
    stop.abort();
  };
  process.once('SIGINT', onInterrupt);
  try {
    const plan = await planImport(source, {
      root,
      layerDir,
      signal: stop.signal,
      onProgress: progress(),
      ...(options.as ? { as: options.as } : {}),
      ...(options.module ? { module: options.module } : {}),
    });
    const written = options.write === true;
    if (written) writeImport(plan, root, () => stop.signal.aborted);
    if (options.json) printJson(toJson(plan, written));
    else print(toText(plan, written));
    return plan.files.length > 0 ? EXIT.done : EXIT.failed;
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

function progress(): (p: { done: number; total: number; what: string }) => void {
  let last = Date.now();
  return ({ done, total, what }) => {
    if (Date.now() - last < PROGRESS_MS) return;
    last = Date.now();
    log(pc.dim(`${what} ${done}/${total}`));
  };
}

function toJson(plan: ImportPlan, written: boolean) {
  return {
    kind: plan.kind,
    written,
    files: plan.files.map(({ path, entries, state }) => ({ path, entries, state })),
    imported: imported(plan),
    left_out: plan.leftOut,
    guessed: plan.guessed,
  };
}

function imported(plan: ImportPlan): number {
  return plan.files.filter((file) => file.state === 'new').reduce((sum, file) => sum + file.entries, 0);
}

function toText(plan: ImportPlan, written: boolean): string {
  const { files, leftOut, guessed } = plan;
  const fresh = files.filter((file) => file.state === 'new');
  const lines: string[] = [];
  const verb = written ? '已写入' : '将写入';
  if (fresh.length > 0)
    lines.push(pc.bold(`${verb} ${imported(plan)} 条${KINDS[plan.kind]}，${fresh.length} 个文件：`));
  else lines.push(pc.bold(files.length > 0 ? '没有新的内容：都已经在 .xihe/ 里了。' : '没有可以导入的内容。'));
  for (const file of fresh.slice(0, SHOWN)) {
    lines.push(`- ${file.path}（${file.entries} 条）`, ...file.preview.map((line) => pc.dim(`    ${line}`)));
  }
  more(lines, fresh.length);
  section(
    lines,
    '已有，没有动：',
    files
      .filter((file) => file.state !== 'new')
      .map(({ path, state }) => `${path}${state === 'same' ? '（内容相同）' : '（内容不同）'}`),
  );
  section(
    lines,
    '请看一遍，这些是猜的：',
    guessed.map(({ where, what, text }) => `${where}：${what}${text === '' ? '' : `「${text}」`}`),
  );
  section(
    lines,
    '没有导入的：',
    leftOut.map(({ where, reason, text }) => `${where}：${reason}${text === '' ? '' : `「${text}」`}`),
  );
  if (fresh.length > 0) lines.push('', written ? nextStep(plan.kind) : '这是预览。加 --write 写进 .xihe/。');
  return visible(lines.join('\n'));
}

function nextStep(kind: ImportKind): string {
  return kind === 'terms'
    ? '接下来：运行 xihe lint 检查，核实一条就把它的 status 改成 verified。'
    : '接下来：看一遍写好的文件，运行 xihe lint 检查，核实后把 status 改成 verified。';
}

function section(lines: string[], title: string, items: readonly string[]): void {
  if (items.length === 0) return;
  lines.push('', pc.bold(title), ...items.slice(0, SHOWN).map((item) => `- ${item}`));
  more(lines, items.length);
}

function more(lines: string[], total: number): void {
  if (total > SHOWN) lines.push(`- …… 还有 ${total - SHOWN} 项，用 --json 看全部`);
}
