import { join } from 'node:path';
import { Command } from '@langchain/langgraph';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openModel } from '../../src/agent/model.js';
import { packageRoot } from '../../src/assets.js';
import { configSchema } from '../../src/config.js';
import { estimateTokens } from '../../src/text/index.js';
import { type ChatRequest, type ModelServer, type Rule, startModelServer } from '../support/model-server.js';
import { asks } from './scenarios/scripts.js';
import { graphOf, makeRepo, removeRepo, threadOf } from './support.js';

/**
 * What is really sent, request by request, as it came over the wire: a change of a prompt, or of what goes into it, is seen in the
 * difference of these files, with what it costs. The repository is about a thing that the general layer knows nothing of.
 */
const FILES = {
  'package.json': '{"name":"lanterns","scripts":{"test":"node -e 0"}}\n',
  'src/lantern.ts': '/** 花灯：元宵挂在门口的灯。 */\nexport const LANTERNS = 1;\n',
  '.xihe/knowledge/terms/lantern.yaml': `- id: lantern
  keyword_ch: 花灯
  code_symbols: [LANTERNS]
  note: 元宵挂在门口的灯
  risk: [数目是单数]
  status: verified
  confidence: high
  source: repo://src/lantern.ts
`,
  '.xihe/knowledge/warnings/lantern.yaml': `- id: lantern-odd
  danger: 花灯的数目要是单数，双数不吉利。
  when: { symbols: [LANTERNS], keywords: [花灯] }
  source: repo://src/lantern.ts
  confidence: 0.9
`,
  '.xihe/tools/hang.yaml': `name: hang_lanterns
description: 挂起花灯
keywords: [挂花灯, 挂起花灯]
danger: medium
argv: [echo, "{place}"]
parameters:
  place: { explain: 挂在哪里, required: true }
examples: [{ place: 东门 }]
`,
};

let repo: string;
let server: ModelServer;
beforeEach(() => {
  repo = makeRepo(FILES);
});
afterEach(async () => {
  await server.close();
  removeRepo(repo);
});

const EDIT = '把 LANTERNS 花灯的数目改成 2';
const edit = (from: number, to: number) => ({
  toolCalls: [
    {
      name: 'edit_file',
      args: { path: 'src/lantern.ts', edits: [{ search: `LANTERNS = ${from}`, replace: `LANTERNS = ${to}` }] },
    },
  ],
});
const read = { toolCalls: [{ name: 'read_file', args: { path: 'src/lantern.ts' } }] };
const review: Rule = { when: asks.review, reply: '{"findings":[]}' };

/** The requests of a run, and of what goes on with it after an answer. */
async function sent(text: string, rules: Rule[], answer?: unknown, model: object = {}): Promise<ChatRequest[]> {
  server = await startModelServer({ rules });
  const config = configSchema.parse({ model: { baseUrl: server.baseUrl, name: 'm', maxRetries: 0, ...model } });
  const graph = graphOf(repo, openModel(config.model));
  await graph.invoke({ request: { text, repo } } as never, threadOf('p'));
  if (answer !== undefined) await graph.invoke(new Command({ resume: answer }) as never, threadOf('p'));
  return server.chats();
}

/** A request as a page: each message under its role, with what it costs by our own count. */
function shown(sent: ChatRequest): string {
  // The number of the marks is drawn for each run, and digits cost more than letters.
  const request = JSON.parse(JSON.stringify(sent).replaceAll(/(<\/?数据) [0-9a-f]{6}/g, '$1 ******')) as ChatRequest;
  const part = (head: string, text: string) => `===== ${head}（${estimateTokens(text)} token）\n${text}`;
  const parts = request.messages.map(({ role, content, tool_calls }) => {
    const calls = (tool_calls ?? []).map((call) => `→ ${call.function.name} ${call.function.arguments}`);
    return part(role, [String(content ?? ''), ...calls].filter(Boolean).join('\n'));
  });
  const tools = request.tools ?? [];
  if (tools.length > 0) {
    const names = tools.map((tool) => tool.function.name).join(' ');
    parts.push(`===== tools（${estimateTokens(JSON.stringify(tools))} token）\n${names}`);
  }
  const total = estimateTokens(JSON.stringify([request.messages, tools]));
  return `${parts.join('\n\n')}\n\n===== 一共约 ${total} token\n`;
}

const page = (name: string) => join(packageRoot(), 'test', 'agent', '__snapshots__', 'sent', `${name}.txt`);

describe('what is sent', () => {
  it('edit: the task', async () => {
    const [first] = await sent(EDIT, [review, { when: asks.execute, reply: ['没有要改的'] }]);
    await expect(shown(first!)).toMatchFileSnapshot(page('edit'));
  });

  it('edit: what was read, and what the user says of the change', async () => {
    const execute = { when: asks.execute, reply: [read, edit(1, 2), '改成 2 了', edit(2, 3), '改成 3 了'] };
    const comment = { decisions: [{ type: 'edit', message: '要单数' }] };
    const all = (await sent(EDIT, [review, execute], comment)).filter((chat) => asks.execute.test!(chat));
    await expect(shown(all.at(-1)!)).toMatchFileSnapshot(page('edit-comment'));
  });

  it('edit, by a model without tools', async () => {
    const execute = { when: asks.execute, reply: ['{"answer":"没有要改的"}'] };
    const [first] = await sent(EDIT, [review, execute], undefined, { tools: 'json' });
    await expect(shown(first!)).toMatchFileSnapshot(page('edit-json-tools'));
  });

  it('review: the diff', async () => {
    const execute = { when: asks.execute, reply: [edit(1, 2), '改成 2 了'] };
    const all = await sent(EDIT, [review, execute]);
    await expect(shown(all.find((chat) => asks.review.test!(chat))!)).toMatchFileSnapshot(page('review'));
  });

  it('question: what was looked up', async () => {
    const all = await sent('花灯的数目写在哪里？', [{ when: asks.answer, reply: [read, '在 src/lantern.ts'] }]);
    await expect(shown(all.at(-1)!)).toMatchFileSnapshot(page('question'));
  });

  it('tool: what is missing', async () => {
    const all = await sent('帮我挂起花灯', [{ when: asks.fill, reply: '{}' }]);
    await expect(shown(all[0]!)).toMatchFileSnapshot(page('tool'));
  });
});
