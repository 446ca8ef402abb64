import pc from 'picocolors';
import type {
  Evidence,
  GoneSymbol,
  Proposal,
  ScanResult,
  ScanStats,
  Selection,
  SkipReason,
  WriteReport,
} from '../../zhcore/scan/index.js';
import { visibleLine } from '../output.js';

/** Places that the text shows of one proposal; `--json` has them all. */
const PLACES_SHOWN = 2;
/** Proposals that are shown without `--top`: a first look; `--write` takes what is sure enough. */
const SHOWN = 50;

/** What a scan found, and what was done with it. */
export interface Outcome {
  result: ScanResult;
  selection: Selection;
  /** Scores from here on are `medium`. */
  medium: number;
  /** All from this score on are wanted; undefined where `--top` says how many. */
  from?: number;
  written?: WriteReport & { file: string; record: string };
}

const KINDS: Record<Evidence['kind'], string> = {
  doc: '注释',
  annotation: '注解',
  sql: '建表注释',
  i18n: '界面文字',
  enum: '枚举说明',
  route: '路由标题',
  menu: '菜单数据',
  form: '表单标签',
  message: '结果提示',
  commit: '提交记录',
};

const SKIPPED: Record<SkipReason, string> = {
  tests: '测试和示例',
  vendored: '第三方',
  generated: '生成的',
  docs: '文档和样式',
  data: '数据和配置',
  large: '太大',
  unreadable: '读不了',
  'other-language': '其他语言的界面文字',
};

/** What a scan prints for people. */
export function toText(outcome: Outcome): string {
  const { result, selection, written } = outcome;
  const shown = shownOf(outcome);
  const parts = [
    shown.length > 0 ? shown.map(proposalLines).join('\n') : '没有新的建议。',
    ...(result.gone.length > 0 ? [goneLines(result.gone)] : []),
    unreadableLines(result.stats),
    result.stats.files === 0 ? skippedLines(result.stats) : '',
    summary(result, selection),
    written ? writtenLines(written, outcome) : howTo(outcome),
  ];
  return parts.filter(Boolean).join('\n\n');
}

/** What is listed: all that `--top` asks for, else a first look, also of what was written. */
function shownOf({ selection: { fresh }, from }: Outcome): readonly Proposal[] {
  return from === undefined ? fresh : fresh.slice(0, SHOWN);
}

function proposalLines({ keyword_ch, aliases, code_symbols, module, score, evidence }: Proposal, i: number): string {
  const also = aliases.length > 0 ? `也叫 ${aliases.join('、')}` : '';
  const where = module === undefined ? '' : `模块 ${module}`;
  const beside = [also, where].filter(Boolean).join('；');
  return [
    `${String(i + 1).padStart(3)}. ${pc.bold(visibleLine(keyword_ch))} → ${visibleLine(code_symbols.join('、'))}  ${pc.dim(score.toFixed(2))}`,
    ...(beside ? [`     ${visibleLine(beside)}`] : []),
    ...evidence
      .slice(0, PLACES_SHOWN)
      .map((e) => `     ${pc.dim(visibleLine(`${e.file}:${e.line}  ${KINDS[e.kind]}「${e.text}」`))}`),
  ].join('\n');
}

function goneLines(gone: readonly GoneSymbol[]): string {
  const lines = gone.flatMap(({ keyword_ch, symbol, file, line, movedTo }) => [
    `- ${visibleLine(`${keyword_ch} → ${symbol}`)}  ${pc.dim(visibleLine(`.xihe/${file}:${line}`))}`,
    ...(movedTo ?? []).map((m) => `    ${visibleLine(`可能是 ${m.symbol}（${m.file}:${m.line}，${m.why}）`)}`),
    ...(movedTo ? [] : ['    没有找到像它的符号']),
  ]);
  return [pc.yellow('符号不见了：'), ...lines].join('\n');
}

/** Places that are named; `--json` has them all. */
const UNREADABLE_SHOWN = 5;

function unreadableLines({ unreadable, unchecked }: ScanStats): string {
  if (unreadable.length === 0) return '';
  const shown = unreadable.slice(0, UNREADABLE_SHOWN).map((path) => visibleLine(path || '.'));
  const more = unreadable.length > shown.length ? `等 ${unreadable.length} 处` : '';
  const symbols = unchecked > 0 ? `${unchecked} 个符号可能在那里，没法核对，不算不见了；` : '';
  return `${pc.yellow('读不了：')}${shown.join('、')}${more}。${symbols}给读权限再运行一次。`;
}

/** Reasons that go by a name, which can be wrong: whoever names the folder is right. */
const BY_NAME: ReadonlySet<SkipReason> = new Set<SkipReason>(['tests', 'vendored', 'generated', 'other-language']);

