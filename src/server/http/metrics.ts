import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ProjectState } from '../projects/index.js';

/** Upper bounds of the times that are counted, in seconds. Targets are 10 ms; a cold project takes a second. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Times {
  counts: number[];
  sum: number;
  total: number;
}

/** How an answer came about. */
export type AnswerKind = 'made' | 'kept' | 'unchanged';

/** What the service counts, for Prometheus. Labels are routes, statuses and projects: all few, none from a request. */
export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #times = new Map<string, Times>();
  readonly #answers = new Map<string, number>();
  readonly #reloads = new Map<string, number>();
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });

  constructor() {
    this.#delay.enable();
  }

  /** @param seconds from the first byte of the request until its answer was ready */
  request(route: string, status: number, project: string | undefined, seconds: number): void {
    add(this.#requests, labels({ route, status: String(status), project: project ?? '' }));
    const times = this.#times.get(route) ?? { counts: BOUNDS.map(() => 0), sum: 0, total: 0 };
    this.#times.set(route, times);
    times.sum += seconds;
    times.total += 1;
    const at = BOUNDS.findIndex((bound) => seconds <= bound);
    if (at >= 0) times.counts[at] = (times.counts[at] as number) + 1;
  }

  answer(project: string, kind: AnswerKind): void {
    add(this.#answers, labels({ kind, project }));
  }

  reload(project: string): void {
    add(this.#reloads, labels({ project }));
  }

  /**
   * As Prometheus reads it.
   *
   * @param isShown whether the reader may know of a project
   */
  text(projects: readonly ProjectState[], isShown: (project: string) => boolean): string {
    const shown = projects.filter(({ name }) => isShown(name));
    const visible = (counts: ReadonlyMap<string, number>) =>
      [...counts].filter(([key]) => {
        const project = /project="([^"]*)"/.exec(key)?.[1] ?? '';
        return project === '' || isShown(project);
      });
    const { rss, heapUsed } = process.memoryUsage();
    return [
      ...family('xihe_requests_total', 'counter', '请求数', visible(this.#requests)),
      ...this.#histogram(),
      ...family(
        'xihe_answers_total',
        'counter',
        '回答：made 现查，kept 用留着的，unchanged 只回 304',
        visible(this.#answers),
      ),
      ...family('xihe_reloads_total', 'counter', '内容变了的热加载次数', visible(this.#reloads)),
      ...family(
        'xihe_project_open',
        'gauge',
        '项目打开着是 1',
        shown.map(({ name, state }) => [labels({ project: name }), Number(state === 'open')]),
      ),
      ...family(
        'xihe_project_failed',
        'gauge',
        '项目打不开是 1',
        shown.map(({ name, state }) => [labels({ project: name }), Number(state === 'failed')]),
      ),
      ...family(
        'xihe_project_running',
        'gauge',
        '正在处理的请求',
        shown.map(({ name, running }) => [labels({ project: name }), running]),
      ),
      ...family('xihe_event_loop_delay_seconds', 'gauge', '事件循环的延迟，p99', [
        ['', seconds(this.#delay.percentile(99))],
      ]),
      ...family('process_resident_memory_bytes', 'gauge', '占用的内存', [['', rss]]),
      ...family('nodejs_heap_size_used_bytes', 'gauge', '其中 JavaScript 的堆', [['', heapUsed]]),
      ...family('process_cpu_seconds_total', 'counter', '用掉的 CPU 时间', [['', cpuSeconds()]]),
      ...family('process_uptime_seconds', 'gauge', '运行了多久', [['', process.uptime()]]),
      '',
    ].join('\n');
  }

  close(): void {
    this.#delay.disable();
  }

  #histogram(): string[] {
    const name = 'xihe_request_seconds';
    const lines = [`# HELP ${name} 一次请求用的时间`, `# TYPE ${name} histogram`];
    for (const [route, { counts, sum, total }] of this.#times) {
      let below = 0;
      BOUNDS.forEach((bound, i) => {
        below += counts[i] as number;
        lines.push(`${name}_bucket${labels({ route, le: String(bound) })} ${below}`);
      });
      lines.push(`${name}_bucket${labels({ route, le: '+Inf' })} ${total}`);
      lines.push(`${name}_sum${labels({ route })} ${sum}`, `${name}_count${labels({ route })} ${total}`);
    }
    return lines;
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Values are names of ours, which hold no quotes. */
function labels(of: Record<string, string>): string {
  return `{${Object.entries(of)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}}`;
}

function family(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  rows: readonly (readonly [labels: string, value: number])[],
): string[] {
  if (rows.length === 0) return [];
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...rows.map(([label, value]) => `${name}${label} ${value}`),
  ];
}

/** @param nanoseconds NaN where nothing was measured yet */
function seconds(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0;
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
