import { EXIT } from '../exit-codes.js';
import { openPathsOnly } from '../open.js';
import { print, printJson } from '../output.js';
import type { CommonOptions } from './options.js';

/** `xihe tree`: the path skeleton. */
export async function tree(path: string | undefined, options: CommonOptions & { tokens: number }): Promise<number> {
  const { paths } = await openPathsOnly(options.repo);
  const focus = path ? paths.resolve(path).path : undefined;
  const r = paths.loadContext({ maxTokens: options.tokens, reader: 'person', ...(focus ? { focus } : {}) });
  if (options.json) printJson({ text: r.text, nodes: r.nodes, tokens: r.tokens, omitted: r.omitted });
  else print(r.text || '（空目录）');
  return EXIT.done;
}

/** `xihe expand`: one folder or file. */
export async function expand(path: string, options: CommonOptions): Promise<number> {
  const { paths } = await openPathsOnly(options.repo);
  const r = await paths.expandPath(path, { reader: 'person' });
  if (options.json) printJson({ path: r.path, text: r.text, tokens: r.tokens });
  else print(r.text);
  return EXIT.done;
}