/** Why nothing was read: an empty answer alone looks as if there were nothing to find. */
function skippedLines({ skipped }: ScanStats): string {
  if (skipped.length === 0) return '';
  const lines = skipped.map(
    ({ reason, files, example }) => `- ${SKIPPED[reason]} ${files} 个，如 ${visibleLine(example)}`,
  );
  const named = skipped.find(({ reason }) => BY_NAME.has(reason))?.example;
  const folder = named?.includes('/') ? named.slice(0, named.lastIndexOf('/')) : named;
  const how =
    folder === undefined
      ? []
      : [`要读就点名这个目录或文件，点了名的不会按名字跳过：xihe scan ${visibleLine(quoted(folder))}`];
  return ['一个文件都没有读：', ...lines, ...how].join('\n');
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function summary({ stats, proposals }: ScanResult, { written, declined, ignored }: Selection): string {
  const skipped = stats.skipped.map(({ reason, files }) => `${SKIPPED[reason]} ${files}`).join('，');
  const left = [
    stats.known > 0 ? `项目里已有 ${stats.known} 条` : '',
    written > 0 ? `以前写的还在 ${written} 条` : '',
    declined > 0 ? `写过又被删掉 ${declined} 条` : '',
    ignored > 0 ? `忽略 ${ignored} 条` : '',
  ].filter(Boolean);
  return pc.dim(
    `读了 ${stats.files} 个文件${skipped ? `（没读：${skipped}）` : ''}，共找到 ${proposals.length} 条${left.length > 0 ? `；${left.join('，')}` : ''}。`,
  );
}

function writtenLines({ file, record, added, updated }: NonNullable<Outcome['written']>, outcome: Outcome): string {
  if (added.length + updated.length === 0) return `没有要写的。${restOf(outcome)}`;
  const which = outcome.from === undefined ? '' : `（分数 ${outcome.from} 以上的全部，抽样八成以上说得对）`;
  const shown = shownOf(outcome).length;
  const listed = shown < added.length ? `。上面是其中前 ${shown} 条` : '';
  return [
    ...(added.length > 0 ? [`已写入 ${added.length} 条候选${which}：${file}${listed}`] : []),
    ...updated.map(({ id, from, to }) => `已更新 ${visibleLine(`${id}：${from} → ${to}`)}`),
    ...(restOf(outcome) ? [restOf(outcome)] : []),
    pc.dim(`核对后把 status 改成 verified；不对的删掉，不会再写回来（记在 ${record}，一起提交）。`),
  ].join('\n');
}

/** What stays behind, and how to get it. */
function restOf({ selection: { rest }, from, result }: Outcome): string {
  if (rest === 0) return '';
  return from === undefined
    ? `还有 ${rest} 条没有列出。`
    : `另有 ${rest} 条分数不到 ${from}，多半不是团队的叫法，没有写；要看就加 --top ${result.proposals.length}。`;
}

function howTo(outcome: Outcome): string {
  const { fresh } = outcome.selection;
  if (fresh.length === 0) return '';
  const shown = shownOf(outcome).length;
  const more = shown < fresh.length ? `这里是前 ${shown} 条。` : '';
  const which =
    outcome.from === undefined
      ? `这 ${fresh.length} 条`
      : `分数 ${outcome.from} 以上的 ${fresh.length} 条（抽样八成以上说得对）`;
  return `${more}写成候选术语：xihe scan --write 写入${which}；要更多或更少加 --top 个数，只看一部分给出目录。`;
}

/** The document of `--json`, see schemas/scan.ts. */
export function toJson(outcome: Outcome) {
  const { result, selection, medium, written } = outcome;
  const { stats } = result;
  return {
    proposals: (written ? selection.fresh : shownOf(outcome)).map(({ score, evidence, ...rest }) => ({
      ...rest,
      score,
      confidence: score >= medium ? 'medium' : 'low',
      evidence,
    })),
    found: result.proposals.length,
    wanted: selection.fresh.length,
    rest: selection.rest,
    gone: result.gone.map(({ termId, movedTo, file, ...rest }) => ({
      term_id: termId,
      ...rest,
      file: `.xihe/${file}`,
      moved_to: movedTo ?? [],
    })),
    written: written ?? null,
    stats: {
      files: stats.files,
      skipped: stats.skipped,
      unreadable: stats.unreadable,
      unchecked: stats.unchecked,
      mentions: stats.mentions,
      known: stats.known,
      already_written: selection.written,
      declined: selection.declined,
      ignored: selection.ignored,
      ms: stats.ms,
    },
  };
}
