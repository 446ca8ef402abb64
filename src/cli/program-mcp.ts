import { type Command, InvalidArgumentError, Option } from 'commander';
import { quoted } from '../errors.js';

type SetExit = (code: number) => void;
type Sub = (program: Command, spec: string, description: string) => Command;

function whole(min: number, max: number) {
  return (raw: string): number => {
    const n = Number(raw);
    if (raw.trim() !== '' && Number.isInteger(n) && n >= min && n <= max) return n;
    throw new InvalidArgumentError(`「${quoted(raw)}」不是 ${min} 到 ${max} 之间的整数`);
  };
}

function origin(raw: string, before: string[] | undefined): string[] {
  const url = URL.canParse(raw) ? new URL(raw) : undefined;
  if (url === undefined || url.origin === 'null')
    throw new InvalidArgumentError(`「${quoted(raw)}」不是网页来源，要写成 http://localhost:6274`);
  return [...(before ?? []), url.origin];
}

/** `mcp`: the core and the paths for other agents. */
export function addMcpCommand(program: Command, sub: Sub, setExit: SetExit): void {
  sub(program, 'mcp', '作为 MCP 服务器，给 Claude Code、Cursor 等智能体查数据核心和路径；默认走标准输入输出')
    .option('--http', '改走 HTTP（streamable HTTP，只听本机）')
    .option('--port <端口>', '和 --http 一起用，0 自动选', whole(0, 65_535), 8722)
    .option('--allow-origin <来源>', '和 --http 一起用，允许这个来源的网页；可以写多次', origin)
    .option('--max-tokens <个数>', '每个结果默认最多多少 token，300 到 4000', whole(300, 4_000), 1_000)
    .addOption(
      new Option('--print-config <客户端>', '打印这个客户端的设置，照着贴就行').choices([
        'claude',
        'cursor',
        'cline',
        'qwen',
        'vscode',
      ]),
    )
    .option('--write', '和 --print-config 一起用，写进项目里的设置文件')
    .action(async (options, command: Command) => {
      const repoIsGiven = command.getOptionValueSource('repo') === 'cli';
      setExit(await (await import('./commands/mcp.js')).mcp(options, repoIsGiven));
    });
}
