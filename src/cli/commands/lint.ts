import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, extname, join, relative, resolve, sep } from 'node:path';
import pc from 'picocolors';
import { packageRoot, packageVersion } from '../../assets.js';
import { QUOTED_PATH_CHARS, quoted, XiheError } from '../../errors.js';
import { openLayoutToRead, type ProjectLayout } from '../../layout.js';
import type { PathContext } from '../../paths/index.js';
import { readFileText } from '../../text/index.js';
import type { Finding, Level, LintResult, Page } from '../../zhcore/index.js';
import { EXIT } from '../exit-codes.js';
import { openPathContext } from '../open.js';
import { print, printJson, progressLog, visible, visibleLine } from '../output.js';
import { symbolFinder, symbolsIn } from '../symbols.js';
import type { CommonOptions } from './options.js';

interface LintCommandOptions extends CommonOptions {
  ci?: boolean;
  general?: boolean;
  pages?: string;
  format: 'text' | 'sarif';
}

/** Files that hold pages; and how large one may be, in bytes: larger ones are dumps. */
const PAGE_ENDINGS = new Set(['.md', '.markdown', '.html', '.htm', '.txt']);
const PAGE_BYTES_MAX = 5_000_000;

/** Documents of the project itself. */
const OWN_PAGE = /^(?:docs\/.*\.md|README[^/]*\.md)$/i;

/** What of `.xihe/` people write and `lint` looks at; its `state/` is made by every command. */
const LAYER_PARTS = ['knowledge', 'playbooks', 'modules.yaml', 'config.yaml', 'tools', 'policy.yaml'];

/** `xihe lint`: what is wrong with the entries, as text, JSON or SARIF. */
export async function lint(files: string[], options: LintCommandOptions): Promise<number> {
  const layout = openLayoutToRead(options.repo);
  const hasLayer = LAYER_PARTS.some((part) => existsSync(join(layout.layerDir, part)));
  const wanted = files.map((file) => wantedFile(file, layout));
  if (!hasLayer && options.general !== true) {
    throw new XiheError('PATH_NOT_FOUND', `${layout.root} 的 .xihe/ 里没有条目可检查`, {
      hint: '先运行 xihe init，或加 --general 检查随包自带的通用层。',
    });
  }
  const result = await check(layout, hasLayer, options);
  // What may act is no entry of the core, and has its own reader.
  const { loadRules } = await import('../rules.js');
  const all = [...result.findings, ...(hasLayer ? loadRules(layout).findings : [])];
  const findings = wanted.length === 0 ? all : all.filter((f) => isWanted(f, layout, wanted));
  const errors = findings.filter(({ level }) => level === 'error').length;
  if (options.format === 'sarif') {
    const { toSarif } = await import('../../zhcore/index.js');
    printJson(toSarif(findings, packageVersion(), packageRoot() === layout.root));
  } else if (options.json) printJson(toJson(findings, result.checked));
  else print(toText(findings, result.checked));
  return options.ci && errors > 0 ? EXIT.failed : EXIT.done;
}

async function check(layout: ProjectLayout, hasLayer: boolean, options: LintCommandOptions): Promise<LintResult> {
  const given = options.pages === undefined ? [] : readPages(options.pages);
  const [{ lintLayers }, { today }, { paths, core }] = await Promise.all([
    import('../../zhcore/index.js'),
    import('../../knowledge/index.js'),
    openPathContext(options.repo, { quiet: true }),
  ]);
  const say = progressLog();
  return lintLayers({
    layers: [
      ...(options.general ? [{ dir: packageRoot(), layer: 'general' as const }] : []),
      ...(hasLayer ? [{ dir: layout.layerDir, layer: 'project' as const }] : []),
    ],
    root: layout.root,
    paths: paths.files,
    symbols: symbolFinder(layout.root, paths.files, symbolsIn(core.entries()), {
      unreadable: paths.lastRefresh.unreadable,
      entries: core.entries(),
    }),
    pages: [...given, ...ownPages(layout.root, paths)],
    toolProblems: hasLayer ? await toolProblems(layout.layerDir) : [],
    today: today(),
    onRule: (title) => say(`正在检查：${title}`),
  });
}

