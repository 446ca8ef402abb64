import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatModel } from '../../src/agent/model.js';
import { textOf } from '../../src/agent/node.js';
import type { RunState } from '../../src/agent/state.js';
import { XiheError } from '../../src/errors.js';
import {
  calls,
  fakeModel,
  graphOf,
  makeRepo,
  NO_VECTORS,
  put,
  removeRepo,
  reply,
  type Say,
  threadOf,
} from './support.js';

let repo: string;
beforeEach(() => {
  repo = makeRepo({
    'src/order.ts': '/** 超时关单：关闭没付款的订单。 */\nexport const RETRY = 0;\n',
    '.xihe/knowledge/terms/order.yaml':
      '- id: close\n  keyword_ch: 超时关单\n  code_symbols:\n    - RETRY\n  confidence: high\n  status: verified\n  source: repo://src/order.ts\n  reviewed_at: 2026-01-01\n',
  });
});
afterEach(() => removeRepo(repo));

const config = (text: string) => put(repo, { '.xihe/config.yaml': text });
const isReview = (system: string) => system.includes('你在审查一份代码改动');
const edit = (search: string, replace: string) => ({
  name: 'edit_file',
  args: { path: 'src/order.ts', edits: [{ search, replace }] },
});
const read = (start_line = 1) => ({ name: 'read_file', args: { path: 'src/order.ts', start_line } });
const overflow = () => new XiheError('MODEL_CONTEXT_OVERFLOW', '超出', { hint: '' });
const down = () => new XiheError('MODEL_UNREACHABLE', '连不上端点', { hint: '检查网络。' });

/** A model whose review is calm, or as given. */
const coder = (say: Say, review = '{"findings":[]}') => {
  let turn = 0;
  return fakeModel((request) => (isReview(request.system) ? review : say(request, ++turn)));
};

async function start(model: ChatModel | null, text = '超时关单加一次重试', options: Record<string, unknown> = {}) {
  const graph = graphOf(repo, model);
  const request = { text, repo, options: { autoApprove: 'none', noModel: false, ...options } };
  await graph.invoke({ request } as never, threadOf('a') as never);
  const view = async () => {
    const snapshot = await graph.getState(threadOf('a'));
    // biome-ignore lint/suspicious/noExplicitAny: tests look into questions of every kind
    const pending = snapshot.tasks.flatMap((t) => t.interrupts ?? [])[0]?.value as Record<string, any> | undefined;
    return { state: snapshot.values as RunState, pending };
  };
  return { graph, view, ...(await view()) };
}

describe('budgets end the loop with what is staged, and say so', () => {
  const busy: Say = (request, n) => calls(request, n === 1 ? edit('RETRY = 0', 'RETRY = 1') : read());

  it.each([
    ['turns', 'run:\n  maxTurns: 3\n', '轮数上限（3 轮'],
    ['tokens', 'run:\n  maxTokens: 40\n', 'token 上限（40'],
    ['time', 'run:\n  maxSeconds: 0.001\n', '时间上限'],
  ])('%s', async (kind, yaml, says) => {
    config(yaml);
    const model = coder(busy);
    const { state, pending } = await start(model);
    if (kind === 'time') {
      // Reading and planning took longer than that: nothing was asked, nothing was changed.
      expect(model.asked).toEqual([]);
      expect(state.reported).toMatchObject({ kind: 'nothing' });
      expect(state.reported!.text).toContain(says);
      return;
    }
    expect(model.asked.filter((r) => !isReview(r.system))).toHaveLength(3);
    expect(state.stopReason).toContain(says);
    expect(pending!.diff).toContain('+export const RETRY = 1;');
    expect(pending!.actionRequests[0].description).toContain(says);
    expect(readFileSync(join(repo, 'src/order.ts'), 'utf8')).toContain('RETRY = 0');
  });

  it('the report after a yes says that it ended early', async () => {
    config('run:\n  maxTurns: 2\n');
    const { graph, view } = await start(coder(busy));
    await graph.invoke(new Command({ resume: { decisions: [{ type: 'approve' }] } }) as never, threadOf('a') as never);
    const { state } = await view();
    expect(state.reported!.text).toContain('提前收尾：达到轮数上限');
    expect(readFileSync(join(repo, 'src/order.ts'), 'utf8')).toContain('RETRY = 1');
  });
});

