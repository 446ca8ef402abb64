import { EXIT } from '../exit-codes.js';
import { print, printJson } from '../output.js';
import type { CommonOptions } from './options.js';

/** `xihe graph`: the workflow as Mermaid, the same that Studio draws. */
export async function graph(options: CommonOptions): Promise<number> {
  const { drawGraph } = await import('../../agent/index.js');
  const mermaid = await drawGraph();
  if (options.json) printJson({ mermaid });
  else print(mermaid);
  return EXIT.done;
}
