import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { droppedCalls, fitContext } from '../../src/agent/context-window.js';
import { textOf } from '../../src/agent/node.js';
import { estimateTokens } from '../../src/text/index.js';

const call = (id: string, args: Record<string, unknown> = {}) =>
  new AIMessage({ content: '', tool_calls: [{ type: 'tool_call', id, name: 'read_file', args }] });
const result = (id: string, text: string) => new ToolMessage({ tool_call_id: id, name: 'read_file', content: text });
const long = '长文本。'.repeat(300);
const conversation = (n: number, text = long) => [
  new HumanMessage('任务'),
  ...Array.from({ length: n }, (_, i) => [call(`c${i}`), result(`c${i}`, text)]).flat(),
];

describe('a conversation in its window', () => {
  it('stays as it is while it fits', () => {
    const messages = conversation(3);
    expect(fitContext(messages, 64_000)).toBe(messages);
  });

  it('loses the oldest results first, keeps the last four, and the pairs of calls and results', () => {
    const messages = conversation(8);
    const fitted = fitContext(messages, 6_000);
    const dropped = fitted.flatMap((m) => (ToolMessage.isInstance(m) ? [textOf(m).includes('已省略')] : []));
    expect(dropped.slice(-4)).toEqual([false, false, false, false]);
    expect(dropped[0]).toBe(true);
    expect(dropped).toEqual([...dropped].sort((a, b) => Number(b) - Number(a)));
    expect(fitted.map((m) => m.type)).toEqual(messages.map((m) => m.type));
    expect(fitted.filter(ToolMessage.isInstance).map((m) => m.tool_call_id)).toEqual(
      messages.filter(ToolMessage.isInstance).map((m) => m.tool_call_id),
    );
    expect(textOf(messages[2]!)).toBe(long);
  });

  it('counts what calls carry: a written file fills the window too', () => {
    const written = [new HumanMessage('任务'), call('w', { content: long.repeat(10) })];
    const messages = [...conversation(5, long), ...written.slice(1), result('w', '已暂存')];
    expect(fitContext(messages, 12_000)).not.toBe(messages);
    expect(fitContext(conversation(5, long), 12_000)).toHaveLength(11);
  });

  it('does not lengthen short results', () => {
    const messages = [...conversation(6, '好'), new HumanMessage(long.repeat(5))];
    expect(fitContext(messages, 1_000).map(textOf)).toEqual(messages.map(textOf));
  });
});

describe('what was told of the tree long ago', () => {
  const looked = (n: number) =>
    conversation(n).map((message) =>
      ToolMessage.isInstance(message)
        ? new ToolMessage({ tool_call_id: message.tool_call_id, content: long, artifact: { faded: 'src/a.ts：说明' } })
        : message,
    );

  it('fades to one line, six turns at a time, results of other tools stay', () => {
    const told = (n: number) =>
      fitContext(looked(n), 640_000)
        .filter(ToolMessage.isInstance)
        .map((m) => textOf(m) === 'src/a.ts：说明');
    expect(told(11).includes(true)).toBe(false);
    expect(told(12)).toEqual([...Array(6).fill(true), ...Array(6).fill(false)]);
    expect(told(17)).toEqual([...Array(6).fill(true), ...Array(11).fill(false)]);
    expect(fitContext(conversation(12), 640_000).map(textOf)).toEqual(conversation(12).map(textOf));
  });

  it('and the calls whose results were cut out are known by name', () => {
    expect([...droppedCalls(conversation(3), 64_000)]).toEqual([]);
    expect([...droppedCalls(conversation(8), 6_000)][0]).toBe('c0');
    expect([...droppedCalls(conversation(8), 6_000)]).not.toContain('c7');
  });
});

describe('the beginning of a conversation', () => {
  const sentAt = (all: BaseMessage[], turn: number, window: number) => fitContext(all.slice(0, 1 + 2 * turn), window);
  const bytes = (messages: BaseMessage[]) => messages.map((m) => JSON.stringify([m.type, m.content]));

  it('stays the same from one request to the next, but for a few cuts that make room for long', () => {
    const all = conversation(60);
    let changes = 0;
    for (let turn = 1; turn < 60; turn++) {
      const [before, after] = [bytes(sentAt(all, turn - 1, 32_000)), bytes(sentAt(all, turn, 32_000))];
      if (after.slice(0, before.length).join() !== before.join()) changes += 1;
    }
    expect(changes).toBeGreaterThan(0);
    expect(changes).toBeLessThan(10);
  });

  it('is cut earlier where the endpoint counts more than we do', () => {
    const counted = (share: number) =>
      conversation(12).map((m, i, all) => {
        if (!AIMessage.isInstance(m)) return m;
        const ours = 4_000 + all.slice(0, i).reduce((sum, one) => sum + estimateTokens(textOf(one)), 0);
        const input = Math.round(ours * share);
        return new AIMessage({
          content: '',
          tool_calls: m.tool_calls ?? [],
          usage_metadata: { input_tokens: input, output_tokens: 1, total_tokens: input + 1 },
        });
      });
    const dropped = [0.6, 1, 1.5].map((share) => droppedCalls(counted(share), 26_000).size);
    expect(dropped[0]).toBe(0);
    expect(dropped[1]).toBeLessThan(dropped[2]!);
  });

  it('keeps the task, what the user said and what is staged when everything else has gone', () => {
    const staged = new ToolMessage({ tool_call_id: 'e', name: 'edit_file', content: `已暂存 src/a.ts\n${long}` });
    const editing = new AIMessage({
      content: '我来改',
      tool_calls: [{ type: 'tool_call', id: 'e', name: 'edit_file', args: { path: 'src/a.ts', text: long } }],
    });
    const said = new HumanMessage('用户的意见：不要动状态机');
    const all = [...conversation(4), editing, staged, said, ...conversation(8).slice(1)];
    const text = fitContext(all, 6_000).map((m) => `${textOf(m)} ${JSON.stringify((m as AIMessage).tool_calls ?? '')}`);
    for (const kept of ['任务', '不要动状态机', '已暂存 src/a.ts', '我来改', '"path":"src/a.ts"'])
      expect(text.join('\n')).toContain(kept);
    expect(text.join('\n')).toContain('以暂存区里的文件为准');
  });
});
