import { serverGraph } from '../src/agent/index.js';

/** The whole workflow, as `langgraph.json` serves it. */
export const graph = serverGraph();
