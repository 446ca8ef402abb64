import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { droppedCalls, fadeOld, fitContext } from '../../src/agent/context-window.js';
import { textOf } from '../../src/agent/node.js';

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

  it('fades to one line after six turns, results of other tools stay', () => {
    const messages = looked(8);
    const told = fadeOld(messages).filter(ToolMessage.isInstance).map(textOf);
    // The ninth turn is about to begin: the results of the third to the eighth are at most six turns old.
    expect(told.map((text) => text === 'src/a.ts：说明')).toEqual([true, true, ...Array(6).fill(false)]);
    expect(textOf(messages[2]!)).toBe(long);
    expect(fadeOld(conversation(8)).map(textOf)).toEqual(conversation(8).map(textOf));
  });

  it('and the calls whose results were cut out are known by name', () => {
    expect([...droppedCalls(conversation(3), 64_000)]).toEqual([]);
    expect([...droppedCalls(conversation(8), 6_000)][0]).toBe('c0');
    expect([...droppedCalls(conversation(8), 6_000)]).not.toContain('c7');
  });
});