describe('a model that fails', () => {
  it('whose window is smaller than set is asked once more with less, and then works on', async () => {
    let overflows = 0;
    const model = coder((_, n) => {
      if (n === 1) {
        overflows++;
        throw overflow();
      }
      return '不用改。';
    });
    const { state } = await start(model);
    expect(overflows).toBe(1);
    expect(state.error).toBeNull();
    expect(state.reported!.kind).toBe('nothing');
  });

  it('whose window is smaller still ends the run, with the brief', async () => {
    const { state } = await start(
      coder(() => {
        throw overflow();
      }),
    );
    expect(state.reported).toMatchObject({ kind: 'failed', ok: false, error: { code: 'MODEL_CONTEXT_OVERFLOW' } });
    expect(state.reported!.text).toContain('行动预案');
  });

  it('in the middle: nothing is written, and what was staged is told', async () => {
    const { state } = await start(
      coder((request, n) => {
        if (n === 1) return calls(request, edit('RETRY = 0', 'RETRY = 1'));
        throw down();
      }),
    );
    expect(state.reported).toMatchObject({ kind: 'failed', ok: false });
    expect(state.reported!.text).toContain('暂存的 1 个文件的修改还没做完，没有写入');
    expect(readFileSync(join(repo, 'src/order.ts'), 'utf8')).toContain('RETRY = 0');
  });

  it('as a reviewer never blocks: down, nonsense, or a place that is none', async () => {
    const change: Say = (request, n) => (n === 1 ? calls(request, edit('RETRY = 0', 'RETRY = 1')) : '好了');
    const nonsense = await start(coder(change, '看起来不错'));
    expect(nonsense.pending!.findings).toMatchObject([{ severity: 'warn' }]);
    const odd = await start(
      coder(change, '{"findings":[{"severity":"bad","path":null,"line":"12","text":"有点问题"}]}'),
    );
    expect(odd.pending!.findings).toMatchObject([{ severity: 'warn', text: '有点问题' }]);
    const graph = await start(
      fakeModel((request, n) => {
        if (isReview(request.system)) throw down();
        return change(request, n);
      }),
    );
    expect(graph.pending!.findings[0].text).toContain('没有完成自查（连不上端点）');
  });

  it('as a reviewer is told once what is wrong with its reply', async () => {
    const asked: string[] = [];
    const { pending, state } = await start(
      fakeModel((request, n) => {
        if (!isReview(request.system)) return n === 1 ? calls(request, edit('RETRY = 0', 'RETRY = 1')) : '好了';
        asked.push(String(request.messages.at(-1)?.content));
        return asked.length === 1 ? '看起来不错' : '{"findings":[{"severity":"warn","text":"边界没测"}]}';
      }),
    );
    expect(asked).toHaveLength(2);
    expect(asked[1]).toContain('没有找到 JSON');
    expect(pending!.findings).toMatchObject([{ severity: 'warn', text: '边界没测' }]);
    expect(state.usage.calls).toBe(4);
  });

  it('at a question: the passages answer, and what was used still counts', async () => {
    const model = fakeModel((request, n) => {
      if (n === 1) return calls(request, read());
      throw down();
    });
    const { state } = await start(model, '超时关单在哪里实现？');
    expect(state.reported!.kind).toBe('answer');
    expect(state.answered).toContain('模型没有答上来（连不上端点）');
    expect(state.answered).toContain('RETRY');
    expect(state.usage).toMatchObject({ calls: 1, input: 10, output: 5 });
    expect(state.fed.some((f) => f.path === 'src/order.ts' && f.form === 'read')).toBe(true);
  });

  it('at small talk: a greeting', async () => {
    const { state } = await start(
      fakeModel(() => {
        throw down();
      }),
      '你好',
    );
    expect(state.answered).toContain('羲和');
  });

  it('that is gone at resume: what was applied is reported as applied', async () => {
    const change: Say = (request, n) => (n === 1 ? calls(request, edit('RETRY = 0', 'RETRY = 1')) : '好了');
    let model: ChatModel | null = coder(change);
    const { buildGraph } = await import('../../src/agent/graph.js');
    const { openProject } = await import('../../src/agent/project.js');
    const { MemorySaver } = await import('@langchain/langgraph');
    const graph = buildGraph(
      { defaultRepo: repo, openProject: (r) => openProject(r, NO_VECTORS), openModel: () => model },
      new MemorySaver(),
    );
    await graph.invoke({ request: { text: '超时关单加一次重试' } } as never, threadOf('g') as never);
    model = null;
    const after = await graph.invoke(new Command({ resume: { decisions: ['同意'] } }) as never, threadOf('g') as never);
    expect(after.reported).toMatchObject({ kind: 'changes', ok: true });
    expect(after.reported!.text).toContain('已写入 1 个文件');
  });

  it('that is gone when a comment asks for more: said, not crashed', async () => {
    const { graph, view } = await start(
      coder((request, n) => {
        if (n === 1) return calls(request, edit('RETRY = 0', 'RETRY = 1'));
        if (n === 2) return '好了';
        throw down();
      }),
    );
    await graph.invoke(
      new Command({ resume: { decisions: [{ type: 'edit', message: '改成 2' }] } }) as never,
      threadOf('a') as never,
    );
    expect((await view()).state.reported).toMatchObject({ kind: 'failed', error: { code: 'MODEL_UNREACHABLE' } });
  });
});

