import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  RootsListChangedNotificationSchema,
  type ServerNotification,
  type ServerRequest,
  type ServerResult,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { packageVersion } from '../../assets.js';
import { messageOf, XiheError } from '../../errors.js';
import { Workspace } from '../../paths/index.js';
import type { Caller } from '../../tools/types.js';
import { catalogueOf } from './catalogue.js';
import { invalidParams, noResource, ProtocolFault } from './faults.js';
import { INSTRUCTIONS } from './instructions.js';
import { completeId, listPrompts, listResources, listTemplates, readResource } from './lists.js';
import { Notices } from './notices.js';
import type { ServedTool } from './output-schemas.js';
import type { McpProject, Progress } from './project.js';
import { getPrompt } from './prompts.js';
import { callServedTool, DEFAULT_MAX_TOKENS, failed, isServed, listTools } from './tools.js';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Addresses that one client may subscribe to; a list that only grows is a fault of the client. */
const MAX_SUBSCRIBED = 1_000;

/** Where a session's project comes from. */
export interface ProjectSource {
  /** The project now; opened on first use. @throws XiheError REPO_NOT_FOUND */
  current(server: Server): Promise<McpProject>;
  /** The client's folders changed; absent where they do not matter. */
  rootsChanged?(): void;
}

export interface SessionOptions {
  source: ProjectSource;
  /** Logs, in Chinese; never on stdout. */
  log: (text: string) => void;
  /** Who asks. Roles come from the caller's identity, never from the client's own words. */
  caller?: Caller;
  /** Tokens of a tool's result by default. */
  maxTokens?: number;
}

/** Who asks over a connection without keys: whoever started this process. He may look, and nothing here does more. */
const LOCAL_CALLER: Caller = { name: 'mcp', roles: ['reader'] };

/** One client: the SDK's server with everything that we serve. */
export class McpSession {
  readonly server = new Server(
    { name: 'xihe', title: '羲和', version: packageVersion() },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: INSTRUCTIONS,
    },
  );
  private readonly thread = `mcp-${randomUUID().slice(0, 8)}`;
  private readonly workspace = new Workspace();
  private served: { project: McpProject; notices: Notices; unlisten: () => void } | undefined;

  constructor(private readonly options: SessionOptions) {
    this.handleLists();
    this.handleTools();
    const { server } = this;
    server.oninitialized = () => {
      // Not before the client has its answer: opening a project takes a moment.
      setImmediate(() => void this.project().catch((e) => options.log(wordsOf(e))));
    };
    server.setNotificationHandler(RootsListChangedNotificationSchema, async () => {
      if (options.source.rootsChanged === undefined) return;
      options.source.rootsChanged();
      await this.project();
    });
    server.onerror = (e) => options.log(`连接上的问题：${messageOf(e)}`);
    server.onclose = () => {
      this.served?.unlisten();
    };
  }

  connect(transport: Transport): Promise<void> {
    return this.server.connect(transport);
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private async project(): Promise<McpProject> {
    const project = await this.options.source.current(this.server);
    if (this.served?.project === project) return project;
    const before = this.served;
    before?.unlisten();
    const notices = new Notices(this.server, project.core, this.options.log);
    const unlisten = project.onReload((event) => notices.reloaded(event));
    this.served = { project, notices, unlisten };
    notices.start();
    if (before) notices.replaced();
    return project;
  }

  private handleLists(): void {
    const core = async () => (await this.project()).core;
    this.on(ListResourcesRequestSchema, async ({ params }) => listResources(await core(), params?.cursor));
    this.on(ListResourceTemplatesRequestSchema, async () => listTemplates());
    this.on(ReadResourceRequestSchema, async ({ params }) => readResource(await core(), params.uri));
    this.on(ListPromptsRequestSchema, async ({ params }) => listPrompts(await core(), params?.cursor));
    this.on(GetPromptRequestSchema, async ({ params }, { signal }) =>
      getPrompt(await core(), params.name, params.arguments, signal),
    );
    this.on(CompleteRequestSchema, async ({ params: { ref, argument } }) =>
      ref.type === 'ref/resource'
        ? completeId(await core(), ref.uri, argument.value)
        : { completion: { values: [], total: 0, hasMore: false } },
    );
    this.on(SubscribeRequestSchema, async ({ params }) => {
      await core();
      const { notices, project } = this.served as NonNullable<typeof this.served>;
      if (catalogueOf(project.core).entry(params.uri) === undefined)
        throw noResource(params.uri, '先用 resources/list 看有哪些。');
      if (notices.subscribed.size >= MAX_SUBSCRIBED) throw invalidParams(`订阅太多了，最多 ${MAX_SUBSCRIBED} 个。`);
      notices.subscribed.add(params.uri);
      return {};
    });
    this.on(UnsubscribeRequestSchema, async ({ params }) => {
      this.served?.notices.subscribed.delete(params.uri);
      return {};
    });
  }

  private handleTools(): void {
    this.on(ListToolsRequestSchema, async () => ({ tools: listTools() }));
    this.on(CallToolRequestSchema, async ({ params }, extra) => {
      const { name, arguments: args = {} } = params;
      if (!isServed(name)) throw invalidParams(`没有名叫 ${name.slice(0, 100)} 的工具。用 tools/list 看有哪些。`);
      try {
        return await callServedTool(name as ServedTool, args, await this.project(), {
          caller: this.options.caller ?? LOCAL_CALLER,
          thread: this.thread,
          workspace: this.workspace,
          maxTokens: this.options.maxTokens ?? DEFAULT_MAX_TOKENS,
          signal: extra.signal,
          progress: progressOf(extra),
        });
      } catch (e) {
        // A project that can't be opened is something the user can mend; a cancelled call gets no answer at all.
        if (XiheError.is(e) && !extra.signal.aborted) return failed(wordsOf(e));
        throw e;
      }
    });
  }

  /**
   * Handles a method. The parameters are parsed here, since the SDK would answer wrong ones with an internal error and the whole report of zod.
   */
  private on<S extends z.ZodType<{ method: string; params?: unknown }>>(
    schema: S,
    handle: (request: z.output<S>, extra: Extra) => Promise<ServerResult>,
  ): void {
    const { shape } = schema as unknown as z.ZodObject<{ method: z.ZodLiteral<string> }>;
    const loose = z.looseObject({ method: shape.method });
    this.server.setRequestHandler(loose, async (raw, extra): Promise<ServerResult> => {
      const parsed = schema.safeParse(raw);
      if (!parsed.success) throw invalidParams(`参数不对：${faultsOf(parsed.error)}`);
      try {
        return await handle(parsed.data, extra);
      } catch (e) {
        if (e instanceof ProtocolFault || !XiheError.is(e)) throw e;
        throw Object.assign(new Error(wordsOf(e)), { data: e.toJSON() });
      }
    });
  }
}

function faultsOf(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || '请求'}：${message}`)
    .join('；');
}

function wordsOf(e: unknown): string {
  return XiheError.is(e) ? `失败（${e.code}）：${e.message}。${e.hint}` : messageOf(e);
}

/** Progress, for clients that asked for it. */
function progressOf({ _meta, sendNotification }: Extra): Progress {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => {};
  return (progress, total, message) => {
    const params = { progressToken, progress, total, message: `${message} ${progress}/${total}` };
    void sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
