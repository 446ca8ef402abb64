import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import pc from 'picocolors';
import { defaultConfig, loadConfig, type XiheConfig } from '../../config.js';
import { messageOf, XiheError } from '../../errors.js';
import { openLayoutToRead, type ProjectLayout } from '../../layout.js';
import { strangeFiles } from '../../stateFile.js';
import { shownAddress, type Untrusted, untrustedError } from '../../trust.js';
import type { ProjectDestination } from '../destinations.js';
import { EXIT } from '../exit-codes.js';
import { errorsFirst, openCore } from '../open.js';
import { print, printJson, visibleLine } from '../output.js';
import { alertsCheck } from './doctorAlerts.js';
import { dolphinCheck } from './doctorDolphin.js';
import { embeddingCheck } from './doctorEmbedding.js';
import { mcpChecks } from './doctorMcp.js';
import type { CommonOptions } from './options.js';

/** Longest wait for one service, in ms: a healthy one answers in far less, and `doctor` must not feel stuck. */
const PROBE_MS = 5_000;

export interface Check {
  name: string;
  /** `off`: an option that is not set up, which is fine. */
  state: 'ok' | 'warn' | 'fail' | 'off';
  detail: string;
  hint: string;
}

/** `xihe doctor`: what works here, what does not, and what to do about it. */
export async function doctor(options: CommonOptions): Promise<number> {
  const layout = openLayoutToRead(options.repo);
  const { config, check: settings } = readConfig(layout);
  // Waiting for others costs no time of ours.
  const services = Promise.all([
    modelEndpoint(config),
    embeddingCheck(config.embedding, layout, PROBE_MS),
    milvus(config),
    dolphinCheck(config, PROBE_MS),
  ]);
  const local: Check[] = [
    nodeVersion(),
    await nativeParts(),
    await program('git', ['--version'], '提交历史用作找文件的证据；没有它其余照常。装上 git 即可。'),
    state(layout),
    settings,
    ...(await trusted(layout)),
    await coreFiles(options.repo),
    await teamTools(layout),
    ...(await rules(layout)),
    ...(await mcpChecks(layout)),
  ];
  const [model, vectors, server, dolphin] = await services;
  const around = [server, dolphin, await alertsCheck(config.alerts, layout)];
  const checks = [...local, model, vectors.check, ...around, await sandbox()];
  const ok = checks.every((c) => c.state !== 'fail');
  if (options.json) printJson({ ok, checks, ...(vectors.embedding && { embedding: vectors.embedding }) });
  else print(checks.map(line).join('\n'));
  return ok ? EXIT.done : EXIT.failed;
}

function line(c: Check): string {
  const mark = { ok: pc.green('✓'), warn: pc.yellow('!'), fail: pc.red('✗'), off: pc.dim('–') }[c.state];
  return `${mark} ${c.name}：${c.detail}${c.hint ? `\n    ${pc.dim(c.hint)}` : ''}`;
}

function nodeVersion(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return {
    name: 'Node',
    state: ok ? 'ok' : 'fail',
    detail: process.versions.node,
    hint: ok ? '' : '请升级到 Node 20.19 或更新。',
  };
}

async function nativeParts(): Promise<Check> {
  const broken: string[] = [];
  for (const name of ['@node-rs/jieba', '@ast-grep/napi', 'libsql']) {
    try {
      await import(name);
    } catch (e) {
      broken.push(`${name}（${messageOf(e).split('\n')[0]}）`);
    }
  }
  if (broken.length === 0) return { name: '原生模块', state: 'ok', detail: '分词、语法解析、数据库都能加载', hint: '' };
  return {
    name: '原生模块',
    state: 'fail',
    detail: `不能加载：${broken.join('、')}`,
    hint: '删掉 node_modules 重新 npm ci；这些包的二进制随 npm 安装，不需要编译器。',
  };
}

async function program(name: string, argv: string[], hint: string): Promise<Check> {
  const { runProcess } = await import('../../sandbox/index.js');
  const run = await runProcess({ argv: [name, ...argv], cwd: process.cwd(), timeoutMs: PROBE_MS });
  if (run.outcome === 'ok') return { name, state: 'ok', detail: run.stdout.trim().split('\n')[0] ?? '', hint: '' };
  return {
    name,
    state: 'warn',
    detail: run.outcome === 'not-found' ? '没有安装' : run.stderr.trim().slice(0, 100),
    hint,
  };
}

