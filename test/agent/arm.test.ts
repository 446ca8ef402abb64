import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { armFor } from '../../src/agent/arm.js';
import type { ModelRequest } from '../../src/agent/model.js';
import { textOf } from '../../src/agent/node.js';
import { asServed, serverWord } from '../../src/agent/server-word.js';
import { type RunOptions, type RunState, requestSchema } from '../../src/agent/state.js';
import { configSchema } from '../../src/config.js';
import { calls, fakeModel, graphOf, makeRepo, put, removeRepo, reply, stateOf, threadOf } from './support.js';

const LONG = Array.from({ length: 300 }, (_, i) => `export const lamp${i} = '灯${i}';`).join('\n');
const FILES = {
  'package.json': '{"name":"lanterns","scripts":{"test":"node -e 0"}}\n',
  'src/lantern.ts': '/** 花灯：元宵挂在门口的灯。 */\nexport const LANTERNS = 1;\n',
  'src/many.ts': `${LONG}\n`,
  '.xihe/knowledge/terms/lantern.yaml':
    '- { id: lantern, keyword_ch: 花灯, code_symbols: [LANTERNS], note: 挂在门口的灯, status: verified, confidence: high, source: repo://src/lantern.ts }\n',
  '.xihe/knowledge/warnings/lantern.yaml':
    '- { id: lantern-odd, danger: 花灯的数目不能是双数, when: { added: [LANTERNS = 2], keywords: [花灯] }, severity: block, source: repo://src/lantern.ts, confidence: 0.9 }\n',
};
const REQUEST = '把花灯的数目改成 2';

let repo: string;
beforeAll(() => {
  repo = makeRepo(FILES);
});
afterAll(() => removeRepo(repo));
beforeEach(() => put(repo, { '.xihe/config.yaml': '{}\n' }));

/** A run that reads a long file and changes the number, up to its question: what the model was sent first and last, and the state. */
async function run(options: Partial<RunOptions> = {}) {
  const model = fakeModel((request) => {
    if (!request.tools?.length) return '{"findings":[]}';
    const turn = request.messages.filter((m) => m.getType() === 'ai').length;
    if (turn === 0) return calls(request, { name: 'read_file', args: { path: 'src/many.ts' } });
    const edits = [{ search: 'LANTERNS = 1', replace: 'LANTERNS = 2' }];
    if (turn === 1) return calls(request, { name: 'edit_file', args: { path: 'src/lantern.ts', edits } });
    return reply({ content: '改成 2 了' });
  });
  const state = (await graphOf(repo, model).invoke(
    { request: { text: REQUEST, repo, options } } as never,
    threadOf('t'),
  )) as unknown as RunState;
  const executed = model.asked.filter((one) => one.tools?.length);
  const text = (one: ModelRequest) => [one.system, ...one.messages.map(textOf)].join('\n');
  return { state, first: text(executed[0]!), third: text(executed[2]!), tools: executed[0]!.tools!.map(nameOf) };
}
const nameOf = (tool: unknown) => (tool as { function: { name: string } }).function.name;

describe('a run that does without a layer', () => {
  it('is an ordinary one where nobody asks: everything is there', async () => {
    const { state, first, tools } = await run();
    expect(state.arm).toEqual({ without: [], context: 'window' });
    expect(first).toContain('LANTERNS（src/lantern.ts:2）');
    expect(first).toContain('术语「花灯」');
    expect(first).toContain('不能是双数');
    expect(tools).toEqual(expect.arrayContaining(['zh_core_query', 'lookup_file', 'lookup_knowledge']));
    expect(state.findings.map((f) => f.entryId)).toContain('lantern-odd');
  });

  it('terms: neither told nor used for finding files', async () => {
    const { first, state } = await run({ without: ['terms'] });
    expect(first).not.toContain('术语「花灯」');
    expect(first).not.toContain('【术语】');
    expect(first).toContain('不能是双数');
    expect(state.ledger.map(({ type }) => type)).not.toContain('term');
  });

  it('warnings: neither told nor checked', async () => {
    const { first, state } = await run({ without: ['warnings'] });
    expect(first).not.toContain('不能是双数');
    expect(first).toContain('【术语】');
    expect(state.findings.map((f) => f.entryId)).not.toContain('lantern-odd');
  });

  it('core and paths, told of every path: a plain agent, whose tools are plain and read files whole', async () => {
    const { first, third, tools, state } = await run({ without: ['core', 'paths', 'history'], context: 'tree' });
    expect(first).not.toMatch(/术语|警示|流程模板|计划/);
    expect(first).toContain('src/\n  lantern.ts\n  many.ts');
    expect(tools.filter((name) => /lookup|zh_core|load_context|expand/.test(name))).toEqual([]);
    expect(tools).toEqual(expect.arrayContaining(['read_file', 'search_code', 'edit_file', 'run_tests']));
    expect(third).toContain('lamp299');
    expect(state.ledger).toEqual([]);
    expect((await run()).third).not.toContain('lamp299');
  });

  it('is what the settings say where the run says nothing, and what it says itself before them', async () => {
    const settings = configSchema.parse({ run: { without: ['core'], context: 'tree' } }).run;
    const core = ['terms', 'knowledge', 'playbooks', 'warnings'];
    expect(armFor(undefined, settings)).toEqual({ without: core, context: 'tree' });
    expect(armFor({ without: ['history', 'terms', 'terms'] }, settings)).toEqual({
      without: ['terms', 'history'],
      context: 'tree',
    });
    put(repo, { '.xihe/config.yaml': 'run: { without: [warnings] }\n' });
    expect((await run()).state.arm).toEqual({ without: ['warnings'], context: 'window' });
    expect(configSchema.safeParse({ run: { without: ['nonsense'] } }).success).toBe(false);
  });

  it("is not a client's to ask of a server", () => {
    const request = requestSchema.parse({ text: '改', options: { without: ['warnings'], context: 'tree' } });
    const served = asServed(stateOf('改', 'edit', { request }), serverWord({}), undefined).request?.options;
    expect(served).toEqual({ noModel: false, autoApprove: 'none' });
  });
});
