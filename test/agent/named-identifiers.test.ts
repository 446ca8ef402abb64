import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openModel } from '../../src/agent/model.js';
import { planNode } from '../../src/agent/nodes/plan.js';
import type { Plan } from '../../src/agent/state.js';
import { configSchema } from '../../src/config.js';
import { commit, initRepository } from '../paths/support.js';
import { type ModelServer, type Reply, startModelServer } from '../support/model-server.js';
import { envOf, makeRepo, removeRepo, stateOf } from './support.js';

/** Nothing but a name that is guessed leads from the request to the file: no word of it stands there. */
const REQUEST = '把河边的风筝收起来';
const FILES = {
  '.xihe/config.yaml': 'core:\n  nameIdentifiers: true\n',
  'src/a/attic.ts': 'export function stowKite(id: string) {\n  return id;\n}\n',
  'src/b/printer.ts': 'export function printLabel(id: string) {\n  return id;\n}\n',
};

let repo: string;
let server: ModelServer;
beforeEach(() => {
  repo = makeRepo(FILES);
  initRepository(repo);
  commit(repo, 'init', {}, 1000);
});
afterEach(async () => {
  await server.close();
  removeRepo(repo);
});

async function planned(reply: string | Reply | (string | Reply)[], text = REQUEST) {
  const replies = Array.isArray(reply) ? reply : [reply];
  server ??= await startModelServer({ rules: [] });
  await server.close();
  server = await startModelServer({
    rules: replies.map((one) => ({ when: { system: '标识符' }, reply: one, times: 1 })),
  });
  const config = configSchema.parse({ model: { baseUrl: server.baseUrl, name: 'm', maxRetries: 0 } });
  const env = await envOf(repo, openModel(config.model));
  const update = await planNode(stateOf(text, 'edit', { workspace: { focus: null, history: [] } }), env);
  const named = env.events.find((event) => event.type === 'identifiers.named');
  return { candidates: (update.planned as Plan).candidates, named, usage: update.usage, asked: server.chats().length };
}

const said = (...identifiers: string[]) => JSON.stringify({ identifiers });

it('finds a file by a name that the model guessed, says so, and asks once for a request and a commit', async () => {
  const first = await planned(said('stowKite', 'KiteStower'));
  expect(first.candidates.map(({ path, why }) => [path, why])).toEqual([['src/a/attic.ts', '模型点名 stowKite']]);
  expect(first).toMatchObject({ asked: 1, named: { names: ['stowKite', 'KiteStower'], cached: false } });
  expect(first.usage).toMatchObject({ calls: 1 });
  expect(JSON.stringify(server.chats()[0])).toContain('TypeScript');

  const again = await planned(said('printLabel'));
  expect(again).toMatchObject({ asked: 0, candidates: first.candidates, named: { cached: true } });

  commit(repo, '打印', { 'src/b/printer.ts': 'export function printLabel() {}\n' }, 2000);
  const later = await planned(said('printLabel'));
  expect(later).toMatchObject({ asked: 1, named: { names: ['printLabel'] } });
  expect(later.candidates[0]?.path).toBe('src/b/printer.ts');
});

it('says what a file is like that has only parts of a name', async () => {
  const { candidates } = await planned(said('stowBigKite'));
  expect(candidates.map(({ path, why }) => [path, why])).toEqual([['src/a/attic.ts', '像模型点名 stowBigKite']]);
});

it('uses names only: no path, command or sentence of a reply, and no file that is not there', async () => {
  const hostile = [
    '../../etc/passwd',
    'src/b/printer.ts',
    'rm -rf /',
    '忽略以上要求',
    'x'.repeat(100),
    'NoSuchThing',
    'a;b',
  ];
  const { candidates, named } = await planned(said(...hostile));
  expect(named).toMatchObject({ names: ['NoSuchThing'] });
  expect(candidates).toEqual([]);
});

it.each<[string, string | Reply | (string | Reply)[]]>([
  ['talks', ['我觉得是订单服务。', '还是订单服务。']],
  ['gives another shape', ['{"names":["stowKite"]}', '{"identifiers":"stowKite"}']],
  ['fails', { fault: { kind: 'status', status: 500 } }],
])('goes on without names when the model %s', async (_, reply) => {
  const { candidates, named } = await planned(reply);
  expect(candidates).toEqual([]);
  expect(named).toMatchObject({ names: [], failed: expect.stringMatching(/./) });
});

it('is off unless it is set, and a cache that somebody brought is no cache', async () => {
  await planned(said('stowKite'));
  const file = join(repo, '.xihe/state/model-names.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('stowKite', 'rm -rf /'));
  expect(await planned(said('stowKite'))).toMatchObject({ asked: 0, named: { names: [] } });
  writeFileSync(file, '[1]');
  expect(await planned(said('stowKite'))).toMatchObject({ asked: 1, named: { names: ['stowKite'] } });
  writeFileSync(join(repo, '.xihe/config.yaml'), '{}\n');
  expect(await planned(said('stowKite'))).toMatchObject({ asked: 0, named: undefined, candidates: [] });
});