function state(layout: ProjectLayout): Check {
  if (layout.withoutState !== undefined) {
    const hint = '查知识、找文件照常，只是每次都从头来；改代码要有一个可写的目录：XIHE_STATE_DIR。';
    return { name: '运行状态', state: 'fail', detail: layout.withoutState, hint };
  }
  const strange = strangeFiles(layout.stateDir);
  if (strange.length > 0) {
    const shown = strange.slice(0, STRANGE_SHOWN).map(visibleLine).join('、');
    const detail = `${layout.stateDir} 里有 ${strange.length} 个不是普通文件的东西，没有读：${shown}`;
    return { name: '运行状态', state: 'warn', detail, hint: '删掉它们；里面能重建的会自己重建。' };
  }
  if (!layout.stateIsElsewhere) return { name: '运行状态', state: 'ok', detail: layout.stateDir, hint: '' };
  return {
    name: '运行状态',
    state: 'warn',
    detail: `项目目录不可写，状态放在 ${layout.stateDir}`,
    hint: '能看能查；要写入改动，先给项目目录写权限。',
  };
}

/** Names of strange files in the state that are listed. */
const STRANGE_SHOWN = 5;

/** The settings; a broken file is one failed check, and the others go on with the defaults. */
function readConfig(layout: ProjectLayout): { config: XiheConfig; check: Check } {
  const file = join(layout.layerDir, 'config.yaml');
  try {
    const config = loadConfig(layout.layerDir);
    const detail = existsSync(file) ? file : '没有 .xihe/config.yaml，用默认值和环境变量';
    return { config, check: { name: '配置', state: 'ok', detail, hint: '' } };
  } catch (e) {
    if (!XiheError.is(e)) throw e;
    const hint = `${e.hint}下面各项按默认值检查。`;
    return { config: defaultConfig(), check: { name: '配置', state: 'fail', detail: e.message, hint } };
  }
}

/** Where the project's own settings point; nothing to tell where they point nowhere. */
async function trusted({ layerDir }: ProjectLayout): Promise<Check[]> {
  const { allDestinations } = await import('../destinations.js');
  let found: ProjectDestination[];
  try {
    found = allDestinations(layerDir);
  } catch {
    // What is wrong with the settings is told by their own check.
    return [];
  }
  const of = (chosen: string) => found.filter((one) => one.chosen === chosen);
  const listed = (some: typeof found) =>
    some.map(({ setting, address }) => `${setting} → ${shownAddress(address)}`).join('；');
  if (of('untrusted').length > 0) {
    const detail = `项目写的地址和操作，还没有信任：${listed(of('untrusted'))}`;
    return [
      {
        name: '信任',
        state: 'warn',
        detail,
        hint: '信得过就运行 xihe trust；在那之前不会连接、不问就运行，也不会交出密钥。',
      },
    ];
  }
  if (of('trusted').length === 0) return [];
  return [{ name: '信任', state: 'ok', detail: `已信任 ${listed(of('trusted'))}`, hint: '' }];
}

/** A service that is not asked, since only the repository has chosen it. */
function refusedBy(name: string, untrusted: readonly Untrusted[] | undefined): Check | undefined {
  const [first] = untrusted ?? [];
  if (first === undefined) return undefined;
  const error = untrustedError(first);
  return { name, state: 'fail', detail: error.message, hint: error.hint };
}

async function teamTools(layout: ProjectLayout): Promise<Check> {
  const { BUILTIN_NAMES, loadTeamTools } = await import('../../tools/index.js');
  const { tools, problems } = loadTeamTools(layout.layerDir, BUILTIN_NAMES);
  const detail = tools.length > 0 ? tools.map((t) => t.name).join('、') : '没有';
  if (problems.length === 0) return { name: '团队工具', state: tools.length > 0 ? 'ok' : 'off', detail, hint: '' };
  const faults = problems.map((p) => `${p.file}:${p.line}：${p.reason}`).join('\n    ');
  return { name: '团队工具', state: 'warn', detail: `${detail}；${filesOf(problems)} 个文件没能加载`, hint: faults };
}

/** The rules of `policy.yaml`; nothing to tell where there are none. */
async function rules(layout: ProjectLayout): Promise<Check[]> {
  const { loadRules } = await import('../rules.js');
  const { policy, findings } = loadRules(layout);
  const files = policy.layers.filter(({ rules: some, broken }) => some.length > 0 || broken);
  if (files.length === 0) return [];
  const detail = files.map(({ file, rules: some }) => `${file} ${some.length} 条`).join('，');
  const bad = findings.filter(({ level }) => level !== 'note');
  const hint = bad.map(({ file, line: at, message }) => `${file}:${at}：${message}`).join('\n    ');
  return [{ name: '规则', state: bad.length > 0 ? 'warn' : 'ok', detail, hint }];
}