/** What of the team's tools and of the MCP servers' file does not load. Broken settings are their own finding, and the limits are the defaults then. */
async function toolProblems(layerDir: string) {
  const [{ BUILTIN_NAMES, loadTeamTools, McpHub }, { defaultConfig, loadConfig }] = await Promise.all([
    import('../../tools/index.js'),
    import('../../config.js'),
  ]);
  let { model } = defaultConfig();
  try {
    ({ model } = loadConfig(layerDir));
  } catch (e) {
    if (!XiheError.is(e)) throw e;
  }
  const team = loadTeamTools(layerDir, BUILTIN_NAMES, process.env, model.timeoutSeconds).problems;
  return [...team, ...new McpHub(dirname(layerDir), layerDir).problems];
}

/** @throws XiheError USAGE when it is no folder */
function readPages(dir: string): Page[] {
  const root = resolve(dir);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    throw new XiheError('USAGE', `--pages 不是目录：${quoted(dir, QUOTED_PATH_CHARS)}`, {
      hint: '给出存着官方页面（md、html、txt）的目录。',
    });
  }
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && PAGE_ENDINGS.has(extname(entry.name).toLowerCase()))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .flatMap((file) => pageOf(file, join(dir, relative(root, file))));
}

function ownPages(root: string, paths: PathContext): Page[] {
  return paths.files.filter((path) => OWN_PAGE.test(path)).flatMap((path) => pageOf(join(root, path), path, true));
}

/** A page in whatever encoding; nothing for what can't be read or is a dump. */
function pageOf(file: string, name: string, own = false): Page[] {
  try {
    return statSync(file).size > PAGE_BYTES_MAX ? [] : [{ name, text: readFileText(file).text, own }];
  } catch {
    return [];
  }
}

/** A file or folder to report on, absolute: as the shell sees it, or else from the project root. @throws XiheError USAGE */
function wantedFile(file: string, layout: ProjectLayout): string {
  const found = [resolve(file), resolve(layout.root, file)].find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new XiheError('USAGE', `没有这个文件：${quoted(file, QUOTED_PATH_CHARS)}`, {
    hint: '给出 .xihe/ 里的文件或目录；不写就检查全部。',
  });
}

function isWanted({ file, layer }: Finding, layout: ProjectLayout, wanted: readonly string[]): boolean {
  const path = join(layer === 'project' ? layout.root : packageRoot(), file);
  return wanted.some((one) => path === one || path.startsWith(one + sep));
}

const LEVELS: Record<Level, string> = {
  error: pc.red('错误'),
  warning: pc.yellow('警告'),
  note: pc.dim('提示'),
};

function toText(findings: readonly Finding[], checked: LintResult['checked']): string {
  const lines: string[] = [];
  for (const [i, { file, line, level, message, rule }] of findings.entries()) {
    if (i > 0 && findings[i - 1]?.file !== file) lines.push('');
    lines.push(`${visibleLine(`${file}:${line}`)}  ${LEVELS[level]}  ${visible(message)}${pc.dim(`（${rule}）`)}`);
  }
  const { errors, warnings, notes } = countsOf(findings);
  const { terms, warnings: dangers, playbooks, documents, chunks, lexiconGroups } = checked;
  const looked = [
    `术语 ${terms}`,
    `警示 ${dangers}`,
    `流程模板 ${playbooks}`,
    `文档 ${documents}（片段 ${chunks}）`,
    ...(lexiconGroups > 0 ? [`词典 ${lexiconGroups} 组`] : []),
  ].join('，');
  const files = new Set(findings.map(({ file }) => file)).size;
  const outcome =
    findings.length === 0
      ? '没有发现问题'
      : `${files} 个文件里有 ${errors} 个错误，${warnings} 个警告，${notes} 个提示`;
  return [...lines, ...(lines.length > 0 ? [''] : []), `${pc.bold(outcome)}。检查了：${looked}。`].join('\n');
}

function countsOf(findings: readonly Finding[]) {
  const of = (level: Level) => findings.filter((finding) => finding.level === level).length;
  return { errors: of('error'), warnings: of('warning'), notes: of('note') };
}

function toJson(findings: readonly Finding[], checked: LintResult['checked']) {
  const { lexiconGroups, ...rest } = checked;
  return {
    findings: findings.map(({ entryId, ...finding }) => ({ ...finding, ...(entryId ? { entry_id: entryId } : {}) })),
    summary: countsOf(findings),
    checked: { ...rest, lexicon_groups: lexiconGroups },
  };
}
