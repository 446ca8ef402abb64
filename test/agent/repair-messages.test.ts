import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { repairToolCalls } from '../../src/agent/repair-messages.js';

const user = (text: string) => new HumanMessage(text);
const calls = (...ids: string[]) =>
  new AIMessage({
    content: '',
    tool_calls: ids.map((id) => ({ id, name: `tool_${id}`, args: { n: id }, type: 'tool_call' })),
  });
const result = (id: string, content = `结果 ${id}`) => new ToolMessage({ tool_call_id: id, content });

/** `user`, `call a,b`, `a=结果 a`: short enough to compare whole conversations. */
function sketch(messages: BaseMessage[]): string[] {
  return messages.map((m) => {
    if (ToolMessage.isInstance(m)) return `${m.tool_call_id}=${m.content}`;
    if (AIMessage.isInstance(m) && m.tool_calls?.length) return `call ${m.tool_calls.map((c) => c.id).join(',')}`;
    return `${m.type}: ${m.content}`;
  });
}

/** What a strict endpoint checks: every call answered once, right behind, in nothing but tool messages; ids never twice. */
function isStrict(messages: BaseMessage[]): boolean {
  const seen = new Set<string>();
  let open: string[] = [];
  for (const m of messages) {
    if (ToolMessage.isInstance(m)) {
      if (open.shift() !== m.tool_call_id) return false;
      continue;
    }
    if (open.length > 0) return false;
    open = AIMessage.isInstance(m) ? (m.tool_calls ?? []).map((c) => c.id!) : [];
    if (AIMessage.isInstance(m) && (m.invalid_tool_calls ?? []).length > 0) return false;
    if (open.some((id) => !id || seen.has(id)) || new Set(open).size !== open.length) return false;
    for (const id of open) seen.add(id);
  }
  return open.length === 0;
}

describe('repairToolCalls', () => {
  it('leaves a sound conversation alone: the very same list', () => {
    const sound = [user('改'), calls('a', 'b'), result('a'), result('b'), new AIMessage('好了')];
    expect(repairToolCalls(sound)).toBe(sound);
  });

  it('answers a call that has no result, in its place', () => {
    const repaired = repairToolCalls([user('改'), calls('a', 'b'), result('b'), user('继续')]);
    expect(sketch(repaired)).toEqual([
      'human: 改',
      'call a,b',
      expect.stringMatching(/^a=没有执行/),
      'b=结果 b',
      'human: 继续',
    ]);
    expect(ToolMessage.isInstance(repaired[2]) && repaired[2].status).toBe('error');
  });

  it('drops a result without a call and a second result, and brings a late one back', () => {
    const repaired = repairToolCalls([
      result('x'),
      calls('a', 'b'),
      result('b'),
      user('等等'),
      result('a'),
      result('a', '又一次'),
    ]);
    expect(sketch(repaired)).toEqual(['call a,b', 'a=结果 a', 'b=结果 b', 'human: 等等']);
  });

  it('gives calls with one id different ones, each with its own result', () => {
    const repaired = repairToolCalls([
      calls('a', 'a'),
      result('a', '一'),
      result('a', '二'),
      calls('a'),
      result('a', '三'),
    ]);
    expect(sketch(repaired)).toEqual(['call a,a_2', 'a=一', 'a_2=二', 'call a_3', 'a_3=三']);
  });

  it('turns calls with broken arguments into answered calls', () => {
    const broken = new AIMessage({
      content: '',
      invalid_tool_calls: [{ id: 'a', name: 'edit_file', args: '{"x', error: 'cut', type: 'invalid_tool_call' }],
    });
    const repaired = repairToolCalls([broken, result('a', '参数不是完整的 JSON')]);
    expect(sketch(repaired)).toEqual(['call a', 'a=参数不是完整的 JSON']);
    expect((repaired[0] as AIMessage).tool_calls![0]).toMatchObject({ name: 'edit_file', args: {} });
    expect(broken.invalid_tool_calls).toHaveLength(1);
  });

  it('drops assistant messages that say nothing', () => {
    expect(sketch(repairToolCalls([user('在吗'), new AIMessage(''), user('在？')]))).toEqual([
      'human: 在吗',
      'human: 在？',
    ]);
  });

  it('makes any muddle strict, and what it made stays as it is (seeded fuzz)', () => {
    let state = 3;
    const pick = (n: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * n);
    };
    const ids = ['a', 'b', 'c', ''];
    const make = [
      () => user('说'),
      () => new AIMessage(pick(2) ? '好' : ''),
      () => calls(...Array.from({ length: 1 + pick(3) }, () => ids[pick(4)]!)),
      () => result(ids[pick(4)]!),
      () => result(ids[pick(4)]!),
      () =>
        new AIMessage({
          content: '',
          invalid_tool_calls: [{ id: ids[pick(4)]!, name: 't', args: '{', type: 'invalid_tool_call' }],
        }),
    ];
    for (let round = 0; round < 500; round++) {
      const muddle = Array.from({ length: pick(12) }, () => make[pick(make.length)]!());
      const repaired = repairToolCalls(muddle);
      expect(isStrict(repaired), sketch(muddle).join(' | ')).toBe(true);
      expect(repairToolCalls(repaired)).toBe(repaired);
      expect(repaired.filter((m) => m.type === 'human')).toEqual(muddle.filter((m) => m.type === 'human'));
    }
  });
});