async function coreFiles(repo: string): Promise<Check> {
  const { core } = await openCore(repo, { quiet: true });
  const c = core.counts();
  const detail = `术语 ${c.terms}，知识片段 ${c.chunks}，流程模板 ${c.playbooks}，警示 ${c.warnings}`;
  if (core.problems.length === 0) return { name: '中文数据核心', state: 'ok', detail, hint: '' };
  const faults = errorsFirst(core.problems)
    .map((p) => `${p.file}:${p.line}：${p.reason}`)
    .join('\n    ');
  return {
    name: '中文数据核心',
    state: 'warn',
    detail: `${detail}；${filesOf(core.problems)} 个文件有问题，共 ${core.problems.length} 处`,
    hint: faults,
  };
}

const filesOf = (problems: readonly { file: string }[]) => new Set(problems.map(({ file }) => file)).size;

async function modelEndpoint(config: XiheConfig): Promise<Check> {
  const { baseUrl, apiKey, name } = config.model;
  const missing = [!baseUrl && 'XIHE_BASE_URL', !name && 'XIHE_MODEL'].filter(Boolean);
  if (missing.length > 0) {
    return {
      name: '模型',
      state: 'off',
      detail: '没有配置，xihe run 会给出行动预案',
      hint: `要用模型：设置 ${missing.join('、')}（和 XIHE_API_KEY），或写进 .xihe/config.yaml。`,
    };
  }
  const refused = refusedBy(
    '模型',
    config.model.untrusted?.filter(({ setting }) => setting === 'model.baseUrl'),
  );
  if (refused !== undefined) return refused;
  return http(
    '模型',
    `${baseUrl!.replace(/\/$/, '')}/models`,
    apiKey,
    `${name}`,
    `检查${whereSet('XIHE_BASE_URL', 'model.baseUrl')}（通常以 /v1 结尾）、密钥 XIHE_API_KEY 和网络。`,
  );
}

/** Any answer but a refusal of the key says that the endpoint is there: not every one lists its models. */
async function http(name: string, url: string, apiKey: string | undefined, what: string, hint: string): Promise<Check> {
  try {
    const reply = await fetch(url, {
      headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
      signal: AbortSignal.timeout(PROBE_MS),
    });
    await reply.body?.cancel();
    if (reply.status === 401 || reply.status === 403)
      return { name, state: 'fail', detail: `${url} 拒绝了密钥（${reply.status}）`, hint };
    if (reply.status >= 500) return { name, state: 'fail', detail: `${url} 出错（${reply.status}）`, hint };
    return { name, state: 'ok', detail: `${url} 有应答${what ? `，使用 ${what}` : ''}`, hint: '' };
  } catch (e) {
    return { name, state: 'fail', detail: `连不上 ${url}（${messageOf(e)}）`, hint };
  }
}

/** Which of the two set a value: who is to mend it must find it. */
function whereSet(variable: string, key: string): string {
  return process.env[variable] ? `环境变量 ${variable} ` : `设置里的 ${key} `;
}

async function milvus(config: XiheConfig): Promise<Check> {
  const address = config.milvus.address;
  if (!address) return { name: 'Milvus', state: 'off', detail: '没有配置，索引放在本机', hint: '' };
  const refused = refusedBy('Milvus', config.milvus.untrusted);
  if (refused !== undefined) return refused;
  const [host = '', port = '19530'] = address.replace(/^\w+:\/\//, '').split(':');
  const reached = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: PROBE_MS });
    const end = (fault?: string) => {
      socket.destroy();
      resolve(fault);
    };
    socket
      .once('connect', () => end())
      .once('timeout', () => end('超时'))
      .once('error', (e) => end(e.message));
  });
  if (reached === undefined) return { name: 'Milvus', state: 'ok', detail: `${address} 可以连接`, hint: '' };
  return {
    name: 'Milvus',
    state: 'fail',
    detail: `连不上 ${address}（${reached}）`,
    hint: `检查${whereSet('XIHE_MILVUS_ADDRESS', 'milvus.address')}和服务是否启动；不用时去掉它，索引会放在本机。`,
  };
}

async function sandbox(): Promise<Check> {
  const { confinementStatus } = await import('../../sandbox/index.js');
  const found = await confinementStatus();
  if (found.kind === 'bwrap') return { name: '沙箱', state: 'ok', detail: found.why, hint: '' };
  return { name: '沙箱', state: 'warn', detail: found.why, hint: 'Linux 上安装 bubblewrap 后隔离更严。' };
}
