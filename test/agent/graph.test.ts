import { describe, expect, it } from 'vitest';
import { buildGraph } from '../../src/agent/graph.js';
import { openProject } from '../../src/agent/project.js';

const graph = buildGraph({ defaultRepo: '.', openProject: (repo) => openProject(repo), openModel: () => null });

/** Where each label leads: ARCHITECTURE.md, "The way of a request", and the branches of DESIGN's workflow. */
const EDGES: [from: string, label: string, to: string][] = [
  ['__start__', '', 'route'],
  ['route', '修改', 'preread'],
  ['route', '提问', 'preread'],
  ['route', '操作', 'select'],
  ['route', '闲聊', 'answer'],
  ['preread', '修改', 'plan'],
  ['preread', '提问', 'answer'],
  ['plan', '先问清楚', 'ask'],
  ['plan', '动手', 'execute'],
  ['plan', '分头做', 'divide'],
  ['plan', '无模型或不能继续', 'report'],
  ['ask', '继续', 'execute'],
  ['ask', '分头做', 'divide'],
  ['ask', '不做或无模型', 'report'],
  ['execute', '调用工具', 'tools'],
  ['execute', '改完了', 'postcheck'],
  ['execute', '模型出错', 'report'],
  ['tools', '接着做', 'execute'],
  ['tools', '分头做', 'divide'],
  ['divide', '每份一个', 'agent'],
  ['agent', '', 'merge'],
  ['merge', '解决冲突', 'agent'],
  ['merge', '接着做', 'execute'],
  ['merge', '都做完了', 'postcheck'],
  ['merge', '模型出错', 'report'],
  ['postcheck', '退回修改', 'execute'],
  ['postcheck', '请人确认', 'confirm'],
  ['postcheck', '没有改动', 'report'],
  ['confirm', '同意', 'apply'],
  ['confirm', '按意见改', 'execute'],
  ['confirm', '用户改过', 'postcheck'],
  ['confirm', '拒绝', 'report'],
  ['apply', '', 'report'],
  ['select', '缺参数', 'fill'],
  ['select', '看危险等级', 'approve'],
  ['select', '没有合适的工具', 'report'],
  ['fill', '看危险等级', 'approve'],
  ['fill', '还缺参数', 'fill'],
  ['fill', '不做', 'report'],
  ['approve', '同意', 'act'],
  ['approve', '拒绝', 'report'],
  ['act', '', 'report'],
  ['answer', '', 'report'],
  ['report', '下一件：修改或提问', 'preread'],
  ['report', '下一件：操作', 'select'],
  ['report', '下一件：闲聊', 'answer'],
  ['report', '结束', '__end__'],
];

describe('the workflow', () => {
  it('has these labelled edges and no other', async () => {
    const drawn = (await graph.getGraphAsync()).edges.map((e) => [e.source, e.data ?? '', e.target]);
    expect(drawn.map((e) => e.join(' → ')).sort()).toEqual(EDGES.map((e) => e.join(' → ')).sort());
  });

  it('reaches every node, and from every node the end', async () => {
    const { nodes, edges } = await graph.getGraphAsync();
    const reach = (from: string, next: (id: string) => string[]) => {
      const seen = new Set([from]);
      for (const id of seen) for (const other of next(id)) seen.add(other);
      return [...seen].sort();
    };
    const all = Object.keys(nodes).sort();
    expect(reach('__start__', (id) => edges.filter((e) => e.source === id).map((e) => e.target))).toEqual(all);
    expect(reach('__end__', (id) => edges.filter((e) => e.target === id).map((e) => e.source))).toEqual(all);
  });
});
