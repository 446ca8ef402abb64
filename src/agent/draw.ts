import { buildGraph } from './graph.js';

/** The workflow as Mermaid. Nothing is opened: the picture does not depend on a project. */
export async function drawGraph(): Promise<string> {
  const never = () => {
    throw new Error('drawing opens no project');
  };
  const graph = await buildGraph({ defaultRepo: '.', openProject: never, openModel: never }).getGraphAsync();
  return graph.drawMermaid({ withStyles: false }).trim();
}
