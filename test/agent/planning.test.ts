import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { assemblePlan, planTerms, runPlaybook, scopeToFocus, withPlaces } from '../../src/agent/planning.js';
import type { CoreResult, Hit, Playbook, RequiredCheck, Term } from '../../src/zhcore/index.js';
import { envOf, makeRepo, put, removeRepo } from './support.js';

const provenance = (layer: 'general' | 'project', status: 'verified' | 'candidate') => ({
  layer,
  status,
  source: 'repo://x',
  version: 'abc',
  confidence: 0.9,
  file: 'x.yaml',
  line: 1,
});

const term = (
  id: string,
  keyword_ch: string,
  code_symbols: string[],
  layer: 'general' | 'project' = 'project',
  aliases: string[] = [],
): Hit<Term> => {
  const p = provenance(layer, layer === 'project' ? 'verified' : 'candidate') as never;
  const entry: Term = { id, keyword_ch, aliases, code_symbols, risk: [], provenance: p };
  return { type: 'term', entry, provenance: p, score: 1, why: '测试', tokens: 1 };
};

const playbook = (...required_checks: RequiredCheck[]): Hit<Playbook> => {
  const p = provenance('project', 'verified') as never;
  const entry = { id: 'p', title: '流程', trigger_keywords: [], required_checks, steps: ['一', '二'], post_checks: [] };
  return {
    type: 'playbook',
    entry: { ...entry, task_types: [], body: '', provenance: p },
    provenance: p,
    score: 1,
    why: '',
    tokens: 1,
  };
};

const check = (type: RequiredCheck['type'], what: string, on_missing: RequiredCheck['on_missing'] = 'warn') => ({
  type,
  ...(type === 'command' ? { command: what } : { path: what }),
  on_missing,
  purpose: '目的',
});

let repo: string;
beforeEach(() => {
  repo = makeRepo({
    'src/order.ts': 'export class OrderService {\n  cancelExpired(): void {}\n}\n',
    'docs/payment/接入指南.md': '# 接入指南\n',
    'package.json': '{"name":"x","scripts":{"test":"node -e 0"}}',
  });
});
afterEach(() => removeRepo(repo));

describe('terms of a plan', () => {
  it('say where their symbols stand, and that one is gone', async () => {
    const env = await envOf(repo);
    const paths = await env.project.paths();
    const hits = [term('a', '超时关单', ['OrderService.cancelExpired']), term('b', '对账', ['ReconcileJob'])];
    const [a, b] = await planTerms(hits, paths);
    expect(a).toMatchObject({ confirmed: true, symbols: [{ file: 'src/order.ts', line: 2 }] });
    expect(b).toMatchObject({ confirmed: false, symbols: [{ file: null, line: null }] });
    const placed = withPlaces({ terms: hits } as unknown as CoreResult, [a!, b!]);
    expect(placed.terms[0]!.places).toEqual([{ symbol: 'OrderService.cancelExpired', path: 'src/order.ts', line: 2 }]);
    expect(placed.terms[1]!.places).toEqual([]);
  });

  it('of the general layer count only where the code bears them out, and show only what exists', async () => {
    const paths = await (await envOf(repo)).project.paths();
    const terms = await planTerms(
      [term('g1', '关单', ['OrderService', 'CloseOrder'], 'general'), term('g2', '库存', ['Stock'], 'general')],
      paths,
    );
    expect(terms.map((t) => t.id)).toEqual(['g1']);
    expect(terms[0]!.symbols.map((s) => s.name)).toEqual(['OrderService']);
    expect(withPlaces({ terms: [term('g2', '库存', ['Stock'], 'general')] } as never, terms).terms).toEqual([]);
  });

  it("give way to the project's own meaning of the word, by name or alias", async () => {
    const paths = await (await envOf(repo)).project.paths();
    const general = [term('g1', '关单', ['OrderService'], 'general'), term('g2', '取消', ['OrderService'], 'general')];
    const own = term('p', '關單', ['OrderService'], 'project', ['取消']);
    expect((await planTerms([...general, own], paths)).map((t) => t.id)).toEqual(['p']);
  });

  it('are at most six', async () => {
    const paths = await (await envOf(repo)).project.paths();
    const many = Array.from({ length: 9 }, (_, i) => term(`t${i}`, `词${i}`, ['OrderService']));
    expect(await planTerms(many, paths)).toHaveLength(6);
  });
});

