import { XiheError } from '../../errors.js';
import { projectRoot } from '../../layout.js';
import type { ClientName } from '../../server/mcp/clients.js';
import { EXIT } from '../exit-codes.js';
import { log, print, printJson, visible } from '../output.js';
import type { CommonOptions } from './options.js';

interface McpOptions extends CommonOptions {
  http?: boolean;
  port: number;
  allowOrigin?: string[];
  maxTokens: number;
  printConfig?: ClientName;
  write?: boolean;
}

/** How long taking leave may take: whoever closed our input waits for us to be gone. Milliseconds. */
const LEAVE_MS = 500;

/**
 * `xihe mcp`: serves MCP until the client closes our input, or Ctrl-C.
 *
 * @param repoIsGiven the user named the project himself; else the client's own folders count first
 */
export async function mcp(options: McpOptions, repoIsGiven: boolean): Promise<number> {
  if (options.printConfig) return printConfig(options.printConfig, options);
  if (options.write)
    throw new XiheError('USAGE', '--write 要和 --print-config 一起用', {
      hint: '例如 --print-config claude --write。',
    });
  if (options.json) throw new XiheError('USAGE', 'mcp 没有 --json：标准输出是协议本身', { hint: '去掉 --json。' });
  return options.http ? serveHttp(options) : serveStdio(options, repoIsGiven);
}

async function serveStdio(options: McpOptions, repoIsGiven: boolean): Promise<number> {
  const output = protocolOutput();
  const { ClientRoots, LineTransport, McpSession, OneProject, openMcpProject } = await import(
    '../../server/mcp/index.js'
  );
  if (repoIsGiven) projectRoot(options.repo);
  const source = repoIsGiven
    ? new OneProject(() => openMcpProject(options.repo, say))
    : new ClientRoots(options.repo, say);
  const session = new McpSession({ source, log: say, maxTokens: options.maxTokens });
  const transport = new LineTransport(process.stdin, output);
  const closed = new Promise<void>((done) => {
    transport.onclose = done;
  });
  await session.connect(transport);
  await Promise.race([closed, interrupted()]);
  return leave(source);
}

async function serveHttp(options: McpOptions): Promise<number> {
  const { listen, OneProject, openMcpProject } = await import('../../server/mcp/index.js');
  projectRoot(options.repo);
  const source = new OneProject(() => openMcpProject(options.repo, say));
  const { allowOrigin: origins = [], maxTokens } = options;
  const listening = await listen(options.port, { source, log: say, maxTokens, origins });
  say(`MCP 在 ${listening.url}，项目 ${options.repo}，按 Ctrl-C 结束`);
  await source.current();
  await interrupted();
  await listening.close();
  return leave(source);
}

/**
 * Nothing but protocol goes to stdout: what a library prints there by mistake goes to stderr.
 *
 * @returns the only way to stdout from now on
 */
function protocolOutput(): NodeJS.WritableStream & import('node:stream').Writable {
  const { stdout } = process;
  const real = Object.create(stdout, { write: { value: stdout.write.bind(stdout) } }) as typeof stdout;
  stdout.write = process.stderr.write.bind(process.stderr);
  return real;
}

function say(text: string): void {
  log(`羲和：${visible(text)}`);
}

function interrupted(): Promise<void> {
  return new Promise((done) => {
    process.once('SIGINT', () => done());
    process.once('SIGTERM', () => done());
  });
}

/** Frees what is open, then ends the process: whatever is still under way (a model that loads, a walk) is for nobody any more. */
async function leave(source: { close(): Promise<void> }): Promise<number> {
  await Promise.race([source.close().catch(() => undefined), new Promise((done) => setTimeout(done, LEAVE_MS))]);
  process.exit(EXIT.done);
}

async function printConfig(client: ClientName, options: McpOptions): Promise<number> {
  const { setupOf, writeSetup } = await import('../../server/mcp/clients.js');
  const setup = setupOf(client, projectRoot(options.repo).root);
  const written = options.write ? writeSetup(setup) : undefined;
  const { title, where, config, notes, page } = setup;
  if (options.json) {
    printJson({ client, where, config, notes, page, written: written ?? null });
    return EXIT.done;
  }
  print(JSON.stringify(config, null, 2));
  log(`${title}：${where}`);
  for (const note of notes) log(note);
  log(`官方说明：${page}`);
  if (written) log(`${OUTCOMES[written.outcome]} ${written.file}`);
  else if (setup.write) log(`加上 --write 就写进 ${setup.write}`);
  return EXIT.done;
}

const OUTCOMES = { created: '已创建', added: '已加进', replaced: '已更新', unchanged: '已经有了，没有动' } as const;
