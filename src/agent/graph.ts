import { AIMessage } from '@langchain/core/messages';
import { type BaseCheckpointSaver, END, START, StateGraph } from '@langchain/langgraph';
import { hasWords } from './inbox.js';
import { type GraphDeps, makeNode, type NodeRuntime, threadIn } from './node.js';
import { actNode } from './nodes/act.js';
import { answerNode } from './nodes/answer.js';
import { applyNode } from './nodes/apply.js';
import { approveNode } from './nodes/approve.js';
import { askNode } from './nodes/ask.js';
import { briefPartNode } from './nodes/brief-part.js';
import { confirmNode } from './nodes/confirm.js';
import { divideNode } from './nodes/divide.js';
import { executeNode } from './nodes/execute.js';
import { fillNode } from './nodes/fill.js';
import { handInNode } from './nodes/hand-in.js';
import { mergeNode } from './nodes/merge.js';
import { planNode } from './nodes/plan.js';
import { goesBack, postcheckNode } from './nodes/postcheck.js';
import { prereadNode } from './nodes/preread.js';
import { hasNext, reportNode } from './nodes/report.js';
import { routeNode } from './nodes/route.js';
import { selectNode } from './nodes/select.js';
import { toolsNode } from './nodes/tools.js';
import { openConflicts } from './parallel/conflicts.js';
import { safely } from './parallel/safely.js';
import { sendsOf } from './parallel/split.js';
import { AgentOutput, type RunState, XiheState } from './state.js';

/**
 * The workflow: route → preread → plan → execute ⇄ tools → postcheck → confirm → apply → report, with the question, tool and
 * chat branches. Independent parts of a plan go to sub-agents, a graph of their own, side by side; `merge` brings them together. Labels on the edges are what Studio and `xihe graph` show.
 *
 * @param deps where projects and models come from
 * @param checkpointer where state is kept; a LangGraph server brings its own
 */
export function buildGraph(deps: GraphDeps, checkpointer?: BaseCheckpointSaver) {
  const node = (name: string, body: Parameters<typeof makeNode>[2]) => {
    const run = makeNode(name, deps, body);
    return (state: RunState, runtime: unknown) => run(state, runtime as NodeRuntime);
  };
  const agent = new StateGraph({ state: XiheState, output: AgentOutput })
    .addNode('brief', node('agent:brief', safely(briefPartNode)))
    .addNode('execute', node('agent:execute', safely(executeNode)))
    .addNode('tools', node('agent:tools', safely(toolsNode)))
    .addNode('hand_in', node('agent:hand-in', handInNode))
    .addEdge(START, 'brief')
    .addConditionalEdges('brief', afterPart, { 动手: 'execute', 出错: 'hand_in' })
    .addConditionalEdges('execute', afterExecute, { 调用工具: 'tools', 改完了: 'hand_in', 模型出错: 'hand_in' })
    .addConditionalEdges('tools', afterPart, { 动手: 'execute', 出错: 'hand_in' })
    .addEdge('hand_in', END)
    .compile({ name: 'agent' });
  const graph = new StateGraph(XiheState)
    .addNode('route', node('route', routeNode))
    .addNode('preread', node('preread', prereadNode))
    .addNode('plan', node('plan', planNode))
    .addNode('ask', node('ask', askNode))
    .addNode('execute', node('execute', executeNode))
    .addNode('tools', node('tools', toolsNode))
    .addNode('divide', node('divide', divideNode))
    .addNode('agent', agent)
    .addNode('merge', node('merge', mergeNode))
    .addNode('postcheck', node('postcheck', postcheckNode))
    .addNode('confirm', node('confirm', confirmNode))
    .addNode('apply', node('apply', applyNode))
    .addNode('answer', node('answer', answerNode))
    .addNode('select', node('select', selectNode))
    .addNode('fill', node('fill', fillNode))
    .addNode('approve', node('approve', approveNode))
    .addNode('act', node('act', actNode))
    .addNode('report', node('report', reportNode))
    .addEdge(START, 'route')
    .addConditionalEdges('route', byKind, { 修改: 'preread', 提问: 'preread', 操作: 'select', 闲聊: 'answer' })
    .addConditionalEdges('preread', byKind, { 修改: 'plan', 提问: 'answer' })
    .addConditionalEdges('plan', (s) => afterPlan(s, deps), {
      先问清楚: 'ask',
      动手: 'execute',
      分头做: 'divide',
      无模型或不能继续: 'report',
    })
    .addConditionalEdges('ask', (s) => afterAsk(s, deps), { 继续: 'execute', 分头做: 'divide', 不做或无模型: 'report' })
    .addConditionalEdges('execute', afterExecute, { 调用工具: 'tools', 改完了: 'postcheck', 模型出错: 'report' })
    .addConditionalEdges('tools', (s) => (s.split?.working.length ? '分头做' : '接着做'), {
      接着做: 'execute',
      分头做: 'divide',
    })
    .addConditionalEdges('divide', sendsOf, { 每份一个: 'agent' })
    .addEdge('agent', 'merge')
    .addConditionalEdges('merge', afterMerge, {
      解决冲突: 'agent',
      接着做: 'execute',
      都做完了: 'postcheck',
      模型出错: 'report',
    })
    .addConditionalEdges('postcheck', (s, config) => afterPostcheck(s, deps, config as NodeRuntime), {
      退回修改: 'execute',
      请人确认: 'confirm',
      没有改动: 'report',
    })
    .addConditionalEdges('confirm', afterConfirm, {
      同意: 'apply',
      按意见改: 'execute',
      用户改过: 'postcheck',
      拒绝: 'report',
    })
    .addEdge('apply', 'report')
    .addConditionalEdges('select', afterSelect, { 缺参数: 'fill', 看危险等级: 'approve', 没有合适的工具: 'report' })
    .addConditionalEdges('fill', afterFill, { 看危险等级: 'approve', 还缺参数: 'fill', 不做: 'report' })
    .addConditionalEdges('approve', (s) => (s.tool?.approved ? '同意' : '拒绝'), { 同意: 'act', 拒绝: 'report' })
    .addEdge('act', 'report')
    .addEdge('answer', 'report')
    .addConditionalEdges('report', afterReport, {
      '下一件：修改或提问': 'preread',
      '下一件：操作': 'select',
      '下一件：闲聊': 'answer',
      结束: END,
    });
  return graph.compile({ name: 'xihe', ...(checkpointer ? { checkpointer } : {}) });
}