describe("a playbook's checks", () => {
  const run = async (...checks: RequiredCheck[]) => {
    const env = await envOf(repo);
    return runPlaybook(playbook(...checks), await env.project.paths(), env);
  };

  it('find files, by glob too, and say what is missing', async () => {
    const { checks } = await run(
      check('file_exists', 'docs/payment/接入指南.md'),
      check('read_file', 'src/**/*.ts'),
      check('file_exists', 'docs/无.md'),
      check('file_exists', '../outside.md'),
      check('read_file', 'lib/*.go'),
    );
    expect(checks.map((c) => [c.state, c.detail])).toEqual([
      ['ok', 'docs/payment/接入指南.md'],
      ['ok', 'src/order.ts'],
      ['missing', '没有 docs/无.md'],
      ['missing', '没有 ../outside.md'],
      ['missing', '没有 lib/*.go'],
    ]);
  });

  it('ask git in the project, and run everything else in a copy', async () => {
    execFileSync('git', ['init', '-q'], { cwd: repo });
    const { checks } = await run(
      check('command', 'git rev-parse --git-dir'),
      check('command', 'ls package.json'),
      check('command', 'ls nothing-here'),
    );
    expect(checks.map((c) => c.state)).toEqual(['ok', 'ok', 'failed']);
  });

  it('do not run a second command behind git in the project', async () => {
    execFileSync('git', ['init', '-q'], { cwd: repo });
    put(repo, {
      'package.json': '{"name":"x","scripts":{"test":"node -e \\"require(\'fs\').writeFileSync(\'made\',\'\')\\""}}',
    });
    await run(check('command', 'git --version && npm test'), check('command', 'git --version\nnpm test'));
    expect(existsSync(join(repo, 'made'))).toBe(false);
  });

  it('leave what is not harmless to people', async () => {
    const { checks } = await run(check('command', 'rm -rf src', 'stop'), check('command', 'git push'));
    expect(checks.map((c) => c.state)).toEqual(['skipped', 'skipped']);
    expect(checks[0]!.detail).toContain('请人工执行');
    expect(existsSync(join(repo, 'src/order.ts'))).toBe(true);
  });

  it('stop, ask or warn, as they say', async () => {
    const stopped = await run(check('file_exists', 'a.md', 'stop'), check('file_exists', 'b.md', 'ask_user_first'));
    const plan = assemblePlan('feature', [], stopped, []);
    expect(plan.stopped).toBe('没有 a.md：目的');
    expect(plan.openQuestions).toEqual(['找不到 b.md（用途：目的）。要先补上它，还是直接继续？']);
    const warned = assemblePlan('feature', [], await run(check('file_exists', 'a.md')), []);
    expect([warned.stopped, warned.openQuestions]).toEqual([null, []]);
    expect(warned.steps).toEqual(['一', '二']);
  });
});

describe('a plan', () => {
  const candidate = (path: string) => ({ path, score: 1, evidence: [], why: '因', summary: '述' }) as never;

  it('starts where search and terms agree, lists five candidates, and has steps without a playbook', async () => {
    const paths = await (await envOf(repo)).project.paths();
    const terms = await planTerms([term('a', '超时关单', ['OrderService.cancelExpired'])], paths);
    const files = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'src/order.ts', 'f.ts'].map(candidate);
    const plan = assemblePlan('bugfix', terms, null, files);
    expect(plan.focus).toEqual(['src/order.ts', 'a.ts', 'b.ts', 'c.ts']);
    expect(plan.candidates).toHaveLength(5);
    expect(plan.steps[0]).toContain('OrderService.cancelExpired（src/order.ts:2，超时关单）');
    expect(plan.steps[1]).toContain('重现');
    expect(assemblePlan('general', [], null, []).steps).toHaveLength(4);
  });

  it('keeps entries of other modules out of the prompt', () => {
    const hit = (module?: string, paths: string[] = []) => ({
      entry: { ...(module ? { module } : {}), when: { paths } },
    });
    const all = {
      terms: [hit('order'), hit('pay'), hit()],
      knowledge: [hit('pay')],
      warnings: [hit('pay'), hit('order'), hit('shared', ['src/**'])],
    };
    const scoped = scopeToFocus(all as never, new Set(['order']));
    expect([scoped.terms.length, scoped.knowledge.length, scoped.warnings.length]).toEqual([2, 0, 1]);
    expect(scopeToFocus(all as never, new Set()).terms).toHaveLength(3);
    // What holds for the files in focus is about them, whatever module it is filed under.
    expect(scopeToFocus(all as never, new Set(['order']), ['src/order.ts']).warnings).toHaveLength(2);
    expect(scopeToFocus(all as never, new Set(['order']), ['test/order.ts']).warnings).toHaveLength(1);
  });
});
