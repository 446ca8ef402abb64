import { readFileSync } from 'node:fs';
import { assetPath } from '../assets.js';

export type PromptName =
  | 'execute'
  | 'execute-core'
  | 'task'
  | 'task-plain'
  | 'task-part'
  | 'conflict'
  | 'merged'
  | 'findings'
  | 'comment'
  | 'said'
  | 'review'
  | 'review-task'
  | 'answer'
  | 'answer-task'
  | 'chat'
  | 'fill'
  | 'json-tools'
  | 'rerank'
  | 'identifiers';

const cache = new Map<PromptName, string>();

/**
 * A prompt from its file, with `{{name}}` filled in. Values are put in as they are: a `{{…}}` inside a value stays text.
 *
 * @param name the file's name without ending, in `src/agent/prompts/`
 * @param values one for each placeholder of the file
 * @throws Error when a placeholder has no value (a mistake in our own code)
 */
export function prompt(name: PromptName, values: Record<string, string> = {}): string {
  let text = cache.get(name);
  if (text === undefined) {
    text = readFileSync(assetPath('src', 'agent', 'prompts', `${name}.md`), 'utf8').trim();
    cache.set(name, text);
  }
  return text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`prompt ${name}: no value for ${key}`);
    return value;
  });
}
