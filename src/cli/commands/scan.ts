import { join } from 'node:path';
import pc from 'picocolors';
import { XiheError } from '../../errors.js';
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
import { EXIT } from '../exit-codes.js';
import { openCore, reportProblems } from '../open.js';
import { log, print, printJson, visibleLine } from '../output.js';
import type { CommonOptions } from './options.js';

interface ScanOptions extends CommonOptions {
  write?: boolean;
  top?: number;
}

/** Shorter work needs no word about it; after that one line in this many milliseconds. */
const QUIET_MS = 1_000;
const EVERY_MS = 1_000;

/** Places that the text shows of one proposal; `--json` has them all. */
const PLACES_SHOWN = 2;
/** Proposals that are shown without `--top`: a first look; `--write` takes what is sure enough. */
const SHOWN = 50;

/** `xihe scan`: proposes terms out of the repository, says which symbols are gone, and with `--write` adds the candidates. */
export async function scan(given: string[], options: ScanOptions): Promise<number> {
  const stop = new AbortController();
  const onInterrupt = () => {
    log('\n正在停下…（再按一次立即退出）');
    process.once('SIGINT', () => process.exit(EXIT.interrupted));
    stop.abort();
  };
  process.once('SIGINT', onInterrupt);
  try {
    return await scanProject(given, options, stop.signal);
  } finally {
    process.removeListener('SIGINT', onInterrupt);
  }
}

async function scanProject(given: string[], options: ScanOptions, signal: AbortSignal): Promise<number> {
  const [{ layout, core }, room, { today }, { lockPath, withFileLock }] = await Promise.all([
    openCore(options.repo),
    import('../../zhcore/scan/index.js'),
    import('../../knowledge/index.js'),
    import('../../sandbox/index.js'),
  ]);
  reportProblems(core.problems, options.json);
  // Before the long part: a record that can't be read stops the scan, with or without --write.
  const record = room.openRecord(layout.layerDir);
  const known = core.entries().flatMap(({ type, entry }) => (type === 'term' ? [entry] : []));
  const result = await scanFiles(layout.root, layout.stateDir, given, signal, {
    known,
    modules: core.modules,
    recorded: new Set(record.proposed.keys()),
    bilingual: room.bilingualOf(core.lexicon.groups, known),
  });
  const wish = options.top === undefined ? { from: room.WRITE_SCORE } : { top: options.top };
  const selection = room.selectProposals(result.proposals, record, known, wish);
  const written = options.write
    ? withFileLock(lockPath(layout.stateDir, 'scan'), () =>
        room.writeScanned(layout, selection.fresh, result.gone, today()),
      )
    : undefined;
  const files = { file: `.xihe/${room.SCANNED_FILE}`, record: `.xihe/${room.RECORD_FILE}` };
  const outcome: Outcome = {
    result,
    selection,
    medium: room.MEDIUM_SCORE,
    ...(options.top === undefined ? { from: room.WRITE_SCORE } : {}),
    ...(written ? { written: { ...files, ...written } } : {}),
  };
  if (options.json) printJson(toJson(outcome));
  else print(toText(outcome));
  return EXIT.done;
}

interface Outcome {
  result: ScanResult;
  selection: Selection;
  /** Scores from here on are `medium`. */
  medium: number;
  /** All from this score on are wanted; undefined where `--top` says how many. */
  from?: number;
  written?: WriteReport & { file: string; record: string };
}

type Known = Pick<
  Parameters<typeof import('../../zhcore/scan/index.js').scanRepository>[0],
  'known' | 'modules' | 'recorded' | 'bilingual'
>;

/** Lists the project's files, opens its commits, and scans. */
async function scanFiles(
  root: string,
  stateDir: string,
  given: string[],
  signal: AbortSignal,
  known: Known,
): Promise<ScanResult> {
  const [{ PathResolver, walkProject }, { openHistory }, { scanRepository }, { readFileText }] = await Promise.all([
    import('../../paths/index.js'),
    import('../../history/index.js'),
    import('../../zhcore/scan/index.js'),
    import('../../text/index.js'),
  ]);
  const started = Date.now();
  const [{ files, unreadable }, history] = await Promise.all([
    walkProject(root, { signal }),
    openHistory(root, stateDir, { signal }),
  ]);
  const sizes = new Map(files.map(({ path, size }) => [path, size]));
  const resolver = new PathResolver(root, () => [...withFolders(sizes.keys())]);
  const only = given.map((raw) => resolved(resolver, raw)).map((path) => (path === '.' ? '' : path));
  let told = started + QUIET_MS - EVERY_MS;
  return scanRepository({
    ...known,
    files: [...sizes.keys()],
    unreadable,
    sizeOf: (path) => sizes.get(path),
    read: (path) => readFileText(join(root, path)).text,
    history,
    signal,
    ...(only.length > 0 ? { only } : {}),
    onProgress: ({ done, total }) => {
      if (Date.now() - told < EVERY_MS) return;
      told = Date.now();
      log(pc.dim(`正在读文件 ${done}/${total}`));
    },
  });
}

/** @throws XiheError PATH_NOT_FOUND with what to do on a command line: the resolver itself speaks to models */
function resolved(resolver: { resolve(raw: string): { path: string } }, raw: string): string {
  try {
    return resolver.resolve(raw).path;
  } catch (e) {
    if (!XiheError.is(e, 'PATH_NOT_FOUND')) throw e;
    throw new XiheError('PATH_NOT_FOUND', e.message, {
      hint: '给出项目里的目录或文件，从项目根目录写起；不写就扫描整个项目。有哪些目录：xihe tree。',
      details: e.details,
    });
  }
}

function withFolders(paths: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const path of paths) {
    const parts = path.split('/');
    for (let n = 1; n <= parts.length; n++) all.add(parts.slice(0, n).join('/'));
  }
  return all;
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

function toText(outcome: Outcome): string {
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

/** What is listed: all that were written or asked for by number, else a first look. */
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
  return [
    ...(added.length > 0 ? [`已写入 ${added.length} 条候选${which}：${file}`] : []),
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

function toJson(outcome: Outcome) {
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
