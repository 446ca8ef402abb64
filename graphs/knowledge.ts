import { serverKnowledgeGraph } from '../src/agent/index.js';

/** Questions only, answers with sources, as `langgraph.json` serves it. */
export const graph = serverKnowledgeGraph();
