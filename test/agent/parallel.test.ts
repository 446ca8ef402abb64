import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { Command, MemorySaver } from '@langchain/langgraph';
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { buildGraph } from '../../src/agent/graph.js';
import type { RunEvent } from '../../src/agent/events.js';
import { openModel } from '../../src/agent/model.js';
import { openProject } from '../../src/agent/project.js';
import type { RunState } from '../../src/agent/state.js';
import { configSchema } from '../../src/config.js';
import { type ChatRequest, type ModelServer, type Rule, startModelServer, systemText } from '../support/model-server.js';
import { makeRepo, NO_VECTORS, put, removeRepo, threadOf } from './support.js';
import { asks } from './scenarios/scripts.js';

const FILES = {
  'src/lantern.ts': '/** 花灯：元宵挂在门口的灯。 */\nexport const LANTERNS = 1;\n',
  'src/kite.ts': '/** 风筝：清明放的纸鸢。 */\nexport const KITES = 1;\n',
  'src/drum.ts': '/** 大鼓：舞狮时敲的鼓。 */\nexport const DRUMS = 1;\n',
};
const LIST = '1. 把花灯的数目改成 2\n2. 把风筝的数目改成 2\n3. 把大鼓的数目改成 2';

describe('smoke', () => {
  it('three parts', async () => {
    const repo = makeRepo(FILES);
    const rule: Rule = { when: { test: (r) => systemText(r).includes('做一次修改') }, reply: (req) => {
      const user = String(req.messages[1]!.content);
      const [, what] = /把(花灯|风筝|大鼓)的数目改成 2\n\n（/.exec(user) ?? [];
      const name = { 花灯: 'LANTERNS', 风筝: 'KITES', 大鼓: 'DRUMS' }[what!]!;
      const path = { 花灯: 'src/lantern.ts', 风筝: 'src/kite.ts', 大鼓: 'src/drum.ts' }[what!]!;
      if (req.messages.length === 2) return { toolCalls: [{ name: 'edit_file', args: { path, edits: [{ search: `${name} = 1`, replace: `${name} = 2` }] } }] };
      return `${what}改好了`;
    } };
    const server = await startModelServer({ rules: [{ when: asks.review, reply: '{"findings":[]}' }, rule] });
    const config = configSchema.parse({ model: { baseUrl: server.baseUrl, name: 'm', maxRetries: 0 } });
    const graph = buildGraph({ defaultRepo: repo, openProject: (r) => openProject(r, NO_VECTORS), openModel: () => openModel(config.model) }, new MemorySaver());
    for await (const [, e] of await graph.stream({ request: { text: LIST, repo } } as never, { ...threadOf('p'), streamMode: ['custom'] } as never) as never as AsyncIterable<[string, RunEvent]>) console.log(JSON.stringify(e).slice(0, 200));
    const st = await graph.getState(threadOf('p'));
    const s = st.values as RunState;
    console.log(s.reported, st.tasks[0]?.interrupts?.[0]?.value, s.split, s.agents.map(a => [a.name, a.state, a.why, a.said, a.files, a.ms]), s.usage, s.elapsedMs, s.error);
    console.log(server.chats().map(c => c.messages.length + ' ' + String(c.messages[1]!.content).slice(0, 900)).join('\n-----\n'));
    await server.close();
    removeRepo(repo);
  }, 60000);
});
