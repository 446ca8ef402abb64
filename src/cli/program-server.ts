import { type Command, InvalidArgumentError } from 'commander';
import { quoted } from '../errors.js';

type Sub = (program: Command, spec: string, description: string) => Command;

const MAX_PORT = 65_535;
/** More runs at once than this in one process would wait for each other; start more processes. */
const MAX_RUNS = 64;
/** Runs spend their time on waiting for models, so a few of them share a core. */
const DEFAULT_RUNS = 8;
/** The one that LangGraph's own servers listen on. */
const DEFAULT_PORT = 8123;

function whole(from: number, to: number) {
  return (raw: string): number => {
    const n = Number(raw);
    if (raw.trim() !== '' && Number.isInteger(n) && n >= from && n <= to) return n;
    throw new InvalidArgumentError(`「${quoted(raw)}」不是 ${from} 到 ${to} 之间的整数`);
  };
}

/** `xihe server`. */
export function addServerCommand(program: Command, sub: Sub, setExit: (code: number) => void): void {
  sub(program, 'server', '部署服务：用 LangGraph 的接口提供 xihe 和 knowledge 两个图，可以多个进程一起跑')
    .option('--host <地址>', '监听的地址', '127.0.0.1')
    .option('--port <端口>', '监听的端口，0 是任意空闲的', whole(0, MAX_PORT), DEFAULT_PORT)
    .option('--runs <个数>', '这个进程同时做几件事，0 是只接请求不做事', whole(0, MAX_RUNS), DEFAULT_RUNS)
    .option('--worker', '只做事，不接请求（健康检查除外）')
    .option(
      '--cors <网站>',
      '允许这个网站的网页来用，例如 https://chat.example.com；可以写多次',
      (value: string, before: string[] = []) => [...before, value],
    )
    .action(async (options) => setExit(await (await import('./commands/server.js')).server(options)));
}
