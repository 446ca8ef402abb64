import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputs } from '../../../src/agent/index.js';
import { errorsJson, feedbackJson, proposalsJson, settledJson } from '../../../src/cli/schemas/learning.js';
import { copyMall, modelEnv, removeDir, treeHash } from '../../support/mall.js';
import { xiheHere as xihe } from '../../support/mallHere.js';
import { type ModelServer, startModelServer } from '../../support/model-server.js';
import { RETRY_REQUEST, retryEdit, retryRules } from './scripts.js';

const RULE = '释放库存的重试必须带退避，不能连着打 StockKeeper';

describe('learning from a change that was rejected', () => {
  let mall: string;
  let server: ModelServer;
  let env: Record<string, string>;
  const run = (args: string[]) => xihe([...args, '--repo', mall, '--json'], { env });

  beforeAll(async () => {
    mall = copyMall({ link: false });
    server = await startModelServer({ rules: retryRules });
    env = { ...modelEnv(server.baseUrl), XIHE_TEST_COMMAND: 'node -e 0' };
    await run(['run', RETRY_REQUEST, '--thread', 'a']);
    const done = await run(['resume', 'a', '--reject', '--comment', RULE]);
    expect(done.json.report.text).toContain('记下 1 条建议');
  });
  afterAll(async () => {
    await server.close();
    removeDir(mall);
  });

  it('leads from a changed line to the step, the prompt, the entries and the files behind it', async () => {
    const { json } = await run(['trace', 'a']);
    expect(outputs.traceJson.parse(json)).toEqual(json);
    const line = json.lines.find(({ text }: { text: string }) => text.includes('private async releaseStock'));
    expect(line).toMatchObject({ path: retryEdit.path, step: 2 });
    const step = json.steps[1];
    expect(step.calls[0]).toMatchObject({ id: line.call, tool: 'edit_file' });
    expect(step.files).toContainEqual({ path: retryEdit.path, form: 'read' });
    expect(step.entries.length).toBeGreaterThan(0);
    expect(json.steps[0].prompt.added[0].text).toContain(RETRY_REQUEST);
    expect(step.prompt.added[0].role).toBe('tool');

    const text = await xihe(['trace', 'a', '--line', `${line.path}:${line.line}`, '--repo', mall], { env });
    expect(text.stdout).toContain('第 2 步，edit_file');
    expect(text.stdout).toContain(`读 ${retryEdit.path}`);
    const none = await xihe(['trace', 'a', '--line', `${line.path}:1`, '--repo', mall], { env });
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('改过的行');
  });

  it('writes one page that needs no network and runs nothing', async () => {
    const page = join(mall, '..', `${mall.split('/').at(-1)}.html`);
    await xihe(['trace', 'a', '--html', page, '--repo', mall], { env });
    const html = readFileSync(page, 'utf8');
    removeDir(page);
    expect(html).toContain('href="#step-2"');
    expect(html).toContain('id="step-2"');
    expect(html).toContain('private async releaseStock');
    expect(html).not.toMatch(/<script|src=|https?:\/\/[^<]*\.(?:js|css)/);
    expect(html).toContain('Promise&#60;boolean&#62;');
  });

  it('counts it among the wrong answers of the week', async () => {
    const { json } = await run(['errors']);
    expect(errorsJson.parse(json)).toEqual(json);
    expect(json.weeks[0]).toMatchObject({ runs: 1, counts: { answer: 1, failed: 0 }, shares: { answer: 1 } });
    const text = await xihe(['errors', '--repo', mall]);
    expect(text.stdout).toContain('答错或改错 1（100%）');
  });

  it('keeps the proposal out of the core until a person accepts it, then warns at the next change', async () => {
    const before = treeHash(mall);
    const listed = await run(['proposals']);
    expect(proposalsJson.parse(listed.json)).toEqual(listed.json);
    const [proposal] = listed.json.proposals;
    expect(proposal).toMatchObject({ state: 'open', remark: RULE, entry: { type: 'warning', danger: RULE } });
    expect(proposal.source).toMatch(/^run:\/\/a\//);
    expect(treeHash(mall)).toBe(before);
    expect(JSON.stringify((await run(['core', '释放库存'])).json)).not.toContain('退避');

    const accepted = await run(['proposals', 'accept', proposal.id]);
    expect(settledJson.parse(accepted.json)).toEqual(accepted.json);
    const file = join(mall, accepted.json.path);
    expect(readFileSync(file, 'utf8')).toContain(RULE);
    expect((await run(['lint', '--ci'])).code).toBe(0);
    const core = await xihe(['core', '改一下 StockKeeper 的重试', '--repo', mall, '--json']);
    expect(core.json.warnings.map(({ id }: { id: string }) => id)).toContain(proposal.id);

    const again = await xihe(['proposals', 'accept', proposal.id, '--repo', mall]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('已经采纳过');
  });

  it('takes a word for the thread: a term, added below what people wrote', async () => {
    const file = join(mall, '.xihe/knowledge/terms/reviews.yaml');
    writeFileSync(file, '# 手写的\n- id: mine\n  keyword_ch: 手写词\n  code_symbols: [OrderState]\n');
    const said = await run(['feedback', 'a', 'bad', '--why', '二次释放指的是 StockKeeper.release']);
    expect(feedbackJson.parse(said.json)).toEqual(said.json);
    expect(said.json).toMatchObject({ verdict: 'bad', about: 'edit' });
    const [{ id }] = said.json.proposals;
    await run(['proposals', 'accept', id]);
    const text = readFileSync(file, 'utf8');
    expect(text.startsWith('# 手写的\n- id: mine\n  keyword_ch: 手写词\n  code_symbols: [OrderState]\n')).toBe(true);
    const found = await run(['core', '二次释放在哪里做的']);
    expect(found.json.terms.map(({ keyword_ch }: { keyword_ch: string }) => keyword_ch)).toContain('二次释放');
  });

  it('users’ mistakes are told, and change nothing', async () => {
    for (const args of [
      ['feedback', 'nobody', 'good'],
      ['feedback', 'a', 'soso'],
      ['proposals', 'accept', 'p-none'],
      ['proposals', 'eat', 'x'],
    ]) {
      const { code, stderr } = await xihe([...args, '--repo', mall], { env });
      expect(code, args.join(' ')).not.toBe(0);
      expect(stderr).not.toContain('    at ');
    }
    const dismissed = await run(['feedback', 'a', 'bad', '--why', '关单的日志必须带订单号']);
    await run(['proposals', 'dismiss', dismissed.json.proposals[0].id]);
    expect((await run(['proposals'])).json.proposals).toEqual([]);
    expect(existsSync(join(mall, '.xihe/state/runs.jsonl'))).toBe(true);
  });
});
