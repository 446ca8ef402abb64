import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { stableHash } from '../../text/index.js';
import type { LoadProblem, ReloadEvent, ZhCore } from '../../zhcore/index.js';
import { catalogueOf, type Listed } from './catalogue.js';

/** Problems told at once: a broken merge may break hundreds of files. */
const MAX_TOLD = 10;

/** When lists are first looked at; before anything is reloaded. Milliseconds. */
const FIRST_LOOK_MS = 900;

/** What clients have seen of the lists: hashes of what they show, and the version of each entry. */
interface Known {
  resources: string;
  prompts: string;
  versions: ReadonlyMap<string, string>;
}

/** What a client is told by itself: lists that changed, resources that it subscribed to, files that are broken. */
export class Notices {
  readonly subscribed = new Set<string>();
  /** As the client knows them; undefined until they were first looked at. */
  private known: Known | undefined;
  private problems: ReadonlySet<string> = new Set();

  constructor(
    private readonly server: Server,
    private readonly core: ZhCore,
    private readonly log: (text: string) => void,
  ) {}

  /** Tells what is broken from the beginning. Lists are looked at a moment later: that would hold up the first answer. */
  start(): void {
    this.tellProblems(this.core.problems);
    setTimeout(() => {
      this.known ??= knownOf(this.core);
    }, FIRST_LOOK_MS).unref();
  }

  /** Tells what a reload changed. */
  reloaded(event: ReloadEvent): void {
    this.tellProblems(event.problems);
    if (!event.moved) return;
    const before = this.known;
    const now = knownOf(this.core);
    this.known = now;
    this.log(`已重新加载，数据版本 ${event.dataVersion}`);
    if (now.resources !== before?.resources) this.send(() => this.server.sendResourceListChanged());
    if (now.prompts !== before?.prompts) this.send(() => this.server.sendPromptListChanged());
    for (const uri of this.subscribed)
      if (now.versions.get(uri) !== before?.versions.get(uri))
        this.send(() => this.server.sendResourceUpdated({ uri }));
  }

  /** Another project is served from now on: everything may be different. */
  replaced(): void {
    this.send(() => this.server.sendResourceListChanged());
    this.send(() => this.server.sendPromptListChanged());
  }

  private tellProblems(now: readonly LoadProblem[]): void {
    const keys = new Set(now.map(keyOf));
    const fresh = now.filter((problem) => !this.problems.has(keyOf(problem)));
    const mended = [...this.problems].filter((key) => !keys.has(key));
    this.problems = keys;
    for (const problem of fresh.slice(0, MAX_TOLD))
      this.tell(problem.level === 'error' ? 'error' : 'warning', textOf(problem));
    if (fresh.length > MAX_TOLD) this.tell('error', `还有 ${fresh.length - MAX_TOLD} 处问题，运行 xihe lint 看全部。`);
    if (mended.length > 0) this.tell('info', `修好了 ${mended.length} 处。`);
  }

  private tell(level: 'error' | 'warning' | 'info', text: string): void {
    this.log(text);
    this.send(() => this.server.sendLoggingMessage({ level, logger: 'xihe', data: text }));
  }

  /** A client that is gone, or has no stream open, misses it; nothing else may come of that. */
  private send(notify: () => Promise<void> | undefined): void {
    void Promise.resolve()
      .then(notify)
      .catch(() => undefined);
  }
}

function textOf({ file, line, reason, level, keptLastGood }: LoadProblem): string {
  const kept = level !== 'error' ? '' : keptLastGood ? '；上一个可用的版本继续生效' : '；坏的部分没有生效，其余照常';
  return `${level === 'error' ? '文件坏了' : '提醒'} ${file}:${line}：${reason}${kept}`;
}

function keyOf({ file, line, reason }: LoadProblem): string {
  return `${file}:${line}:${reason}`;
}

function knownOf(core: ZhCore): Known {
  const { all } = catalogueOf(core);
  const hash = (entries: readonly Listed[]) =>
    stableHash(entries.map(({ uri, title, description }) => `${uri}\n${title}\n${description}`).join('\n'));
  return {
    resources: hash(all),
    prompts: hash(all.filter(({ type }) => type === 'playbook')),
    versions: new Map(all.map(({ uri, version }) => [uri, version])),
  };
}