describe('what the model is sent', () => {
  it('the same system prompt and the same messages before, turn after turn', async () => {
    const model = coder((request, n) => (n < 4 ? calls(request, read(n)) : '不用改。'));
    await start(model);
    const asked = model.asked;
    expect(asked).toHaveLength(4);
    const sent = asked.map((r) => [r.system, ...r.messages.map((m) => `${m.type}:${textOf(m)}`)]);
    for (let i = 1; i < sent.length; i++) expect(sent[i]!.slice(0, sent[i - 1]!.length)).toEqual(sent[i - 1]);
    expect(asked.map((r) => r.tools)).toEqual(Array(4).fill(asked[0]!.tools));
  });

  it('terms with file and line', async () => {
    const model = coder(() => '不用改。');
    await start(model);
    expect(textOf(model.asked[0]!.messages[0]!)).toContain('超时关单 → RETRY（src/order.ts:2）');
  });

  it('an answer to every call, those with broken arguments too', async () => {
    for (const text of ['超时关单加一次重试', '超时关单在哪里实现？']) {
      const model = fakeModel((request, n) =>
        n === 1
          ? reply({
              content: '',
              tool_calls: [{ type: 'tool_call', id: 'ok', ...read() }],
              invalid_tool_calls: [
                { type: 'invalid_tool_call', id: 'bad', name: 'read_file', args: '{"pa', error: '没有写完' },
              ],
            })
          : isReview(request.system)
            ? '{"findings":[]}'
            : '看过了。',
      );
      await start(model, text);
      const results = model.asked[1]!.messages.filter(ToolMessage.isInstance);
      expect(results.map((m) => m.tool_call_id)).toEqual(['ok', 'bad']);
      expect(textOf(results[1]!)).toContain('没有执行：没有写完');
    }
  });

  it('a question whose only call is broken goes on, too', async () => {
    const model = fakeModel((_, n) =>
      n === 1
        ? reply({
            content: '',
            invalid_tool_calls: [{ type: 'invalid_tool_call', id: 'bad', name: 'read_file', args: '{' }],
          })
        : '在 src/order.ts。',
    );
    expect((await start(model, '超时关单在哪里实现？')).state.answered).toBe('在 src/order.ts。');
  });

  it('a window of a file once, in a later turn too, and again after an edit', async () => {
    const model = coder((request, n) => {
      if (n === 1) return calls(request, read(), read(), edit('RETRY = 0', 'RETRY = 1'), read());
      return n === 2 ? calls(request, read()) : '好了';
    });
    const { state } = await start(model);
    const results = model.asked[2]!.messages.filter(ToolMessage.isInstance).map((m) => textOf(m));
    expect(results[0]).toContain('RETRY = 0');
    expect(results[1]).toContain('前面已经给过');
    expect(results[1]).not.toContain('RETRY');
    expect(results[3]).toContain('RETRY = 1');
    expect(results[4]).toContain('前面已经给过');
    expect(state.fed.filter((f) => f.form === 'read')).toHaveLength(2);
  });
});

describe('at confirm', () => {
  const change: Say = (request, n) => (n === 1 ? calls(request, edit('RETRY = 0', 'RETRY = 1')) : '好了');
  const resume = (graph: Awaited<ReturnType<typeof start>>['graph'], value: unknown) =>
    graph.invoke(new Command({ resume: value }) as never, threadOf('a') as never);

  it("the user's own version and words for the model both count", async () => {
    const model = coder(change);
    const { graph, view } = await start(model);
    const files = [{ path: 'src/order.ts', text: 'export const RETRY = 7;\n' }];
    await resume(graph, {
      decisions: [{ type: 'edit', message: '再看看', editedAction: { name: 'apply_changeset', args: { files } } }],
    });
    expect((await view()).pending!.diff).toContain('+export const RETRY = 7;');
    expect(model.asked.some((r) => r.messages.some((m) => textOf(m).includes('再看看')))).toBe(true);
  });

  it('an answer that can not be read leaves the question open', async () => {
    const { graph, view } = await start(coder(change));
    for (const bad of [
      { decisions: [{ type: 'edit' }] },
      { nonsense: 1 },
      {
        decisions: [{ type: 'edit', editedAction: { name: 'x', args: { files: [{ path: '../out.ts', text: '' }] } } }],
      },
    ]) {
      await resume(graph, bad);
      const { pending } = await view();
      expect(pending!.problem).toBeTruthy();
      expect(pending!.actionRequests[0].description).toContain('上一个答复没有用上');
    }
    await resume(graph, { decisions: [{ type: 'approve' }] });
    expect((await view()).state.reported).toMatchObject({ kind: 'changes' });
  });
});

describe('a chat client', () => {
  it('goes on with a thread by a message alone', async () => {
    const graph = graphOf(repo, null);
    const say = (text: string) => graph.invoke({ messages: [new HumanMessage(text)] } as never, threadOf('m') as never);
    expect((await say('你好')).request!.text).toBe('你好');
    expect((await say('超时关单在哪里实现？')).request!.text).toBe('超时关单在哪里实现？');
    const third = await graph.invoke({ request: { text: '谢谢' } } as never, threadOf('m') as never);
    expect(third.request!.text).toBe('谢谢');
    expect(third.run).toBe(3);
    expect(third.turns).toHaveLength(3);
  });
});
