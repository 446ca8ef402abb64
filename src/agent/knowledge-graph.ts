import { type BaseCheckpointSaver, END, START, StateGraph } from '@langchain/langgraph';
import { type GraphDeps, makeNode, type NodeBody, type NodeRuntime } from './node.js';
import { answerNode } from './nodes/answer.js';
import { prereadNode } from './nodes/preread.js';
import { reportNode } from './nodes/report.js';
import { routeNode } from './nodes/route.js';
import { type RunState, type RunUpdate, XiheState } from './state.js';

/** Takes the whole request as one question, whatever it sounds like: this graph has nothing that edits or acts. */
const questionNode: NodeBody = async (state, env) => {
  const update = (await routeNode(state, env)) as Partial<RunState>;
  const text = update.request?.text ?? '';
  const intents = [{ kind: 'qa' as const, text, layer: 'rule' as const, evidence: '这个图只回答问题' }];
  return { ...update, routed: { intents, index: 0 } } as RunUpdate;
};

/**
 * Questions only, answers with sources: question → preread → answer → report. It holds no node that changes anything, so a caller who
 * may only ask can be given it.
 *
 * @param deps where projects and models come from
 * @param checkpointer where state is kept; a LangGraph server brings its own
 */
export function buildKnowledgeGraph(deps: GraphDeps, checkpointer?: BaseCheckpointSaver) {
  const node = (name: string, body: NodeBody) => {
    const run = makeNode(name, deps, body);
    return (state: RunState, runtime: unknown) => run(state, runtime as NodeRuntime);
  };
  return new StateGraph(XiheState)
    .addNode('question', node('question', questionNode))
    .addNode('preread', node('preread', prereadNode))
    .addNode('answer', node('answer', answerNode))
    .addNode('report', node('report', reportNode))
    .addEdge(START, 'question')
    .addEdge('question', 'preread')
    .addEdge('preread', 'answer')
    .addEdge('answer', 'report')
    .addEdge('report', END)
    .compile({ name: 'knowledge', ...(checkpointer ? { checkpointer } : {}) });
}
