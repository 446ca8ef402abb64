// What our loop costs beside the model, and beside a bare LangGraph agent: the same server, tool calls, saver and durability.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { MessagesValue, StateGraph, StateSchema } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import * as z from 'zod';
import { LibsqlSaver } from '../src/agent/checkpoint/libsql-saver.js';
import { openModel } from '../src/agent/model.js';
import { prompt } from '../src/agent/prompts.js';
import { Session } from '../src/agent/session.js';
import { assetPath } from '../src/assets.js';
import { configSchema } from '../src/config.js';
import { removeDir } from '../test/support/mall.js';
import { spawnModelServer } from '../test/support/model-server-process.js';

const TURNS = [5, 20, 60];
/** Each figure is the least of so many runs: what other processes do only adds. */
const RUNS = 3;

const requestOf = (turns: number) => `修改 src/order/order-service.ts 的注释（读 ${turns} 段）`;

/** What a run of some turns costs, the model's time (as its caller sees it) taken off the clock. */
interface Cost {
  cpuMs: number;
  clockMs: number;
  bytes: number;
}

type Run = (turns: number, dir: string, baseUrl: string) => Promise<Cost>;

/** A table of both loops for one repository. */
export async function overheadRows(makeRepo: () => string): Promise<string> {
  const server = await spawnModelServer(assetPath('bench', 'loop-scenario.ts'));
  const dir = makeRepo();
  const config = join(dir, '.xihe', 'config.yaml');
  writeFileSync(
    config,
    `${readFileSync(config, 'utf8')}\nmodel: { baseUrl: '${server.baseUrl}', name: m, contextTokens: 200000 }\n`,
  );
  const lines = [
    '| turns | | CPU ms a turn | clock ms a turn | checkpoint bytes a turn |',
    '| --- | --- | --- | --- | --- |',
  ];
  try {
    for (const run of [ours, bare]) await run(2, dir, server.baseUrl);
    for (const turns of TURNS) {
      const [mine, peer] = [
        await least(ours, turns, dir, server.baseUrl),
        await least(bare, turns, dir, server.baseUrl),
      ];
      for (const [name, cost] of [
        ['xihe', mine],
        ['bare loop', peer],
      ] as const)
        lines.push(
          `| ${turns} | ${name} | ${a(cost.cpuMs, turns)} | ${a(cost.clockMs, turns)} | ${a(cost.bytes, turns)} |`,
        );
      const ratio = (key: keyof Cost) => (mine[key] / peer[key]).toFixed(1);
      lines.push(`| ${turns} | ratio | ${ratio('cpuMs')} | ${ratio('clockMs')} | ${ratio('bytes')} |`);
    }
  } finally {
    await server.close();
    removeDir(dir);
  }
  return lines.join('\n');
}

/** A turn's share of a cost. */
function a(cost: number, turns: number): string {
  return Math.round(cost / turns).toLocaleString('en');
}

async function least(run: Run, turns: number, dir: string, baseUrl: string): Promise<Cost> {
  const costs: Cost[] = [];
  for (let i = 0; i < RUNS; i++) costs.push(await run(turns, dir, baseUrl));
  const min = (key: keyof Cost) => Math.min(...costs.map((cost) => cost[key]));
  return { cpuMs: min('cpuMs'), clockMs: min('clockMs'), bytes: min('bytes') };
}

/** Times work; `modelMs` is what the work itself adds up. */
async function timed(work: (model: { ms: number }) => Promise<void>): Promise<Omit<Cost, 'bytes'>> {
  const model = { ms: 0 };
  const cpu = process.cpuUsage();
  const started = performance.now();
  await work(model);
  const clockMs = performance.now() - started - model.ms;
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1000, clockMs };
}

/** The whole of ours: routing, core, plan, loop, checks, report, checkpoints. */
const ours: Run = async (turns, dir) => {
  const file = join(dir, '.xihe', 'state', 'checkpoints.sqlite');
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  const session = await Session.open(dir);
  const options = {
    noModel: false,
    autoApprove: 'none',
    budget: { maxTurns: 200, maxTokens: 1e9, maxSeconds: 3_600 },
  } as const;
  const cost = await timed(async (model) => {
    const view = await session.run(requestOf(turns), options, 'bench', (event) => {
      if (event.type === 'model.finished') model.ms += event.ms;
    });
    if (view.state.turn !== turns + 1)
      throw new Error(`${view.state.turn} turns, and not ${turns + 1}: ${view.state.error?.message}`);
  });
  session.close();
  return { ...cost, bytes: statSync(file).size };
};

/** Messages, a model node, a tool node, the same saver and the same client of the endpoint: what one would write in an afternoon. */
const bare: Run = async (turns, dir, baseUrl) => {
  const at = mkdtempSync(join(tmpdir(), 'xihe-bare-'));
  const saver = LibsqlSaver.open(join(at, 'checkpoints.sqlite'));
  const readFile = tool(
    ({ path, start_line, line_count }) =>
      readFileSync(join(dir, path), 'utf8')
        .split('\n')
        .slice(start_line - 1, start_line - 1 + line_count)
        .map((line, i) => `${start_line + i}\t${line}`)
        .join('\n'),
    {
      name: 'read_file',
      description: '读文件的一段，带行号',
      schema: z.object({ path: z.string(), start_line: z.number(), line_count: z.number() }),
    },
  );
  const model = openModel({ ...configSchema.parse({}).model, baseUrl, name: 'm' })!;
  const tools = [convertToOpenAITool(readFile)] as never;
  const system = prompt('execute', { core: '' });
  let modelMs = 0;
  const graph = new StateGraph(new StateSchema({ messages: MessagesValue }))
    .addNode('model', async ({ messages }) => {
      const started = performance.now();
      const reply = await model.invoke({ system, messages, tools, signal: undefined });
      modelMs += performance.now() - started;
      return { messages: [reply.message] };
    })
    .addNode('tools', new ToolNode([readFile]))
    .addEdge('__start__', 'model')
    .addConditionalEdges('model', ({ messages }) =>
      (messages.at(-1) as AIMessage).tool_calls?.length ? 'tools' : '__end__',
    )
    .addEdge('tools', 'model')
    .compile({ checkpointer: saver });
  const cost = await timed(async (spent) => {
    const input = { messages: [{ role: 'user', content: requestOf(turns) }] };
    const { messages } = await graph.invoke(input as never, {
      configurable: { thread_id: 'bench' },
      recursionLimit: 500,
      durability: 'sync',
    });
    if (messages.length !== 2 * turns + 2) throw new Error(`${messages.length} messages`);
    spent.ms = modelMs;
  });
  saver.close();
  const bytes = statSync(join(at, 'checkpoints.sqlite')).size;
  rmSync(at, { recursive: true, force: true });
  return { ...cost, bytes };
};
