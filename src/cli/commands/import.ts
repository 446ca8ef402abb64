import pc from 'picocolors';
import { projectRoot } from '../../layout.js';
import type { FIELD_NAMES, ImportKind, ImportPlan, TableColumns } from '../../zhcore/import/index.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson, progressLog, visible } from '../output.js';
import type { CommonOptions } from './options.js';

interface ImportCommandOptions extends CommonOptions {
  as?: ImportKind;
  module?: string;
  write?: boolean;
  /** False with `--no-references`. */
  references: boolean;
}

/** What is listed of each kind before 「还有 N 条」; `--json` has all. */
const SHOWN = 20;
const KINDS: Record<ImportKind, string> = { terms: '术语', playbooks: '流程模板', knowledge: '知识文档' };

/** `xihe import`: shows what would be written, and why the rest would not; `--write` writes it. */
export async function importInto(source: string, options: ImportCommandOptions): Promise<number> {
  const { root, layerDir } = projectRoot(options.repo);
  const [importing, { today }] = await Promise.all([
    import('../../zhcore/import/index.js'),
    import('../../knowledge/index.js'),
  ]);
  const { planImport, writeImport } = importing;
  const say = progressLog();
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
      today: today(),
      references: options.references,
      onProgress: ({ done, total, what }) => say(`${what} ${done}/${total}`),
      ...(options.as ? { as: options.as } : {}),
      ...(options.module ? { module: options.module } : {}),
    });
    const written = options.write === true;
    if (written) writeImport(plan, root, () => stop.signal.aborted);
    if (options.json) printJson(toJson(plan, written));
    else print(toText(plan, written, importing.FIELD_NAMES));
    return plan.files.length > 0 ? EXIT.done : EXIT.failed;
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

function toJson(plan: ImportPlan, written: boolean) {
  return {
    kind: plan.kind,
    written,
    files: plan.files.map(({ path, kind, entries, state }) => ({ path, kind, entries, state })),
    imported: imported(plan),
    left_out: plan.leftOut,
    guessed: plan.guessed,
    columns: plan.columns,
    remarks: plan.remarks,
  };
}

function imported(plan: ImportPlan): number {
  return plan.files.filter((file) => file.state === 'new').reduce((sum, file) => sum + file.entries, 0);
}

function toText(plan: ImportPlan, written: boolean, fieldNames: typeof FIELD_NAMES): string {
  const { files, leftOut, guessed, columns, remarks } = plan;
  const fresh = files.filter((file) => file.state === 'new');
  const lines: string[] = [];
  const verb = written ? '已写入' : '将写入';
  if (fresh.length > 0) lines.push(pc.bold(`${verb} ${countsOf(fresh)}，${fresh.length} 个文件：`));
  else lines.push(pc.bold(files.length > 0 ? '没有新的内容：都已经在 .xihe/ 里了。' : '没有可以导入的内容。'));
  for (const file of fresh.slice(0, SHOWN)) {
    const rest = file.entries - file.preview.length;
    const shown = rest > 0 ? [...file.preview, `另有 ${rest} 条，写好后在文件里看`] : file.preview;
    lines.push(`- ${file.path}（${file.entries} 条）`, ...shown.map((line) => pc.dim(`    ${line}`)));
  }
  more(lines, fresh.length);
  section(
    lines,
    '列这样对应：',
    columns.map((table) => columnsText(table, fieldNames)),
  );
  section(
    lines,
    '请留意：',
    remarks.map(({ where, what }) => `${where}：${what}`),
  );
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

/** 「5 条术语」, 「1 条流程模板、2 条知识文档」. */
function countsOf(files: ImportPlan['files']): string {
  const kinds = [...new Set(files.map(({ kind }) => kind))];
  const of = (kind: ImportKind) => files.filter((f) => f.kind === kind).reduce((sum, { entries }) => sum + entries, 0);
  return kinds.map((kind) => `${of(kind)} 条${KINDS[kind]}`).join('、');
}

function columnsText({ where, used, ignored }: TableColumns, fieldNames: typeof FIELD_NAMES): string {
  const taken = used.map(
    ({ column, field, by }) => `${column} → ${fieldNames[field]}${by === 'content' ? '（按内容判断）' : ''}`,
  );
  const rest = ignored.length > 0 ? `；没用到：${ignored.join('、')}` : '';
  return `${where}：${taken.join('，')}${rest}`;
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
