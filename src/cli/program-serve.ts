import { type Command, InvalidArgumentError } from 'commander';
import { quoted } from '../errors.js';

type SetExit = (code: number) => void;
type Sub = (program: Command, spec: string, description: string) => Command;

const PORT_MAX = 65_535;
/** Requests per second that a limit may allow; more than a process can answer is no limit. */
const RATE_MAX = 100_000;

function whole(max: number) {
  return (raw: string): number => {
    const n = Number(raw);
    if (raw.trim() !== '' && Number.isInteger(n) && n >= 0 && n <= max) return n;
    throw new InvalidArgumentError(`「${quoted(raw)}」不是 0 到 ${max} 之间的整数`);
  };
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}

/** The commands for whoever offers the core to others: `serve`, `keys`. */
export function addServeCommands(program: Command, sub: Sub, setExit: SetExit): void {
  sub(program, 'serve', '把数据核心和路径上下文作为 HTTP 服务给别的程序用；默认只有本机连得到')
    .option('--port <端口>', '监听的端口，0 是随便一个空着的', whole(PORT_MAX), 7700)
    .option('--host <地址>', '监听的地址；别的机器也连得到时要先有密钥', '127.0.0.1')
    .option('--project <名字=目录>', '一个项目，可以写多次；不写就是 --repo 的项目', collect)
    .option('--cors <网站>', '允许这个网站的网页来查，如 https://wiki.example；可以写多次', collect)
    .option('--rate <次数>', '每把密钥每秒最多几次，0 不限', whole(RATE_MAX), 100)
    .option('--cache <个数>', '每个项目最多留着几个回答，0 不留', whole(1_000_000), 5_000)
    .action(async (options) => setExit(await (await import('./commands/serve.js')).serve(options)));
  sub(program, 'keys [动作] [名字]', 'HTTP 服务的密钥：list 列出，add 新发（只显示这一次），remove 收回')
    .option('--project <名字>', '能用哪个项目，可以写多次；不写就是都能用', collect)
    .option(
      '--role <角色>',
      '有什么角色：reader 查，developer 还能反馈，ops 看指标；可以写多次，不写是 reader',
      collect,
    )
    .action(async (act: string | undefined, name: string | undefined, options) =>
      setExit(await (await import('./commands/keys.js')).keys(act, name, options)),
    );
}
