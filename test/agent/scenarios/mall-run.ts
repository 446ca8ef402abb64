import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../../src/agent/events.js';
import { Session } from '../../../src/agent/session.js';
import type { RunOptions } from '../../../src/agent/state.js';
import { estimateTokens } from '../../../src/text/index.js';
import {
  type ChatRequest,
  type ModelServer,
  type Reply,
  type ReplyInfo,
  startModelServer,
} from '../../support/model-server.js';
import { type Job, nextReply, type Opens } from './colleague.js';
import { asks, calmReview } from './scripts.js';

/** What a plain agent would be given: every path of the tree, files opened whole, nothing of the core. */
export const PLAIN = { without: ['core', 'paths', 'history'], context: 'tree' } satisfies Partial<RunOptions>;

/** A colleague who takes longer is going round in circles. */
const MAX_TURNS = 30;

/** A desk in a copy of the shop: one session, one model server, one job after another. */
export class Desk {
  job: Job | undefined;
  opens: Opens = 'window';
  /** Answers instead of the colleague where it gives something: faults. */
  instead: (req: ChatRequest, info: ReplyInfo) => Reply | undefined = () => undefined;
  events: RunEvent[] = [];
  session!: Session;
  #mark = 0;
  readonly #ownConfig: string;

  private constructor(
    readonly mall: string,
    readonly server: ModelServer,
  ) {
    this.#ownConfig = readFileSync(this.#config, 'utf8');
  }

  /** @param mall a copy of the shop; its settings are changed */
  static async open(mall: string): Promise<Desk> {
    const desk: { it?: Desk } = {};
    const server = await startModelServer({
      rules: [
        calmReview,
        { when: asks.execute, reply: (req, info) => desk.it!.instead(req, info) ?? desk.it!.#reply(req, info) },
      ],
    });
    desk.it = new Desk(mall, server);
    desk.it.settings();
    desk.it.session = await Session.open(mall);
    return desk.it;
  }

  get #config(): string {
    return join(this.mall, '.xihe', 'config.yaml');
  }

  #reply(req: ChatRequest, { turn }: ReplyInfo): Reply {
    if (turn >= MAX_TURNS) throw new Error(`still not done after ${turn} turns`);
    return nextReply(this.job!, req, this.opens);
  }

  /**
   * Settings of the jobs that follow.
   *
   * @param tests the command that stands for `npm test`, which takes seconds
   * @param model further settings of the model, as YAML in one line
   */
  settings(tests = 'node -e 0', model = ''): void {
    const own = this.#ownConfig.replace('testCommand: npm test', `testCommand: ${tests}`);
    writeFileSync(this.#config, `${own}\nmodel: { baseUrl: '${this.server.baseUrl}', name: scripted${model} }\n`);
  }

  /** Does a job up to its question. */
  async run(job: Job, thread: string, options: Partial<RunOptions> = {}, signal?: AbortSignal) {
    this.job = job;
    this.events = [];
    this.#mark = this.server.requests.length;
    const all: RunOptions = { noModel: false, autoApprove: 'none', ...options };
    return this.session.run(job.request, all, thread, this.#hear, signal);
  }

  /** Goes on with a job: after an interruption, or with an answer. */
  async resume(thread: string, answer?: unknown) {
    return this.session.resume(thread, answer, this.#hear);
  }

  readonly #hear = (event: RunEvent) => void this.events.push(event);

  /** Requests to the model since the job began. */
  get sent(): ChatRequest[] {
    return this.server.requests.slice(this.#mark).flatMap(({ body }) => (body ? [body] : []));
  }

  /** Those of the execute phase: its turns. */
  get turns(): ChatRequest[] {
    return this.sent.filter((body) => asks.execute.test!(body));
  }

  /** Tokens of all request bodies since the job began, tools included, by our own count. */
  get tokens(): number {
    return this.sent.reduce((sum, body) => sum + estimateTokens(JSON.stringify(body)), 0);
  }

  /** What the tools answered, in order, as the last request holds it. */
  get results(): string[] {
    return this.turns.at(-1)!.messages.flatMap((m) => (m.role === 'tool' ? [String(m.content)] : []));
  }

  async close(): Promise<void> {
    this.session.close();
    await this.server.close();
  }
}