export type XiheGraph = ReturnType<typeof buildGraph>;

function byKind(state: RunState): '修改' | '提问' | '操作' | '闲聊' {
  const kind = state.routed?.intents[state.routed.index]?.kind ?? 'qa';
  return ({ edit: '修改', qa: '提问', tool: '操作', chat: '闲聊' } as const)[kind];
}

/** Whether a model may be asked in this run; the same answer as the nodes get. */
async function hasModel(state: RunState, deps: GraphDeps): Promise<boolean> {
  if (state.request?.options.noModel) return false;
  return deps.openModel(await deps.openProject(state.request?.repo ?? deps.defaultRepo)) !== null;
}

async function afterPlan(state: RunState, deps: GraphDeps) {
  if (state.planned?.stopped) return '无模型或不能继续';
  if ((state.planned?.openQuestions.length ?? 0) > 0) return '先问清楚';
  return (await hasModel(state, deps)) ? howToWork(state) : '无模型或不能继续';
}

async function afterAsk(state: RunState, deps: GraphDeps) {
  if (!state.answers?.proceed || !(await hasModel(state, deps))) return '不做或无模型';
  return howToWork(state) === '分头做' ? '分头做' : '继续';
}

function howToWork(state: RunState): '动手' | '分头做' {
  return (state.planned?.parts?.length ?? 0) > 1 ? '分头做' : '动手';
}

function afterPart(state: RunState) {
  return state.error ? '出错' : '动手';
}

function afterMerge(state: RunState) {
  const sends = sendsOf(state);
  if (sends.length > 0) return sends;
  if (state.error) return '模型出错';
  return state.split?.by === 'model' ? '接着做' : '都做完了';
}

function afterExecute(state: RunState) {
  if (state.error) return '模型出错';
  if (state.stopReason) return '改完了';
  const last = state.messages.at(-1);
  const calls = AIMessage.isInstance(last)
    ? (last.tool_calls?.length ?? 0) + (last.invalid_tool_calls?.length ?? 0)
    : 0;
  return calls > 0 ? '调用工具' : '改完了';
}

async function afterPostcheck(state: RunState, deps: GraphDeps, { configurable }: NodeRuntime) {
  const project = await deps.openProject(state.request?.repo ?? deps.defaultRepo);
  const model = state.request?.options.noModel ? null : deps.openModel(project);
  if (hasWords(state, { project, model, thread: threadIn(configurable) })) return '退回修改';
  const isEmpty = project.changeset(state.changesetId!).list().length === 0;
  if (isEmpty && openConflicts(state, { project }).length === 0) return '没有改动';
  return goesBack(state, { model, project }) ? '退回修改' : '请人确认';
}

function afterConfirm(state: RunState) {
  const decision = state.decision;
  if (decision?.verdict === 'approve') return '同意';
  if (decision?.verdict === 'reject') return '拒绝';
  return decision?.comment ? '按意见改' : '用户改过';
}

function afterSelect(state: RunState) {
  if (!state.tool?.name) return '没有合适的工具';
  return state.tool.missing.length > 0 ? '缺参数' : '看危险等级';
}

function afterFill(state: RunState) {
  if (state.tool?.approved === false || state.tool?.outcome) return '不做';
  return state.tool?.missing.length ? '还缺参数' : '看危险等级';
}

function afterReport(state: RunState) {
  if (!hasNext(state)) return '结束';
  const kind = byKind(state);
  return kind === '操作' ? '下一件：操作' : kind === '闲聊' ? '下一件：闲聊' : '下一件：修改或提问';
}
