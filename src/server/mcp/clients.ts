import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../assets.js';
import { errnoOf, XiheError } from '../../errors.js';

/** Clients whose set-up is known. */
export const CLIENTS = ['claude', 'cursor', 'cline', 'qwen', 'vscode'] as const;
export type ClientName = (typeof CLIENTS)[number];

/** How a client is told of a server. */
export interface ClientSetup {
  /** The product. */
  title: string;
  /** Where its settings lie; `write` is that file, where it belongs to the project. */
  where: string;
  write?: string;
  /** What stands in the file; merged into what is there. */
  config: Record<string, Record<string, unknown>>;
  /** What else to know, in Chinese. */
  notes: string[];
  /** The official page that says so. */
  page: string;
}

/**
 * What to write for a client, with the command of this very installation.
 *
 * Sources: the pages named below, read on 2026-12-01.
 *
 * @param root the project, absolute
 */
export function setupOf(client: ClientName, root: string): ClientSetup {
  const here = { command: process.execPath, args: [join(packageRoot(), 'bin', 'xihe'), 'mcp'] };
  const pinned = (dir: string) => ({ ...here, args: [...here.args, '--repo', dir] });
  switch (client) {
    case 'claude':
      return {
        title: 'Claude Code',
        where: '项目根目录的 .mcp.json（团队共用）；只给自己用：claude mcp add xihe -- 上面的 command 和 args',
        write: join(root, '.mcp.json'),
        config: { mcpServers: { xihe: { type: 'stdio', ...here } } },
        notes: ['第一次打开项目时 Claude Code 会问是否批准；/mcp 看连上没有。流程模板是 /mcp__xihe__… 命令。'],
        page: 'https://code.claude.com/docs/en/mcp',
      };
    case 'cursor':
      return {
        title: 'Cursor',
        where: '项目的 .cursor/mcp.json；所有项目都用：~/.cursor/mcp.json',
        write: join(root, '.cursor', 'mcp.json'),
        config: { mcpServers: { xihe: here } },
        notes: ['写好后在设置的 MCP 一栏打开开关；起不来就看输出面板的 MCP Logs。'],
        page: 'https://cursor.com/docs/mcp',
      };
    case 'cline':
      return {
        title: 'Cline',
        where: `扩展：MCP Servers 图标 → Configure → Configure MCP Servers，打开 cline_mcp_settings.json；命令行版：${join(homedir(), '.cline/data/settings/cline_mcp_settings.json')}`,
        config: { mcpServers: { xihe: { ...pinned(root), disabled: false, autoApprove: [] } } },
        notes: [
          '这份设置对所有项目生效，所以写明了 --repo；换项目要改。',
          '都是只读的工具，可以把名字写进 autoApprove。',
        ],
        page: 'https://docs.cline.bot/mcp/mcp-overview',
      };
    case 'qwen':
      return {
        title: 'Qwen Code',
        where:
          '项目根目录的 .mcp.json；只给自己用：~/.qwen/settings.json 的 mcpServers（老版本的项目设置在 .qwen/settings.json）',
        write: join(root, '.mcp.json'),
        config: { mcpServers: { xihe: { type: 'stdio', ...here } } },
        notes: ['交互会话里要先信任项目、批准服务器；/mcp 看状态。'],
        page: 'https://qwenlm.github.io/qwen-code-docs/1.x/zh/users/mcp',
      };
    case 'vscode':
      return {
        title: 'VS Code（GitHub Copilot）',
        where: '工作区的 .vscode/mcp.json；所有项目都用：命令 MCP: Open User Configuration',
        write: join(root, '.vscode', 'mcp.json'),
        config: { servers: { xihe: { type: 'stdio', ...pinned('${workspaceFolder}') } } },
        notes: ['第一次启动会问是否信任；在聊天的工具列表里勾上 xihe。'],
        page: 'https://code.visualstudio.com/docs/agents/reference/mcp-configuration',
      };
  }
}

/** What writing did. */
export interface WrittenSetup {
  file: string;
  outcome: 'created' | 'added' | 'replaced' | 'unchanged';
}

/**
 * Writes the set-up into the project's file of that client. Everything else in the file stays.
 *
 * @throws XiheError USAGE where the client keeps none in the project, or the file is no plain JSON; STATE_UNWRITABLE
 */
export function writeSetup({ title, where, write: file, config }: ClientSetup): WrittenSetup {
  if (file === undefined)
    throw new XiheError('USAGE', `${title} 的设置不在项目里，不代你写`, {
      hint: `去掉 --write，把打印的内容贴进：${where}。`,
    });
  const text = textOf(file);
  const before = text === undefined ? {} : parsed(file, text);
  const [[section, servers]] = Object.entries(config) as [[string, Record<string, unknown>]];
  const there = before[section];
  if (there !== undefined && !isObject(there)) throw notPlain(file, `${section} 不是对象`);
  const known = there?.xihe;
  if (JSON.stringify(known) === JSON.stringify(servers.xihe)) return { file, outcome: 'unchanged' };
  const after = { ...before, [section]: { ...there, ...servers } };
  replace(file, `${JSON.stringify(after, null, indentOf(text))}\n`);
  return { file, outcome: text === undefined ? 'created' : known === undefined ? 'added' : 'replaced' };
}

/** In one step, so that the client never reads half a file. @throws XiheError STATE_UNWRITABLE */
function replace(file: string, text: string): void {
  const temp = `${file}.xihe-${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(temp, text, { flag: 'wx' });
    renameSync(temp, file);
  } catch (cause) {
    rmSync(temp, { force: true });
    throw new XiheError('STATE_UNWRITABLE', `写不进 ${file}（${errnoOf(cause) ?? '未知原因'}）`, {
      hint: '检查写权限，或去掉 --write 自己贴。',
      cause,
    });
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (e) {
    if (errnoOf(e) === 'ENOENT') return undefined;
    throw e;
  }
}

function parsed(file: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    throw notPlain(file, '不是纯 JSON（可能写了注释）');
  }
  if (!isObject(value)) throw notPlain(file, '最外层不是对象');
  return value;
}

function notPlain(file: string, why: string): XiheError {
  return new XiheError('USAGE', `${file} ${why}，不敢改写`, { hint: '去掉 --write，把打印的内容自己贴进去。' });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** As the file has it. */
function indentOf(text = ''): string | number {
  return /^[{[]\r?\n([ \t]+)/.exec(text)?.[1] ?? 2;
}
