import { messageOf, XiheError } from '../../errors.js';
import { DEFAULT_TOOL_SECONDS } from '../limits.js';
import type { TeamToolProblem } from '../team-tools.js';
import { expanded, loadMcpServers, type McpServer } from './config.js';
import { type McpTool, mcpContracts } from './contract.js';
import type { McpPeer } from './types.js';

/** Longest start of a server, its list of tools included. The first `npx` of a package takes longer: then it is there at the next try. Milliseconds. */
const START_MS = DEFAULT_TOOL_SECONDS * 1000;
/** A server that could not be started is not tried again before: every node of a run would wait for it. Milliseconds. */
const RETRY_MS = 60_000;
/** A server that nobody used for so long is ended; the next call starts it. Milliseconds. */
const IDLE_MS = 5 * 60_000;

/** One server as `xihe doctor` shows it. */
export interface McpStatus {
  name: string;
  source: string;
  kind: McpServer['kind'];
  state: 'ok' | 'failed' | 'untrusted';
  /** Names of its tools, where it was started. */
  tools: string[];
  /** In Chinese: why it can't be used, or which of its tools can't. */
  note: string;
}

/** What is known of a server that was tried. */
interface Opened {
  /** The declaration that it was opened with. */
  key: string;
  peer: Promise<McpPeer>;
  failedAt?: number;
}

/** The MCP servers of one project. Nothing is started before somebody asks for tools, and nothing at all that the user does not trust. */
export class McpHub {
  private servers: McpServer[] = [];
  private readonly opened = new Map<string, Opened>();
  private idle: NodeJS.Timeout | undefined;
  /** Faults of the files, each with its line. */
  problems: TeamToolProblem[] = [];

  /** @param root absolute @param env where settings, variables and trust come from */
  constructor(
    private readonly root: string,
    private readonly layerDir: string,
    private readonly env: NodeJS.ProcessEnv = process.env,
  ) {
    this.reload();
  }

  /** Reads the files again; what is not declared so any more, or not trusted any more, is closed. */
  reload(): void {
    const { servers, problems } = loadMcpServers(this.root, this.layerDir, this.env);
    this.servers = servers;
    this.problems = problems;
    for (const [name, { key }] of this.opened)
      if (!servers.some((server) => server.name === name && server.trusted && keyOf(server) === key)) this.drop(name);
  }

  /** Whether there is any server that may be used. */
  get isEmpty(): boolean {
    return !this.servers.some(({ trusted }) => trusted);
  }

  /** First parts of tools' names, known without starting anything. */
  get prefixes(): string[] {
    return this.servers.filter(({ trusted }) => trusted).map(({ prefix }) => prefix);
  }

  /**
   * The tools of all trusted servers, which are started if they are not. A server that does not answer costs its own tools only.
   *
   * @param say told in Chinese what could not be used, once for each try
   */
  async tools(options: { signal?: AbortSignal | undefined; say?: (text: string) => void } = {}): Promise<McpTool[]> {
    const usable = this.servers.filter(({ trusted }) => trusted);
    const found = await Promise.all(
      usable.map(async (server) => {
        const isNew = !this.opened.has(server.name);
        try {
          const { tools } = await this.peer(server, options.signal);
          return mcpContracts(server, tools, (signal) => this.peer(server, signal)).tools;
        } catch (e) {
          if (options.signal?.aborted) throw e;
          if (isNew) options.say?.(XiheError.is(e) ? e.message : messageOf(e));
          return [];
        }
      }),
    );
    return found.flat();
  }

  /** What `xihe doctor` shows: each trusted server is tried. */
  async status(signal?: AbortSignal): Promise<McpStatus[]> {
    return Promise.all(
      this.servers.map(async (server): Promise<McpStatus> => {
        const { name, source, kind } = server;
        const one = { name, source, kind, tools: [], note: '' };
        if (!server.trusted) return { ...one, state: 'untrusted' };
        try {
          const peer = await this.peer(server, signal);
          const { tools, refused } = mcpContracts(server, peer.tools, () => Promise.resolve(peer));
          return { ...one, state: 'ok', tools: tools.map((tool) => tool.name), note: refused.join('；') };
        } catch (e) {
          return { ...one, state: 'failed', note: XiheError.is(e) ? e.message : messageOf(e) };
        }
      }),
    );
  }

  /** Ends all servers, and waits until they are gone. */
  async close(): Promise<void> {
    clearTimeout(this.idle);
    await Promise.all([...this.opened.keys()].map((name) => this.drop(name)));
  }

  private async peer(server: McpServer, signal: AbortSignal | undefined): Promise<McpPeer> {
    this.used();
    const known = this.opened.get(server.name);
    if (known !== undefined) {
      const isTooSoon = known.failedAt !== undefined && Date.now() - known.failedAt < RETRY_MS;
      if (known.failedAt === undefined || isTooSoon) {
        const peer = await known.peer;
        if (peer.isOpen) return peer;
      }
      // It ended, or failed long enough ago.
      if (this.opened.get(server.name) === known) this.opened.delete(server.name);
    }
    const other = this.opened.get(server.name);
    if (other !== undefined) return other.peer;
    const opening: Opened = { key: keyOf(server), peer: this.start(server, signal) };
    this.opened.set(server.name, opening);
    opening.peer.catch(() => {
      opening.failedAt = Date.now();
      // A run that was cancelled says nothing about the server.
      if (signal?.aborted && this.opened.get(server.name) === opening) this.opened.delete(server.name);
    });
    return opening.peer;
  }

  private async start(server: McpServer, signal: AbortSignal | undefined): Promise<McpPeer> {
    const filled = expanded(server, this.env);
    if ('missing' in filled)
      throw new XiheError(
        'MCP_UNAVAILABLE',
        `MCP 服务器 ${server.name} 要用环境变量 ${filled.missing.join('、')}，没有设置`,
        {
          hint: `设置它，或在 ${server.source} 里写上默认值：\${名字:-默认值}。`,
        },
      );
    // The SDK takes 0.2 s to load; most projects have no server.
    const { openPeer } = await import('./peer.js');
    return openPeer(server, filled.target, this.root, START_MS, signal);
  }

  private async drop(name: string): Promise<void> {
    const known = this.opened.get(name);
    this.opened.delete(name);
    await known?.peer.then(
      (peer) => peer.close(),
      () => {},
    );
  }

  private used(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.close(), IDLE_MS).unref();
  }
}

function keyOf({ kind, written }: McpServer): string {
  return JSON.stringify({ kind, written });
}
